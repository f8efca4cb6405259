"""Forests whose trees use the columns of several rotations at once (thesis, section 3.2)."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rotastack.base.scikit import Interval
from rotastack.ensembles.forests.rotated import (
    CLASS_WEIGHT,
    CONSTRAINTS,
    RotatedClassifier,
    RotatedForest,
    RotatedRegressor,
)
from rotastack.seeds import child
from rotastack.trees.forest import ForestClassifier, ForestRegressor
from rotastack.trees.growing import TreeGroup, grow_forest, n_candidates
from rotastack.trees.linear_views import LinearViews


class _MultiRotationForest(RotatedForest):
    """A forest on the features joined with K - 1 random rotations of the features."""

    _parameter_constraints: ClassVar[dict] = {
        **CONSTRAINTS,
        "bootstrap": ["boolean"],
        "n_rotations": [Interval(Integral, 1, None, closed="left")],
        "n_best": [Interval(Integral, 1, None, closed="left"), None],
    }
    _forest: ClassVar[Any]

    def __init__(
        self,
        n_rotations: int = 30,
        n_estimators: int = 500,
        *,
        flip: bool = False,
        scaling: str | None = "minmax",
        max_features: str | int | float | None = "sqrt",
        constant_leaf: bool = False,
        bootstrap: bool = True,
        n_best: int | None = None,
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
        self.flip = flip
        self.max_features = max_features
        self.constant_leaf = constant_leaf
        self.bootstrap = bootstrap
        self.n_best = n_best
        self.max_axes = max_axes

    def unrotated(self) -> Any:
        """Return an unfitted forest of as many trees without rotations; its trees use missing values unfilled."""
        return self._plain(
            self._forest, max_features=self.max_features, constant_leaf=self.constant_leaf, bootstrap=self.bootstrap
        )

    def _grow(self, rows, sequence):
        if self.n_best is not None and self.n_best > self.n_rotations:
            raise ValueError(f"n_best ({self.n_best}) must be at most n_rotations ({self.n_rotations})")
        axes, drawn = self._draw(self.n_rotations - 1, sequence)
        n_numeric, n_features = self._n_numeric, rows.X.shape[1]
        if self.n_best is not None:  # fail before the first forest if max_features is too large for the second
            n_candidates(self.max_features, self.n_best * min(n_numeric, axes.shape[1]) + n_features - n_numeric)
        numeric = np.arange(n_numeric)
        blocks = [(numeric, None), *zip(axes, drawn, strict=True)]
        others = (np.arange(n_numeric, n_features), None)

        def grow(chosen, seeds):
            views = LinearViews.blocks([[*(blocks[k] for k in chosen), others]], n_features)
            group = TreeGroup(self.n_estimators, views, max_features=self.max_features)
            options = self._options()._replace(bootstrap=self.bootstrap)
            forest, out_of_bag = grow_forest(rows, [group], options, seeds)
            widths = [len(blocks[k][0]) for k in chosen]
            decrease = forest.column_decreases()
            total = decrease.sum(axis=1, keepdims=True)
            shares = np.divide(decrease, total, out=np.zeros_like(decrease), where=total > 0)
            grown = shares[total[:, 0] > 0].mean(axis=0) if (total > 0).any() else shares[0]
            importances = np.zeros(self.n_rotations)
            importances[chosen] = [part.sum() for part in np.split(grown[: sum(widths)], np.cumsum(widths)[:-1])]
            return forest, out_of_bag and out_of_bag[0], importances

        rotations = np.arange(self.n_rotations)
        self.forest_, out_of_bag, self.rotation_importances_ = grow(rotations, sequence)
        self.kept_rotations_ = rotations
        if self.n_best is not None and self.n_best < self.n_rotations:
            best = np.argsort(-self.rotation_importances_, kind="stable")[: self.n_best]
            self.kept_rotations_ = np.sort(best)
            self.forest_, out_of_bag, self.rotation_importances_ = grow(self.kept_rotations_, child(sequence, "refit"))
        return out_of_bag


class MultiRotationForestClassifier(_MultiRotationForest, RotatedClassifier):
    """A random forest on the features joined with K - 1 random rotations of the features.

    Each split can use the rotation that fits its part of the space, so trees are smaller than
    on the features alone.

    Memory beyond that of the trees: 4 m^2 bytes for each rotation of m columns; all trees share the rotations.

    Parameters
    ----------
    n_rotations : int, default=30
        K, number of rotations, the unrotated features included.
    n_estimators : int, default=500
        Number of trees.
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns considered for each split, out of the features and all their rotations.
    constant_leaf : bool, default=False
        If all columns drawn for the split of a node are constant, make the node a leaf, as R's randomForest does.
        With False, draw further columns, as scikit-learn does.
    bootstrap : bool, default=True
        Grow each tree on n_rows rows, drawn with replacement in proportion to their weights.
    n_best : int or None, default=None
        Grow the forest again on the `n_best` rotations of largest importance.
    max_axes : int, default=1000
        Largest number of random columns in each rotation; each rotation adds its own columns only.
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
    rotation_importances_ : ndarray of shape (n_rotations,)
        Share of each rotation's columns in the decrease of impurity; rotation 0 is the unrotated
        features. The shares of the rotations and of the categorical columns sum to 1.
    feature_importances_ : ndarray of shape (n_features,)
    kept_rotations_ : ndarray of int
        Numbers of the rotations that the forest is grown on: all, or the `n_best` best.
    forest_ : GrownTrees
    oob_decision_function_, oob_score_ : ndarray of shape (n_rows, n_classes), float
        Only with `bootstrap`.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, equation 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import MultiRotationForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MultiRotationForestClassifier(n_rotations=4, n_estimators=20, random_state=0).fit(X, y)
    >>> clf.rotation_importances_.shape, round(float(clf.rotation_importances_.sum()), 6)
    ((4,), 1.0)
    """

    _parameter_constraints: ClassVar[dict] = {**_MultiRotationForest._parameter_constraints, **CLASS_WEIGHT}
    _forest = ForestClassifier


class MultiRotationForestRegressor(_MultiRotationForest, RotatedRegressor):
    """A regression forest on the features joined with K - 1 random rotations of the features.

    Parameters
    ----------
    n_rotations : int, default=30
        K, number of rotations, the unrotated features included.
    n_estimators : int, default=500
        Number of trees.
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    max_features : {"sqrt", "log2"}, int, float or None, default=0.33
        Columns considered for each split, out of the features and all their rotations.
    constant_leaf : bool, default=False
        If all columns drawn for the split of a node are constant, make the node a leaf, as R's randomForest does.
        With False, draw further columns, as scikit-learn does.
    bootstrap : bool, default=True
        Grow each tree on n_rows rows, drawn with replacement in proportion to their weights.
    n_best : int or None, default=None
        Grow the forest again on the `n_best` rotations of largest importance.
    max_axes : int, default=1000
        Largest number of random columns in each rotation; each rotation adds its own columns only.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    rotation_importances_ : ndarray of shape (n_rotations,)
    feature_importances_ : ndarray of shape (n_features,)
    kept_rotations_ : ndarray of int
    forest_ : GrownTrees
    oob_prediction_, oob_score_ : ndarray of shape (n_rows,), float
        Only with `bootstrap`.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, equation 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack import MultiRotationForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = MultiRotationForestRegressor(n_rotations=5, n_estimators=50, random_state=0).fit(X, y)
    >>> reg.oob_score_ > 0.3
    True
    """

    _forest = ForestRegressor

    def __init__(
        self,
        n_rotations: int = 30,
        n_estimators: int = 500,
        *,
        flip: bool = False,
        scaling: str | None = "minmax",
        max_features: str | int | float | None = 0.33,
        constant_leaf: bool = False,
        bootstrap: bool = True,
        n_best: int | None = None,
        max_axes: int = 1000,
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_rotations,
            n_estimators,
            flip=flip,
            scaling=scaling,
            max_features=max_features,
            constant_leaf=constant_leaf,
            bootstrap=bootstrap,
            n_best=n_best,
            max_axes=max_axes,
            categorical_features=categorical_features,
            n_jobs=n_jobs,
            random_state=random_state,
        )
