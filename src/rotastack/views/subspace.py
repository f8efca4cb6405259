"""Random subspaces: views of a random subset of the columns."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rotastack.base.scikit import Interval, check_feature_names_in
from rotastack.base.view import Part
from rotastack.views.linear import DrawnView, kept_columns


class RandomSubspace(DrawnView):
    """Random subset of the columns, drawn without replacement, in their original order.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of columns drawn; None is half of the columns, rounded up.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    features_ : ndarray of int of shape (n_components,)
        Numbers of the drawn columns, ascending.

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

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": "no_validation",
    }

    def __init__(self, n_components: int | None = None, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def _draw(self, n_features: int, sequence: np.random.SeedSequence) -> None:
        rng = np.random.default_rng(sequence)
        self.features_ = np.sort(rng.permutation(n_features)[: kept_columns(self.n_components, n_features)])

    def linear_parts(self) -> list[Part]:
        return [(self.features_, None)]

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        return X[:, self.features_]

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray:
        """Return the names of the drawn columns."""
        check_is_fitted(self)
        return check_feature_names_in(self, input_features)[self.features_]
