"""A prepared data set as an estimator wants it: numbers and dummies, or a table with missing values and categories."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn.utils import get_tags

from rotastack.views.scaling import SCALERS

__all__ = ["Rows", "rows_for", "takes_tables"]


def takes_tables(estimator: Any) -> bool:
    """Tell whether an estimator takes missing values and columns of category numbers, and can be told which these are.

    Its scikit-learn tags say the first, a parameter ``categorical_features`` the second; any other gets dummies.
    """
    if not hasattr(estimator, "__sklearn_tags__") or "categorical_features" not in estimator.get_params(
        deep=False
    ):
        return False
    tags = get_tags(estimator).input_tags
    return tags.categorical and tags.allow_nan


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
    data : rotastack.study.artifacts.Prepared
    pool : mapping
        Its ``scaling``, which estimators of tables do by themselves; and its ``view``, which is of numbers.
    """
    intervals = {"intervals": data.n_classes is None}
    if pool["view"] is None and takes_tables(estimator):
        told = estimator.set_params(categorical_features=data.is_category.nonzero()[0].tolist() or None)
        return Rows(data.table, told, {"scaler": None, "categorical": None, "as_is": True, **intervals})
    scaler = SCALERS[pool["scaling"]]() if pool["scaling"] else None
    return Rows(
        data.X, estimator, {"scaler": scaler, "categorical": data.is_dummy, "as_is": False, **intervals}
    )
