"""MeanD-M: backward elimination by the mean margin."""

import numpy as np
from numpy.typing import NDArray

from rotastack.combine.pruning.pruner import OrderingPruner
from rotastack.combine.pruning.vote_table import VoteTable


class MeanDMPruner(OrderingPruner):
    """A pruner that drops, one by one, the member whose removal lowers the mean margin least.

    With equal weights, the mean margin is twice the mean accuracy of the members, minus 1. So each step drops the
    least accurate member, and members are ordered by accuracy.

    Parameters
    ----------
    n_select : int, float or None, default=0.5
        Number of members to keep, or their share. None keeps the number of members whose vote has the least error on
        the selection rows: mostly too few, since chance decides where a noisy curve is lowest.
    vote : {"simple", "weighted"}, default="simple"
        Whether the kept members vote with equal weights or with their original weights.

    Attributes
    ----------
    selected_, weights_, n_selected_, order_, curve_
        See :class:`rotastack.combine.pruning.pruner.OrderingPruner`.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, section 5. Ties go to the lower number.

    Examples
    --------
    >>> from rotastack.combine.pruning import MeanDMPruner
    >>> votes = [[1, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1]]
    >>> MeanDMPruner().fit(votes, y=[0, 0, 1, 1]).order_
    array([1, 2, 0])
    """

    def _order(self, vote_table: VoteTable) -> NDArray[np.intp]:
        return vote_table.preference.copy()
