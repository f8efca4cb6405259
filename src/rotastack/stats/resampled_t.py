"""The corrected resampled t test of two methods on one data set."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as t_distribution

from rotastack.errors import RotastackError
from rotastack.stats.missing import tolerance
from rotastack.stats.pairs import paired_scores


class CorrectedT(NamedTuple):
    """Result of :func:`corrected_t`.

    Attributes
    ----------
    statistic : float
        t; above 0 if the first method has the higher scores.
    df : int
        Degrees of freedom, one less than splits.
    p : float
        Two-sided p-value.
    difference : float
        Mean score of the first method minus that of the second, in the units of the scores.
    interval : tuple of float
        Confidence interval of the difference.
    """

    statistic: float
    df: int
    p: float
    difference: float
    interval: tuple[float, float]


def corrected_t(x: ArrayLike, y: ArrayLike, n_train: float, n_test: float, *, alpha: float = 0.05) -> CorrectedT:
    """Test whether two methods are equal on one data set, from their scores on repeated splits of its rows.

    Training sets of different splits share rows, so the scores are correlated, and the paired t test finds
    differences where there are none. With the mean d and the variance s^2 (divisor J - 1) of the differences
    on J splits, the corrected statistic is ``t = d / sqrt((1 / J + n_test / n_train) s^2)``, which has about
    Student's distribution with J - 1 degrees of freedom if the methods are equal. The same standard error
    gives the interval.

    Parameters
    ----------
    x, y : array-like of shape (n_splits,)
        Scores of the first and of the second method on the same splits, in the same order: repeated random
        splits, or the folds of (repeated) cross-validation.
    n_train, n_test : float
        Rows in the training set and in the test set of each split. Only their ratio counts, so shares
        will do: 0.7 and 0.3, or 4 and 1 for five-fold cross-validation. With `n_test` 0, of splits that share no
        row, nothing is corrected.
    alpha : float, default=0.05
        1 - coverage of the interval.

    Returns
    -------
    CorrectedT
        If all differences are equal, t is infinite and p is that of the sign test; if all are 0, t is 0 and p is 1.

    Raises
    ------
    RotastackError
        Scores that are not finite, not one for each split, or of fewer than two splits; sizes that are
        not positive; or alpha outside (0, 1).

    References
    ----------
    Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281, on
    the corrected resampled t test. Bouckaert, R. and Frank, E. (2004). Evaluating the replicability of
    significance tests for comparing learning algorithms. PAKDD, for repeated cross-validation.

    Examples
    --------
    >>> from rotastack.stats import corrected_t
    >>> result = corrected_t([0.12, 0.09, 0.13, 0.11, 0.10], [0.10] * 5, n_train=80, n_test=20)
    >>> round(result.statistic, 3), result.df, round(result.p, 3)
    (0.943, 4, 0.399)
    >>> [round(end, 3) for end in result.interval]
    [-0.019, 0.039]
    """
    x, y = paired_scores(x, y, at_least=2)
    for name, size in [("n_train", n_train), ("n_test", n_test)]:
        if not (np.isfinite(size) and size >= 0) or (size == 0 and name == "n_train"):
            raise RotastackError(f"{name} must be a number above 0, got {size}")
    if not 0 < alpha < 1:
        raise RotastackError(f"alpha must lie between 0 and 1, got {alpha}")
    differences = x - y
    df = len(differences) - 1
    # Differences that are equal but for rounding are equal: without this, t = noise / noise.
    rounding = tolerance(x, y)
    mean, sd = (0.0 if abs(v) < rounding else float(v) for v in (differences.mean(), differences.std(ddof=1)))
    error = sd * float(np.sqrt(1 / len(differences) + n_test / n_train))
    statistic = mean / error if error else (float(np.copysign(np.inf, mean)) if mean else 0.0)
    p = 2.0**-df if np.isinf(statistic) else 2 * float(t_distribution.sf(abs(statistic), df))
    half = float(t_distribution.ppf(1 - alpha / 2, df)) * error
    return CorrectedT(statistic, df, p, mean, (mean - half, mean + half))
