"""What all views share: checks of rows, the type of the outputs, and their names."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["FLOATS", "BaseView"]

FLOATS = [np.float64, np.float32]
"""Types that outputs keep; anything else becomes the first."""


class BaseView(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of the views: ``fit`` and `_map` are the subclass's.

    Attributes
    ----------
    fitted_to_rows : bool
        Whether ``fit`` uses more of its rows than the number of their columns.
    """

    fitted_to_rows: ClassVar[bool] = True
    _fitted_attribute: ClassVar[str]  # what ``fit`` sets last

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the outputs for checked rows."""
        raise NotImplementedError

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the outputs for rows.

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
