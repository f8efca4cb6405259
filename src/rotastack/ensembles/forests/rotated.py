"""Base classes of the classification and regression forests on linear views of a table."""

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rotastack.base.scikit import Interval, whole_fit
from rotastack.base.traits import Traits
from rotastack.ensembles.table import (
    TableEnsemble,
    check_rotatable,
    fitted_scaler,
    scaled_columns,
    warn_of_unequal_scales,
)
from rotastack.seeds import child
from rotastack.trees.estimators import (
    CLASSIFIER_CONSTRAINTS,
    FOREST_CONSTRAINTS,
    ForestOfLabels,
    ForestOfNumbers,
    TreesEstimator,
)
from rotastack.trees.growing import TreeOptions
from rotastack.trees.linear_views import LinearViews
from rotastack.views.haar import draw_rotations

CONSTRAINTS: dict[str, list[Any]] = {
    **TableEnsemble._parameter_constraints,
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "flip": ["boolean"],
    **{name: FOREST_CONSTRAINTS[name] for name in ("max_features", "constant_leaf")},
    "max_axes": [Interval(Integral, 2, None, closed="left")],
}


CLASS_WEIGHT: dict[str, list[Any]] = {"class_weight": CLASSIFIER_CONSTRAINTS["class_weight"]}


def rotated_views(
    axes: NDArray[np.intp], rotations: NDArray[np.floating], n_numeric: int, n_features: int
) -> LinearViews:
    """Return a view for each rotation: the rotated columns, followed by the other columns unchanged.

    `axes` (n_rotations, m) are the rotated ones of the `n_numeric` columns, which come first; `rotations` have m axes.
    """
    complete = axes.shape[1] == n_numeric
    views = LinearViews.dense(rotations, None if complete else axes, n_features)
    if complete:
        rest = np.arange(n_numeric, n_features)[None]
        return views.beside(LinearViews.subset(rest, n_features)) if n_features > n_numeric else views
    left = np.stack([np.setdiff1d(np.arange(n_features), chosen) for chosen in axes])
    return views.beside(LinearViews.subset(left, n_features))


class RotatedForest(TableEnsemble, TreesEstimator):
    """A forest on rotations of the numeric columns.

    The trees see the scaled numeric columns, followed by the categorical columns.
    """

    study_traits: ClassVar[Traits] = Traits(rotates=True)

    flip: bool
    max_features: Any
    constant_leaf: bool
    max_axes: int

    def __init__(
        self,
        n_estimators: int,
        *,
        scaling: str | None,
        categorical_features: ArrayLike | None,
        class_weight: dict | str | None,
        n_jobs: int | None,
        random_state: Any,
    ):
        self.n_estimators = n_estimators
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    @whole_fit
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Draw the rotations and grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Missing values (NaN) are allowed if `scaling` is not None; the scaler fills them.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Weights of at least 0; rows of weight 0 are left out. Bags are drawn by weight. Trees without a bootstrap
            and out-of-bag scores use weighted rows. Fitted rotations weigh all rows in a bag alike.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Weights below 0; a missing target; for a classifier, a continuous target or fewer than two classes; no
            numeric column; infinite values; missing values without scaling; or contradictory parameters.
        """
        return super().fit(X, y, sample_weight)

    def _training_rows(self, X, y, sample_weight):
        rows = super()._training_rows(X, y, sample_weight)
        check_rotatable(self._n_numeric, rows.X.shape[1])
        if self.scaling is None:
            warn_of_unequal_scales(rows.X, self.categorical_, self)
        weighted = rows.X if rows.weights is None or rows.weights.all() else rows.X[rows.weights > 0]
        self.scaler_ = fitted_scaler(weighted, self.categorical_, self.scaling)
        return replace(rows, X=self._seen(rows.X))

    @property
    def _n_numeric(self) -> int:
        return int((~self.categorical_).sum())

    def _options(self) -> TreeOptions:
        return TreeOptions(constant_leaf=self.constant_leaf, n_jobs=self.n_jobs)

    def _draw(self, n_rotations: int, sequence: np.random.SeedSequence):
        """Return the columns and the float32 matrices of random rotations."""
        return draw_rotations(
            self._n_numeric,
            child(sequence, "rotations"),
            n_rotations,
            flip=self.flip,
            max_axes=self.max_axes,
            dtype=np.float32,
        )

    def _plain(self, forest: Any, **options: Any) -> Any:
        """Return an unfitted forest of as many trees without rotations."""
        if self.class_weight is not None:
            options["class_weight"] = self.class_weight
        return forest(n_estimators=self.n_estimators, n_jobs=self.n_jobs, random_state=self.random_state, **options)

    def _seen(self, X: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return the input of the views: the scaled numeric columns, then the categorical columns."""
        return np.hstack(scaled_columns(X, self.categorical_, self.scaler_))

    def _checked(self, X, *y):
        if not y:
            return self._seen(self._table(X))
        X, target, self.categorical_ = self._training_table(X, *y)
        return X, target

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over trees of the decrease of impurity by splits on each column; the sum is 1.

        A split on a rotated column counts for the original columns in proportion to their squared coefficients.
        """
        check_is_fitted(self, "forest_")
        order = np.concatenate([np.flatnonzero(~self.categorical_), np.flatnonzero(self.categorical_)])
        importances = np.empty(len(order))
        importances[order] = self.forest_.importances()
        return importances


class RotatedClassifier(RotatedForest, ForestOfLabels):
    """A classification forest on rotations of the numeric columns."""


class RotatedRegressor(RotatedForest, ForestOfNumbers):
    """A regression forest on rotations of the numeric columns."""
