"""Intraclass correlation: are the targets of rows with the same value of a column alike?"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import f as f_distribution

PERMUTATIONS = 1999


class Intraclass(NamedTuple):
    """Result of :func:`intraclass_correlation`.

    Attributes
    ----------
    correlation : float
        1 if the targets of a group are equal, about 0 if groups are drawn by chance.
    p : float
        One-sided p-value of the permutation test, or of the F test.
    """

    correlation: float
    p: float


def intraclass_correlation(
    target: NDArray[np.float64], groups: NDArray[np.intp], permutations: int = PERMUTATIONS, seed: int = 0
) -> Intraclass:
    """Return the intraclass correlation of a target within groups, and test whether it exceeds chance.

    With the mean squares MSB between and MSW within g groups of n rows, and ``n0 = (n - sum n_g^2 / n) / (g - 1)``, the
    correlation is ``(MSB - MSW) / (MSB + (n0 - 1) MSW)``. The test draws the targets of rows anew, without replacement.

    Parameters
    ----------
    target : ndarray of shape (n_rows,) or (n_rows, n_classes)
        Numbers, or the indicators of classes, whose squares are summed.
    groups : ndarray of shape (n_rows,)
        Number of the group of each row, from 0. One group at least has two rows.
    permutations : int, default=1999
        Number of draws; the smallest p-value is ``1 / (permutations + 1)``. With 0, p is that of the F test.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    Intraclass

    References
    ----------
    Fisher, R. A. (1925). Statistical methods for research workers, chapter 7. Donner, A. (1986). A review of inference
    procedures for the intraclass correlation coefficient. International Statistical Review 54.

    Examples
    --------
    >>> found = intraclass_correlation(np.array([1.0, 2, 1, 8, 9, 9]), np.array([0, 0, 0, 1, 1, 1]))
    >>> round(found.correlation, 2), round(found.p, 2)
    (0.99, 0.11)
    """
    y = target.reshape(len(target), -1) - target.mean(axis=0)
    sizes = np.bincount(groups).astype(np.float64)
    n, g = len(y), len(sizes)
    members = csr_array((np.ones(n), (groups, np.arange(n))), shape=(g, n))

    def between(values: NDArray[np.float64]) -> float:
        return float(((members @ values) ** 2 / sizes[:, None]).sum())

    found, total = between(y), float((y**2).sum())
    of_groups, of_rows = found / (g - 1), max(0.0, total - found) / (n - g)
    size = (n - float((sizes**2).sum()) / n) / (g - 1)
    correlation = (of_groups - of_rows) / max(of_groups + (size - 1) * of_rows, 1e-300)
    if not permutations:
        return Intraclass(correlation, float(f_distribution.sf(of_groups / max(of_rows, 1e-300), g - 1, n - g)))
    rng = np.random.default_rng(seed)
    drawn = np.array([between(y[rng.permutation(n)]) for _ in range(permutations)])
    at_least = int(np.count_nonzero(drawn >= found * (1 - 1e-12)))
    return Intraclass(correlation, (at_least + 1) / (permutations + 1))
