"""Naive Bayes by WEKA's rules."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, softmax
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rotastack.base.classes import LabelClassifier, present_target
from rotastack.base.naming import validate_data
from rotastack.base.row_weights import row_weights
from rotastack.base.scikit import whole_fit

_PRECISION = 0.01  # precision of a constant column in WEKA
_RARE = 1e-75  # least probability of a value in WEKA


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

    _any_classes = True

    @whole_fit
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the normal distribution of each column in each class."""
        y = present_target(y)
        X, y = validate_data(self, X, y, dtype=np.float64)
        codes = self._target(y)[0]
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
