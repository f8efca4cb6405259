"""MeanD-M: backward elimination by the mean margin."""

import numpy as np
from numpy.typing import NDArray

from rotastack.base.docstrings import documented
from rotastack.combine.pruning.ballots import Ballots
from rotastack.combine.pruning.pruner import OrderingPruner

__all__ = ["MeanDMPruner"]


@documented
class MeanDMPruner(OrderingPruner):
    """Drop the member whose removal lowers the mean margin least, one after the other.

    The mean margin of members that vote with equal weights is the mean over members of twice their
    accuracy less 1, so it is always the least accurate that goes: the order is that of accuracy.

    Parameters
    ----------
    %(n_select)s
    %(vote)s

    Attributes
    ----------
    selected_, weights_, n_selected_, order_, curve_
        See :class:`rotastack.combine.pruning.pruner.OrderingPruner`.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, section 5. Equal members: by number.

    Examples
    --------
    >>> from rotastack.combine.pruning import MeanDMPruner
    >>> votes = [[1, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1]]
    >>> MeanDMPruner().fit(votes, y=[0, 0, 1, 1]).order_
    array([1, 2, 0])
    """

    def __init__(self, n_select: int | float | None = 0.5, vote: str = "simple"):
        self.n_select = n_select
        self.vote = vote

    def _order(self, ballots: Ballots) -> NDArray[np.intp]:
        return ballots.preference.copy()
