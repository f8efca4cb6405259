"""Gaussian naive Bayes, in closed form on every linear view of the same rows."""

from numbers import Real
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils._param_validation import Interval

from rotastack.ensembles.shared_members import Inducer

__all__ = ["GaussianBayesClassifier"]


class _Moments(NamedTuple):
    shares: NDArray[np.float64]  # of the classes
    means: NDArray[np.float64]  # (class, column)
    scatters: NDArray[np.float64]  # (class, column, column): covariances, and that of all rows at the end


class _Member(NamedTuple):
    V: NDArray[np.float64]
    linear: NDArray[np.float64]  # (class, width): what multiplies z in the log density
    square: NDArray[np.float64]  # what multiplies z squared
    constant: NDArray[np.float64]


class GaussianBayesClassifier(Inducer):
    """Gaussian naive Bayes, as scikit-learn's ``GaussianNB``.

    The mean and variances of a class on the view ``X @ V`` are ``mu V`` and ``diag(V' S V)``, with mu and S its
    mean and covariance on the columns: the rows are read once for all members.

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

    def _shared(self, X, y, n_classes):
        self._validate_params()
        counts = np.bincount(y, minlength=n_classes)
        means = np.zeros((n_classes, X.shape[1]))
        scatters = np.zeros((n_classes + 1, X.shape[1], X.shape[1]))
        for c in range(n_classes):
            if counts[c]:
                rows = X[y == c]
                means[c] = rows.mean(axis=0)
                rows = rows - means[c]
                scatters[c] = rows.T @ rows / counts[c]
        shares = counts / counts.sum()
        off = means - shares @ means
        scatters[-1] = np.tensordot(shares, scatters[:-1], 1) + (off * shares[:, None]).T @ off
        return _Moments(shares, means, scatters)

    def _member(self, shared, V):
        variances = np.maximum(np.einsum("pq,cpr,rq->cq", V, shared.scatters, V, optimize=True), 0)
        smoothing = self.var_smoothing * variances[-1].max(initial=0.0)
        spread = variances[:-1] + smoothing
        means = shared.means @ V
        with np.errstate(divide="ignore", invalid="ignore"):
            constant = np.log(shared.shares) - 0.5 * (np.log(2 * np.pi * spread) + means**2 / spread).sum(
                axis=1
            )
            return _Member(V, means / spread, -0.5 / spread, np.where(shared.shares > 0, constant, -np.inf))

    def _outputs(self, member, X, n_classes):
        Z = X.astype(np.float64) @ member.V
        present = np.isfinite(member.constant)
        logs = np.full((len(Z), n_classes), -np.inf)
        logs[:, present] = (
            Z @ member.linear[present].T + (Z * Z) @ member.square[present].T + member.constant[present]
        )
        return softmax(logs, axis=1).astype(np.float32)
