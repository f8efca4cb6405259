"""Orientation ordering (Martinez-Munoz & Suarez 2006)."""

import numpy as np
from numpy.typing import NDArray

from rotastack.combine.pruning.pruner import OrderingPruner
from rotastack.combine.pruning.vote_table import VoteTable


class OrientationPruner(OrderingPruner):
    """A pruner that orders members by the angle between their signature and a direction that improves the vote.

    A signature holds 1 for each right row and -1 for each wrong one. The direction is the part of the diagonal
    (1, ..., 1) that is orthogonal to the mean signature of all members.

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
    angles_ : ndarray of shape (n_members,)
        Angles in radians. The source keeps members with angles below pi / 2.

    References
    ----------
    Martinez-Munoz, G. and Suarez, A. (2006). Pruning in ordered bagging ensembles. ICML. If the
    direction is 0, the diagonal replaces it. Ties go to the lower own error, then to the lower number.

    Examples
    --------
    >>> from rotastack.combine.pruning import OrientationPruner
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1], [0, 0, 0]]
    >>> OrientationPruner(n_select=2).fit(votes, y=[0, 0, 0, 1, 0]).selected_
    array([1, 0])
    """

    def _order(self, vote_table: VoteTable) -> NDArray[np.intp]:
        signs = vote_table.signs
        mean = signs.mean(axis=1, dtype=np.float64)
        norm = mean @ mean
        reference = np.ones(len(mean)) - (mean.sum() / norm if norm > 0 else 0.0) * mean
        if reference @ reference <= 1e-18 * len(mean):
            reference = np.ones(len(mean))
        sizes = np.sqrt((signs**2).sum(axis=0, dtype=np.float64) * (reference @ reference))
        cosines = np.divide(reference @ signs, sizes, out=np.zeros(vote_table.n_members), where=sizes > 0).round(12)
        self.angles_ = np.arccos(cosines.clip(-1, 1))
        return np.lexsort((vote_table.precedence, -cosines))
