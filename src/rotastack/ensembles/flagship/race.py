"""The race of boosted families: a family that can earn no weight beside the other families ends early.

With more than two classes, boosting grows a tree for each class and round, which is most of the time of a fit; and on many
tables its weight is 0 in the end.
"""

import numpy as np
from numpy.typing import NDArray

from rotastack.base.row_weights import weights_of
from rotastack.combine.log_linear import LogLinearWeights
from rotastack.ensembles.flagship.families import RIDGE
from rotastack.ensembles.flagship.family_rows import FamilyRows
from rotastack.trees.boosters import ROUNDS_AT_ONCE
from rotastack.trees.boosting import probabilities

SIZE = 5_000
"""Least product of rows and classes for a race: below this, boosting takes a tenth of a second."""

CHANCE = 3.84
"""Quantile 95 % of the chi-squared distribution with one degree of freedom, for the test of a weight."""

FAR = 2.0
"""A family whose expected loss is above this multiple of the other families' loss can earn no weight."""

SLOWING = 0.5
"""Largest ratio of two successive decreases of the logarithm of the loss from which its end is expected."""


class NoWeightError(Exception):
    """The end of a boosted family that can earn no weight beside the other families."""


def has_race(rows: FamilyRows) -> bool:
    """Return whether boosted families race: there are more than two classes, and many rows and classes."""
    n_classes = rows.n_classes or 0
    return n_classes > 2 and len(rows.X) * n_classes >= SIZE


def check_weight(
    others: NDArray[np.float64],
    rows: FamilyRows,
    held: NDArray[np.intp],
    scores: NDArray[np.float64],
    losses: NDArray[np.float64],
) -> None:
    """Raise NoWeightError if a boosted family cannot have a positive weight in the end.

    It can if its weight is above 0 by a likelihood-ratio test on the held-out rows, or if the loss that its curve leads to
    is below FAR times that of the others.

    Parameters
    ----------
    others : ndarray of shape (n_families, n_rows, n_classes)
        The other families' outputs for rows that they have not seen; NaN if all their trees have seen a row.
    rows : FamilyRows
    held : ndarray of shape (n_held,)
        Numbers of the rows that the first booster holds out.
    scores : ndarray of shape (n_held, n_outputs)
        Their scores from this booster.
    losses : ndarray of shape (n_rounds,)
        Its mean held-out log loss after each round.
    """
    n_classes = rows.n_classes or 1
    outputs = np.concatenate([others[:, held], probabilities(scores, n_classes)[None]])
    outputs = np.where(np.isnan(outputs), 1 / n_classes, outputs)
    codes, weights = rows.codes[held], weights_of(rows.weights, held)

    def loss_of(outputs: NDArray[np.float64]) -> float:
        combiner = LogLinearWeights(RIDGE).fit(outputs, codes, n_classes, sample_weight=weights)
        right = combiner.predict_proba(outputs)[np.arange(len(held)), codes]
        return -float(np.average(np.log(right), weights=weights))

    without = loss_of(outputs[:-1])
    if 2 * len(held) * (without - loss_of(outputs)) <= CHANCE and expected_least(losses) >= FAR * without:
        raise NoWeightError


def expected_least(losses: NDArray[np.float64]) -> float:
    """Return the least loss that a curve leads to, 0 if no end is in sight.

    The decreases of the loss's logarithm, over blocks of ROUNDS_AT_ONCE rounds, are taken to go on in geometric
    progression. A curve of less than three blocks has ended.

    Examples
    --------
    >>> curve = np.repeat([1.0, 0.5, 0.4], 10)
    >>> round(expected_least(curve), 3), expected_least(np.repeat([1.0, 0.5, 0.25], 10))
    (0.36, 0.0)
    """
    if len(losses) < 3 * ROUNDS_AT_ONCE:
        return float(losses.min())
    least = np.minimum.accumulate(np.maximum(losses, np.finfo(float).tiny))[ROUNDS_AT_ONCE - 1 :: ROUNDS_AT_ONCE]
    first, second = -np.diff(np.log(least[-3:]))
    if second > SLOWING * first:
        return 0.0
    return float(least[-1] * np.exp(-second * second / (first - second))) if first > 0 else float(least[-1])
