"""Orientation ordering (Martinez-Munoz & Suarez 2006)."""

import numpy as np
from numpy.typing import NDArray

from rotastack.base.docstrings import documented
from rotastack.combine.pruning.ballots import Ballots
from rotastack.combine.pruning.pruner import OrderingPruner

__all__ = ["OrientationPruner"]


@documented
class OrientationPruner(OrderingPruner):
    """Order members by the angle of their signature to a direction in which the vote gets better.

    The direction is the part of the diagonal, on which all rows are right, that is orthogonal to the
    mean signature of all members.

    Parameters
    ----------
    %(n_select)s
    %(vote)s

    Attributes
    ----------
    selected_, weights_, n_selected_, order_, curve_
        See :class:`rotastack.combine.pruning.pruner.OrderingPruner`.
    angles_ : ndarray of shape (n_members,)
        In radians. The source keeps angles below pi / 2.

    References
    ----------
    Martinez-Munoz, G. and Suarez, A. (2006). Pruning in ordered bagging ensembles. ICML. Where the
    direction vanishes it is the diagonal itself. Equal members: lower own error first, then number.

    Examples
    --------
    >>> from rotastack.combine.pruning import OrientationPruner
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1], [0, 0, 0]]
    >>> OrientationPruner(n_select=2).fit(votes, y=[0, 0, 0, 1, 0]).selected_
    array([1, 0])
    """

    def __init__(self, n_select: int | float | None = 0.5, vote: str = "simple"):
        self.n_select = n_select
        self.vote = vote

    def _order(self, ballots: Ballots) -> NDArray[np.intp]:
        signs = ballots.signs
        mean = signs.mean(axis=1, dtype=np.float64)
        norm = mean @ mean
        reference = np.ones(len(mean)) - (mean.sum() / norm if norm > 0 else 0.0) * mean
        if reference @ reference <= 1e-18 * len(mean):
            reference = np.ones(len(mean))
        sizes = np.sqrt((signs**2).sum(axis=0, dtype=np.float64) * (reference @ reference))
        cosines = np.divide(reference @ signs, sizes, out=np.zeros(ballots.n_members), where=sizes > 0).round(12)
        self.angles_ = np.arccos(cosines.clip(-1, 1))
        return np.lexsort((ballots.precedence, -cosines))
