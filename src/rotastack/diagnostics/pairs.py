"""Pairs of members: their disagreement, and their agreement beyond chance.

Matrix products of one-hot votes give the result of all pairs at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.diagnostics.votes import coded_votes


def disagreement(votes: ArrayLike, y: ArrayLike | None = None, mask: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return the share of rows on which two members disagree, for all pairs.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_members)
        Classes that the members vote for: numbers or names.
    y : array-like of shape (n_rows,), optional
        True classes. With `y`, two members disagree where one is right and the other is wrong, as in the source.
        Without `y`, they disagree where they vote for different classes. With two classes the results are equal.
    mask : array-like of bool of shape (n_rows, n_members), optional
        Mask of the votes that count. A pair is compared on the rows where both votes count.

    Returns
    -------
    ndarray of shape (n_members, n_members)
        NaN for pairs without a common row.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, equation 3.

    Examples
    --------
    >>> from rotastack.diagnostics import disagreement
    >>> votes = [["a", "b"], ["a", "c"], ["b", "b"], ["c", "a"]]
    >>> disagreement(votes)[0, 1], disagreement(votes, y=["a", "b", "b", "b"])[0, 1]
    (np.float64(0.75), np.float64(0.25))
    """
    codes, n_classes, truth = coded_votes(votes, y, mask)
    if truth is not None:
        codes, n_classes = np.where(codes < 0, -1, codes == truth[:, None]), 2
    same, shared, _ = _pair_sums(codes, n_classes)
    return _ratio(shared - same, shared)


def mean_disagreement(votes: ArrayLike, y: ArrayLike | None = None, mask: ArrayLike | None = None) -> float:
    """Return the mean, over pairs of members, of the share of rows on which the two disagree.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_members)
        Classes that the members vote for: numbers or names.
    y : array-like of shape (n_rows,), optional
        True classes. With `y`, two members disagree where one is right and the other is wrong. Without `y`, they
        disagree where they vote for different classes.
    mask : array-like of bool of shape (n_rows, n_members), optional
        Mask of the votes that count. A pair is compared on the rows where both votes count.

    Returns
    -------
    float
        NaN for a single member.

    Examples
    --------
    >>> from rotastack.diagnostics.pairs import mean_disagreement
    >>> mean_disagreement([[0, 0, 1], [0, 1, 1]])
    0.6666666666666666
    """
    matrix = disagreement(votes, y, mask)
    pairs = matrix[np.triu_indices(len(matrix), 1)]
    pairs = pairs[~np.isnan(pairs)]
    return float(pairs.mean()) if len(pairs) else float("nan")


def kappa(votes: ArrayLike, mask: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return Cohen's kappa for all pairs of members.

    Kappa is ``(theta_1 - theta_2) / (1 - theta_2)``. Here theta_1 is the share of rows on which two members agree, and
    theta_2 the share expected by chance, given how often each member votes for each class.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_members)
        Classes that the members vote for: numbers or names.
    mask : array-like of bool of shape (n_rows, n_members), optional
        Mask of the votes that count. A pair is compared on the rows where both votes count.

    Returns
    -------
    ndarray of shape (n_members, n_members)
        1 for two members that vote for one class on all rows; NaN for pairs without a common row.

    References
    ----------
    Martinez, W. (2022). Ensemble pruning via margin maximization, equations 12 to 14, with
    theta_2 = sum_c p_a(c) p_b(c).

    Examples
    --------
    >>> from rotastack.diagnostics import kappa
    >>> kappa([[0, 0], [0, 1], [1, 1], [1, 1]])[0, 1]
    np.float64(0.5)
    """
    codes, n_classes, _ = coded_votes(votes, mask=mask)
    return kappa_matrix(codes, n_classes)


class KappaError(NamedTuple):
    """Points of a kappa-error diagram, one for each pair of members: kappa, and the mean of the two errors."""

    kappa: NDArray[np.float64]
    error: NDArray[np.float64]


def kappa_error(votes: ArrayLike, y: ArrayLike, mask: ArrayLike | None = None) -> KappaError:
    """Return the points of a kappa-error diagram: each pair's kappa and mean error.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_members)
        Classes that the members vote for: numbers or names.
    y : array-like of shape (n_rows,)
        True classes.
    mask : array-like of bool of shape (n_rows, n_members), optional
        Mask of the votes that count.

    Returns
    -------
    KappaError
        Pairs in the order of ``numpy.triu_indices(n_members, 1)``.

    References
    ----------
    Margineantu, D. and Dietterich, T. (1997). Pruning adaptive boosting. ICML.

    Examples
    --------
    >>> from rotastack.diagnostics.pairs import kappa_error
    >>> kappa_error([[0, 0], [0, 1], [1, 1], [1, 1]], y=[0, 0, 1, 1]).error
    array([0.125])
    """
    codes, n_classes, truth = coded_votes(votes, y, mask)
    right = codes == truth[:, None]
    errors = 1.0 - _ratio(right.sum(axis=0), (codes >= 0).sum(axis=0))
    a, b = np.triu_indices(codes.shape[1], 1)
    return KappaError(kappa_matrix(codes, n_classes)[a, b], (errors[a] + errors[b]) / 2)


def paper_diversity(votes: ArrayLike, n_members: int | None = None, mask: ArrayLike | None = None) -> float:
    """Return the "diversity" of the QMM paper, for comparison with its tables.

    The "diversity" is 1 minus the sum of the disagreements of all kept pairs, divided by the number of pairs of the
    *unpruned* ensemble. So it measures agreement, and grows as members are removed. :func:`mean_disagreement`
    measures how diverse members are.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_kept)
        Classes that the kept members vote for.
    n_members : int, optional
        T, the size of the unpruned ensemble; by default the number of kept members.
    mask : array-like of bool of shape (n_rows, n_kept), optional
        Mask of the votes that count.

    Returns
    -------
    float
        NaN for an unpruned ensemble of one member.

    Raises
    ------
    ValueError
        `n_members` is less than the number of kept members.

    References
    ----------
    Martinez, W. (2022). Ensemble pruning via margin maximization, equation 25.

    Examples
    --------
    >>> from rotastack.diagnostics import paper_diversity
    >>> paper_diversity([[0, 0], [0, 1]], n_members=10)
    0.9888888888888889
    """
    differ = np.nan_to_num(disagreement(votes, mask=mask))
    total = len(differ) if n_members is None else n_members
    if total < len(differ):
        raise ValueError(f"n_members ({total}) must be at least {len(differ)}, the number of kept members")
    if total < 2:
        return float("nan")
    return float(1.0 - differ.sum() / (total * (total - 1)))


def kappa_matrix(codes: NDArray[np.integer], n_classes: int) -> NDArray[np.float64]:
    """Return Cohen's kappa of all pairs from class numbers, with -1 for votes that do not count."""
    same, shared, chance = _pair_sums(codes, n_classes)
    total = np.maximum(shared, 1.0)
    agreed, expected = same / total, chance / total**2
    room = 1.0 - expected
    out = np.divide(agreed - expected, room, out=np.ones_like(room), where=room > 1e-12)
    return np.where(shared > 0, out, np.nan)


def _pair_sums(codes, n_classes):
    """Return, for all pairs, the number of equal votes, that of rows with both votes, and sum_c n_a(c) n_b(c)."""
    T = codes.shape[1]
    full = bool((codes >= 0).all())
    counted = (codes >= 0).astype(np.float32)
    same, chance = np.zeros((T, T)), np.zeros((T, T))
    shared = np.full((T, T), float(len(codes))) if full else (counted.T @ counted).astype(np.float64)
    for c in range(n_classes):
        chosen = (codes == c).astype(np.float32)  # sums below 2^24 are exact
        same += chosen.T @ chosen
        if full:
            counts = chosen.sum(axis=0, dtype=np.float64)
            chance += np.outer(counts, counts)
        else:
            counts = (chosen.T @ counted).astype(np.float64)
            chance += counts * counts.T
    return same, shared, chance


def _ratio(a, b):
    """Return a / b elementwise, NaN where b is 0."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.divide(a, b, out=np.full(np.shape(a), np.nan), where=b > 0)
