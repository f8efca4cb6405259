"""Checked votes of a pool on the selection rows, the sums over votes that pruners need, and the errors of growing votes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class VoteTable:
    """Votes of all members (n_rows, n_members), and the true classes, on the rows with at least one vote.

    Votes are class numbers, -1 where a member has no vote. The members' original weights sum to 1.
    """

    votes: NDArray[np.int32]
    y: NDArray[np.intp]
    weights: NDArray[np.float64]
    n_classes: int

    @classmethod
    def checked(
        cls, votes: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None, n_classes: int | None = None
    ) -> "VoteTable":
        """Return checked votes: rows without a vote are left out, and weights are divided by their sum."""
        truth = np.asarray(y)
        if truth.ndim != 1 or truth.dtype.kind not in "iu":
            raise ValueError(f"y must be class numbers of shape (n_rows,), got {truth.dtype} of shape {truth.shape}")
        cast = checked_votes(votes, n_classes)
        if len(truth) != len(cast):
            raise ValueError(f"votes have {len(cast)} rows, y has {len(truth)}")
        if n_classes is None:
            n_classes = 1 + int(max(cast.max(initial=0), truth.max(initial=0)))
        if len(truth) and (truth.min() < 0 or truth.max() >= n_classes):
            bad = truth[(truth < 0) | (truth >= n_classes)][0]
            raise ValueError(f"y contains {bad}; allowed are class numbers 0 to {n_classes - 1}")
        voted_on = (cast >= 0).any(axis=1)
        if not voted_on.any():
            raise ValueError(
                f"no member has a vote on any of the {len(truth)} selection rows; at least one vote is needed"
            )
        n_members = cast.shape[1]
        if weights is None:
            shares = np.full(n_members, 1.0 / n_members)
        else:
            shares = np.asarray(weights, dtype=np.float64)
            if shares.shape != (n_members,):
                raise ValueError(f"weights must have shape ({n_members},), one for each member, got {shares.shape}")
            if not np.isfinite(shares).all() or shares.min() < 0 or not shares.sum() > 0:
                raise ValueError("weights must be finite, at least 0, and not all 0")
            shares = shares / shares.sum()
        return cls(cast[voted_on], truth[voted_on].astype(np.intp), shares, n_classes)

    def folds(self) -> list[tuple["VoteTable", "VoteTable"]]:
        """Return training and held-out rows of five folds: every fifth row is held out, so no seed is needed.

        With fewer than five rows each row is a fold. A single row gives no folds.
        """
        fold_of = np.arange(len(self.y)) % 5
        folds = [fold_of == fold for fold in range(min(5, len(self.y)))] if len(self.y) > 1 else []
        return [(self._rows(~held), self._rows(held)) for held in folds]

    def _rows(self, mask: NDArray) -> "VoteTable":
        return VoteTable(self.votes[mask], self.y[mask], self.weights, self.n_classes)

    @property
    def n_members(self) -> int:
        """Number of members."""
        return self.votes.shape[1]

    @cached_property
    def signs(self) -> NDArray[np.float32]:
        """E, shape (n_rows, n_members): 1 where a member is right, -1 where wrong, 0 where it has no vote."""
        right = self.votes == self.y[:, None]
        return np.where(self.votes < 0, np.float32(0), 2 * right.astype(np.float32) - 1)

    @cached_property
    def gram(self) -> NDArray[np.float64]:
        """The product E'E, shape (n_members, n_members); sums of up to 2^24 signs are exact."""
        return (self.signs.T @ self.signs).astype(np.float64)

    @cached_property
    def own_errors(self) -> NDArray[np.float64]:
        """Share of wrong votes of each member; 1 for a member without votes."""
        cast = (self.votes >= 0).sum(axis=0)
        right = (self.votes == self.y[:, None]).sum(axis=0)
        return 1.0 - np.divide(right, cast, out=np.zeros(self.n_members), where=cast > 0)

    @cached_property
    def preference(self) -> NDArray[np.intp]:
        """Members in the order that breaks ties: lower own error first, then lower number."""
        return self.own_errors.argsort(kind="stable")

    @cached_property
    def precedence(self) -> NDArray[np.intp]:
        """Place of each member in `preference`."""
        return self.preference.argsort()


def checked_votes(votes: ArrayLike, n_classes: int | None) -> NDArray[np.int32]:
    """Return votes as class numbers of shape (n_rows, n_members), -1 for no vote."""
    cast = np.asarray(votes)
    if cast.ndim != 2 or cast.dtype.kind not in "iu" or cast.shape[1] < 1:
        raise ValueError(
            "votes must be class numbers of shape (n_rows, n_members), -1 for no vote, got "
            f"{cast.dtype} of shape {cast.shape}"
        )
    top = np.iinfo(np.int32).max if n_classes is None else n_classes - 1
    if cast.size and (cast.min() < -1 or cast.max() > top):
        bad = cast[(cast < -1) | (cast > top)].flat[0]
        raise ValueError(f"votes contain {bad}; allowed are class numbers 0 to {top}, and -1 for no vote")
    return cast.astype(np.int32, copy=False)


def ordered_curve(
    votes: ArrayLike, y: ArrayLike, order: ArrayLike, weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the error of the vote of the first 1, 2, ... members.

    Parameters
    ----------
    votes : array-like of int of shape (n_rows, n_members)
        Class numbers, -1 where a member has no vote. Rows without any vote are left out. A row without a
        vote of the first members counts as wrong.
    y : array-like of int of shape (n_rows,)
        Class numbers.
    order : array-like of int of shape (n_chosen,)
        Numbers of the members in order. A tied vote goes to the class of the first member that votes for a
        tied class.
    weights : array-like of shape (n_members,), optional
        Weights of the members' votes; equal by default.

    Returns
    -------
    ndarray of shape (n_chosen,)

    Examples
    --------
    >>> from rotastack.combine.pruning import ordered_curve
    >>> ordered_curve([[0, 0, 1], [1, 1, 1], [1, 0, 0]], y=[0, 1, 0], order=[0, 2, 1])
    array([0.33333333, 0.33333333, 0.        ])
    """
    vote_table = VoteTable.checked(votes, y, weights)
    chosen = np.asarray(order)
    if chosen.ndim != 1 or (len(chosen) and not 0 <= chosen.min() <= chosen.max() < vote_table.n_members):
        raise ValueError(f"order must contain member numbers from 0 to {vote_table.n_members - 1}")
    return ordered_errors(vote_table, chosen, vote_table.weights)


def ordered_errors(vote_table: VoteTable, order: NDArray[np.intp], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the error of the vote of the first 1, 2, ... members of `order`, shape (n_chosen,).

    Rows are counted in blocks, so the counts need no more memory than a few (n_members, n_members) matrices.
    """
    wrong = np.zeros(len(order))
    slack = 1e-12 * weights.sum()
    step = max(1, max(len(order), 256) // vote_table.n_classes)
    for start in range(0, len(vote_table.y), step):
        block = slice(start, start + step)
        votes, y = vote_table.votes[block][:, order], vote_table.y[block]
        counts = np.empty((vote_table.n_classes, *votes.shape))
        first = np.empty((vote_table.n_classes, len(votes), 1), dtype=np.int64)
        for c in range(vote_table.n_classes):
            voted = votes == c
            np.cumsum(voted * weights[order], axis=1, out=counts[c])
            first[c, :, 0] = np.where(voted.any(axis=1), voted.argmax(axis=1), len(order))
        top = counts.max(axis=0)
        winner = np.where(counts >= top - slack, first, len(order)).argmin(axis=0)
        wrong += ((winner != y[:, None]) | (top <= 0)).sum(axis=0)
    return wrong / len(vote_table.y)


class RunningVote:
    """The joint vote of members that are added one by one.

    A tied vote goes to the class of the member that was added first among the members that vote for a tied
    class. A table states, for each row and class, whether the row would be right after one more vote for the
    class. Only rows with changed entries of the table enter the update of the members' counts.
    """

    def __init__(self, vote_table: VoteTable):
        self.vote_table = vote_table
        n, self._classes = len(vote_table.y), vote_table.n_classes
        self._counts = np.zeros((n, self._classes + 1), dtype=np.int32)  # the last column: no vote
        self._first = np.full((n, self._classes), np.iinfo(np.int32).max, dtype=np.int32)
        self._size = 0
        # Whether the row would be right after one more vote for each class; the last column: after no vote.
        self._table = np.zeros((n, self._classes + 1), dtype=bool)
        self._table[np.arange(n), vote_table.y] = True
        self._right_if = (vote_table.votes == vote_table.y[:, None]).sum(axis=0).astype(np.int64)

    def wrong_if_added(self) -> NDArray[np.int64]:
        """Return, for each member, how many rows would be wrong after adding this member."""
        return len(self.vote_table.y) - self._right_if

    @property
    def wrong(self) -> int:
        """Number of rows that the vote gets wrong; all rows before the first member is added."""
        return len(self.vote_table.y) - int(self._table[:, -1].sum())

    def add(self, member: int) -> None:
        """Add a member to the vote."""
        votes = self.vote_table.votes[:, member]
        voted = np.flatnonzero(votes >= 0)
        classes = votes[voted]
        self._counts[voted, classes] += 1
        fresh = self._first[voted, classes] > self._size
        self._first[voted[fresh], classes[fresh]] = self._size
        self._size += 1
        new = self._outcomes(voted)
        old = self._table[voted]
        changed = (new != old).any(axis=1)
        rows = voted[changed]
        if len(rows):
            change = new[changed].astype(np.int8) - old[changed]
            cast = self.vote_table.votes[rows]  # as an index, -1 is the last column: no vote
            self._right_if += np.take_along_axis(change, cast.astype(np.intp), axis=1).sum(axis=0)
            self._table[rows] = new[changed]

    def _outcomes(self, rows):
        """Return the entries of the table for `rows`."""
        counts, first, y = self._counts[rows, :-1], self._first[rows], self.vote_table.y[rows]
        n, n_classes = counts.shape
        out = np.empty((n, n_classes + 1), dtype=bool)
        for c in range(n_classes + 1):
            if c < n_classes:
                counts[:, c] += 1
            best = counts == counts.max(axis=1, keepdims=True)
            # A class without votes so far loses every tie: its only member would be the last one added.
            winner = np.where(best, first, np.iinfo(np.int32).max).argmin(axis=1)
            lone = best.sum(axis=1) == 1
            winner = np.where(lone, best.argmax(axis=1), winner)
            out[:, c] = winner == y
            if c < n_classes:
                counts[:, c] -= 1
        return out
