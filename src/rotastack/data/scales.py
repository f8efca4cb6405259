"""Scales that the values of a column show, such as answers from never to always, and bands of numbers."""

import re
from collections.abc import Collection, Iterator, Mapping
from shlex import quote

import pandas as pd

from rotastack.base.categories import MISSING, texts_of
from rotastack.errors import shortened

SCALES = [
    scale.split(", ")
    for scale in (
        "strongly disagree, disagree, somewhat disagree, neither agree nor disagree, neutral, undecided, somewhat agree, agree, strongly agree",
        "never, rarely, seldom, sometimes, occasionally, often, frequently, usually, very often, always",
        "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
        "very low, low, medium, moderate, high, very high",
        "very poor, poor, fair, average, good, very good, excellent",
        "none, mild, moderate, severe, very severe",
        "not at all, a little, somewhat, quite a bit, very much, extremely",
        "extra small, small, medium, large, extra large",
        "xs, s, m, l, xl, xxl",
    )
]
_BAND = re.compile(
    r"(?:under|below|up to|over|above|[<>≤≥])?\s*([\d.]+)\s*(?:(?:-|–|to)\s*[\d.]+|\+|and over|or more)?", re.I
)


def scale_of(names: Collection[str]) -> list[str] | None:
    """Return names in the order of their scale; None if they show none, or fewer than three.

    >>> scale_of(["high", "low", "medium"]), scale_of(["18-24", "65+", "25-34"])
    (['low', 'medium', 'high'], ['18-24', '25-34', '65+'])
    """
    if len(names) < 3:
        return None
    bare = {" ".join(name.lower().split()): name for name in names}
    for scale in SCALES:
        if len(bare) == len(names) and bare.keys() <= set(scale):
            return [bare[value] for value in scale if value in bare]
    bands = {name: _BAND.fullmatch(name.strip()) for name in names}
    if all(bands.values()) and any(not name.strip().isdigit() for name in names):
        starts = {name: (float(found[1]), name[0] not in "<≤ub") for name, found in bands.items() if found}
        if len(set(starts.values())) == len(names):
            return sorted(names, key=lambda name: starts[name])
    return None


def suggested_orders(features: pd.DataFrame, kinds: Mapping[str, str]) -> Iterator[str]:
    """Yield one sentence on the categorical columns that show a scale, with the option for the first."""
    found = {}
    for column in features:
        names = set(texts_of(features[column]).unique()) - {MISSING} if kinds[column] == "categorical" else set()
        if order := scale_of(names):
            found[str(column)] = order
    if found:
        first, order = next(iter(found.items()))
        option, one = quote(f"{first}={'<'.join(order)}"), len(found) == 1
        what = "looks ordered, and is read as categories" if one else "look ordered, and are read as categories"
        yield f"{shortened(found, 5)} {what}: --kind {option} makes numbers of the values of {first}, by their order."
