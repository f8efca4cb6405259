"""No pruning: all members vote."""

from typing import ClassVar

import numpy as np

from rotastack.combine.pruning.pruner import VOTES, Pruner
from rotastack.combine.pruning.vote_table import VoteTable


class AllMembers(Pruner):
    """A pruner that keeps every member, for comparison with the other pruners."""

    _parameter_constraints: ClassVar[dict] = {"vote": VOTES}

    def __init__(self, vote: str = "simple"):
        self.vote = vote

    def _choose(self, vote_table: VoteTable) -> None:
        n = vote_table.n_members
        self.selected_ = np.arange(n)
        self.weights_ = vote_table.weights.copy() if self.vote == "weighted" else np.full(n, 1 / n)
