"""Gaussian naive Bayes on many linear views of the same rows, and WEKA's naive Bayes."""

from numbers import Real
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, softmax
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.validation import check_is_fitted, validate_data

from rotastack.base.classes import LabelClassifier
from rotastack.base.columns import refuse_missing_target
from rotastack.base.row_weights import row_weights
from rotastack.base.scikit import Interval
from rotastack.ensembles.inducers.inducer import Inducer, apply_view

__all__ = ["GaussianBayesClassifier", "PrecisionBayesClassifier"]

_WIDE = 1e300  # variance if all columns are constant: all rows are then equally likely in all classes
_PRECISION = 0.01  # precision of a constant column in WEKA
_RARE = 1e-75  # least probability of a value in WEKA


class _BayesRows(NamedTuple):
    X: NDArray[np.float64]  # rows sorted by class
    counts: NDArray[np.intp]  # number of rows of each class


class _BayesMember(NamedTuple):
    V: NDArray[np.float64] | None
    shares: NDArray[np.float64]  # share of each class in the training rows
    means: NDArray[np.float64]  # (class, width)
    variances: NDArray[np.float64]


class GaussianBayesClassifier(Inducer):
    """Gaussian naive Bayes, as in scikit-learn's ``GaussianNB``.

    If all columns are constant, the probabilities are the shares of the classes in the training rows.

    Parameters
    ----------
    var_smoothing : float, default=1e-9
        This share of the largest variance of a column is added to all variances.

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
        """Return scikit-learn's unfitted ``GaussianNB`` with the same parameters, which takes row weights."""
        return GaussianNB(var_smoothing=self.var_smoothing)

    def _shared(self, X, y, n_classes):
        self._validate_params()
        return _BayesRows(X[np.argsort(y, kind="stable")], np.bincount(y, minlength=n_classes))

    def _member(self, shared, V):
        Z = apply_view(shared.X, V)
        first, Z = Z[0], Z - Z[0]  # so that the mean of a constant column has no rounding error
        shares = shared.counts / len(Z)
        means, variances = np.zeros((2, len(shares), Z.shape[1]))
        stops = np.cumsum(shared.counts)
        for c in np.flatnonzero(shared.counts):
            rows = Z[stops[c] - shared.counts[c] : stops[c]]
            means[c], variances[c] = rows.mean(axis=0), rows.var(axis=0)
        variances += self.var_smoothing * (Z.var(axis=0).max() or _WIDE)
        return _BayesMember(V, shares, means + first, variances)

    def _outputs(self, member, X, n_classes):
        Z = apply_view(X.astype(np.float64), member.V)
        logs = np.full((len(Z), n_classes), -np.inf)
        for c in np.flatnonzero(member.shares):
            # Squares of differences, because differences of squares cancel where a variance is small.
            squares = Z - member.means[c]
            squares *= squares
            logs[:, c] = squares @ (-0.5 / member.variances[c])
            logs[:, c] += np.log(member.shares[c]) - 0.5 * np.log(2 * np.pi * member.variances[c]).sum()
        return softmax(logs, axis=1).astype(np.float32)


class PrecisionBayesClassifier(LabelClassifier, BaseEstimator):
    """Naive Bayes with a precision for each column, as in WEKA's ``NaiveBayes``.

    The precision of a column is the mean distance of its neighbouring distinct values. Values are rounded to the
    precision, a value stands for an interval of this length, and deviations are at least a sixth of the precision.
    So a class in which a column hardly varies keeps some probability for other values, unlike Gaussian naive Bayes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    precisions_ : ndarray of shape (n_features,)
        Precision of each column; 0.01 for a constant column.
    class_prior_ : ndarray of shape (n_classes,)
        Shares of the classes, after adding a row of weight 1 to each class.
    means_, deviations_ : ndarray of shape (n_classes, n_features)

    References
    ----------
    WEKA 3.6: ``weka.classifiers.bayes.NaiveBayes``, ``weka.estimators.NormalEstimator``.
    John, G. and Langley, P. (1995). Estimating continuous distributions in Bayesian classifiers. UAI.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> PrecisionBayesClassifier().fit(X, y).score(X, y)
    0.96
    """

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the normal distribution of each column in each class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Missing or infinite values; a continuous or missing target; weights below 0.
        """
        refuse_missing_target(y)
        X, y = validate_data(self, X, y, dtype=np.float64)
        codes = self._numbered(y, least=1)
        weights = row_weights(X, y, sample_weight)
        weights = np.ones(len(X)) if weights is None else weights
        self.precisions_ = np.array([_precision(column) for column in X[weights > 0].T])
        Z = self._rounded(X)
        n_classes = len(self.classes_)
        totals = np.bincount(codes, weights, n_classes)
        self.class_prior_ = (totals + 1) / (totals.sum() + n_classes)
        self.means_ = np.zeros((n_classes, X.shape[1]))
        self.deviations_ = np.tile(self.precisions_ / 6, (n_classes, 1))
        for c in np.flatnonzero(totals):
            members = codes == c
            self.means_[c] = np.average(Z[members], axis=0, weights=weights[members])
            spread = np.sqrt(np.average((Z[members] - self.means_[c]) ** 2, axis=0, weights=weights[members]))
            self.deviations_[c] = np.maximum(spread, self.deviations_[c])
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        Z = self._rounded(validate_data(self, X, reset=False, dtype=np.float64))
        half = self.precisions_ / 2
        logs = np.tile(np.log(self.class_prior_), (len(Z), 1))
        for c, (mean, deviation) in enumerate(zip(self.means_, self.deviations_, strict=True)):
            share = ndtr((Z - mean + half) / deviation) - ndtr((Z - mean - half) / deviation)
            logs[:, c] += np.log(np.maximum(share, _RARE)).sum(axis=1)
        return softmax(logs, axis=1)

    def _rounded(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.rint(X / self.precisions_) * self.precisions_


def _precision(values: NDArray[np.float64]) -> float:
    """Return the mean distance of neighbouring distinct values."""
    distances = np.diff(np.unique(values))
    return float(distances.mean()) if len(distances) else _PRECISION
