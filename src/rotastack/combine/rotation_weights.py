"""Weights of rotations by the complexity of their trees: CUT, EXP, LIN and others (thesis, chapter 2)."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import clone

from rotastack.base.combiner import Combiner, Members

WEIGHTINGS = ("equal", "cut", "exp", "best", "new", "linear", "oob", "joint")


def rotation_complexity(n_nodes: ArrayLike, depth: ArrayLike, n_rows: int | ArrayLike) -> NDArray[np.float64]:
    """Return ``n_nodes + depth / n_rows`` (thesis, equation 2.5): the size of the trees, with ties broken by depth.

    `n_nodes` and `depth`, of shape (n_rotations,), are the median number of nodes, leaves included, and the mean depth.
    """
    return np.asarray(n_nodes, dtype=float) + np.asarray(depth, dtype=float) / np.asarray(n_rows)


class RotationWeights(Combiner):
    """A combiner that weighs members by rank: the first rank has the simplest rotation.

    Parameters
    ----------
    weighting : {"equal", "cut", "exp", "best", "new", "linear", "oob", "joint"}, default="exp"
        Weights of R members that are ranked by complexity: "equal" (RRE) 1/R each; "cut" (CUT) 1/h on the first
        h ranks; "exp" (EXP) proportional to ``2^(-r/h)`` for rank r; "best" (BST) all weight on the first rank;
        "new" (NEW) equal on the ranks down to that of the identity; "linear" (LIN) proportional to R, R - 1, ..., 1.
        "oob" (OOB) is "linear" with ranks by out-of-bag error, and "joint" (JNT) with ranks by the sum of
        both ranks.
    h : float or None, default=None
        Parameter of "cut" (a whole number, 1 to R) and "exp" (0.1 to R). None chooses h on the grid 1, 2, ..., R or
        0.1, 0.2, ..., R: the smallest h whose weights give the least weighted sum of out-of-bag errors.

    Attributes
    ----------
    order_ : ndarray of shape (n_members,)
        Members from the first rank to the last. Ties are broken by complexity, then by number.
    weights_ : ndarray of shape (n_members,)
        Weight of each member of the pool, by member number; the weights sum to 1.
    h_ : float or None

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, sections 2.3.1 and 2.5.

    Examples
    --------
    >>> from rotastack.combine import RotationWeights
    >>> weights = RotationWeights("linear").rank(complexity=[15.2, 11.1, 13.1], oob_error=[0.1, 0.1, 0.2])
    >>> weights.order_, weights.counts(10)
    (array([1, 2, 0]), array([2, 5, 3]))
    """

    def __init__(self, weighting: str = "exp", h: float | None = None):
        self.weighting = weighting
        self.h = h

    def _fit_to(self, members: Members) -> Self:
        return clone(self).rank(*members.complexity_and_error())

    def rank(self, complexity: ArrayLike, oob_error: ArrayLike, identity: int | None = 0) -> Self:
        """Rank the members and set their weights.

        Parameters
        ----------
        complexity : array-like of shape (n_members,)
            See :func:`rotation_complexity`.
        oob_error : array-like of shape (n_members,)
            Out-of-bag errors; a member without one (NaN) counts as the worst.
        identity : int or None
            Number of the unrotated member, for "new"; None without such a member.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Unknown weighting; `h` outside its range, or set for a weighting without parameter; a missing complexity
            or no out-of-bag error at all, if the weighting needs them; or "new" without an unrotated member.
        """
        complexity = np.asarray(complexity, dtype=float)
        error = np.asarray(oob_error, dtype=float)
        R = len(complexity)
        self.check(R)
        if self.weighting in ("equal", "oob") and not np.isfinite(complexity).all():
            complexity = np.zeros(R)  # these weightings use complexity for ties alone
        if self.weighting == "new" and identity is None:
            raise ValueError(
                "weighting 'new' selects members at least as simple as the unrotated member, but no member is unrotated"
            )
        if not np.isfinite(complexity).all():
            raise ValueError(f"weighting {self.weighting!r} needs trees: the complexity of a member is unknown")
        needs_error = self.weighting in ("oob", "joint") or (self.weighting in ("cut", "exp") and self.h is None)
        if needs_error and np.isnan(error).all():
            raise ValueError(
                f"weighting {self.weighting!r} needs out-of-bag errors, but no member has an out-of-bag error; "
                "use a bootstrapped forest as base learner, with enough rows"
            )
        error = np.where(np.isnan(error), np.inf, error)
        first = {"oob": error, "joint": rankdata(rankdata(error) + rankdata(complexity))}
        self.order_ = np.lexsort((complexity, first.get(self.weighting, complexity)))
        self.h_ = self._h(error[self.order_])
        rank_of_identity = R if identity is None else int(np.flatnonzero(self.order_ == identity)[0]) + 1
        by_rank = self._by_rank(R, rank_of_identity)
        self.weights_ = np.empty(R)
        self.weights_[self.order_] = by_rank
        return self

    def counts(self, n_trees: int) -> NDArray[np.int64]:
        """Return how many of `n_trees` trees each member gets; the sum is exactly `n_trees`.

        Weights times `n_trees` are rounded. Missing trees go to the first rank. Excess trees are removed from
        the last rank, then from the rank before. With "equal", one more tree goes to each of the first ranks until
        the remainder is used up.

        Parameters
        ----------
        n_trees : int
            At least the number of members.

        Returns
        -------
        ndarray of shape (n_members,)
        """
        R = len(self.weights_)
        if n_trees < R:
            raise ValueError(f"the members have {n_trees} trees in total; at least {R}, one per rotation, are needed")
        if self.weighting == "equal":
            by_rank = np.full(R, n_trees // R)
            by_rank[: n_trees % R] += 1
        else:
            by_rank = np.rint(self.weights_[self.order_] * n_trees).astype(np.int64)
            by_rank[0] += max(n_trees - by_rank.sum(), 0)
            by_rank = np.diff(np.minimum(by_rank.cumsum(), n_trees), prepend=0)
        counts = np.empty(R, dtype=np.int64)
        counts[self.order_] = by_rank
        return counts

    def predict_proba(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the weighted mean of the members' outputs.

        Parameters
        ----------
        outputs : ndarray of shape (n_members, n_rows, n_classes)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return np.einsum("k,krc->rc", self.weights_, np.asarray(outputs, dtype=np.float64))

    def check(self, n_members: int) -> None:
        """Raise ValueError if `weighting` or `h` is not allowed for `n_members` members."""
        R = n_members
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}, got {self.weighting!r}")
        if self.h is None:
            return
        if self.weighting == "cut":
            if not 1 <= self.h <= R or self.h != int(self.h):
                raise ValueError(f"h of weighting 'cut' must be a whole number from 1 to {R}, got {self.h}")
        elif self.weighting == "exp":
            if not 0.1 <= self.h <= R:
                raise ValueError(f"h of weighting 'exp' must be from 0.1 to {R}, got {self.h}")
        else:
            raise ValueError(f"weighting {self.weighting!r} has no parameter h, got {self.h}")

    def _h(self, error_by_rank: NDArray[np.float64]) -> Any:
        """Return the parameter h, or the best h on the grid; None for a weighting without h."""
        if self.weighting not in ("cut", "exp"):
            return None
        R = len(error_by_rank)
        if self.h is not None:
            return int(self.h) if self.weighting == "cut" else float(self.h)
        worst = error_by_rank[np.isfinite(error_by_rank)].max()
        error = np.minimum(error_by_rank, worst)  # a member without an error counts as the worst
        if self.weighting == "cut":
            losses = np.cumsum(error) / np.arange(1, R + 1)
            return int(np.flatnonzero(losses <= losses.min() + 1e-12)[0]) + 1
        grid = np.arange(1, 10 * R + 1) / 10
        losses = _exp_weights(R, grid) @ error
        return float(grid[np.flatnonzero(losses <= losses.min() + 1e-12)[0]])

    def _by_rank(self, R: int, rank_of_identity: int) -> NDArray[np.float64]:
        ranks = np.arange(1, R + 1)
        if self.weighting == "equal":
            weights = np.ones(R)
        elif self.weighting == "cut":
            weights = (ranks <= self.h_).astype(float)
        elif self.weighting == "exp":
            weights = _exp_weights(R, np.array([self.h_]))[0]
        elif self.weighting == "best":
            weights = (ranks == 1).astype(float)
        elif self.weighting == "new":
            weights = (ranks <= rank_of_identity).astype(float)
        else:
            weights = (R + 1.0) - ranks
        return weights / weights.sum()


def _exp_weights(R: int, h: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of EXP by rank (equation 2.7), a row for each h."""
    h = h[:, None]
    r = np.arange(1, R + 1)
    return 2.0 ** ((1 - r) / h) * (1 - 2.0 ** (-1 / h)) / (1 - 2.0 ** (-R / h))
