"""AdaBoost of linear machines."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils.validation import check_is_fitted

from rotastack.learners.base_linear import base_linear_of

__all__ = ["PARAMETERS", "MeanWeightClassifier", "make"]

PARAMETERS = {
    "n_rounds": {"type": "integer", "minimum": 1},
    "base": {"enum": ["psvm", "exrm"]},
    "members": {"type": "integer", "minimum": 1},
    "lam": {"type": "number", "exclusiveMinimum": 0},
    "loss_power": {"type": "number", "minimum": 1},
}


class MeanWeightClassifier(ClassifierMixin, BaseEstimator):
    """A classifier trained with weights of mean 1.

    AdaBoost's weights sum to 1; a machine that weighs losses against a penalty would be penalised
    the more, the more rows there are.

    Parameters
    ----------
    estimator : classifier

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : fitted classifier
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None):
        """Scale the weights and train."""
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


def make(
    n_rounds: int = 10, base: str = "psvm", members: int = 10, lam: float = 2.0, loss_power: float = 2
) -> AdaBoostClassifier:
    """Make AdaBoost (SAMME) of `n_rounds` machines at most."""
    machine = MeanWeightClassifier(base_linear_of(base, members, lam, loss_power))
    return AdaBoostClassifier(machine, n_estimators=n_rounds)
