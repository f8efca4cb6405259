"""Intervals of a model that is tested on later rows: the share of rows that they hold, and the width that holds them."""

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from rotastack.base.fitting import COVERAGE


def coverage_of_spans(spans: Sequence[tuple[NDArray, NDArray]]) -> dict[str, float]:
    """Return the share of ``rows`` ``held`` by intervals in the tested spans, and how many ``times`` as wide they have to be.

    A span has targets, and ends of intervals, shape (n_rows, 2). A row needs the distance from the middle of its interval,
    divided by half the width. ``times`` is the need of rank ceil((n + 1) ``COVERAGE``) of n rows, as in conformal prediction,
    and at least 1; fewer than nine rows have none. The share ``then_held``, from ``least`` to ``most`` by span, is held if
    the other spans alone give a span its factor.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # an interval may have no width
        needs = [np.round(2 * np.abs(y - ends.mean(axis=1)) / np.ptp(ends, axis=1), 9) for y, ends in spans]

    def times(parts: list[NDArray]) -> float:
        ordered = np.sort(np.concatenate([*parts, [np.inf]]))
        return max(1.0, float(ordered[ceil(len(ordered) * COVERAGE) - 1]))

    every = np.concatenate(needs)
    found = {"rows": len(every), "held": float(np.mean(every <= 1))}
    by_others = [times(needs[:k] + needs[k + 1 :]) for k in range(len(needs))]
    if not np.isfinite([times(needs), *by_others]).all():
        return found
    then = [part <= factor for part, factor in zip(needs, by_others, strict=True)]
    shares = [float(held.mean()) for held in then]
    found |= {"times": times(needs), "then_held": float(np.concatenate(then).mean())}
    return found | {"least": min(shares), "most": max(shares)}


def widened(ends: NDArray[np.float64], tested: Mapping[str, float]) -> NDArray[np.float64]:
    """Return intervals with the width that the tests on later rows ask for."""
    return ends + np.diff(ends, axis=1) / 2 * (tested.get("times", 1.0) - 1) * [-1, 1]


def coverage_in_words(tested: Mapping[str, float]) -> str:
    """Return the measured coverage of intervals in a sentence."""
    text = f"{COVERAGE:.0%} intervals covered {tested['held']:.0%} of {tested['rows']:,} later rows"
    if tested.get("times", 0) <= 1:
        return f"{text}{'' if 'times' in tested else ', too few to correct their width'}."
    return (
        f"{text}; the model's intervals are {tested['times']:.3g} times as wide and so cover {tested['then_held']:.0%} "
        f"({tested['least']:.0%} to {tested['most']:.0%} by time span, each scaled by the factor of the others; less where errors grow in time)."
    )
