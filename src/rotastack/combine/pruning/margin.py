"""Margin-based pruning: members ordered by the weights of a Lasso on the margin (DRMF)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path

from rotastack.base.scikit import Interval, StrOptions
from rotastack.base.warned import ignoring
from rotastack.combine.pruning.pruner import OrderingPruner, number_to_keep
from rotastack.combine.pruning.vote_table import VoteTable

N_LAMBDAS = 50
SMALLEST = 1e-3
"""The grid of lambda starts where all weights are 0, and ends at this share of its start."""


class MarginPruner(OrderingPruner):
    """A pruner that orders members by sparse weights, which bring all margins near 1, and keeps the first members.

    The weights minimise ``||1 - D w||^2 + lambda ||w||_1``, where D holds 1 where a member is right on a
    selection row, -1 where it is wrong and 0 where it has no vote. The members with the largest weights vote.

    Parameters
    ----------
    lambda_ : "cv" or float, default="cv"
        Factor of the penalty; "cv" chooses it by the least squared error in 5 folds of the selection rows.
    n_select : int, float, "nonzero" or None, default=0.5
        Number of members to keep, or their share. None is the source's rule: the number that gives the vote the least
        error on the selection rows. "nonzero" keeps all members with a weight other than 0 ("Lasso" in the source).
    positive : bool, default=True
        Whether weights must be at least 0, as in the definition of the margin.
    vote : {"simple", "weighted"}, default="simple"
        Whether members vote with equal weights or with the Lasso's weights (negative weights count as 0).

    Attributes
    ----------
    selected_, weights_, n_selected_, order_, curve_
        See :class:`rotastack.combine.pruning.pruner.OrderingPruner`.
    lasso_weights_ : ndarray of shape (n_members,)
    lambda_value_ : float
        Value of lambda. ``alpha`` of scikit-learn's ``Lasso`` is this value over twice the number of rows.

    Notes
    -----
    The source's rule keeps too few members. The same votes determine the order and the size, so chance decides where
    the curve of errors is lowest. Half of the members err about as often as all: see docs/evidence/drmf.md.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, equation 17 and algorithm 2. Equal weights: lower own error
    first, then number.

    Examples
    --------
    >>> from rotastack.combine.pruning import MarginPruner
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]]
    >>> pruner = MarginPruner(lambda_=0.5, n_select=3).fit(votes, y=[0, 0, 0, 1, 0])
    >>> pruner.selected_, pruner.lasso_weights_.round(3)
    (array([0, 1, 2]), array([0.393, 0.393, 0.393]))
    """

    n_select: Any
    _parameter_constraints: ClassVar[dict] = {
        **OrderingPruner._parameter_constraints,
        "lambda_": [Interval(Real, 0, None, closed="left"), StrOptions({"cv"})],
        "n_select": [*OrderingPruner._parameter_constraints["n_select"], StrOptions({"nonzero"})],
        "positive": ["boolean"],
    }

    def __init__(
        self,
        lambda_: float | str = "cv",
        n_select: int | float | str | None = 0.5,
        positive: bool = True,
        vote: str = "simple",
    ):
        self.lambda_ = lambda_
        self.n_select = n_select
        self.positive = positive
        self.vote = vote

    def _choose(self, vote_table: VoteTable) -> None:
        keep_nonzero = self.n_select == "nonzero"
        size = None if keep_nonzero else number_to_keep(self.n_select, vote_table.n_members)
        self.lambda_value_ = self._penalty(vote_table)
        self.lasso_weights_ = lasso(vote_table, [self.lambda_value_], self.positive, tol=1e-12)[0]
        self.order_ = self._order(vote_table)
        self._keep_first(vote_table, size, np.maximum(self.lasso_weights_, 0.0))
        if keep_nonzero:
            with_weight = self.order_[self.lasso_weights_[self.order_].round(9) != 0]
            self._keep(with_weight if len(with_weight) else self.order_[:1])

    def _order(self, vote_table: VoteTable) -> NDArray[np.intp]:
        return np.lexsort((vote_table.precedence, -self.lasso_weights_.round(9)))

    def _penalty(self, vote_table: VoteTable) -> float:
        penalty: Any = self.lambda_
        if penalty != "cv":
            return float(penalty)
        correlation = vote_table.signs.sum(axis=0, dtype=np.float64)
        largest = 2 * float(correlation.max() if self.positive else np.abs(correlation).max())
        if largest <= 0:  # no member is right more often than wrong: all weights are 0
            return 1.0
        grid = largest * np.logspace(0, np.log10(SMALLEST), N_LAMBDAS)
        n = len(vote_table.y)
        loss = np.zeros(N_LAMBDAS)
        for train, held in vote_table.folds():
            weights = lasso(train, grid * (len(train.y) / n), self.positive, tol=1e-4)
            loss += ((1.0 - held.signs @ weights.T) ** 2).sum(axis=0)
        return float(grid[int(loss.argmin())])


def lasso(vote_table: VoteTable, penalties: Any, positive: bool, tol: float) -> NDArray[np.float64]:
    """Return the weights for decreasing penalties, shape (n_penalties, n_members).

    Coordinate descent uses E'E and E'1 alone, so its time does not depend on the number of rows.
    """
    n = len(vote_table.y)
    gram = np.ascontiguousarray(vote_table.gram, dtype=np.float64)
    target = vote_table.signs.sum(axis=0, dtype=np.float64)
    signs = vote_table.signs.astype(np.float64, order="F")
    with ignoring(category=ConvergenceWarning):
        # Without a penalty, duplicate members can share their weight in any way. The last step is good enough then.
        _, weights, _ = lasso_path(
            signs,
            np.ones(n),
            alphas=np.asarray(penalties) / (2 * n),
            precompute=gram,
            Xy=target,
            positive=positive,
            max_iter=10_000,
            tol=tol,
            copy_X=False,
        )
    return weights.T
