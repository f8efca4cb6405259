"""Margin distance minimisation (Martinez-Munoz & Suarez)."""

from collections.abc import Callable
from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rotastack.base.scikit import StrOptions
from rotastack.combine.pruning.pruner import OrderingPruner
from rotastack.combine.pruning.vote_table import VoteTable


class MDMPruner(OrderingPruner):
    """A pruner that adds the member that brings the mean signature nearest to a point where all rows are right.

    A member's signature holds 1 for each selection row that the member gets right, and -1 for each wrong row. The
    components of the point are equal to a small number p, which is fixed or grows with the number of chosen members.

    Parameters
    ----------
    n_select : int, float or None, default=0.5
        Number of members to keep, or their share. None keeps the number of members whose vote has the least error on
        the selection rows: mostly too few, since chance decides where a noisy curve is lowest.
    p : float, "moving" or callable, default=0.075
        Component of the point. "moving" is 2 sqrt(2 u) / T for the u-th of T members, at most 1. A function is
        called with u.
    vote : {"simple", "weighted"}, default="simple"
        Whether the kept members vote with equal weights or with their original weights.

    Attributes
    ----------
    selected_, weights_, n_selected_, order_, curve_
        See :class:`rotastack.combine.pruning.pruner.OrderingPruner`.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, equation 19. There the moving p is "proportional to u";
    the root is from Martinez-Munoz, G., Hernandez-Lobato, D. and Suarez, A. (2009). An analysis of
    ensemble pruning techniques based on ordered aggregation. IEEE TPAMI 31. Ties go to the lower own
    error, then to the lower number.

    Examples
    --------
    >>> from rotastack.combine.pruning import MDMPruner
    >>> votes = [[0, 0, 1], [0, 1, 1], [1, 1, 0], [0, 1, 1]]
    >>> MDMPruner(n_select=2).fit(votes, y=[0, 0, 1, 1]).selected_
    array([0, 2])
    """

    _parameter_constraints: ClassVar[dict] = {
        **OrderingPruner._parameter_constraints,
        "p": [Real, StrOptions({"moving"}), callable],
    }

    def __init__(
        self, n_select: int | float | None = 0.5, p: float | str | Callable[[int], float] = 0.075, vote: str = "simple"
    ):
        self.n_select = n_select
        self.p = p
        self.vote = vote

    def _component(self, size: int, n_members: int) -> float:
        if callable(self.p):
            return float(self.p(size))
        if self.p == "moving":
            return min(1.0, 2 * np.sqrt(2 * size) / n_members)
        return float(self.p)

    def _order(self, vote_table: VoteTable) -> NDArray[np.intp]:
        gram = vote_table.gram
        sums = vote_table.signs.sum(axis=0, dtype=np.float64)
        norms = gram.diagonal()
        T = vote_table.n_members
        products = np.zeros(T)  # of each signature with the sum of the chosen signatures
        norm = 0.0
        unchosen = np.ones(T, dtype=bool)
        order = np.empty(T, dtype=np.intp)
        total = 0.0
        for size in range(1, T + 1):
            p = self._component(size, T)
            # Squared distance to the point, times size^2, without terms that are equal for all candidates.
            distance = norm + 2 * products + norms - 2 * p * size * (total + sums)
            distance = np.where(unchosen, distance, np.inf)
            nearest = np.flatnonzero(distance <= distance.min() + 1e-9 * max(1.0, abs(distance.min())))
            best = nearest[vote_table.precedence[nearest].argmin()]
            order[size - 1] = best
            unchosen[best] = False
            norm += 2 * products[best] + norms[best]
            products += gram[best]
            total += sums[best]
        return order
