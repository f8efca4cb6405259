"""Gaussian naive Bayes, on every linear view of the same rows."""

from numbers import Real
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.naive_bayes import GaussianNB

from rotastack.base.scikit import Interval
from rotastack.ensembles.inducers.base import Inducer, seen

__all__ = ["GaussianBayesClassifier"]

_WIDE = 1e300  # variance where no column has any: all rows are then equally likely in all classes


class _Rows(NamedTuple):
    X: NDArray[np.float64]  # class by class
    counts: NDArray[np.intp]  # rows of each class


class _Member(NamedTuple):
    V: NDArray[np.float64] | None
    shares: NDArray[np.float64]  # of the classes
    means: NDArray[np.float64]  # (class, width)
    variances: NDArray[np.float64]


class GaussianBayesClassifier(Inducer):
    """Gaussian naive Bayes, as scikit-learn's ``GaussianNB``.

    Where all columns are constant the classes have their shares as probabilities.

    Parameters
    ----------
    var_smoothing : float, default=1e-9
        Share of the largest variance of a column that is added to all variances.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> GaussianBayesClassifier().fit(X, y).score(X, y)
    0.96
    """

    _parameter_constraints: ClassVar[dict] = {"var_smoothing": [Interval(Real, 0, None, closed="left")]}

    def __init__(self, var_smoothing: float = 1e-9):
        self.var_smoothing = var_smoothing

    def weighed(self) -> GaussianNB:
        """Return scikit-learn's estimator of the same, unfitted, which takes weights of rows."""
        return GaussianNB(var_smoothing=self.var_smoothing)

    def _shared(self, X, y, n_classes):
        self._validate_params()
        return _Rows(X[np.argsort(y, kind="stable")], np.bincount(y, minlength=n_classes))

    def _member(self, shared, V):
        Z = seen(shared.X, V)
        first, Z = Z[0], Z - Z[0]  # the mean of a constant column is then that constant, to the last digit
        shares = shared.counts / len(Z)
        means, variances = np.zeros((2, len(shares), Z.shape[1]))
        stops = np.cumsum(shared.counts)
        for c in np.flatnonzero(shared.counts):
            rows = Z[stops[c] - shared.counts[c] : stops[c]]
            means[c], variances[c] = rows.mean(axis=0), rows.var(axis=0)
        variances += self.var_smoothing * (Z.var(axis=0).max() or _WIDE)
        return _Member(V, shares, means + first, variances)

    def _outputs(self, member, X, n_classes):
        Z = seen(X.astype(np.float64), member.V)
        logs = np.full((len(Z), n_classes), -np.inf)
        for c in np.flatnonzero(member.shares):
            # Squares of differences: differences of squares have no digits left where a variance is small.
            squares = Z - member.means[c]
            squares *= squares
            logs[:, c] = squares @ (-0.5 / member.variances[c])
            logs[:, c] += np.log(member.shares[c]) - 0.5 * np.log(2 * np.pi * member.variances[c]).sum()
        return softmax(logs, axis=1).astype(np.float32)
