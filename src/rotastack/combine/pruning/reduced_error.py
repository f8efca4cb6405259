"""Reduced-error ordering (Margineantu & Dietterich 1997), without backfitting."""

import numpy as np
from numpy.typing import NDArray

from rotastack.combine.pruning.pruner import OrderingPruner
from rotastack.combine.pruning.vote_table import RunningVote, VoteTable


class ReducedErrorPruner(OrderingPruner):
    """A pruner that adds the member that gives the vote the least error on the selection rows.

    Parameters
    ----------
    n_select : int, float or None, default=0.5
        Number of members to keep, or their share. None keeps the number of members whose vote has the least error on
        the selection rows: mostly too few, since chance decides where a noisy curve is lowest.
    vote : {"simple", "weighted"}, default="simple"
        Whether the kept members vote with equal weights or with their original weights. The order always follows
        from votes with equal weights.

    Attributes
    ----------
    selected_, weights_, n_selected_, order_, curve_
        See :class:`rotastack.combine.pruning.pruner.OrderingPruner`.

    References
    ----------
    Margineantu, D. and Dietterich, T. (1997). Pruning adaptive boosting. ICML. Ties go to the
    lower own error, then to the lower number.

    Examples
    --------
    >>> from rotastack.combine.pruning import ReducedErrorPruner
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]]
    >>> ReducedErrorPruner(n_select=3).fit(votes, y=[0, 0, 0, 1, 0]).selected_
    array([0, 1, 2])
    """

    def _order(self, vote_table: VoteTable) -> NDArray[np.intp]:
        vote = RunningVote(vote_table)
        chosen = np.zeros(vote_table.n_members, dtype=bool)
        order = np.empty(vote_table.n_members, dtype=np.intp)
        for size in range(vote_table.n_members):
            wrong = np.where(chosen, len(vote_table.y) + 1, vote.wrong_if_added())
            best = np.lexsort((vote_table.precedence, wrong))[0]
            order[size] = best
            chosen[best] = True
            vote.add(int(best))
        return order
