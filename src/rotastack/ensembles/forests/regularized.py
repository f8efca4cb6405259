"""Regularised rotation forests: more trees on the rotations with simple trees (thesis, chapter 2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.scikit import Interval, StrOptions
from rotastack.combine.rotation_weights import WEIGHTINGS, RotationWeights, rotation_complexity
from rotastack.ensembles.forests.rotated import CLASS_WEIGHT, CONSTRAINTS, RotatedClassifier, rotated_views
from rotastack.seeds import child, kernel_seeds
from rotastack.trees.forest import ForestClassifier
from rotastack.trees.growing import TrainingRows, TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees, break_ties, tied_rows
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.members import grow_members


@dataclass(eq=False, repr=False)
class GrowingForests:
    """A pool of trees on R rotations: a micro-forest on each rotation, and more trees on demand.

    Tree j on rotation r does not depend on the number of trees, so all compared weightings share their trees.
    ``complexity`` (R,) is the median number of nodes plus mean depth over training rows (equation 2.5), and ``oob_error``
    (R,) the out-of-bag error of each micro-forest.
    """

    rows: TrainingRows
    views: LinearViews  # one for each rotation
    micro_forest_size: int  # U, number of trees on each rotation by which rotations are ranked
    max_features: str | int | float | None
    sequence: np.random.SeedSequence
    options: TreeOptions

    def __post_init__(self):
        R, U = len(self.views), self.micro_forest_size
        group = TreeGroup(R * U, self.views, max_features=self.max_features)
        rows, weights = replace(self.rows, X=self.rows.X[None]), self.rows.weights
        micro = grow_members(rows, group, self.options, [child(self.sequence, "micro")])
        n_rows = len(self.rows.target) if weights is None else np.count_nonzero(weights)
        self.complexity = rotation_complexity(micro.n_nodes[0], micro.depth[0], n_rows)
        self.oob_error = micro.oob_error[0]
        self.size = np.full(R, U)
        assert micro.trees is not None
        self._grown = [micro.trees]
        self._rotation = [np.repeat(np.arange(R), U)]
        self._number = [np.tile(np.arange(U), R)]

    def grow(self, counts: NDArray[np.integer]) -> None:
        """Grow trees until each rotation r has at least ``counts[r]`` trees."""
        short = np.flatnonzero(counts > self.size)
        if not len(short):
            return
        groups, seeds = [], []
        for r in short.tolist():
            first, last = int(self.size[r]), int(counts[r])
            groups.append(TreeGroup(last - first, self.views.take([r]), max_features=self.max_features))
            more = kernel_seeds(child(self.sequence, "more", r), last - self.micro_forest_size)
            seeds.append(more[first - self.micro_forest_size :])
        options = self.options._replace(want_oob=False)
        grown, _ = grow_forest(self.rows, groups, options, self.sequence, seeds=np.concatenate(seeds))
        grown.tree_view, grown.views = short[grown.tree_view], self.views
        self._grown.append(grown)
        added = counts[short] - self.size[short]
        self._rotation.append(np.repeat(short, added))
        self._number.append(np.concatenate([np.arange(self.size[r], counts[r]) for r in short.tolist()]))
        self.size[short] = counts[short]

    def forest(self, counts: NDArray[np.integer]) -> GrownTrees:
        """Return the first ``counts[r]`` trees on each rotation r, in the order of the rotations."""
        self.grow(counts)
        rotation, number = np.concatenate(self._rotation), np.concatenate(self._number)
        kept = np.flatnonzero(number < counts[rotation])
        trees = GrownTrees.concatenate(self._grown)
        return trees.take(kept[np.lexsort((number[kept], rotation[kept]))])

    def vote_shares(
        self, X: NDArray[np.float32], counts: Sequence[NDArray[np.integer]]
    ) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        """Return the vote shares (ensemble, row, class) of several ensembles from this pool, and facts of each one's trees.

        `counts` are the ensembles' numbers of trees on each rotation. Each tree is grown and evaluated once. Sizes are
        the mean and median number of nodes, the mean number of leaves, and the mean depth.
        """
        self.grow(np.max(counts, axis=0))
        table = np.stack(counts)
        sums: Any = np.zeros((len(counts), len(X), self.rows.n_classes))
        votes: Any = np.zeros_like(sums)
        facts = np.zeros((len(counts), 3))
        n_nodes: list[list[NDArray[np.float64]]] = [[] for _ in counts]
        for grown, rotation, number in zip(self._grown, self._rotation, self._number, strict=True):
            used = number < table[:, rotation]  # (ensemble, tree)
            # Trees that belong to the same ensembles form a group, so each tree is evaluated once.
            patterns, group = np.unique(used.T, axis=0, return_inverse=True)
            group = group.reshape(-1).astype(np.int64)
            weights = patterns.T.astype(np.float64)
            group_sums = grown.hardened().group_sums(X, group, len(patterns), self.options.n_jobs)
            votes += np.einsum("eg,grc->erc", weights, group_sums)
            if len(grown.values):
                group_sums = grown.group_sums(X, group, len(patterns), self.options.n_jobs)
            sums += np.einsum("eg,grc->erc", weights, group_sums)
            facts += used.astype(np.float64) @ grown.sizes
            for sizes, own in zip(n_nodes, used, strict=True):
                sizes.append(grown.sizes[own, 0])
        n_trees = table.sum(axis=1)
        shares = votes / n_trees[:, None, None]
        for k, n in enumerate(n_trees.tolist()):
            rows = tied_rows(shares[k])
            break_ties(shares[k], rows, sums[k, rows], n)
        medians = [np.median(np.concatenate(sizes)) for sizes in n_nodes]
        facts = np.column_stack([facts / n_trees[:, None], medians])
        names = ("n_nodes", "n_leaves", "depth", "median_nodes")
        return shares, [dict(zip(names, row, strict=True)) for row in facts.tolist()]


class RegularizedRotationForestClassifier(RotatedClassifier):
    """A random forest on R rotations, with more trees on the rotations with simple trees.

    The complexity of a rotation is measured on a micro-forest. The rotations are ranked by complexity, and
    the M trees are divided among the rotations by weights of their ranks. Rotation 0 is the identity, so
    well rotated data can stay unrotated. Trees vote; a tie goes to the class of the larger summed
    probability, then to the lower class number.

    Memory beyond that of the trees: 4 m^2 bytes for each rotation of m columns.

    Parameters
    ----------
    n_estimators : int, default=500
        M, number of trees.
    n_rotations : int, default=25
        R, number of rotations, the identity included.
    micro_forest_size : int, default=10
        U, number of trees in each micro-forest; R U must be at most M. The final forest reuses these trees.
    weighting : {"equal", "cut", "exp", "best", "new", "linear", "oob", "joint"}, default="exp"
        See :class:`rotastack.combine.RotationWeights`.
    h : float or None, default=None
        Parameter of the weightings "cut" and "exp"; None chooses the value on a grid.
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns considered for each split.
    constant_leaf : bool, default=False
        If all columns drawn for the split of a node are constant, make the node a leaf, as R's randomForest does.
        With False, draw further columns, as scikit-learn does.
    max_axes : int, default=1000
        Largest number of random columns in each rotation.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; the weight of a row is multiplied by the weight of its class.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    rotations_ : ndarray of float32 of shape (n_rotations, m, m)
        The rotations in the order drawn, the identity first. m is the number of numeric columns, at most `max_axes`.
    axes_ : ndarray of shape (n_rotations, m)
        Numbers of the numeric columns that each rotation turns.
    complexity_ : ndarray of shape (n_rotations,)
        Median number of nodes plus mean depth divided by the number of rows, in the order of `rotations_`.
    oob_error_ : ndarray of shape (n_rotations,)
        Out-of-bag error of each micro-forest, in the order of `rotations_`.
    trees_per_rotation_ : ndarray of int of shape (n_rotations,)
        Number of trees on each rotation; the sum is M.
    h_ : float or None
    forest_ : GrownTrees

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, algorithm 2 and equations 2.5 to 2.7.
    Blaser, R. and Fryzlewicz, P. (2021). Regularizing axis-aligned ensembles via data rotations
    that favor simpler learners. Statistics and Computing 31.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import RegularizedRotationForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RegularizedRotationForestClassifier(100, n_rotations=8, random_state=0).fit(X, y)
    >>> int(clf.trees_per_rotation_.sum()), clf.rotations_.shape
    (100, (8, 4, 4))
    """

    _parameter_constraints: ClassVar[dict] = {
        **CONSTRAINTS,
        **CLASS_WEIGHT,
        "n_rotations": [Interval(Integral, 1, None, closed="left")],
        "micro_forest_size": [Interval(Integral, 1, None, closed="left")],
        "weighting": [StrOptions(set(WEIGHTINGS))],
        "h": [Interval(Real, 0.0, None, closed="neither"), None],
    }
    hard = True

    def __init__(
        self,
        n_estimators: int = 500,
        n_rotations: int = 25,
        micro_forest_size: int = 10,
        weighting: str = "exp",
        h: float | None = None,
        *,
        flip: bool = False,
        scaling: str | None = "minmax",
        max_features: str | int | float | None = "sqrt",
        constant_leaf: bool = False,
        max_axes: int = 1000,
        categorical_features: ArrayLike | None = None,
        class_weight: dict | str | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            scaling=scaling,
            categorical_features=categorical_features,
            class_weight=class_weight,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.n_rotations = n_rotations
        self.micro_forest_size = micro_forest_size
        self.weighting = weighting
        self.h = h
        self.flip = flip
        self.max_features = max_features
        self.constant_leaf = constant_leaf
        self.max_axes = max_axes

    def unrotated(self) -> ForestClassifier:
        """Return an unfitted forest of as many trees without rotations; its trees use missing values unfilled."""
        return self._plain(ForestClassifier, max_features=self.max_features, constant_leaf=self.constant_leaf)

    def check_parameters(self) -> None:
        """Raise ValueError if the parameters contradict each other."""
        R, U, M = self.n_rotations, self.micro_forest_size, self.n_estimators
        for weights in self._weights():
            weights.check(R)
        if R * U > M:
            raise ValueError(
                f"micro_forest_size times n_rotations ({U} x {R} = {R * U}) must be at most n_estimators ({M}); "
                "lower n_rotations or micro_forest_size, or raise n_estimators"
            )

    def _weights(self) -> list[RotationWeights]:
        return [RotationWeights(self.weighting, self.h)]

    def _grow(self, rows, sequence):
        self.check_parameters()
        self.axes_, rotations = self._draw(self.n_rotations, sequence)
        rotations[0] = np.eye(rotations.shape[1])
        views = rotated_views(self.axes_, rotations, self._n_numeric, rows.X.shape[1])
        pool = GrowingForests(rows, views, self.micro_forest_size, self.max_features, sequence, self._options())
        self.complexity_, self.oob_error_ = pool.complexity, pool.oob_error
        self._divide(pool, [by_rank.rank(pool.complexity, pool.oob_error) for by_rank in self._weights()])

    def _divide(self, pool: GrowingForests, ranked: list[RotationWeights]) -> None:
        """Divide the trees among the ranked rotations, and set ``forest_``."""
        self.h_ = ranked[0].h_
        self.trees_per_rotation_ = ranked[0].counts(self.n_estimators)
        self.forest_ = pool.forest(self.trees_per_rotation_)

    @property
    def rotations_(self) -> NDArray[np.float32]:
        """The rotation matrices, read from the views of ``forest_``."""
        R, m = self.axes_.shape
        return self.forest_.views.matrices.reshape(R, m, m)
