"""Kappa pruning (Margineantu & Dietterich 1997)."""

import numpy as np
from numpy.typing import NDArray

from rotastack.combine.pruning.pruner import OrderingPruner
from rotastack.combine.pruning.vote_table import VoteTable
from rotastack.diagnostics.pairs import kappa_matrix


class KappaPruner(OrderingPruner):
    """A pruner that keeps the members of the pairs that agree least beyond chance.

    Pairs are ordered by increasing kappa, and members by their first pair. Among pairs of equal kappa
    the pair of lower summed own error comes first, then the pair of lower numbers. Within a pair the member
    of lower own error comes first.

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
    Martinez, W. (2022). Ensemble pruning via margin maximization, equations 12 to 14. The printed
    equation 13 sums one marginal twice; here theta_2 = sum_c p_a(c) p_b(c).

    Examples
    --------
    >>> from rotastack.combine.pruning import KappaPruner
    >>> votes = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 0, 1]]
    >>> KappaPruner(n_select=2).fit(votes, y=[0, 0, 1, 1]).selected_
    array([1, 2])
    """

    def _order(self, vote_table: VoteTable) -> NDArray[np.intp]:
        a, b = np.triu_indices(vote_table.n_members, 1)
        agreement = kappa_matrix(vote_table.votes, vote_table.n_classes)[a, b]
        agreement = np.where(np.isnan(agreement), 1.0, agreement).round(12)  # without a common row: last
        order = np.lexsort((b, a, (vote_table.own_errors[a] + vote_table.own_errors[b]).round(12), agreement))
        pairs = np.stack([a, b], axis=1)[order]
        swapped = vote_table.precedence[pairs[:, 1]] < vote_table.precedence[pairs[:, 0]]
        pairs[swapped] = pairs[swapped, ::-1]
        members, where = np.unique(pairs.ravel(), return_index=True)
        return members[where.argsort()] if len(members) else np.zeros(1, dtype=np.intp)
