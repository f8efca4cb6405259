"""A prepared data set as an estimator wants it: numbers and dummies, or a table with missing values and categories."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from rotastack.views.scaling import SCALERS

__all__ = ["CategoryFrame", "Rows", "rows_for", "takes_tables", "told"]

FRAMES = ("catboost", "lightgbm")
"""Packages whose estimators want a data frame in which categories are a type of their own."""


def takes_tables(estimator: Any) -> bool:
    """Tell whether an estimator takes missing values and columns of category numbers, and can be told which these are.

    Its scikit-learn tags say the first, a parameter ``categorical_features`` the second; those of CatBoost and LightGBM are known
    to; any other gets dummies.
    """
    if _package(estimator) in FRAMES:
        return True
    if not hasattr(estimator, "__sklearn_tags__") or "categorical_features" not in estimator.get_params(deep=False):
        return False
    tags = get_tags(estimator).input_tags
    return tags.categorical and tags.allow_nan


class CategoryFrame(TransformerMixin, BaseEstimator):
    """Make a data frame of a table, in which categories are a type of their own.

    Parameters
    ----------
    categories : sequence of int
        Columns that hold category numbers.
    whole : bool
        Whether these are whole numbers then, -1 where missing, or what pandas calls categories.

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
        """Do nothing; the categories of training rows are the estimator's affair."""
        return self

    def transform(self, X: NDArray[np.float64]) -> pd.DataFrame:
        """Return the frame, whose columns are named by their numbers."""
        frame = pd.DataFrame(X, columns=[str(j) for j in range(X.shape[1])])
        for j in self.categories:
            codes = frame.pop(str(j))
            column = codes.fillna(-1).astype(np.int64) if self.whole else codes.astype("category")
            frame.insert(j, str(j), column)
        return frame

    def __sklearn_is_fitted__(self) -> bool:
        return True


def told(estimator: Any, categories: Sequence[int]) -> tuple[CategoryFrame | None, Any]:
    """Return an estimator of tables told which columns hold categories, behind a transformer to its own kind of table if it has one.

    Parameters
    ----------
    estimator : unfitted estimator
        It is changed.
    categories : sequence of int
        Columns that hold category numbers.
    """
    package = _package(estimator)
    if package not in FRAMES:
        return None, estimator.set_params(categorical_features=list(categories) or None)
    if package == "catboost":  # a tuple, as it hands a copy of any list to those that clone it
        estimator.set_params(cat_features=tuple(categories))
    return CategoryFrame(list(categories), whole=package == "catboost"), estimator


class Rows(NamedTuple):
    """A data set as an estimator wants it.

    Attributes
    ----------
    X : ndarray of float64 of shape (n_rows, n_features)
        Numbers and dummies; or, for an estimator of tables, numbers with missing values, and category numbers.
    estimator : estimator
        Told which columns hold categories, if it takes them.
    options : dict
        Arguments ``scaler``, ``categorical``, ``as_is`` and ``intervals`` of :func:`rotastack.ensembles.pooled.pool.fit_pool`.
    """

    X: Any
    estimator: Any
    options: dict[str, Any]


def rows_for(estimator: Any, data: Any, pool: Mapping[str, Any]) -> Rows:
    """Return the columns of a prepared data set as an estimator wants them.

    Parameters
    ----------
    estimator : unfitted estimator
    data : rotastack.data.artifacts.Prepared
    pool : mapping
        Its ``scaling``, which estimators of tables do by themselves; and its ``view``, which is of numbers.
    """
    intervals = {"intervals": data.n_classes is None}
    if pool["view"] is None and takes_tables(estimator):
        frame, estimator = told(estimator, data.is_category.nonzero()[0].tolist())
        if frame is not None:
            estimator = Pipeline([("frame", frame), ("estimator", estimator)])
        return Rows(data.table, estimator, {"scaler": None, "categorical": None, "as_is": True, **intervals})
    scaler = SCALERS[pool["scaling"]]() if pool["scaling"] else None
    return Rows(data.X, estimator, {"scaler": scaler, "categorical": data.is_dummy, "as_is": False, **intervals})


def _package(estimator: Any) -> str:
    return type(estimator).__module__.partition(".")[0]
