"""Stacking: a level-1 classifier learns from the members' outputs (thesis, equation 3.3)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.base.combiner import Combiner
from rotastack.base.fitting import check_takes_weights, fit_aligned
from rotastack.trees.forest import ForestClassifier

__all__ = ["Stacking"]


class Stacking(Combiner):
    """Train a level-1 classifier on the class probabilities of all members.

    Parameters
    ----------
    estimator : scikit-learn classifier or None
        The level-1 classifier; None is a random forest of 100 trees.

    Attributes
    ----------
    classifier_ : AlignedClassifier
        The fitted level-1 classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> p = np.clip(y + rng.normal(0, 0.4, 40), 0, 1)
    >>> outputs = np.stack([np.c_[1 - p, p], np.c_[p, 1 - p]])  # the second member is always wrong
    >>> stacker = Stacking(LogisticRegression()).fit(outputs, y, 2, np.random.SeedSequence(0))
    >>> bool((stacker.predict_proba(outputs).argmax(axis=1) == y).mean() > 0.9)
    True
    """

    trained = True

    def __init__(self, estimator: Any = None):
        self.estimator = estimator

    def fit(
        self,
        outputs: NDArray[np.floating],
        y: NDArray[np.integer],
        n_classes: int,
        sequence: np.random.SeedSequence,
        sample_weight: NDArray[np.floating] | None = None,
    ):
        """Train the level-1 classifier on outputs for rows the members have not seen.

        Parameters
        ----------
        outputs : ndarray of shape (n_members, n_rows, n_classes)
        y : ndarray of shape (n_rows,)
            Class numbers.
        n_classes : int
        sequence : numpy.random.SeedSequence
        sample_weight : ndarray of shape (n_rows,), optional

        Raises
        ------
        ValueError
            Weights, and a classifier whose ``fit`` takes none.
        """
        estimator = ForestClassifier() if self.estimator is None else self.estimator
        if sample_weight is not None:
            check_takes_weights(estimator, "; choose another level-1 classifier")
        self.classifier_ = fit_aligned(estimator, _features(outputs), y, n_classes, sequence, sample_weight)
        return self

    def predict_proba(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return class probabilities (row, class) by the level-1 classifier."""
        return self.classifier_.outputs(_features(outputs)).astype(np.float64)


def _features(outputs):
    """Lay the members' probabilities side by side: (row, member x class)."""
    members, rows, classes = outputs.shape
    return np.ascontiguousarray(outputs.transpose(1, 0, 2)).reshape(rows, members * classes)
