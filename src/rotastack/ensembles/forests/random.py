"""Random rotation forests (thesis, algorithm 1 and listing 1.3)."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rotastack.base.scikit import Interval, StrOptions
from rotastack.base.warned import warn
from rotastack.ensembles.forests.rotated import (
    CLASS_WEIGHT,
    CONSTRAINTS,
    RotatedClassifier,
    RotatedForest,
    RotatedRegressor,
    rotated_views,
)
from rotastack.trees.bags import Bags
from rotastack.trees.extra import ExtraForestClassifier, ExtraForestRegressor
from rotastack.trees.forest import ForestClassifier, ForestRegressor
from rotastack.trees.growing import TreeGroup, grow_forest


class _RandomRotationForest(RotatedForest):
    """A forest that draws a new rotation for each tree or for each group of trees."""

    _parameter_constraints: ClassVar[dict] = {
        **CONSTRAINTS,
        "tree": [StrOptions({"forest", "extra"})],
        "n_trees_per_rotation": [Interval(Integral, 1, None, closed="left")],
        "n_cuts": [Interval(Integral, 1, None, closed="left")],
        "drop_worst": [Interval(Real, 0.0, 1.0, closed="left")],
    }
    _forests: ClassVar[dict[str, Any]]

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        tree: str = "forest",
        flip: bool = False,
        scaling: str | None = "minmax",
        max_features: str | int | float | None = "sqrt",
        constant_leaf: bool = False,
        n_trees_per_rotation: int = 1,
        max_axes: int = 1000,
        n_cuts: int = 1,
        drop_worst: float = 0.0,
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
        self.tree = tree
        self.flip = flip
        self.max_features = max_features
        self.constant_leaf = constant_leaf
        self.n_trees_per_rotation = n_trees_per_rotation
        self.max_axes = max_axes
        self.n_cuts = n_cuts
        self.drop_worst = drop_worst

    def unrotated(self) -> Any:
        """Return an unfitted forest of as many trees without rotations; its trees use missing values unfilled."""
        options = {"n_cuts": self.n_cuts} if self.tree == "extra" else {"constant_leaf": self.constant_leaf}
        return self._plain(self._forests[self.tree], max_features=self.max_features, **options)

    def check_parameters(self) -> None:
        """Raise ValueError if the parameters contradict each other."""
        if self.n_estimators % self.n_trees_per_rotation:
            raise ValueError(
                f"n_estimators ({self.n_estimators}) must be a multiple of n_trees_per_rotation "
                f"({self.n_trees_per_rotation})"
            )
        if self.drop_worst and self.tree != "forest":
            raise ValueError("drop_worst needs out-of-bag errors, but trees of kind 'extra' have no out-of-bag rows")

    def _grow(self, rows, sequence):
        self.check_parameters()
        n_rotations = self.n_estimators // self.n_trees_per_rotation
        # In fully grown trees on all rows, weights would change the cuts but not the leaves.
        bootstrap = self.tree == "forest" or len(Bags.of(len(rows.X), rows.weights).ends) > 0
        views = rotated_views(*self._draw(n_rotations, sequence), self._n_numeric, rows.X.shape[1])
        splitter = "best" if self.tree == "forest" else "random"
        group = TreeGroup(self.n_estimators, views, splitter, self.max_features, self.n_cuts)
        self.forest_, out_of_bag = grow_forest(rows, [group], self._options()._replace(bootstrap=bootstrap), sequence)
        if out_of_bag is None:
            return None
        by_rotation = out_of_bag[0].tree_errors.reshape(n_rotations, -1)
        counts = np.isfinite(by_rotation).sum(axis=1)
        self.rotation_oob_error_ = np.nansum(by_rotation, axis=1) / np.where(counts > 0, counts, np.nan)
        n_dropped = int(self.drop_worst * n_rotations + 1e-9)
        order = np.argsort(self.rotation_oob_error_, kind="stable")  # NaN last
        self.kept_rotations_ = np.sort(order[: n_rotations - n_dropped])
        if n_dropped:
            self.forest_ = self.forest_.take(np.flatnonzero(np.isin(self.forest_.tree_view, self.kept_rotations_)))
        elif self.drop_worst:
            warn(f"drop_worst={self.drop_worst:g} drops none of {n_rotations} rotations")
        return out_of_bag[0]


class RandomRotationForestClassifier(_RandomRotationForest, RotatedClassifier):
    """A forest that draws a new rotation for each tree or for each group of trees.

    Memory beyond that of the trees: 4 m^2 bytes for each rotation of m columns.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    tree : {"forest", "extra"}, default="forest"
        "forest": trees of a random forest (bootstrap, best splits). "extra": extremely randomised
        trees (all rows, random cuts; with unequal row weights, also a bootstrap by weight).
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
    n_trees_per_rotation : int, default=1
        Number of trees that share a rotation; `n_estimators` must be a multiple of this number.
    max_axes : int, default=1000
        Largest number of random columns in each rotation.
    n_cuts : int, default=1
        Number of random cuts for each column in trees of kind "extra".
    drop_worst : float, default=0.0
        Share of the rotations, those of largest out-of-bag error, whose trees are dropped after
        training. The thesis drops the worst decile, 0.1 (section 1.7).
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
    forest_ : GrownTrees
        The trees and their views.
    oob_decision_function_, oob_score_ : ndarray of shape (n_rows, n_classes), float
        Out-of-bag probabilities and accuracy before rotations are dropped. Only with ``tree="forest"``.
    rotation_oob_error_, kept_rotations_ : ndarray of shape (n_rotations,), ndarray of int
        Mean out-of-bag error of the trees on each rotation, and the numbers of the rotations that
        were not dropped. Only with ``tree="forest"``.
    feature_importances_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        `n_estimators` is not a multiple of `n_trees_per_rotation`, or no column is numeric.

    References
    ----------
    Blaser, R. and Fryzlewicz, P. (2016). Random rotation ensembles. JMLR 17(4).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import RandomRotationForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RandomRotationForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict] = {**_RandomRotationForest._parameter_constraints, **CLASS_WEIGHT}
    _forests: ClassVar = {"forest": ForestClassifier, "extra": ExtraForestClassifier}


class RandomRotationForestRegressor(_RandomRotationForest, RotatedRegressor):
    """A regression forest that draws a new rotation for each tree or for each group of trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    tree : {"forest", "extra"}, default="forest"
        "forest": trees of a random forest (bootstrap, best splits). "extra": extremely randomised
        trees (all rows, random cuts; with unequal row weights, also a bootstrap by weight).
    n_trees_per_rotation : int, default=1
        Number of trees that share a rotation; `n_estimators` must be a multiple of this number.
    n_cuts : int, default=1
        Number of random cuts for each column in trees of kind "extra".
    drop_worst : float, default=0.0
        Share of the rotations, those of largest out-of-bag error, whose trees are dropped after
        training. The thesis drops the worst decile, 0.1 (section 1.7).
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    max_features : {"sqrt", "log2"}, int, float or None, default=1.0
        Columns considered for each split.
    constant_leaf : bool, default=False
        If all columns drawn for the split of a node are constant, make the node a leaf, as R's randomForest does.
        With False, draw further columns, as scikit-learn does.
    max_axes : int, default=1000
        Largest number of random columns in each rotation.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    forest_ : GrownTrees
        The trees and their views.
    oob_prediction_, oob_score_ : ndarray of shape (n_rows,), float
        Out-of-bag predictions and their R^2 before rotations are dropped. Only with ``tree="forest"``.
    rotation_oob_error_, kept_rotations_ : ndarray of shape (n_rotations,), ndarray of int
        Mean out-of-bag squared error of the trees on each rotation, and the numbers of the rotations
        that were not dropped. Only with ``tree="forest"``.
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Blaser, R. and Fryzlewicz, P. (2016). Random rotation ensembles. JMLR 17(4).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack import RandomRotationForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = RandomRotationForestRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> reg.oob_score_ > 0.3
    True
    """

    _forests: ClassVar = {"forest": ForestRegressor, "extra": ExtraForestRegressor}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        tree: str = "forest",
        flip: bool = False,
        scaling: str | None = "minmax",
        max_features: str | int | float | None = 1.0,
        constant_leaf: bool = False,
        n_trees_per_rotation: int = 1,
        max_axes: int = 1000,
        n_cuts: int = 1,
        drop_worst: float = 0.0,
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            tree=tree,
            flip=flip,
            scaling=scaling,
            max_features=max_features,
            constant_leaf=constant_leaf,
            n_trees_per_rotation=n_trees_per_rotation,
            max_axes=max_axes,
            n_cuts=n_cuts,
            drop_worst=drop_worst,
            categorical_features=categorical_features,
            n_jobs=n_jobs,
            random_state=random_state,
        )
