"""Two methods on the same cells of one data set: wins, ties and the signed-rank test."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import wilcoxon

__all__ = ["PairedComparison", "compare_pair"]


class PairedComparison(NamedTuple):
    """How often each of two methods makes fewer errors.

    Attributes
    ----------
    n : int
        Cells that both have a score for.
    wins_first, ties, wins_second : float
        Shares of these cells; they sum to 1.
    difference : float
        Mean error of the first minus that of the second.
    p_value : float
        Of Wilcoxon's signed-rank test; 1 if all cells are ties. Cells share their rows, so it is
        too small as evidence on new data; it tells the two methods apart on this data set.
    """

    n: int
    wins_first: float
    ties: float
    wins_second: float
    difference: float
    p_value: float


def compare_pair(first: ArrayLike, second: ArrayLike) -> PairedComparison:
    """Compare the errors of two methods cell by cell.

    Parameters
    ----------
    first, second : array-like of shape (n_cells,)
        Errors on the same cells; NaN where a method has none.

    Returns
    -------
    PairedComparison

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, section 1.6.5 and tables 1.3 to 1.5, 3.1.

    Examples
    --------
    >>> from rotastack.stats import compare_pair
    >>> compare_pair([0.1, 0.2, 0.3, 0.2], [0.1, 0.1, 0.2, 0.3])[:4]
    (4, 0.25, 0.25, 0.5)
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    known = np.isfinite(a) & np.isfinite(b)
    difference = np.round(a[known] - b[known], 12)
    n = len(difference)
    if not n:
        return PairedComparison(0, *[float("nan")] * 5)
    p = 1.0 if not difference.any() else float(wilcoxon(difference).pvalue)
    return PairedComparison(
        n,
        float((difference < 0).mean()),
        float((difference == 0).mean()),
        float((difference > 0).mean()),
        float(difference.mean()),
        p,
    )
