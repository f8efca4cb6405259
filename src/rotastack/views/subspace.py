"""Random subspaces: some of the columns."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rotastack.base.scikit import Interval, check_feature_names_in, fit_context
from rotastack.seeds import root_sequence
from rotastack.views.reduced import kept_columns

__all__ = ["RandomSubspace"]


class RandomSubspace(TransformerMixin, BaseEstimator):
    """Columns drawn at random, without replacement, in their old order.

    Parameters
    ----------
    n_components : int or None, default=None
        How many; None: half of them, rounded up.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    features_ : ndarray of int of shape (n_components,)
        The columns, ascending.

    References
    ----------
    Schclar, A., Rokach, L., Amit, A. Ensembles of classifiers based on dimensionality reduction, section 5.
    Ho, T. K. (1998). The random subspace method for constructing decision forests.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.views import RandomSubspace
    >>> RandomSubspace(2, random_state=0).fit_transform(np.arange(8).reshape(2, 4)).shape
    (2, 2)
    """

    fitted_to_rows = False  # equal for any training set of as many columns
    _parameter_constraints: ClassVar[dict] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": "no_validation",
    }

    def __init__(self, n_components: int | None = None, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: object = None):
        """Draw the columns; of `X` only their number is used.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            `n_components` below 1 or above the number of columns.
        """
        n = validate_data(self, X, dtype=[np.float64, np.float32]).shape[1]
        rng = np.random.default_rng(root_sequence(self.random_state))
        self.features_ = np.sort(rng.permutation(n)[: kept_columns(self.n_components, n)])
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the columns.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_components), float32 for float32 input
        """
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=[np.float64, np.float32])[:, self.features_]

    def linear_parts(self) -> list[tuple[NDArray[np.intp], NDArray[np.float64] | None]]:
        """Return the view in parts: columns and the matrix that maps them, None as they are handed on."""
        return [(self.features_, None)]

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray:
        """Return the names of the columns."""
        check_is_fitted(self)
        return check_feature_names_in(self, input_features)[self.features_]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
