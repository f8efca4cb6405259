"""Margins of a pool's votes, Chebyshev's bound and the correlation of members (thesis, section 1.6.6)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.diagnostics.votes import coded_votes


class MarginSummary(NamedTuple):
    """Summary statistics of a pool's margins.

    Mean and variance are of the margin over rows (equations 1.14 and 1.15 of the thesis), the bound is that on the
    probability of a negative margin (1.16), and the correlation is that of the members' raw margins (1.21).
    """

    mean: float
    variance: float
    chebyshev_bound: float
    mean_correlation: float


def margins(votes: ArrayLike, y: ArrayLike, mask: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return each row's margin: its share of right votes minus the share of votes for the most-voted wrong class.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_members)
        Classes that the members vote for: numbers or names.
    y : array-like of shape (n_rows,)
        True classes.
    mask : array-like of bool of shape (n_rows, n_members), optional
        Mask of the votes that count, such as the votes of members on their out-of-bag rows.

    Returns
    -------
    ndarray of shape (n_rows,)
        Between -1 and 1; NaN for a row without a vote that counts.

    Raises
    ------
    ValueError
        Shapes that do not match.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, equations 1.11 to 1.13.

    Examples
    --------
    >>> from rotastack.diagnostics import margins
    >>> margins([[0, 0, 1, 0], [1, 1, 2, 0]], y=[0, 2])
    array([ 0.5 , -0.25])
    """
    return _margins(*coded_votes(votes, y, mask))[0]


def chebyshev_bound(margins: ArrayLike) -> float:
    """Return Chebyshev's bound on the probability of a negative margin.

    The bound is the variance of the margins over the square of their mean. If the mean is not positive there is no
    bound, and the result is infinite.

    Parameters
    ----------
    margins : array-like of shape (n_rows,)
        NaN is left out.

    Returns
    -------
    float
        At least 0; a value above 1 has no information.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, equation 1.16.

    Examples
    --------
    >>> from rotastack.diagnostics import chebyshev_bound
    >>> round(chebyshev_bound([0.5, 0.7, 0.9]), 4)
    0.0544
    """
    values = known_margins(margins)
    mean = float(values.mean())
    return float(values.var() / mean**2) if mean > 0 else float("inf")


def summarize_margins(votes: ArrayLike, y: ArrayLike, mask: ArrayLike | None = None) -> MarginSummary:
    """Return mean and variance of the margin, Chebyshev's bound and the members' mean correlation.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_members)
        Classes that the members vote for: numbers or names.
    y : array-like of shape (n_rows,)
        True classes.
    mask : array-like of bool of shape (n_rows, n_members), optional
        Mask of the votes that count, such as the votes of members on their out-of-bag rows.

    Returns
    -------
    MarginSummary

    Raises
    ------
    ValueError
        No vote counts.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, equations 1.14 to 1.23, after Breiman (2001). The mean
    correlation is the variance of the margin over the squared mean of the members' deviations
    ``sqrt(p + q - (p - q)^2)``, p being a member's share of right votes and q its share of votes for the most-voted
    wrong class of the row. The printed 1.22 has a fraction under the root.

    Examples
    --------
    >>> from rotastack.diagnostics import summarize_margins
    >>> summarize_margins([[0, 0], [0, 1], [1, 0], [1, 1]], y=[0, 0, 0, 0]).variance
    0.5
    """
    codes, n_classes, truth = coded_votes(votes, y, mask)
    of_rows, rival = _margins(codes, n_classes, truth)
    values = known_margins(of_rows)
    n = np.maximum((codes >= 0).sum(axis=0), 1)
    p = (codes == truth[:, None]).sum(axis=0) / n
    q = (codes == rival[:, None]).sum(axis=0) / n
    deviation = np.sqrt(np.maximum(p + q - (p - q) ** 2, 0.0))[(codes >= 0).any(axis=0)]
    spread = float(deviation.mean())
    variance = float(values.var())
    correlation = variance / spread**2 if spread > 0 else float("nan")
    return MarginSummary(float(values.mean()), variance, chebyshev_bound(values), correlation)


def _margins(codes, n_classes, truth):
    """Return the rows' margins, NaN without a vote, and the most-voted wrong class of each row."""
    counts = np.stack([(codes == c).sum(axis=1) for c in range(max(n_classes, 2))], axis=1).astype(float)
    rows = np.arange(len(truth))
    right = counts[rows, truth].copy()
    counts[rows, truth] = -1.0
    rival = counts.argmax(axis=1)
    total = (codes >= 0).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return right / total - counts[rows, rival] / total, rival


def known_margins(values: ArrayLike) -> NDArray[np.float64]:
    """Return the margins that are not NaN; a ValueError if all are NaN."""
    given = np.asarray(values, dtype=np.float64)
    known = given[~np.isnan(given)]
    if not len(known):
        raise ValueError("no row has a margin; at least one is needed")
    return known
