"""No pruning: all members vote."""

import numpy as np

from rotastack.combine.pruning.ballots import Ballots
from rotastack.combine.pruning.pruner import Pruner, check_vote

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
    >>> from rotastack.combine.pruning import AllMembers
    >>> AllMembers().fit([[1, 0], [0, 0]], y=[0, 0]).weights_
    array([0.5, 0.5])
    """

    def __init__(self, vote: str = "simple"):
        self.vote = vote

    def _choose(self, ballots: Ballots) -> None:
        check_vote(self.vote)
        n = ballots.n_members
        self.selected_ = np.arange(n)
        self.weights_ = ballots.weights.copy() if self.vote == "weighted" else np.full(n, 1 / n)
