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
from sklearn.utils.validation import check_is_fitted

from rotastack.base.classes import LabelClassifier, NumberRegressor, present_target
from rotastack.base.naming import validate_data
from rotastack.base.outputs import accuracy, r_squared
from rotastack.base.row_weights import row_weights, weights_of
from rotastack.base.scikit import Interval, StrOptions, validate_parameter_constraints, whole_fit
from rotastack.seeds import root_sequence
from rotastack.trees.growing import OutOfBag, TrainingRows, TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.members import GrownMembers, grow_members

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

_PLAIN_TYPES = {bool, int, float, str, NoneType}


class TreesEstimator(BaseEstimator):
    """Base class of the estimators that are trees: ``fit`` checks the rows, grows the trees, and describes them."""

    random_state: Any
    n_jobs: int | None
    forest_: GrownTrees
    n_features_in_: int

    def _check_parameters(self) -> None:
        """Raise an error for parameters outside their constraints.

        Numbers and strings are checked once: a check takes a fifth of the time of twenty small trees.
        """
        values = tuple(getattr(self, name) for name in self._parameter_constraints)
        if not _PLAIN_TYPES.issuperset(map(type, values)):
            return self._validate_params()
        return _check_plain(type(self), *values)  # type: ignore[arg-type]  # a class is hashable

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
        rows = self._training_rows(X, y, sample_weight)
        out_of_bag = self._grow(rows, root_sequence(self.random_state))
        if out_of_bag is not None:
            self._describe(out_of_bag, rows)
        return self

    def _training_rows(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> TrainingRows:
        """Return the checked rows with their target and weights."""
        X, y = self._checked(X, y)
        target, n_classes = self._target(y)
        return TrainingRows(X, target, n_classes, row_weights(X, y, sample_weight, getattr(self, "class_weight", None)))

    def _checked(self, X: Any, *y: Any) -> Any:
        """Return X as checked rows for the trees; with `y`, return the pair of X and checked y of training rows."""
        raise NotImplementedError

    def _target(self, y: NDArray) -> tuple[NDArray, int | None]:
        """Return the target of the trees, and the number of classes, which is None in a regression."""
        raise NotImplementedError

    def _grow(self, rows: TrainingRows, sequence: np.random.SeedSequence) -> OutOfBag | None:
        """Set ``forest_``, and return its out-of-bag outputs or None."""
        raise NotImplementedError

    def _describe(self, out_of_bag: OutOfBag, rows: TrainingRows) -> None:
        """Set the out-of-bag attributes."""
        raise NotImplementedError


class LabelTrees(LabelClassifier, TreesEstimator):
    """Trees that are trained on class numbers."""

    def _describe(self, out_of_bag, rows):
        known = out_of_bag.counts > 0
        self.oob_decision_function_ = out_of_bag.means()
        self.oob_score_ = accuracy(out_of_bag.sums[known], rows.target[known], weights_of(rows.weights, known))


class NumberTrees(NumberRegressor, TreesEstimator):
    """Trees that are trained on numbers."""

    def _describe(self, out_of_bag, rows):
        known = out_of_bag.counts > 0
        self.oob_prediction_ = out_of_bag.means()[:, 0]
        self.oob_score_ = r_squared(self.oob_prediction_[known], rows.target[known], weights_of(rows.weights, known))


class ForestOfLabels(LabelTrees):
    """A forest whose trees vote, or whose class probabilities are the mean over its trees."""

    hard: ClassVar[bool] = False  # whether trees vote, instead of averaging their class shares

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean over trees of the class shares in the leaves."""
        check_is_fitted(self)
        shares = self.forest_.vote_shares if self.hard else self.forest_.means
        return shares(self._checked(X), self.n_jobs)

    def tree_votes(self, X: ArrayLike) -> NDArray:
        """Return the class that each tree votes for, (row, tree)."""
        check_is_fitted(self)
        return self.classes_[self.forest_.votes(self._checked(X), self.n_jobs)]


class ForestOfNumbers(NumberTrees):
    """A forest whose prediction is the mean over its trees."""

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean prediction of the trees."""
        check_is_fitted(self)
        return self.forest_.means(self._checked(X), self.n_jobs)[:, 0]


class GrownEstimator(TreesEstimator):
    """Base class of trees and forests on the columns as they are."""

    max_features: str | int | float | None
    n_estimators: int = 1
    splitter: str = "best"
    n_cuts: int = 1
    bootstrap: bool = False
    n_jobs: int | None = None
    classes_: NDArray[Any]
    _any_classes = True

    def _group(self) -> TreeGroup:
        """Return the group of this estimator's trees."""
        return TreeGroup(self.n_estimators, None, self.splitter, self.max_features, self.n_cuts)

    def _options(self) -> TreeOptions:
        return TreeOptions(**{name: getattr(self, name) for name in TreeOptions._fields if hasattr(self, name)})

    def _grow(self, rows, sequence):
        self.forest_, out_of_bag = grow_forest(rows, [self._group()], self._options(), sequence)
        return out_of_bag[0] if out_of_bag else None

    def _checked(self, X, *y):
        original, X = X, X
        plain = _plain(X) and (_plain_target(*y, len(X)) if y else not hasattr(self, "feature_names_in_"))
        if not plain:
            y = tuple(map(present_target, y))
            checks: dict[str, Any] = {"dtype": np.float32, "order": "C", "ensure_all_finite": False}
            if y:
                checks["y_numeric"] = isinstance(self, RegressorMixin)
            with np.errstate(over="ignore"):
                checked = validate_data(self, X, *y, reset=bool(y), **checks)
            X, *y = checked if y else (checked,)
        elif y:
            self.n_features_in_ = X.shape[1]
        elif X.shape[1] != self.n_features_in_:
            X = validate_data(self, X, reset=False)  # raises scikit-learn's error
        with np.errstate(over="ignore"):
            X = np.ascontiguousarray(X, dtype=np.float32)
        if not np.isfinite(X.sum(dtype=np.float64)):
            _refuse(X, original)
        return (X, *y) if y else X

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
        return self.forest_.leaves(self._checked(X), self.n_jobs)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over trees of each column's share in the decrease of impurity; the shares sum to 1."""
        check_is_fitted(self)
        return self.forest_.importances()


class MembersClassifier(GrownEstimator, ForestOfLabels):
    """Forests of which one call grows many, each on a view of its own."""

    def _describe(self, out_of_bag, rows):
        super()._describe(out_of_bag, rows)
        self.tree_oob_error_ = out_of_bag.tree_errors

    def grow_members(
        self,
        rows: TrainingRows,
        parts: Iterable[Sequence[tuple[NDArray, NDArray | None]]],
        sequences: Sequence[np.random.SeedSequence],
        training: NDArray[np.bool_] | None = None,
        n_jobs: int | None = None,
    ) -> GrownMembers:
        """Grow this forest on each of many linear views of the data.

        `parts` are the views of the members, see :meth:`rotastack.trees.LinearViews.blocks`; for the other arguments
        see :func:`rotastack.trees.members.grow_members`.
        """
        group, views = self._group(), LinearViews.blocks(parts, rows.X.shape[2])
        group = replace(group, n_trees=group.n_trees * len(views), views=views)
        return grow_members(rows, group, self._options()._replace(n_jobs=n_jobs), sequences, training)


class GrownRegressor(GrownEstimator, ForestOfNumbers):
    """Regression trees on the columns as they are."""

    criterion: ClassVar[str] = "squared_error"


@lru_cache(1000, typed=True)  # equal numbers of different types, such as 1 and True, are different
def _check_plain(estimator: type[TreesEstimator], *values: Any) -> None:
    """Raise an error for parameters outside the estimator's constraints."""
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
