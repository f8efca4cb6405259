"""The equilibrium margin of a vote, and its bound on the error."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["EquilibriumMargin", "equilibrium_margin"]


class EquilibriumMargin(NamedTuple):
    """The margin theta(q*) of the tightest bound (NaN if no share of rows gives a bound), q* and the bound, at most 1.

    A share q* of the margins, the `error`, may lie below the equilibrium margin.
    """

    margin: float
    error: float
    bound: float


def equilibrium_margin(margins: ArrayLike, hypothesis_size: float, delta: float = 0.05) -> EquilibriumMargin:
    """Return the equilibrium margin of a vote: the margin of the tightest bound in a family of bounds on the error.

    For each share q = 0, 1/n, ... of the n rows, theta(q) is the supremum of the numbers theta, above
    ``sqrt(8 / |H|)`` and at most 1, for which at most a share q of the rows has a margin of theta or less.
    The bound for q is ``log |H| / n + D^-1(q; u(theta(q)))``, where
    ``u(theta) = (8 log |H| / theta^2 log(2 n^2 / log |H|) + log |H| + log(1 / delta)) / n`` and
    ``D^-1(q; u)`` is the p >= q for which the divergence ``D(q || p)`` is u.

    Parameters
    ----------
    margins : array-like of shape (n_rows,)
        Margins between -1 and 1; NaN is left out.
    hypothesis_size : float
        ``|H|``, the number of different classifiers that the estimator can produce, above 1: (2 x 100 x p)^3 for
        trees of depth 2 on 100 cuts of each of p columns.
    delta : float, default=0.05
        Largest probability with which the bound may fail.

    Returns
    -------
    EquilibriumMargin

    Raises
    ------
    ValueError
        No margin, or a parameter outside its range.

    Notes
    -----
    D(q || p) is assumed to be the Kullback-Leibler divergence of Bernoulli distributions of equation 11,
    ``q ln(q / p) + (1 - q) ln((1 - q) / (1 - p))``. The printed equation 24 does not show where its braces end.

    References
    ----------
    Wang, L. et al. (2011). A refined margin analysis for boosting algorithms via equilibrium margin.
    JMLR 12. Martinez, W. (2022). Ensemble pruning via margin maximization, equations 23 and 24.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.diagnostics import equilibrium_margin
    >>> found = equilibrium_margin(np.linspace(0.2, 1, 20_000), hypothesis_size=100)
    >>> round(found.margin, 2), round(found.error, 2), round(found.bound, 2)
    (0.29, 0.12, 0.55)
    """
    values = np.asarray(margins, dtype=np.float64)
    values = np.sort(values[~np.isnan(values)])
    n = len(values)
    if not n:
        raise ValueError("no row has a margin; at least one is needed")
    if not hypothesis_size > 1:
        raise ValueError(f"hypothesis_size must be more than 1, got {hypothesis_size}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie between 0 and 1, got {delta}")
    size = float(np.log(hypothesis_size))
    # theta(k / n) is the (k + 1)-th margin: at most k rows lie below it. For k = n it is 1.
    q = np.arange(n + 1) / n
    theta = np.minimum(np.append(values, 1.0), 1.0)
    usable = theta > np.sqrt(8 / hypothesis_size)
    if not usable.any():
        return EquilibriumMargin(float("nan"), float("nan"), 1.0)
    q, theta = q[usable], theta[usable]
    spread = max(float(np.log(2 * n**2 / size)), 0.0)
    u = (8 * size / theta**2 * spread + size + np.log(1 / delta)) / n
    # Many p round to 1, but their -log(1 - p) still differ.
    surprise = _kl_inverse_log(q, np.maximum(u, 0.0))
    best = int(surprise.argmin())
    bound = min(size / n - float(np.expm1(-surprise[best])), 1.0)
    return EquilibriumMargin(float(theta[best]), float(q[best]), bound)


def _kl_inverse_log(q, u):
    """Return -log(1 - p) for the p in [q, 1] with D(q || p) = u, by bisection; infinite at q = 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.log1p(-q)
        low = -rest
        high = np.where(q < 1, low + (u + 2) / (1 - q), np.inf)
        for _ in range(100):
            s = (low + high) / 2
            near = np.where(q > 0, q * np.log(q / -np.expm1(-s)), 0.0)
            below = near + (1 - q) * (rest + s) <= u
            low, high = np.where(below, s, low), np.where(below, high, s)
    return np.where(q < 1, low, np.inf)
