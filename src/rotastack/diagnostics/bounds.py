"""Bounds on the error of a vote, from its margins."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rotastack.diagnostics.margin import known_margins


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
    values, size = np.sort(known_margins(margins)), _log_size(hypothesis_size, delta)
    n = len(values)
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


def _log_size(hypothesis_size, delta):
    if not hypothesis_size > 1:
        raise ValueError(f"hypothesis_size must be more than 1, got {hypothesis_size}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie between 0 and 1, got {delta}")
    return float(np.log(hypothesis_size))


def c_bound(margins: ArrayLike) -> float:
    """Return the C-bound: 1 minus the squared mean of the margins over the mean of their squares.

    No larger share of the rows of these margins has a margin of 0 or less, with any number of classes; NaN is left out.
    If the mean is not positive there is no bound, and the result is 1.

    References
    ----------
    Germain, P. et al. (2015). Risk bounds for the majority vote. JMLR 16. Martinez, W. (2022). Ensemble pruning via
    margin maximization, equation 10, whose numerator lacks the square.

    Examples
    --------
    >>> from rotastack.diagnostics import c_bound
    >>> round(c_bound([1.0, 0.5, -0.1]), 3)
    0.481
    """
    values = known_margins(margins)
    mean = values.mean()
    return float(1 - mean**2 / np.mean(values**2)) if mean > 0 else 1.0


def margin_bound(margins: ArrayLike, hypothesis_size: float, delta: float = 0.05) -> float:
    """Return the bound of Schapire et al. with its unknown constant as 1: an order of magnitude, no bound.

    It is the least of ``P[margin <= theta] + sqrt((log n log |H| / theta^2 + log(1 / delta)) / n)`` over theta > 0, and
    infinite without a positive margin. A value above 1 has no information. ``|H|`` is `hypothesis_size`, above 1; in
    equation 6, for T members that differ on a share d of the rows, it is ``T sqrt(1 / n + (1 - 1 / n) (1 - 2 d))``.

    References
    ----------
    Martinez, W. (2022). Ensemble pruning via margin maximization, equations 5 and 6. The printed 6 has the number of
    members for the number of rows below its constant, and no root; its source, Li, Yu and Zhou (2012), has both.
    """
    values, size = np.sort(known_margins(margins)), _log_size(hypothesis_size, delta)
    n, below = len(values), np.arange(len(values)) / len(values)  # the share of rows with less than each margin
    theta, below = values[values > 0], below[values > 0]
    return float(np.min(below + np.sqrt((np.log(n) * size / theta**2 - np.log(delta)) / n), initial=np.inf))


def linear_bound(margins: ArrayLike, weights: ArrayLike, delta: float = 0.05) -> float:
    """Return a bound on the error of a weighted vote, seen as a linear classifier of the members' votes.

    On n rows the bound is ``(2 / n) (eta log2(8 e n / eta) log2(32 n) + log2(8 n / delta))`` with
    ``eta = 64.5 (R^2 + D^2) (||w||^2 + E^2 / D^2) / beta^2``. R^2 is the number of members, E^2 the sum of the squares by
    which margins (the weights of the right members minus those of the wrong ones) fall short of beta. D and beta are those
    of the least eta, which favours the bound. A value above 1 has no information; it is infinite if eta exceeds e n.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, theorem 2, equations 13 and 14.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.diagnostics import linear_bound
    >>> round(linear_bound(np.ones(1000), [0.5, 0.5]), 1), round(linear_bound(np.ones(10**6), [0.5, 0.5]), 3)
    (16.2, 0.059)
    """
    values, w = known_margins(margins), np.asarray(weights, dtype=np.float64)
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie between 0 and 1, got {delta}")
    n, beta = len(values), np.linspace(0.01, 1, 100) * np.abs(w).sum()
    short = np.array([np.sqrt((np.maximum(b - values, 0) ** 2).sum()) for b in beta])
    # (R^2 + D^2) (||w||^2 + E^2 / D^2) is least, (R ||w|| + E)^2, at D^2 = R E / ||w||
    eta = 64.5 * np.min(((np.sqrt(len(w)) * np.linalg.norm(w) + short) / beta) ** 2)
    if not eta <= np.e * n:
        return float("inf")
    return float(2 / n * (eta * np.log2(8 * np.e * n / eta) * np.log2(32 * n) + np.log2(8 * n / delta)))
