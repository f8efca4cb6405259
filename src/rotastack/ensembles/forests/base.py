"""What forests on rotations have in common: a table goes in, trees on linear views come out."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rotastack.base.scikit import Interval, StrOptions, fit_context
from rotastack.ensembles.table import (
    categorical_mask,
    check_rotatable,
    checked_scales,
    fitted_scaler,
    input_rules,
    scaled_columns,
)
from rotastack.seeds import root_sequence
from rotastack.trees.growing import FamilyOutOfBag
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.views.haar import draw_rotations
from rotastack.views.scaling import SCALERS

__all__ = ["CONSTRAINTS", "RotatedClassifier", "RotatedRegressor", "rotated_views"]

CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "flip": ["boolean"],
    "scaling": [StrOptions(set(SCALERS)), None],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Real, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "max_axes": [Interval(Integral, 2, None, closed="left")],
    "categorical_features": ["array-like", None],
    "n_jobs": [Integral, None],
}


def rotated_views(
    axes: NDArray[np.intp], rotations: NDArray[np.floating], n_numeric: int, n_other: int
) -> LinearViews:
    """Return a view for each rotation: its axes rotated, then the other columns as they are.

    Parameters
    ----------
    axes : ndarray of shape (n_rotations, m)
    rotations : ndarray of shape (n_rotations, m, m)
    n_numeric, n_other : int
        Columns that may be rotated come first, then those that never are.
    """
    n_features = n_numeric + n_other
    everyone = axes.shape[1] == n_numeric
    views = LinearViews.dense(rotations, None if everyone else axes, n_features)
    if everyone:
        rest = np.arange(n_numeric, n_features)[None]
        return views.beside(LinearViews.subset(rest, n_features)) if n_other else views
    left = np.stack([np.setdiff1d(np.arange(n_features), chosen) for chosen in axes])
    return views.beside(LinearViews.subset(left, n_features))


class _RotatedForest(BaseEstimator):
    """Check and scale the table, grow the trees, and read them."""

    scaling: str | None
    categorical_features: ArrayLike | None
    n_jobs: int | None
    random_state: Any
    forest_: GrownTrees
    n_features_in_: int

    # What a method adds.

    def _grow(
        self,
        X: NDArray[np.float32],
        target: NDArray,
        n_classes: int | None,
        n_numeric: int,
        sequence: np.random.SeedSequence,
    ) -> FamilyOutOfBag | None:
        """Set ``forest_``; the first `n_numeric` columns of `X` are numeric."""
        raise NotImplementedError

    # What is the same for all.

    def _fit(self, X: ArrayLike, y: ArrayLike) -> tuple[FamilyOutOfBag | None, NDArray]:
        for name in [n for n in vars(self) if n.endswith("_") and n not in self._get_param_names()]:
            delattr(self, name)  # nothing of an earlier fit may decide
        X, y = validate_data(
            self, X, y, y_numeric=isinstance(self, RegressorMixin), **input_rules(self.scaling)
        )
        target, n_classes = self._target(column_or_1d(y, warn=True))
        self.categorical_ = categorical_mask(
            self.categorical_features, X.shape[1], getattr(self, "feature_names_in_", None)
        )
        n_numeric = int((~self.categorical_).sum())
        check_rotatable(n_numeric, X.shape[1])
        if self.scaling is None:
            checked_scales(X, self.categorical_, self)
        self.scaler_ = fitted_scaler(X, self.categorical_, self.scaling)
        sequence = root_sequence(self.random_state)
        return self._grow(self._seen(X), target, n_classes, n_numeric, sequence), target

    def _target(self, y: NDArray) -> tuple[NDArray, int | None]:
        raise NotImplementedError

    def _draw(self, n_numeric: int, n_rotations: int, sequence: np.random.SeedSequence):
        """Return axes and float32 matrices of random rotations."""
        return draw_rotations(
            n_numeric,
            sequence,
            n_rotations,
            flip=self.flip,  # type: ignore[attr-defined]
            max_axes=self.max_axes,  # type: ignore[attr-defined]
            dtype=np.float32,
        )

    def _seen(self, X: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return what the views are views of: scaled numeric columns, then the others."""
        return np.hstack(scaled_columns(X, self.categorical_, self.scaler_))

    def _checked(self, X: ArrayLike) -> NDArray[np.float32]:
        check_is_fitted(self, "forest_")
        return self._seen(validate_data(self, X, reset=False, **input_rules(self.scaling)))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Decrease of impurity that each column brings, adding up to 1; mean over trees.

        What a split on a rotated column brings is shared in proportion to squared weights.
        """
        check_is_fitted(self, "forest_")
        order = np.concatenate([np.flatnonzero(~self.categorical_), np.flatnonzero(self.categorical_)])
        importances = np.empty(len(order))
        importances[order] = self.forest_.importances()
        return importances

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.scaling is not None
        return tags


class RotatedClassifier(ClassifierMixin, _RotatedForest):
    """A forest on rotations that classifies."""

    hard: ClassVar[bool] = False  # trees vote, instead of giving class shares

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike):
        """Draw the rotations and grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Missing values (NaN) are allowed with a `scaling`, which fills them.
        y : array-like of shape (n_rows,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Fewer than two classes, a continuous target, no numeric column, infinite values (or,
            without scaling, missing ones), or parameters that do not go together.
        """
        out_of_bag, codes = self._fit(X, y)
        if out_of_bag is not None:
            self.oob_proba_ = out_of_bag.means()
            known = out_of_bag.counts > 0
            right = out_of_bag.sums[known].argmax(axis=1) == codes[known]
            self.oob_score_ = float(right.mean()) if known.any() else float("nan")
        return self

    def _target(self, y):
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({self.classes_[0]}); at least 2 classes are needed")
        return codes, len(self.classes_)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        rows = self._checked(X)
        if self.hard:
            return self.forest_.vote_shares(rows, self.n_jobs)
        return self.forest_.sums(rows, self.n_jobs) / len(self.forest_)

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def tree_votes(self, X: ArrayLike) -> NDArray:
        """Return the class that every tree votes for, (row, tree): what diagnostics of margins take."""
        rows = self._checked(X)
        votes = self.forest_.votes(rows, self.n_jobs)
        return self.classes_[votes]


class RotatedRegressor(RegressorMixin, _RotatedForest):
    """A forest on rotations that predicts numbers."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike):
        """Draw the rotations and grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Missing values (NaN) are allowed with a `scaling`, which fills them.
        y : array-like of shape (n_rows,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            No numeric column, infinite values (or, without scaling, missing ones), or parameters
            that do not go together.
        """
        out_of_bag, target = self._fit(X, y)
        if out_of_bag is not None:
            self.oob_prediction_ = out_of_bag.means()[:, 0]
            known = out_of_bag.counts > 0
            spread = np.sum((target[known] - target[known].mean()) ** 2) if known.any() else 0.0
            loss = np.sum((target[known] - self.oob_prediction_[known]) ** 2)
            self.oob_score_ = float(1 - loss / spread) if spread > 0 else float("nan")
        return self

    def _target(self, y):
        return y.astype(np.float64), None

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean prediction of the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        rows = self._checked(X)
        return self.forest_.sums(rows, self.n_jobs)[:, 0] / len(self.forest_)
