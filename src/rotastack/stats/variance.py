"""Components of the variance of a result matrix, and Kendall's W (thesis, section 3.3.2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, rankdata
from scipy.stats import f as f_distribution

from rotastack.errors import RotastackError
from rotastack.stats.missing import tolerance


@dataclass(frozen=True)
class VarianceComponents:
    """Components of the variance of a result matrix: rotation groups, fold groups and the residual.

    Attributes
    ----------
    mean, sd : float
        Mean and standard deviation over all cells.
    rotation_groups, fold_groups, residual : tuple of float
        Variance of the component, and the lower and upper end of its confidence interval.
    share_rotation_groups, share_fold_groups, share_residual : float
        Shares in the sum of the three variances.
    f_rotation_groups, p_rotation_groups, f_fold_groups, p_fold_groups : float
        F tests of a component against the residual, and their p-values.
    verdict : str
        Sentence that names the dominating component.
    """

    mean: float
    sd: float
    rotation_groups: tuple[float, float, float]
    fold_groups: tuple[float, float, float]
    residual: tuple[float, float, float]
    share_rotation_groups: float
    share_fold_groups: float
    share_residual: float
    f_rotation_groups: float
    p_rotation_groups: float
    f_fold_groups: float
    p_fold_groups: float
    verdict: str


def variance_components(matrix: ArrayLike, alpha: float = 0.05) -> VarianceComponents:
    """Return the components of the variance of a result matrix: rotation groups, fold groups and residual.

    The model has two-way random effects without replication. With MS the mean squares of M fold groups and N
    rotation groups, the variances are ``(MS_fold - MS_residual) / N`` and
    ``(MS_rotation - MS_residual) / M``, not below 0, and ``MS_residual``. F tests compare the mean squares of fold
    and rotation groups with the residual mean square. The intervals are Williams and Tukey's, cut at 0. The
    interval of the residual is exact under normality.

    Parameters
    ----------
    matrix : array-like of shape (n_fold_groups, n_rotation_groups)
        Errors of one method over all cells.
    alpha : float
        1 - coverage of the intervals, and level of the verdict's tests.

    Returns
    -------
    VarianceComponents
        ``verdict`` names the dominating component, by the rules of the thesis.

    Raises
    ------
    RotastackError
        Fewer than two fold or rotation groups, values that are not finite, or alpha outside (0, 1).

    Examples
    --------
    >>> parts = variance_components([[1.0, 2, 3], [1, 2, 3.1], [1.1, 2, 3]])
    >>> round(parts.share_rotation_groups, 2)
    1.0
    """
    table = _result_matrix(matrix)
    if not 0 < alpha < 1:
        raise RotastackError(f"alpha must lie between 0 and 1, got {alpha}")
    m, n = table.shape
    mean = table.mean()
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    rest = table - rows[:, None] - columns[None, :] + mean
    df_fold, df_rotation, df_rest = m - 1, n - 1, (m - 1) * (n - 1)
    # Mean squares below rounding errors are set to 0; otherwise constant rows give F = noise / noise.
    tiny = tolerance(table) ** 2
    ms_fold, ms_rotation, ms_rest = (
        0.0 if ms < tiny else float(ms)
        for ms in (
            n * ((rows - mean) ** 2).sum() / df_fold,
            m * ((columns - mean) ** 2).sum() / df_rotation,
            (rest**2).sum() / df_rest,
        )
    )
    fold = _component(ms_fold, df_fold, ms_rest, df_rest, n, alpha)
    rotation = _component(ms_rotation, df_rotation, ms_rest, df_rest, m, alpha)
    low, high = (float(df_rest * ms_rest / chi2.ppf(tail, df_rest)) for tail in (1 - alpha / 2, alpha / 2))
    residual = (ms_rest, low, high)
    total = fold[0] + rotation[0] + ms_rest
    shares = [v / total if total > 0 else 0.0 for v in (rotation[0], fold[0], ms_rest)]
    f_rotation, p_rotation = _f_test(ms_rotation, df_rotation, ms_rest, df_rest)
    f_fold, p_fold = _f_test(ms_fold, df_fold, ms_rest, df_rest)
    return VarianceComponents(
        float(mean),
        float(table.std(ddof=1)),
        rotation,
        fold,
        residual,
        shares[0],
        shares[1],
        shares[2],
        f_rotation,
        p_rotation,
        f_fold,
        p_fold,
        _verdict(shares, p_rotation, p_fold, total, alpha),
    )


def kendall_w(matrix: ArrayLike) -> float:
    """Return Kendall's W, corrected for ties: agreement of fold groups in their ranking of rotation groups.

    Parameters
    ----------
    matrix : array-like of shape (n_fold_groups, n_rotation_groups)
        Errors of one method over all cells.

    Returns
    -------
    float
        1 for the same ranking in every fold group, near 0 for unrelated rankings; NaN if all errors are tied in
        every fold group.

    Raises
    ------
    RotastackError
        Fewer than two fold or rotation groups, or values that are not finite.

    Examples
    --------
    >>> kendall_w([[1, 2, 3], [4, 5, 6]])
    1.0
    """
    ranks = rankdata(_result_matrix(matrix), axis=1)
    m, n = ranks.shape
    spread = ((ranks.sum(axis=0) - m * (n + 1) / 2) ** 2).sum()
    ties = sum((c**3 - c).sum() for row in ranks for c in [np.unique(row, return_counts=True)[1]])
    scale = m**2 * (n**3 - n) - m * ties
    return float(12 * spread / scale) if scale > 0 else float("nan")


def _result_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """Return a result matrix as an array, or raise RotastackError: fewer than 2 groups of a kind, or not finite."""
    table = np.asarray(matrix, dtype=float)
    if table.ndim != 2 or min(table.shape) < 2:
        raise RotastackError(
            f"the result matrix needs at least 2 fold groups and 2 rotation groups, got shape {table.shape}"
        )
    if not np.isfinite(table).all():
        raise RotastackError("the result matrix has values that are not finite")
    return table


def _component(ms, df, ms_rest, df_rest, size, alpha):
    """Return a component of variance and the ends of its Williams-Tukey interval, cut at 0."""
    variance = max((ms - ms_rest) / size, 0.0)
    if ms == 0 and ms_rest == 0:
        return 0.0, 0.0, 0.0
    ends = (
        df * (ms - f_distribution.ppf(tail, df, df_rest) * ms_rest) / (size * chi2.ppf(tail, df))
        for tail in (1 - alpha / 2, alpha / 2)
    )
    low, high = (max(float(end), 0.0) for end in ends)
    return variance, low, high


def _f_test(ms, df, ms_rest, df_rest):
    """Return F and its p-value for a mean square against the residual mean square; without a residual, p is the
    probability that chance gives all groups of the other kind the same order."""
    if ms_rest == 0:
        return (float("inf"), float(np.prod(np.arange(1.0, df + 2)) ** (-df_rest / df))) if ms > 0 else (0.0, 1.0)
    return float(ms / ms_rest), float(f_distribution.sf(ms / ms_rest, df, df_rest))


def _verdict(shares, p_rotation, p_fold, total, alpha) -> str:
    """Return a sentence that names the dominating component."""
    rotation, fold, _ = shares
    if total == 0:
        return "all cells are equal"
    if p_rotation < alpha and rotation >= fold:
        return "rotation groups differ on these rows; new rows may rank them otherwise"
    if p_rotation < alpha:
        return "rotation groups differ on these rows, but less than fold groups; new rows may rank them otherwise"
    if p_fold < alpha and fold > 0.5:
        return (
            "no effect of the rotations is shown; how the rows are split dominates: unstable, or the data set is small"
        )
    return "no effect of the rotations is shown"
