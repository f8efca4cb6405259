"""Conversion of a prepared data set to an estimator's input: dummies, or a table with missing values and categories."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from rotastack.ensembles.pooled.pool import PoolOptions
from rotastack.views.scaling import SCALERS

FRAMES = ("catboost", "lightgbm")
"""Packages whose estimators need a data frame with a data type for categories."""


class CategoryColumns:
    """A selector of the categorical columns for scikit-learn's ``ColumnTransformer``; an array has none.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": [0.5, 1.5], "colour": pd.Categorical(["r", "g"])})
    >>> CategoryColumns()(frame), CategoryColumns()(frame.to_numpy())
    (['colour'], [])
    """

    def __call__(self, X: Any) -> list[Any]:
        """Return the names of the columns of a data frame with pandas categories."""
        return list(X.select_dtypes("category").columns) if isinstance(X, pd.DataFrame) else []

    def __repr__(self) -> str:
        return "CategoryColumns()"


def takes_tables(estimator: Any) -> bool:
    """Return whether an estimator takes missing values and category numbers, and a list of the categorical columns.

    Such an estimator has scikit-learn tags for missing values and categories and a parameter ``categorical_features``,
    is of CatBoost or LightGBM, or is a pipeline that selects :class:`CategoryColumns`. Any other estimator gets dummies.
    """
    if _needs_frame(estimator):
        return True
    if not hasattr(estimator, "__sklearn_tags__") or "categorical_features" not in estimator.get_params(deep=False):
        return False
    tags = get_tags(estimator).input_tags
    return tags.categorical and tags.allow_nan


class CategoryFrame(TransformerMixin, BaseEstimator):
    """A transformer of an array to a data frame with a separate data type for the columns `categories`.

    If `whole`, category numbers become integers, -1 where missing. Otherwise they become pandas categories.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.5, 2.0], [np.nan, np.nan]])
    >>> CategoryFrame([1], whole=True).transform(X)["1"].tolist()
    [2, -1]
    >>> CategoryFrame([1]).transform(X)["1"].cat.codes.tolist()
    [0, -1]
    """

    def __init__(self, categories: Sequence[int], whole: bool = False):
        self.categories = categories
        self.whole = whole

    def fit(self, X: Any, y: Any = None) -> "CategoryFrame":
        """Return self unchanged; the estimator learns the categories of the training rows."""
        return self

    def transform(self, X: NDArray[np.float64]) -> pd.DataFrame:
        """Return the data frame; the column names are the column numbers."""
        frame = pd.DataFrame(X, columns=[str(j) for j in range(X.shape[1])])
        for j in self.categories:
            codes = frame.pop(str(j))
            column = codes.fillna(-1).astype(np.int64) if self.whole else codes.astype("category")
            frame.insert(j, str(j), column)
        return frame

    def __sklearn_is_fitted__(self) -> bool:
        return True


def with_categories(estimator: Any, categories: Sequence[int]) -> tuple[CategoryFrame | None, Any]:
    """Return a transformer to the estimator's data frame or None, and the estimator with its categorical columns set.

    `estimator` is one that :func:`takes_tables` accepts, and is changed in place. `categories` are the columns that hold
    category numbers.
    """
    if not _needs_frame(estimator):
        return None, estimator.set_params(categorical_features=list(categories) or None)
    package = _package(estimator)
    if package == "catboost":  # CatBoost returns a copy of a list parameter, which scikit-learn's clone refuses
        estimator.set_params(cat_features=tuple(categories))
    return CategoryFrame(list(categories), whole=package == "catboost"), estimator


class EstimatorInput(NamedTuple):
    """A data set in the form that an estimator needs, with the estimator and options for the pool."""

    X: Any  # float64: numbers and dummies; for an estimator of tables numbers with missing values, and category numbers
    estimator: Any  # its categorical columns are set, if it takes tables
    options: PoolOptions

    def encoded(self, data: Any, train: NDArray) -> "EstimatorInput":
        """Return the input with the data set's text encoded by the words of the training rows."""
        found = data.encoded(train)
        return self._replace(X=found.table if self.options.categorical is None else found.X)


def estimator_input(estimator: Any, data: Any, pool: Any) -> EstimatorInput:
    """Return the columns of a prepared data set (``rotastack.data.artifacts.Prepared``) in the form that an estimator needs.

    With a ``view`` in `pool`, an estimator gets numbers and dummies. ``scaling`` is not used for estimators of tables.
    """
    intervals = data.n_classes is None
    if pool.view is None and takes_tables(estimator):
        frame, estimator = with_categories(estimator, data.is_category.nonzero()[0].tolist())
        if frame is not None:
            estimator = Pipeline([("frame", frame), ("estimator", estimator)])
        return EstimatorInput(data.table, estimator, PoolOptions(intervals=intervals))
    scaler = SCALERS[pool.scaling]() if pool.scaling else None
    return EstimatorInput(data.X, estimator, PoolOptions(scaler, data.is_dummy, intervals=intervals))


def _needs_frame(estimator: Any) -> bool:
    if isinstance(estimator, Pipeline) and isinstance(estimator[0], ColumnTransformer):
        return any(isinstance(columns, CategoryColumns) for *_, columns in estimator[0].transformers)
    return _package(estimator) in FRAMES


def _package(estimator: Any) -> str:
    return type(estimator).__module__.partition(".")[0]
