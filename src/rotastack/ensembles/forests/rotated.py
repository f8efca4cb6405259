"""Base classes of the classification and regression forests on linear views of a table."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rotastack.base.classes import LabelClassifier, NumberRegressor, float_target
from rotastack.base.outputs import accuracy, r_squared
from rotastack.base.row_weights import row_weights, weights_of
from rotastack.base.scikit import Interval, fit_context
from rotastack.base.traits import Traits
from rotastack.ensembles.table import check_rotatable, fitted_scaler, scaled_columns, warn_of_unequal_scales
from rotastack.ensembles.table_ensemble import TableEnsemble
from rotastack.seeds import root_sequence
from rotastack.trees.estimators import CLASSIFIER_CONSTRAINTS, FOREST_CONSTRAINTS
from rotastack.trees.growing import FamilyOutOfBag
from rotastack.trees.grown import GrownTrees
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


def rotated_views(axes: NDArray[np.intp], rotations: NDArray[np.floating], n_numeric: int, n_other: int) -> LinearViews:
    """Return a view for each rotation: the rotated columns, followed by the other columns unchanged.

    `axes` (n_rotations, m) are the rotated ones of the `n_numeric` columns, which come first; `rotations` have m axes.
    """
    n_features = n_numeric + n_other
    complete = axes.shape[1] == n_numeric
    views = LinearViews.dense(rotations, None if complete else axes, n_features)
    if complete:
        rest = np.arange(n_numeric, n_features)[None]
        return views.beside(LinearViews.subset(rest, n_features)) if n_other else views
    left = np.stack([np.setdiff1d(np.arange(n_features), chosen) for chosen in axes])
    return views.beside(LinearViews.subset(left, n_features))


class RotatedForest(TableEnsemble):
    """A forest on rotations of the numeric columns."""

    study_traits: ClassVar[Traits] = Traits(rotates=True)

    n_estimators: int
    flip: bool
    max_features: Any
    constant_leaf: bool
    max_axes: int
    forest_: GrownTrees

    def _grow(
        self, X: NDArray[np.float32], target: NDArray, n_classes: int | None, n_numeric: int,
        weights: NDArray[np.float64] | None, sequence: np.random.SeedSequence,
    ) -> FamilyOutOfBag | None:  # fmt: skip
        """Set ``forest_``, and return its out-of-bag outputs or None.

        `X` holds the `n_numeric` scaled numeric columns, followed by the categorical columns.
        """
        raise NotImplementedError

    @fit_context(prefer_skip_nested_validation=True)
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
        X, y, self.categorical_ = self._training_table(X, y)
        weights = row_weights(X, y, sample_weight, getattr(self, "class_weight", None))
        target, n_classes = self._target(y)
        n_numeric = int((~self.categorical_).sum())
        check_rotatable(n_numeric, X.shape[1])
        if self.scaling is None:
            warn_of_unequal_scales(X, self.categorical_, self)
        weighted = X if weights is None or weights.all() else X[weights > 0]
        self.scaler_ = fitted_scaler(weighted, self.categorical_, self.scaling)
        sequence = root_sequence(self.random_state)
        out_of_bag = self._grow(self._seen(X), target, n_classes, n_numeric, weights, sequence)
        if out_of_bag is not None:
            known = out_of_bag.counts > 0
            self._score_out_of_bag(out_of_bag, known, target, weights_of(weights, known))
        return self

    def _target(self, y: NDArray) -> tuple[NDArray, int | None]:
        """Return class numbers and the number of classes; for a regressor, the target as float64 and None."""
        raise NotImplementedError

    def _score_out_of_bag(
        self, out_of_bag: FamilyOutOfBag, known: NDArray[np.bool_], target: NDArray, weights: NDArray | None
    ) -> None:
        """Set the out-of-bag attributes; `known` marks the rows with out-of-bag outputs, which have `weights`."""
        raise NotImplementedError

    def _draw(self, n_numeric: int, n_rotations: int, sequence: np.random.SeedSequence):
        """Return the columns and the float32 matrices of random rotations."""
        return draw_rotations(
            n_numeric, sequence, n_rotations, flip=self.flip, max_axes=self.max_axes, dtype=np.float32
        )

    def _plain(self, forest: Any, **options: Any) -> Any:
        """Return an unfitted forest of as many trees without rotations."""
        if getattr(self, "class_weight", None) is not None:
            options["class_weight"] = self.class_weight
        return forest(n_estimators=self.n_estimators, n_jobs=self.n_jobs, random_state=self.random_state, **options)

    def _seen(self, X: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return the input of the views: the scaled numeric columns, then the categorical columns."""
        return np.hstack(scaled_columns(X, self.categorical_, self.scaler_))

    def _checked(self, X: ArrayLike) -> NDArray[np.float32]:
        check_is_fitted(self, "forest_")
        return self._seen(self._table(X))

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


class RotatedClassifier(LabelClassifier, RotatedForest):
    """A classification forest on rotations of the numeric columns."""

    class_weight: dict | str | None
    hard: ClassVar[bool] = False  # whether trees vote, instead of averaging their class shares

    def _target(self, y):
        codes = self._numbered(y)
        return codes, len(self.classes_)

    def _score_out_of_bag(self, out_of_bag, known, target, weights):
        self.oob_decision_function_ = out_of_bag.means()
        self.oob_score_ = accuracy(out_of_bag.sums[known], target[known], weights)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        rows = self._checked(X)
        if self.hard:
            return self.forest_.vote_shares(rows, self.n_jobs)
        return self.forest_.sums(rows, self.n_jobs) / len(self.forest_)

    def tree_votes(self, X: ArrayLike) -> NDArray:
        """Return the class label that each tree votes for, shape (n_rows, n_trees)."""
        rows = self._checked(X)
        votes = self.forest_.votes(rows, self.n_jobs)
        return self.classes_[votes]


class RotatedRegressor(NumberRegressor, RotatedForest):
    """A regression forest on rotations of the numeric columns."""

    def _target(self, y):
        return float_target(y), None

    def _score_out_of_bag(self, out_of_bag, known, target, weights):
        self.oob_prediction_ = out_of_bag.means()[:, 0]
        self.oob_score_ = r_squared(self.oob_prediction_[known], target[known], weights)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        rows = self._checked(X)
        return self.forest_.sums(rows, self.n_jobs)[:, 0] / len(self.forest_)
