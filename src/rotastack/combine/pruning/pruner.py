"""The base classes of pruners, which choose members by their votes and let the chosen members vote."""

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from rotastack.base.combiner import Combiner, Members
from rotastack.base.scikit import Interval, RealNotInt, StrOptions, fit_context
from rotastack.combine.pruning.vote_table import VoteTable, checked_votes, ordered_errors

KEPT = 1e-6
"""A solver's weight of at most this counts as 0."""

TIED = 1e-9
"""Shares of the weight that differ by at most this are tied, since solvers are no more exact."""

VOTES = [StrOptions({"simple", "weighted"})]
"""Allowed values of the parameter `vote`."""


class Pruner(Combiner):
    """A combiner that keeps a subset of the members; only the kept members vote.

    Attributes
    ----------
    selected_ : ndarray of int of shape (n_selected,)
        Members kept, in the order of choice.
    weights_ : ndarray of shape (n_members,)
        Weight of each member's vote; the weights sum to 1.
    n_selected_, n_members_ : int
        Number of kept members, and number of all members.
    """

    selected_: NDArray[np.intp]
    weights_: NDArray[np.float64]
    _parameter_constraints: ClassVar[dict] = {}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        votes: ArrayLike,
        y: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        classes: Sequence[Any] | NDArray | None = None,
    ) -> Self:
        """Choose the members to keep.

        Parameters
        ----------
        votes : array-like of int of shape (n_rows, n_members)
            Class number that each member votes for on each selection row. -1 stands for no vote, such as on a
            row that the member was trained on. Rows without any vote are left out.
        y : array-like of int of shape (n_rows,)
            Class numbers.
        weights : array-like of shape (n_members,), optional
            Weights of the members before pruning; equal by default.
        classes : array-like of shape (n_classes,), optional
            Labels that :meth:`combine` returns; class numbers by default.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Shapes that do not match, labels outside the classes, or a size above the number of members.
        """
        vote_table = VoteTable.checked(votes, y, weights, None if classes is None else len(classes))
        self.classes_ = np.arange(vote_table.n_classes) if classes is None else np.asarray(classes)
        self.n_members_ = vote_table.n_members
        self.most_common_ = int(np.bincount(vote_table.y, minlength=vote_table.n_classes).argmax())
        self._choose(vote_table)
        self.n_selected_ = len(self.selected_)
        return self

    def __sklearn_is_fitted__(self) -> bool:  # scikit-learn takes a parameter such as lambda_ for a fitted attribute
        return hasattr(self, "selected_")

    @abstractmethod
    def _choose(self, vote_table: VoteTable) -> None:
        """Set ``selected_`` and ``weights_``."""

    def _keep_positive(self, weights: NDArray[np.float64], vote_table: VoteTable) -> None:
        """Keep the members with a weight above 0, by decreasing weight."""
        order = np.lexsort((vote_table.precedence, -weights.round(7)))
        self.selected_, self.weights_ = order[weights[order] > KEPT], weights

    def _fit_to(self, members: Members) -> Self:
        votes, y, n_classes = members.votes()
        fitted = clone(self).fit(votes, y, classes=np.arange(n_classes))
        members.keep(fitted.selected_)
        return fitted

    def _decide(self, outputs: NDArray, families: Sequence[str]) -> NDArray[np.float64]:
        return self.kept_shares(outputs.argmax(axis=2).T)

    def combine(self, outputs: ArrayLike) -> NDArray:
        """Return the class of each row by the vote of the kept members.

        Parameters
        ----------
        outputs : array-like
            Votes as class numbers of shape (n_rows, n_members), or class probabilities of shape
            (n_members, n_rows, n_classes), whose largest is the vote. Outputs of other members are ignored.

        Returns
        -------
        ndarray of shape (n_rows,)
            A tied vote goes to the class of the first chosen member that votes for a tied class. A row without a
            vote goes to the most common class of the selection rows.
        """
        best = self.predict_proba(outputs).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, outputs: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the weight that votes for each class.

        Parameters
        ----------
        outputs : array-like
            As in :meth:`combine`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            In a tie, the share of the winning class is larger by one part in a million.
        """
        check_is_fitted(self)
        given = np.asarray(outputs)
        n_members = given.shape[0] if given.ndim == 3 else given.shape[-1]
        if n_members != self.n_members_:
            raise ValueError(f"outputs have {n_members} members; the pruner was fitted to {self.n_members_} members")
        if given.ndim == 3:
            if given.shape[2] != len(self.classes_):
                raise ValueError(
                    f"outputs have {given.shape[2]} classes; the pruner was fitted to {len(self.classes_)} classes"
                )
            votes = given[self.selected_].argmax(axis=2).T
        else:
            votes = checked_votes(given, len(self.classes_))[:, self.selected_]
        return self.kept_shares(votes)

    def kept_shares(self, votes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the result of :meth:`predict_proba`, from the votes of the kept members alone.

        Parameters
        ----------
        votes : ndarray of int of shape (n_rows, n_selected)
            Class numbers, with members in the order of choice; -1 for no vote.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        weights = self.weights_[self.selected_]
        sums = np.stack([(votes == c) @ weights for c in range(len(self.classes_))], axis=1)
        total = sums.sum(axis=1, keepdims=True)
        silent = total[:, 0] <= 0
        sums[silent, self.most_common_] = 1.0
        shares = sums / np.where(silent[:, None], 1.0, total)
        best = shares >= shares.max(axis=1, keepdims=True) - TIED
        for row in np.flatnonzero(best.sum(axis=1) > 1):
            earliest = next(v for v in votes[row] if v >= 0 and best[row, v])
            shares[row] /= 1.0 + 1e-6
            shares[row, earliest] += 1e-6 / (1.0 + 1e-6)
        return shares


class OrderingPruner(Pruner):
    """A pruner that orders all members and keeps the first ones; the base class for new pruners.

    A subclass needs a method ``_order(vote_table)`` that returns the numbers of all members, beginning with the first
    member to keep. An ``__init__`` of its own stores its parameters, with `n_select` and `vote` among them.

    Parameters
    ----------
    n_select : int, float or None, default=0.5
        Number of members to keep, or their share. None keeps the number of members whose vote has the least error on
        the selection rows: mostly too few, since chance decides where a noisy curve is lowest.
    vote : {"simple", "weighted"}, default="simple"
        Whether the kept members vote with equal weights or with their original weights.

    Attributes
    ----------
    order_ : ndarray of int of shape (n_members,)
        Numbers of all members, beginning with the first member to keep.
    curve_ : ndarray of shape (n_members,)
        Error of the vote of the first 1, 2, ... members of `order_` on the selection rows.
    vote_weights_ : ndarray of shape (n_members,)
        Weight that each member's vote has if the member is kept.

    Notes
    -----
    The argument of ``_order`` has these attributes: ``votes`` (n_rows, n_members), class numbers, -1 for no vote;
    ``y``, the true class numbers; ``weights`` of the members; ``n_classes``; ``n_members``; ``own_errors``, each
    member's share of wrong votes; ``signs`` (n_rows, n_members), 1 for right, -1 for wrong, 0 for no vote.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.combine.pruning import OrderingPruner
    >>> class AccuracyPruner(OrderingPruner):
    ...     def _order(self, vote_table):
    ...         return vote_table.own_errors.argsort(kind="stable")
    >>> votes, y = np.array([[0, 1, 1], [0, 0, 1], [1, 0, 1]]), np.array([1, 1, 1])
    >>> AccuracyPruner(1).fit(votes, y).selected_
    array([2])
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_select": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right"), None],
        "vote": VOTES,
    }

    def __init__(self, n_select: int | float | None = 0.5, vote: str = "simple"):
        self.n_select = n_select
        self.vote = vote

    @abstractmethod
    def _order(self, vote_table: VoteTable) -> NDArray[np.intp]:
        """Return the numbers of all members, beginning with the first member to keep."""

    def _choose(self, vote_table: VoteTable) -> None:
        size = number_to_keep(self.n_select, vote_table.n_members)
        self.order_ = self._order(vote_table)
        self._keep_first(vote_table, size, vote_table.weights)

    def _keep_first(self, vote_table: VoteTable, size: int | None, weights: NDArray[np.float64]) -> None:
        """Keep the first `size` members of ``order_``; without a size, the number with the least error."""
        is_weighted = self.vote == "weighted" and weights.any()
        self.vote_weights_ = weights if is_weighted else np.full(vote_table.n_members, 1.0)
        self.curve_ = ordered_errors(vote_table, self.order_, self.vote_weights_)
        kept = 1 + int(self.curve_.argmin()) if size is None else size
        self._keep(self.order_[:kept])

    def _keep(self, members: NDArray[np.intp]) -> None:
        """Set ``selected_`` and ``weights_`` for these members, in this order."""
        self.selected_ = members.copy()
        self.weights_ = np.zeros(len(self.vote_weights_))
        self.weights_[members] = self.vote_weights_[members]
        if not self.weights_.any():  # weighted votes of members without weight
            self.weights_[members] = 1.0
        self.weights_ /= self.weights_.sum()


def number_to_keep(n_select: int | float | None, n_members: int) -> int | None:
    """Return the number of members to keep; None if the error of the vote decides."""
    if n_select is None:
        return None
    if isinstance(n_select, Integral):
        if n_select > n_members:
            raise ValueError(f"n_select is {n_select}; at most {n_members}, the number of members, is allowed")
        return int(n_select)
    return max(1, int(np.floor(float(n_select) * n_members + 0.5 + 1e-9)))
