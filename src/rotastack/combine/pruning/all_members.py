"""No pruning: all members vote."""

import numpy as np

from rotastack.combine.pruning.pruner import Pruner, check_vote
from rotastack.combine.pruning.vote_table import VoteTable

__all__ = ["AllMembers"]


class AllMembers(Pruner):
    """A pruner that keeps every member, for comparison with the other pruners.

    Parameters
    ----------
    vote : {"simple", "weighted"}, default="simple"
        Whether members vote with equal weights or with their original weights.

    Attributes
    ----------
    selected_, weights_, n_selected_
        See :class:`rotastack.combine.pruning.pruner.Pruner`.

    Examples
    --------
    >>> from rotastack.combine.pruning.all_members import AllMembers
    >>> AllMembers().fit([[1, 0], [0, 0]], y=[0, 0]).weights_
    array([0.5, 0.5])
    """

    def __init__(self, vote: str = "simple"):
        self.vote = vote

    def _choose(self, vote_table: VoteTable) -> None:
        check_vote(self.vote)
        n = vote_table.n_members
        self.selected_ = np.arange(n)
        self.weights_ = vote_table.weights.copy() if self.vote == "weighted" else np.full(n, 1 / n)
