"""What estimators do with a table before its numeric columns are seen through views."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.views.scaling import SCALERS, warn_of_scales

__all__ = ["categorical_mask", "checked_scales", "input_rules", "scaled_columns"]


def input_rules(scaling: str | None) -> dict[str, Any]:
    """Return the arguments of scikit-learn's ``validate_data``: scalers fill missing values."""
    return {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan" if scaling else True}


def categorical_mask(categorical_features: ArrayLike | None, n_features: int) -> NDArray[np.bool_]:
    """Return which columns are categorical, given as numbers or as a mask.

    Raises
    ------
    ValueError
        A mask of another length, or numbers of columns that are not there.
    """
    mask = np.zeros(n_features, dtype=bool)
    if categorical_features is None:
        return mask
    columns = np.asarray(categorical_features)
    if columns.dtype == bool and len(columns) != n_features:
        raise ValueError(f"categorical_features has {len(columns)} entries for {n_features} columns")
    if columns.dtype != bool and len(columns) and not (0 <= columns.min() <= columns.max() < n_features):
        raise ValueError(
            f"categorical_features must be column numbers from 0 to {n_features - 1}, got {columns.tolist()}"
        )
    mask[columns if len(columns) else []] = True
    return mask


def checked_scales(X: NDArray, categorical: NDArray[np.bool_], estimator: Any) -> None:
    """Warn if columns of very different scales are to be rotated as they are."""
    if not categorical.all():
        names = np.asarray(getattr(estimator, "feature_names_in_", np.arange(X.shape[1])), dtype=object)
        warn_of_scales(X[:, ~categorical], names[~categorical].tolist())


def scaled_columns(
    X: NDArray[np.floating], categorical: NDArray[np.bool_], scaler: Any
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the numeric columns, scaled, and the categorical ones, as float32."""
    numeric = X[:, ~categorical]
    if scaler is not None and numeric.shape[1]:
        numeric = scaler.transform(numeric)
    return numeric.astype(np.float32), X[:, categorical].astype(np.float32)


def fitted_scaler(X: NDArray[np.floating], categorical: NDArray[np.bool_], scaling: str | None) -> Any:
    """Return the scaler named `scaling`, fitted to the numeric columns, or None."""
    if scaling is None or categorical.all():
        return None
    return SCALERS[scaling]().fit(X[:, ~categorical])
