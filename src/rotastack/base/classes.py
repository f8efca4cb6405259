"""Checks of targets, and base classes of classifiers (class numbers for labels, the most probable class) and of regressors."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.extensions import ExtensionDtype
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets


def present_target(y: Any) -> Any:
    """Return a target that scikit-learn reads without a change; a ValueError for NaN, None, NA or NaT.

    NumPy's new texts become objects. Numbers of pandas' or Arrow's own types become NumPy's, since scikit-learn makes
    floats of them, and large whole numbers would be one class.
    """
    values = y if hasattr(y, "__array__") else np.asarray(y, dtype=object)
    if y is not None and np.asarray(pd.isna(values)).any():
        raise ValueError("y contains missing values")
    dtype = getattr(y, "dtype", None)
    if isinstance(dtype, ExtensionDtype) and dtype.kind in "biu" and hasattr(dtype, "numpy_dtype"):
        return y.to_numpy(dtype=dtype.numpy_dtype)
    return y.astype(object) if getattr(dtype, "kind", "") == "T" else y


def float_target(y: NDArray[Any]) -> NDArray[np.float64]:
    """Return the target of a regression as float64; a ValueError above 1e100, since squares would be too large."""
    if (most := np.abs(y.astype(np.float64)).max(initial=0)) > 1e100:
        raise ValueError(f"y contains values up to {most:g}; at most 1e100 is allowed")
    return y.astype(np.float64)


class LabelClassifier(ClassifierMixin):
    """A classifier that is trained on class numbers and predicts the most probable class; `classes_` are the sorted labels."""

    classes_: NDArray[Any]
    _any_classes: ClassVar[bool] = False
    """Whether one class will do, and whole numbers are labels without a check, which takes the time of twenty small trees."""

    def _target(self, y: NDArray[Any]) -> tuple[NDArray[np.intp], int]:
        """Set ``classes_`` from the labels; return the class number of each row, and the number of classes."""
        if not len(y):
            raise ValueError("y has no rows; at least one is needed")
        if not self._any_classes or y.dtype.kind not in "iub":
            check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2 and not self._any_classes:
            raise ValueError(f"y has only one class ({self.classes_[0]}); at least 2 classes are needed")
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
        raise NotImplementedError

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the logarithms of the class probabilities, minus infinity for a probability of 0.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
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


class NumberRegressor(RegressorMixin):
    """A regressor of one target."""

    def _target(self, y: NDArray[Any]) -> tuple[NDArray[np.float64], None]:
        """Return the target as float64, and None in place of a number of classes."""
        return float_target(y), None

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the prediction for each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        raise NotImplementedError
