"""Base classes of the trees and forests that the compiled kernel grows."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from numbers import Integral, Real
from types import NoneType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rotastack.base.classes import LabelClassifier, NumberRegressor, float_target
from rotastack.base.columns import present_target
from rotastack.base.naming import validate_data
from rotastack.base.outputs import accuracy, r_squared
from rotastack.base.row_weights import row_weights, weights_of
from rotastack.base.scikit import Interval, StrOptions, validate_parameter_constraints, whole_fit
from rotastack.seeds import root_sequence
from rotastack.trees.growing import TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.members import MemberForests, grow_members

LEAST_ONE = Interval(Integral, 1, None, closed="left")
TREE_CONSTRAINTS: dict[str, list[Any]] = {
    "max_depth": [LEAST_ONE, None],
    "min_samples_split": [Interval(Integral, 2, None, closed="left")],
    "min_samples_leaf": [LEAST_ONE],
    "max_features": [LEAST_ONE, Interval(Real, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
}
FOREST_CONSTRAINTS: dict[str, list[Any]] = {
    **TREE_CONSTRAINTS,
    "n_estimators": [LEAST_ONE],
    "bootstrap": ["boolean"],
    "constant_leaf": ["boolean"],
    "n_jobs": [Integral, None],
}
CLASSIFIER_CONSTRAINTS: dict[str, list[Any]] = {
    "criterion": [StrOptions({"gini", "entropy"})],
    "class_weight": [StrOptions({"balanced"}), dict, None],
}

_NO_TARGET = object()
_PLAIN_TYPES = {bool, int, float, str, NoneType}


class GrownEstimator(BaseEstimator):
    """Base class of forests and single trees, for classification and regression."""

    _splitter: ClassVar[str] = "best"
    max_features: str | int | float | None
    constant_leaf: bool = False
    random_state: Any
    classes_: NDArray[Any]
    forest_: GrownTrees
    n_features_in_: int

    def _family(self) -> TreeGroup:
        """Return the family of this estimator's trees."""
        return TreeGroup(
            n_trees=getattr(self, "n_estimators", 1),
            splitter=getattr(self, "splitter", self._splitter),
            max_features=self.max_features,
            n_cuts=getattr(self, "n_cuts", 1),
        )

    def _options(self) -> TreeOptions:
        return TreeOptions(
            criterion=getattr(self, "criterion", "squared_error"),
            **{name: getattr(self, name) for name in TreeOptions._fields[1:] if hasattr(self, name)},
        )

    def _grow(self, X, target, sample_weight, n_classes):
        self.forest_, out_of_bag = grow_forest(
            X, target, [self._family()], self._options(), root_sequence(self.random_state), n_classes=n_classes,
            weights=sample_weight, bootstrap=getattr(self, "bootstrap", False), n_jobs=getattr(self, "n_jobs", None),
        )  # fmt: skip
        return out_of_bag[0] if out_of_bag else None

    def _check_parameters(self) -> None:
        """Raise an error for parameters outside their constraints.

        Numbers and strings are checked once: a check takes a fifth of the time of twenty small trees.
        """
        values = tuple(getattr(self, name) for name in self._parameter_constraints)
        kinds = tuple(map(type, values))
        if not _PLAIN_TYPES.issuperset(kinds):
            return self._validate_params()
        return _check_plain(type(self), kinds, values)  # type: ignore[arg-type]  # a class is hashable

    def _checked(self, X: Any, y: Any = _NO_TARGET) -> Any:
        """Return X as checked contiguous float32; with `y`, return the pair of X and checked y."""
        original = X
        predicting = y is _NO_TARGET
        plain = _plain(X) and (not hasattr(self, "feature_names_in_") if predicting else _plain_target(y, len(X)))
        if not plain:
            if not predicting:
                y = present_target(y)
            checks: dict[str, Any] = {"dtype": np.float32, "order": "C", "ensure_all_finite": False}
            with np.errstate(over="ignore"):
                if predicting:
                    X = validate_data(self, X, reset=False, **checks)
                else:
                    X, y = validate_data(self, X, y, y_numeric=isinstance(self, RegressorMixin), **checks)
        elif not predicting:
            self.n_features_in_ = X.shape[1]
        elif X.shape[1] != self.n_features_in_:
            X = validate_data(self, X, reset=False)  # raises scikit-learn's error
        with np.errstate(over="ignore"):
            X = np.ascontiguousarray(X, dtype=np.float32)
        if not np.isfinite(X.sum(dtype=np.float64)):
            _refuse(X, original)
        return X if predicting else (X, y)

    @whole_fit
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Missing values are NaN.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            At least 0; rows of weight 0 are left out. A bootstrap draws rows in proportion to their weights. Without a
            bootstrap, weights count in impurities and in the outputs of leaves.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Infinite values (the message names the column), a missing target, a continuous target of a classifier,
            weights below 0, or `max_features` above the number of columns.
        """
        self._check_parameters()
        X, y = self._checked(X, y)
        y, target, n_classes = self._target(y)
        self._fit(X, target, row_weights(X, y, sample_weight, getattr(self, "class_weight", None)), n_classes)
        return self

    def _target(self, y: NDArray) -> tuple[NDArray, NDArray, int | None]:
        """Return the column y, the target of the trees, and the number of classes, which is None in a regression."""
        raise NotImplementedError

    def _fit(self, X: NDArray[np.float32], target: NDArray, weights: NDArray | None, n_classes: int | None) -> None:
        """Grow the trees on checked rows, and set the out-of-bag attributes."""
        raise NotImplementedError

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Return the leaf that each row ends in.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of int32 of shape (n_rows, n_trees)
            Numbers of the leaves among the nodes of their tree; the root is node 0.
        """
        check_is_fitted(self)
        return self.forest_.leaves(self._checked(X), getattr(self, "n_jobs", None))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over trees of each column's share in the decrease of impurity; the shares sum to 1."""
        check_is_fitted(self)
        return self.forest_.importances()


class LabelTrees(LabelClassifier, GrownEstimator):
    """Trees that are trained on class numbers."""

    def _target(self, y):
        if y.dtype.kind not in "iub" or y.ndim != 1:
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return y, codes, len(self.classes_)


class NumberTrees(NumberRegressor, GrownEstimator):
    """Trees that are trained on numbers."""

    def _target(self, y):
        y = float_target(column_or_1d(y, warn=True))
        return y, y, None


class GrownClassifier(LabelTrees):
    """A forest of classification trees, with out-of-bag attributes if the trees have bags."""

    def _fit(self, X, target, weights, n_classes):
        out_of_bag = self._grow(X, target, weights, n_classes)
        if out_of_bag is not None:
            self.oob_decision_function_ = out_of_bag.means()
            self.tree_oob_error_ = out_of_bag.tree_errors
            mask = out_of_bag.counts > 0
            self.oob_score_ = accuracy(out_of_bag.sums[mask], target[mask], weights_of(weights, mask))

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean over trees of the class shares in the leaves."""
        check_is_fitted(self)
        return self.forest_.sums(self._checked(X), getattr(self, "n_jobs", None)) / len(self.forest_)

    def tree_votes(self, X: ArrayLike) -> NDArray:
        """Return the class that each tree votes for, (row, tree)."""
        check_is_fitted(self)
        return self.classes_[self.forest_.votes(self._checked(X), getattr(self, "n_jobs", None))]


class MembersClassifier(GrownClassifier):
    """Forests of which one call grows many, each on a view of its own."""

    def grow_members(
        self,
        X: NDArray[np.float32],
        y: NDArray[np.integer],
        n_classes: int,
        parts: Iterable[Sequence[tuple[NDArray, NDArray | None]]],
        sequences: Sequence[np.random.SeedSequence],
        **options: Any,
    ) -> MemberForests:
        """Grow this forest on each of many linear views of the data.

        `parts` are the views of the members, see :meth:`rotastack.trees.LinearViews.blocks`; for the other arguments
        see :func:`rotastack.trees.members.grow_members`.
        """
        family = self._family()
        views = LinearViews.blocks(parts, X.shape[2])
        return grow_members(
            X,
            y,
            n_classes,
            replace(family, n_trees=family.n_trees * len(views), views=views),
            self._options(),
            sequences,
            bootstrap=getattr(self, "bootstrap", False),
            **options,
        )


class GrownRegressor(NumberTrees):
    """A forest of regression trees, with out-of-bag attributes if the trees have bags."""

    def _fit(self, X, target, weights, n_classes):
        out_of_bag = self._grow(X, target, weights, n_classes)
        if out_of_bag is not None:
            self.oob_prediction_ = out_of_bag.means()[:, 0]
            mask = out_of_bag.counts > 0
            self.oob_score_ = r_squared(self.oob_prediction_[mask], target[mask], weights_of(weights, mask))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean prediction of the trees."""
        check_is_fitted(self)
        return self.forest_.sums(self._checked(X), getattr(self, "n_jobs", None))[:, 0] / len(self.forest_)


@lru_cache(1000)
def _check_plain(estimator: type[GrownEstimator], kinds: tuple[type, ...], values: tuple[Any, ...]) -> None:
    """Raise an error for parameters outside the estimator's constraints; equal numbers of different `kinds` are different."""
    parameters = dict(zip(estimator._parameter_constraints, values, strict=True))
    validate_parameter_constraints(estimator._parameter_constraints, parameters, estimator.__name__)


def _plain(X: Any) -> bool:
    """Return whether X is an array that needs none of scikit-learn's checks.

    On a small data set these checks take longer than growing twenty trees.
    """
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype in (np.float32, np.float64)


def _plain_target(y: Any, n_rows: int) -> bool:
    return type(y) is np.ndarray and y.shape == (n_rows,) and y.dtype.kind in "iub"


def _refuse(X: NDArray[np.float32], given: Any) -> None:
    """Raise ValueError if a value is infinite; the message names its column and row."""
    bad = np.argwhere(np.isinf(X))
    if not len(bad):
        return  # the sum was NaN because of missing values
    row, column = bad[0]
    names = getattr(given, "columns", range(X.shape[1]))
    raise ValueError(
        f"Input X contains infinity or a value too large for float32 (inf): column {names[column]!r}, row {row}. "
        "Scale the column, or make the value missing (NaN)."
    )
