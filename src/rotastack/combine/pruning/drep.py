"""Diversity regularised ensemble pruning (Li, Yu & Zhou 2012)."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rotastack.base.scikit import Interval, StrOptions
from rotastack.combine.pruning.pruner import Pruner
from rotastack.combine.pruning.vote_table import RunningVote, VoteTable

GRID = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
"""Values of `rho` among which the source chooses by cross-validation."""


class DREPPruner(Pruner):
    """A pruner that adds members one by one: the most helpful among those that differ most from the chosen ones.

    The first member is the one with the least error. Each step orders the other members by increasing diff(h, H):
    the mean product of the member's signs (1 where right, -1 where wrong) with the mean signs of the chosen members.
    Among the first share `rho` of this order, the pruner adds the member that gives the joint vote the least error.
    The pruner stops when the error does not fall.

    Parameters
    ----------
    rho : float or "cv", default=0.5
        Share of the other members that are candidates, above 0 and up to 1. "cv" chooses the share of 0.2, 0.25,
        ..., 0.5 with the least error in 5 folds of the selection rows.
    patience : int, default=2
        The pruner stops after this many additions in a row without a lower error, and removes these members again.

    Notes
    -----
    The source stops at the first addition that does not lower the error: `patience` 1. A second member never
    lowers the error: where two members differ the vote is tied, and goes to the first member, or to either at
    random. So the source's rule always keeps one member if all members vote on all rows.

    Attributes
    ----------
    selected_, weights_, n_selected_
        See :class:`rotastack.combine.pruning.pruner.Pruner`.
    rho_ : float
        Share of the other members that were candidates.
    errors_ : ndarray of shape (n_selected,)
        Error of the vote of the first 1, 2, ... chosen members on the selection rows.

    References
    ----------
    Li, N., Yu, Y. and Zhou, Z.-H. (2012). Diversity regularized ensemble pruning. ECML PKDD,
    algorithm 1. Ties go to the lower own error, then to the lower number.

    Examples
    --------
    >>> from rotastack.combine.pruning import DREPPruner
    >>> votes = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 1], [1, 0, 1]]
    >>> DREPPruner().fit(votes, y=[0, 0, 1, 1, 1]).selected_
    array([0])
    """

    _parameter_constraints: ClassVar[dict] = {
        "rho": [Interval(Real, 0, 1, closed="right"), StrOptions({"cv"})],
        "patience": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, rho: float | str = 0.5, *, patience: int = 2):
        self.rho = rho
        self.patience = patience

    def _choose(self, vote_table: VoteTable) -> None:
        self.rho_ = self._share(vote_table)
        self.selected_, self.errors_ = chosen(vote_table, self.rho_, self.patience)
        self.weights_ = np.zeros(vote_table.n_members)
        self.weights_[self.selected_] = 1.0 / len(self.selected_)

    def _share(self, vote_table: VoteTable) -> float:
        rho: Any = self.rho
        if rho != "cv":
            return float(rho)
        wrong = np.zeros(len(GRID))
        for train, held in vote_table.folds():
            for i, share in enumerate(GRID):
                vote = RunningVote(held)
                for member in chosen(train, share, self.patience)[0]:
                    vote.add(member)
                wrong[i] += vote.wrong
        return GRID[int(wrong.argmin())]


def chosen(vote_table: VoteTable, rho: float, patience: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the chosen members, and the error of the vote after each of them."""
    vote = RunningVote(vote_table)
    signs, n = vote_table.signs.astype(np.float64), len(vote_table.y)
    first = int(vote_table.preference[0])
    vote.add(first)
    selected, errors, best_size = [first], [vote.wrong / n], 1
    rest = np.delete(np.arange(vote_table.n_members), first)
    # With the sum of the chosen members' signs: whole numbers, so ties are exact.
    similarity = signs.T @ signs[:, first]
    while len(rest) and len(selected) - best_size < patience:
        order = rest[np.lexsort((vote_table.precedence[rest], similarity[rest]))]
        candidates = order[: max(1, int(np.ceil(rho * len(rest) - 1e-9)))]
        wrong = vote.wrong_if_added()[candidates]
        best = int(candidates[np.lexsort((vote_table.precedence[candidates], wrong))[0]])
        vote.add(best)
        selected.append(best)
        errors.append(vote.wrong / n)
        if errors[-1] < errors[best_size - 1]:
            best_size = len(selected)
        similarity += signs.T @ signs[:, best]
        rest = rest[rest != best]
    return np.array(selected[:best_size]), np.array(errors[:best_size])
