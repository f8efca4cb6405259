"""Intervals of a model that is tested on later rows: the share of rows that they hold, and the width that holds them."""

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from rotastack.base.fitting import COVERAGE

__all__ = ["coverage_in_words", "tested_intervals", "widened"]

LEAST_WIDTH = 0.01
"""The least width of an interval, as a share of the mean width in the tested spans."""


def tested_intervals(spans: Sequence[tuple[NDArray, NDArray]]) -> dict[str, float]:
    """Return the share of rows ``held`` by intervals in the tested spans, and how much to widen intervals for ``COVERAGE``.

    A span has targets, and lower and upper ends, shape (n_rows, 2). ``times`` is the factor of all widths that is 1 or more
    and holds the share, by the rank ceil((n + 1) COVERAGE) of the n rows' own factors, as in conformal prediction; there is
    none for fewer than nine rows. With each span's factor from the other spans alone, the share ``then_held`` is held,
    from ``least`` to ``most`` by span.

    References
    ----------
    Romano, Y., Patterson, E. and Candes, E. (2019). Conformalized quantile regression. Advances in Neural Information
    Processing Systems 32.
    """
    least = LEAST_WIDTH * float(np.mean(np.concatenate([ends[:, 1] - ends[:, 0] for _, ends in spans]))) or 1.0
    needed = [2 * np.abs(y - ends.mean(axis=1)) / np.maximum(ends[:, 1] - ends[:, 0], least) for y, ends in spans]

    def times(parts: list[NDArray]) -> float:
        factors = np.sort(np.concatenate([*parts, [np.inf]]))
        return max(1.0, float(factors[ceil(len(factors) * COVERAGE) - 1]))

    shares = [float(np.mean((ends[:, 0] <= y) & (y <= ends[:, 1]))) for y, ends in spans]
    sizes = [len(y) for y, _ in spans]
    found = {"rows": sum(sizes), "held": float(np.average(shares, weights=sizes))}
    by_others = [times(needed[:k] + needed[k + 1 :]) for k in range(len(spans))]
    if not np.isfinite([*by_others, times(needed)]).all():
        return found
    then = [float(np.mean(part <= factor)) for part, factor in zip(needed, by_others, strict=True)]
    found |= {"times": times(needed), "least_width": least, "then_held": float(np.average(then, weights=sizes))}
    return found | {"least": min(then), "most": max(then)}


def widened(ends: NDArray[np.float64], tested: Mapping[str, float]) -> NDArray[np.float64]:
    """Return intervals with the width that tests on later rows have shown."""
    if tested.get("times", 1.0) == 1:
        return ends
    half = np.maximum(ends[:, 1] - ends[:, 0], tested["least_width"]) / 2 * tested["times"]
    return ends.mean(axis=1)[:, None] + half[:, None] * [-1, 1]


def coverage_in_words(tested: Mapping[str, float]) -> str:
    """Return the measured coverage of intervals in a sentence."""
    text = f"{COVERAGE:.0%} intervals held {tested['held']:.0%} of {tested['rows']:,} later rows"
    if "times" not in tested:
        return f"{text}, too few to correct their width."
    if tested["times"] == 1:
        return f"{text}."
    return (
        f"{text}; the model's are {tested['times']:.3g} times as wide, and then {tested['then_held']:.0%} are held "
        f"({tested['least']:.0%} to {tested['most']:.0%} by span, each with the factor of the other spans)."
    )
