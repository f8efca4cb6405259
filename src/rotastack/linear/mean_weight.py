"""Wrapper that scales AdaBoost's row weights to a mean of 1."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from rotastack.base.scikit import whole_fit


class MeanWeightClassifier(ClassifierMixin, BaseEstimator):
    """A classifier trained with weights of mean 1.

    AdaBoost's weights sum to 1. So in an estimator that adds weighted losses to a penalty, the penalty
    would count more with more rows.
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    @whole_fit
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Scale the weights to a mean of 1 and train the estimator."""
        weights = None
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=float)
            weights = weights / weights.mean()
        self.estimator_ = clone(self.estimator).fit(X, y, sample_weight=weights)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the class of each row."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)
