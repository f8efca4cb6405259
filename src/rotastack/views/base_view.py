"""Base class of all views: checks of rows, and types and names of the outputs."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["FLOATS", "BaseView"]

FLOATS = [np.float64, np.float32]
"""Types that outputs keep; rows of any other type become float64."""


class BaseView(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of the views; a subclass defines ``fit`` and `_map`.

    Attributes
    ----------
    fitted_to_rows : bool
        Whether ``fit`` uses the values of the rows, not only the number of columns.
    """

    fitted_to_rows: ClassVar[bool] = True
    _fitted_attribute: ClassVar[str]  # Name of the attribute that ``fit`` sets last.

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the outputs of rows that are already checked."""
        raise NotImplementedError

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the outputs of rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_outputs), float32 for float32 input
        """
        check_is_fitted(self, self._fitted_attribute)
        return self._map(validate_data(self, X, reset=False, dtype=FLOATS))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
