"""Base classes of classifiers (class numbers for labels, the most probable class) and of regressors."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets


def float_target(y: NDArray[Any]) -> NDArray[np.float64]:
    """Return the target of a regression as float64; a ValueError above 1e100, since squares would be too large."""
    if (most := np.abs(y.astype(np.float64)).max(initial=0)) > 1e100:
        raise ValueError(f"y contains values up to {most:g}; at most 1e100 is allowed")
    return y.astype(np.float64)


class LabelClassifier(ClassifierMixin):
    """A classifier that is trained on class numbers and predicts the most probable class; `classes_` are the sorted labels."""

    classes_: NDArray[Any]

    def _numbered(self, y: NDArray[Any], least: int = 2) -> NDArray[np.intp]:
        """Set ``classes_`` from the labels, and return the class number of each row; a ValueError for fewer than `least` classes."""
        if not len(y):
            raise ValueError("y has no rows; at least one is needed")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < least:
            raise ValueError(f"y has only one class ({self.classes_[0]}); at least {least} classes are needed")
        return codes

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
