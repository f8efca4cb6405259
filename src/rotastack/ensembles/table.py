"""Checks and scaling of a table, before views are applied to its numeric columns; and the base class of ensembles on tables."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from rotastack.base.classes import present_target
from rotastack.base.naming import validate_data
from rotastack.base.scikit import StrOptions
from rotastack.base.warned import warn, warn_of_scales
from rotastack.views.scaling import SCALERS

INPUT_RULES: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
"""Arguments of scikit-learn's ``validate_data``; estimators that fill no missing values call `refuse_missing`, too."""


def refuse_missing(X: NDArray[np.floating], estimator: Any) -> None:
    """Raise ValueError if a value is missing; the message names the place of the first one and a remedy."""
    missing = np.argwhere(np.isnan(X))
    if len(missing):
        row, column = missing[0]
        names = getattr(estimator, "feature_names_in_", None)
        raise ValueError(
            f"Input X contains NaN: column {column if names is None else repr(names[column])}, row {row}; use a scaling, "
            "which fills missing values, or fill the values first"
        )


def categorical_mask(categorical_features: ArrayLike | None, estimator: Any) -> NDArray[np.bool_]:
    """Return the mask of the categorical columns from their numbers, names or mask; a ValueError names a wrong one.

    `estimator` is one after ``validate_data`` on the training rows.
    """
    n_features, names = estimator.n_features_in_, getattr(estimator, "feature_names_in_", None)
    columns = np.asarray([] if categorical_features is None else categorical_features)
    if columns.dtype.kind in "UO" and names is not None:
        known = [str(name) for name in names]
        unknown = [str(c) for c in columns if str(c) not in known]
        if unknown:
            raise ValueError(f"categorical_features: column {unknown[0]!r} not found; columns: {', '.join(known)}")
        columns = np.array([known.index(str(c)) for c in columns])
    if columns.size and columns.dtype.kind not in "iub":
        raise ValueError(f"categorical_features must be column numbers or a mask, got {columns.tolist()}")
    if columns.dtype == bool:
        if len(columns) != n_features:
            raise ValueError(
                f"categorical_features has {len(columns)} entries; a mask needs one for each of the {n_features} columns"
            )
        return columns.copy()
    if len(columns) and not (0 <= columns.min() <= columns.max() < n_features):
        raise ValueError(
            f"categorical_features must be column numbers from 0 to {n_features - 1}, got {columns.tolist()}"
        )
    if len(np.unique(columns)) < len(columns):
        raise ValueError(f"categorical_features names a column twice: {columns.tolist()} (a mask must be of type bool)")
    return np.isin(np.arange(n_features), columns)


def check_rotatable(n_numeric: int, n_features: int) -> None:
    """Raise a ValueError if no column is numeric, and warn if a single column is."""
    if n_numeric == 0:
        raise ValueError(
            f"all {n_features} columns are in categorical_features; a rotation needs a numeric column; "
            "the method unrotated() returns the ensemble without rotations"
        )
    if n_numeric == 1:
        warn("only one column is numeric; its only rotation is the identity")


def warn_of_unequal_scales(X: NDArray, categorical: NDArray[np.bool_], estimator: Any) -> None:
    """Warn if the numeric columns, which are rotated unscaled, have very different scales."""
    if not categorical.all():
        names = getattr(estimator, "feature_names_in_", None)
        numbers = np.flatnonzero(~categorical)
        warn_of_scales(
            X[:, ~categorical],
            (numbers if names is None else names[numbers]).tolist(),
            "columns are rotated unscaled",
            "columns of large scale dominate the rotation. Use scaling='minmax', 'quantile', 'rank' or 'symmetric'.",
        )


def scaled_columns(
    X: NDArray[np.floating], categorical: NDArray[np.bool_], scaler: Any
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the scaled numeric columns and the categorical columns of checked rows, as float32.

    A ValueError if a value is missing, infinite or too large for float32; trees cannot use such a value.
    """
    numeric = X[:, ~categorical]
    if scaler is not None and numeric.shape[1]:
        numeric = scaler.scaled(numeric)
    with np.errstate(over="ignore"):
        parts = numeric.astype(np.float32), X[:, categorical].astype(np.float32)
    for part, columns, kind in zip(parts, (~categorical, categorical), ("numeric", "categorical"), strict=True):
        if not np.isfinite(part.sum(dtype=np.float64)):
            _refuse(part, np.flatnonzero(columns), kind)
    return parts


def _refuse(part: NDArray[np.float32], columns: NDArray[np.intp], kind: str) -> None:
    bad = np.argwhere(~np.isfinite(part))
    if len(bad):
        row, k = bad[0]
        what = "contains NaN" if np.isnan(part[row, k]) else "contains infinity or a value too large for float32"
        remedy = "make missing a category of its own" if kind == "categorical" else "use a scaling"
        raise ValueError(f"Input X {what}: {kind} column {columns[k]}, row {row}; {remedy}")


def fitted_scaler(X: NDArray[np.floating], categorical: NDArray[np.bool_], scaling: str | None) -> Any:
    """Return the scaler named `scaling`, fitted to the numeric columns; None without scaling or numeric columns."""
    if scaling is None or categorical.all():
        return None
    return SCALERS[scaling]().fit(X[:, ~categorical])


_WAY_OUT = (
    "column {column} contains {what} (such as {example}); numbers are needed; encode categories as 0/1 columns (OneHotEncoder, or "
    "rotastack.data.TablePreprocessor, also for dates) and name these in categorical_features; RotastackClassifier and "
    "RotastackRegressor take such columns unchanged"
)


class TableEnsemble(BaseEstimator):
    """An ensemble that scales the numeric columns of a table and leaves its categorical columns unchanged."""

    _parameter_constraints: ClassVar[dict] = {
        "scaling": [StrOptions(set(SCALERS)), None],
        "categorical_features": ["array-like", None],
        "n_jobs": [Integral, None],
    }
    scaling: str | None
    categorical_features: ArrayLike | None
    n_jobs: int | None
    random_state: Any
    n_features_in_: int

    def _training_table(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray, NDArray, NDArray[np.bool_]]:
        """Return the checked training rows, the target, and the mask of categorical columns."""
        y = present_target(y)
        is_regressor = isinstance(self, RegressorMixin)
        X, y = validate_data(self, X, y, message=_WAY_OUT, y_numeric=is_regressor, **INPUT_RULES)
        if self.scaling is None:
            refuse_missing(X, self)
        return X, y, categorical_mask(self.categorical_features, self)

    def _table(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the checked rows to predict."""
        X = validate_data(self, X, message=_WAY_OUT, reset=False, **INPUT_RULES)
        if self.scaling is None:
            refuse_missing(X, self)
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.scaling is not None
        return tags
