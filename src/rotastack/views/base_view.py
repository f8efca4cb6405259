"""Base class of all views: checks of rows, and types and names of the outputs; rows that a view is fitted on."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rotastack.base.naming import validate_data

FLOATS = [np.float64, np.float32]
"""Types that outputs keep; rows of any other type become float64."""


class BaseView(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of the views; a subclass defines ``fit`` and `_map`."""

    fitted_to_rows: ClassVar[bool] = True
    """Whether ``fit`` uses the values of the rows, not only the number of columns."""

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
        check_is_fitted(self)
        return self._map(validate_data(self, X, reset=False, dtype=FLOATS))

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") for name in vars(self).keys() - {"n_features_in_", "feature_names_in_"})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def distinct_rows(X: NDArray, n_landmarks: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the numbers, ascending, of at most `n_landmarks` random rows, of which no two are equal."""
    order = rng.permutation(len(X))
    numbers_by_content: dict[bytes, int] = {}
    for start in range(0, len(order), n_landmarks):
        numbers = order[start : start + n_landmarks]
        block = np.ascontiguousarray(X[numbers]) + 0.0  # Adding 0 turns -0.0 into 0.0.
        size, content = block[0].nbytes, block.tobytes()
        for k, number in enumerate(numbers):
            numbers_by_content.setdefault(content[k * size : (k + 1) * size], number)
        if len(numbers_by_content) >= n_landmarks:
            break
    return np.sort(np.fromiter(numbers_by_content.values(), np.intp, len(numbers_by_content))[:n_landmarks])
