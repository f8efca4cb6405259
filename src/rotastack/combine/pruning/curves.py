"""The error of a vote as a function of the number of members, for members in a given order."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.combine.pruning.vote_table import VoteTable


def ordered_curve(
    votes: ArrayLike, y: ArrayLike, order: ArrayLike, weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the error of the vote of the first 1, 2, ... members.

    Parameters
    ----------
    votes : array-like of int of shape (n_rows, n_members)
        Class numbers, -1 where a member has no vote. Rows without any vote are left out. A row without a
        vote of the first members counts as wrong.
    y : array-like of int of shape (n_rows,)
        Class numbers.
    order : array-like of int of shape (n_chosen,)
        Numbers of the members in order. A tied vote goes to the class of the first member that votes for a
        tied class.
    weights : array-like of shape (n_members,), optional
        Weights of the members' votes; equal by default.

    Returns
    -------
    ndarray of shape (n_chosen,)

    Examples
    --------
    >>> from rotastack.combine.pruning import ordered_curve
    >>> ordered_curve([[0, 0, 1], [1, 1, 1], [1, 0, 0]], y=[0, 1, 0], order=[0, 2, 1])
    array([0.33333333, 0.33333333, 0.        ])
    """
    vote_table = VoteTable.checked(votes, y, weights)
    chosen = np.asarray(order)
    if chosen.ndim != 1 or (len(chosen) and not 0 <= chosen.min() <= chosen.max() < vote_table.n_members):
        raise ValueError(f"order must contain member numbers from 0 to {vote_table.n_members - 1}")
    return ordered_errors(vote_table, chosen, vote_table.weights)


def ordered_errors(vote_table: VoteTable, order: NDArray[np.intp], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the error of the vote of the first 1, 2, ... members of `order`, shape (n_chosen,).

    Rows are counted in blocks, so the counts need no more memory than a few (n_members, n_members) matrices.
    """
    wrong = np.zeros(len(order))
    slack = 1e-12 * weights.sum()
    step = max(1, max(len(order), 256) // vote_table.n_classes)
    for start in range(0, len(vote_table.y), step):
        block = slice(start, start + step)
        votes, y = vote_table.votes[block][:, order], vote_table.y[block]
        counts = np.empty((vote_table.n_classes, *votes.shape))
        first = np.empty((vote_table.n_classes, len(votes), 1), dtype=np.int64)
        for c in range(vote_table.n_classes):
            voted = votes == c
            np.cumsum(voted * weights[order], axis=1, out=counts[c])
            first[c, :, 0] = np.where(voted.any(axis=1), voted.argmax(axis=1), len(order))
        top = counts.max(axis=0)
        winner = np.where(counts >= top - slack, first, len(order)).argmin(axis=0)
        wrong += ((winner != y[:, None]) | (top <= 0)).sum(axis=0)
    return wrong / len(vote_table.y)
