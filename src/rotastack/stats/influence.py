"""Influence of rows on the mean of a score over cells, and the test of two methods by the rows' influences."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from scipy.stats import t as t_distribution

from rotastack.stats.metrics import DECIDED
from rotastack.stats.scores import MEANS, row_losses, with_ties

Cell = tuple[NDArray[np.intp], NDArray, NDArray[np.floating]]
"""The numbers of the test rows of a cell, their targets, and the outputs for them."""

OF_DECISIONS = tuple(score for score in DECIDED if score not in MEANS)
"""Scores of decisions by class; their shares of right decisions may be 0 or 1."""


class Part(NamedTuple):
    """A ratio of means over the rows of a cell; a score is a function of such ratios."""

    key: tuple[int, ...]  # the same in all cells
    numerator: NDArray[np.float64]
    denominator: NDArray[np.float64]
    slope: float  # derivative of the score with respect to the ratio


def unit_influences(
    score: str, cells: Sequence[Cell], units: NDArray[np.intp], positive: int = 1
) -> NDArray[np.float64]:
    """Return the influence of each unit of held-out rows on the mean of a score over cells (infinitesimal jackknife).

    A score is a function of ratios of means over rows. With the ratio r over all cells, the numerators a and the
    denominators b of the rows, a row's influence in a cell is ``slope (a - r b) / mean(b)``: the derivative of the cell's
    score with respect to the row's weight, times the number of rows. For a mean of losses the influence is the loss minus the mean
    loss, for the area under the ROC curve the structural components of DeLong et al. minus the area. A unit has the sum of its
    rows' influences, divided by the number of cells and of their rows, and multiplied by ``sqrt(g / (g - 1))``, where g is the
    effective number of units in the ratio, ``sum(b)^2 / sum(b^2)`` with the units' sums of denominators: without this factor the
    variance of a ratio of few units, or of one that few units make, would be too small. A share of right decisions
    for a class that is 0 or 1 would have no variance, however few rows the class has: Laplace's rule of succession takes its
    place, (1 + g) / (2 + g) for 1.

    Parameters
    ----------
    score : str
        One of :data:`rotastack.stats.metrics.METRICS`.
    cells : sequence of tuple
        The numbers of the test rows of a cell, their targets (class numbers, or numbers of a regression), and the finite
        outputs for them, of shape (n_tested, n_outputs).
    units : ndarray of shape (n_rows,)
        Number of the unit of each row. Rows of one unit, such as a group or a span of time, may depend on each other.
    positive : int, default=1
        Class of ``average_precision``, ``roc_auc`` and ``f1`` if there are two.

    Returns
    -------
    ndarray of shape (n_units, n_times)
        The part of each unit's influence that is due to the first, second, ... time that its rows are tested, 0 where there
        is none. The sum of squares of the units' sums is about the variance of the mean score. NaN if g is 2 or less; 1 for
        balanced accuracy and F1.

    References
    ----------
    Efron, B. (1982). The jackknife, the bootstrap and other resampling plans. SIAM, chapter 6. DeLong, E., DeLong, D. and
    Clarke-Pearson, D. (1988). Comparing the areas under two or more correlated receiver operating characteristic curves.
    Biometrics 44.
    """
    tested, parts = np.zeros(len(units), dtype=np.intp), []
    for rows, y, outputs in cells:
        places = rows, tested[rows]
        parts += [(*places, part) for part in score_parts(score, y, outputs, positive)]
        tested[rows] += 1
    found = np.zeros((units.max() + 1, tested.max()))
    for key in dict.fromkeys(part.key for *_, part in parts):
        mine = [(rows, times, part) for rows, times, part in parts if part.key == key]
        sums = sum(np.bincount(units[rows], part.denominator, len(found)) for rows, _, part in mine)
        n = np.sum(sums) ** 2 / np.sum(sums**2)
        level = np.mean([part.numerator.sum() / part.denominator.sum() for *_, part in mine])
        if score in OF_DECISIONS and level in (0, 1):
            level = (level * n + 1) / (n + 2)
        of_part = np.zeros_like(found)
        for rows, times, part in mine:
            shares = part.slope * (part.numerator - level * part.denominator) / part.denominator.sum()
            np.add.at(of_part, (units[rows], times), shares / len(cells))
        found += of_part * np.sqrt(n / (n - 1)) if n > 1 + (score not in OF_DECISIONS) else np.nan
    return found


def score_parts(score: str, y: NDArray, outputs: NDArray[np.floating], positive: int = 1) -> Iterator[Part]:
    """Yield the ratios of means of which a score of a cell is a function; none for a class that the cell lacks."""
    ones = np.ones(len(y))
    if score in ("rmse", "mae", "r2", "pinball"):
        yield from _parts_of_numbers(score, y, outputs)
        return
    proba = outputs / outputs.sum(axis=1, keepdims=True)
    if score in MEANS:
        yield Part((), row_losses(score, y, proba), ones, 1.0)
        return
    labels, decision, proba = np.arange(proba.shape[1]), proba.argmax(axis=1), with_ties(outputs)
    sides = {int(k): (y == k).astype(np.float64) for k in labels}
    if score == "balanced_accuracy":
        known = [k for k in sides if sides[k].any()]
        yield from (Part((k,), sides[k] * (decision == k), sides[k], 1 / len(known)) for k in known)
        return
    classes = [positive] if len(labels) == 2 else list(sides)
    if score == "f1":
        known = [k for k in classes if sides[k].any() or (decision == k).any()]
        yield from (
            Part((k,), 2 * sides[k] * (decision == k), sides[k] + (decision == k), 1 / len(known)) for k in known
        )
        return
    known = [k for k in classes if 0 < sides[k].sum() < len(y)]
    for k in known:
        right = (
            _of_area(sides[k] == 1, proba[:, k]) if score == "roc_auc" else _of_precision(sides[k] == 1, proba[:, k])
        )
        yield Part((k, 1), right * sides[k], sides[k], 1 / len(known))
        if score == "roc_auc":
            yield Part((k, 0), right * (1 - sides[k]), 1 - sides[k], 1 / len(known))
        else:  # the row's effect on the precision at the outputs of other rows has the mean 0
            yield Part((k, 0), _of_others(sides[k] == 1, proba[:, k]), ones, 1 / len(known))


def _parts_of_numbers(score: str, y: NDArray[np.floating], outputs: NDArray[np.floating]) -> Iterator[Part]:
    gaps, ones = y - outputs[:, 0], np.ones(len(y))
    if score == "mae":
        yield Part((), np.abs(gaps), ones, 1.0)
    elif score == "pinball":
        below, above = y - outputs[:, 1], y - outputs[:, 2]
        losses = np.maximum(0.05 * below, -0.95 * below) + np.maximum(0.95 * above, -0.05 * above)
        yield Part((), losses / 2, ones, 1.0)
    elif score == "r2":
        yield Part((), gaps**2, (y - y.mean()) ** 2, -1.0)
    else:
        yield Part((), gaps**2, ones, 0.5 / max(float(np.sqrt(np.mean(gaps**2))), 1e-300))


def _of_area(is_class: NDArray[np.bool_], output: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the other side's rows that each row is ordered rightly against; ties count half."""
    own = np.empty(len(output))
    own[is_class], own[~is_class] = rankdata(output[is_class]), rankdata(output[~is_class])
    below = (rankdata(output) - own) / np.where(is_class, (~is_class).sum(), is_class.sum())
    return np.where(is_class, below, 1 - below)


def _of_precision(is_class: NDArray[np.bool_], output: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the precision at each row's output: of the rows with at least this output, the share of the class."""
    above = rankdata(-output, "max")
    return np.sort(above[is_class]).searchsorted(above, "right") / above


def _of_others(is_class: NDArray[np.bool_], output: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each row's influence on average precision by the precision at the outputs of the class's rows below it."""
    order = np.argsort(output, kind="stable")
    precision, above = _of_precision(is_class, output), rankdata(-output, "max")
    lower = output[order].searchsorted(output, "right")  # rows of at most the same output
    ones, products = (np.concatenate([[0], np.cumsum((is_class * x / above)[order])])[lower] for x in (1.0, precision))
    return len(output) * (is_class * ones - products) / is_class.sum()


class RowTest(NamedTuple):
    """Result of :func:`row_test`.

    Attributes
    ----------
    difference : float
        Mean score of the first method minus that of the second.
    df : float
        Degrees of freedom.
    p : float
        Two-sided p-value.
    interval : tuple of float
        Confidence interval of the difference.
    """

    difference: float
    df: float
    p: float
    interval: tuple[float, float]


def row_test(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    difference: float,
    *,
    widening: float = 1.0,
    alpha: float = 0.05,
) -> RowTest | None:
    """Test whether two methods have the same expected score on one data set, by held-out rows.

    With the differences u (unit, time) of the influences in T times of testing, the squared standard error has two parts.
    The part of the tested rows is ``sum_units (sum_times u)^2``; for rows that are held out once, and a mean of losses, this
    is the estimate of Bayle et al. for the models that were tested. A method's models also differ by their training
    sets. As Nadeau and Bengio do, a row is taken to count as much in training as in testing. Training sets of repeats
    share their rows, so that this part, ``widening T sum(u^2)``, does not shrink with repeats. The statistic has
    Student's distribution. Its degrees of freedom are the effective number of units, ``sum(v^2)^2 / sum(v^4)`` with the sums
    v of the units: where few units decide, they are few.

    Parameters
    ----------
    first, second : ndarray of shape (n_units,) or (n_units, n_times)
        From :func:`unit_influences`, of the units that are tested.
    difference : float
        Mean score of the first method minus that of the second; 0 if the means differ by a rounding error alone.
    widening : float, default=1.0
        Tested rows of all cells, over `n_times` and the rows of the table: 1 in cross-validation.
    alpha : float, default=0.05
        1 - coverage of the interval.

    Returns
    -------
    RowTest or None
        None if the variance is unknown, as with fewer than three units. If all units have the same difference, p is that of the sign test.

    References
    ----------
    Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). Cross-validation confidence intervals for test error. NeurIPS.
    Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> influences = np.array([0.1, -0.1, 0.1, -0.1]), np.zeros(4)
    >>> found = row_test(*influences, difference=0.5)
    >>> round(found.p, 3), [round(end, 2) for end in found.interval]
    (0.152, [-0.29, 1.29])
    """
    n = len(first)
    if n < 3:
        return None
    by_time = (first - second).reshape(n, -1)
    gaps = by_time.sum(axis=1)
    squares = float((gaps**2).sum())
    if not np.isfinite(squares + difference):
        return None
    if squares <= (1e-12 * (np.abs(first).max() + np.abs(second).max())) ** 2:
        return RowTest(difference, n - 1, 2.0 ** (1 - n) if difference else 1.0, (difference, difference))
    of_training = widening * by_time.shape[1] * float((by_time**2).sum())
    df, error = max(1.0, squares**2 / float((gaps**4).sum())), float(np.sqrt(squares + of_training))
    half = float(t_distribution.ppf(1 - alpha / 2, df)) * error
    p = 2 * float(t_distribution.sf(abs(difference) / error, df))
    return RowTest(difference, df, p, (difference - half, difference + half))
