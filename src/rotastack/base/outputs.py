"""Outputs of members: names of a regressor's outputs, the positive class, sums over members, and out-of-bag scores.

Sums add member by member: NumPy's own order of additions depends on the number of rows. This module does not import
scikit-learn, because steps that only read outputs do without it.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

NUMBERS = ("prediction", "lower", "upper")
"""Names of the outputs of a regressor with intervals; `lower` and `upper` are NaN if it predicts no intervals."""


def positive_class(codes: NDArray[np.integer]) -> int:
    """Return the number of the positive class: the rarer of two classes, or class 1 if both are equally frequent."""
    return int(np.sum(codes == 1) <= np.sum(codes == 0))


def weighted_sum(weights: Iterable[float], members: Iterable[ArrayLike]) -> NDArray[np.float64]:
    """Return the weighted sum of arrays of equal shape, one for each member; a row's sum does not depend on other rows."""
    terms = (weight * np.asarray(member) for weight, member in zip(weights, members, strict=True))
    total = next(terms)
    for term in terms:
        total += term
    return total


def mean_of(members: Sequence[NDArray] | NDArray) -> NDArray[np.float64]:
    """Return the unweighted mean over members."""
    return weighted_sum([1.0] * len(members), members) / len(members)


def check_numbers(outputs: NDArray[np.floating], estimator: str, n_classes: int | None) -> None:
    """Raise a ValueError if outputs (..., row, class) are not finite; of a regression, the ends of intervals may be missing."""
    odd = ~np.isfinite(outputs[..., : n_classes or 1]).all(axis=-1)
    if odd.any():
        name = estimator.rpartition(".")[2]
        raise ValueError(f"{name} predicted NaN or infinity for {int(odd.sum())} of {odd.size} rows")


def unit_of(numbers: NDArray[np.floating] | np.floating) -> float:
    """Return a power of two to divide numbers by: the quotients lie in (-2, 2), and the division rounds nothing."""
    largest = float(np.abs(numbers).max(initial=0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def _alike(weights: NDArray[np.floating] | None) -> bool:
    return weights is None or not len(weights) or np.ptp(weights) == 0


def accuracy(
    outputs: NDArray[np.floating], codes: NDArray[np.integer], weights: NDArray[np.floating] | None = None
) -> float:
    """Return the weighted share of rows whose largest output is that of their class; NaN without rows."""
    right = outputs.argmax(axis=1) == codes
    if _alike(weights):
        return float(right.mean()) if len(right) else float("nan")
    assert weights is not None
    return float(weights[right].sum() / weights.sum())


def r_squared(
    predictions: NDArray[np.floating], y: NDArray[np.floating], weights: NDArray[np.floating] | None = None
) -> float:
    """Return the weighted R^2; NaN without rows or if `y` is constant."""
    unit = unit_of(y)  # squares of huge or tiny numbers would overflow or vanish
    predictions, y = predictions / unit, y / unit
    if _alike(weights):
        spread = np.sum((y - y.mean()) ** 2) if len(y) else 0.0
        loss = np.sum((y - predictions) ** 2)
    else:
        assert weights is not None
        spread = weights @ (y - weights @ y / weights.sum()) ** 2
        loss = weights @ (y - predictions) ** 2
    return float(1 - loss / spread) if spread > 0 else float("nan")
