"""Stacking: a level-1 estimator is trained on the members' outputs (thesis, equation 3.3)."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rotastack.base.combiner import Combiner
from rotastack.base.fitting import AlignedClassifier, FittedRegressor, check_takes_weights, fit_aligned, fit_regressor
from rotastack.base.scikit import whole_fit
from rotastack.trees.forest import ForestClassifier, ForestRegressor


class Stacking(Combiner):
    """A combiner that trains a level-1 estimator on the class probabilities, or the predictions, of all members.

    Parameters
    ----------
    estimator : scikit-learn classifier or regressor, or None
        The level-1 estimator; None is a random forest of 100 trees.

    Attributes
    ----------
    model_ : AlignedClassifier or FittedRegressor
        The fitted level-1 estimator.

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

    @whole_fit
    def fit(
        self,
        outputs: NDArray[np.floating],
        y: NDArray,
        n_classes: int | None,
        sequence: np.random.SeedSequence,
        sample_weight: NDArray[np.floating] | None = None,
    ) -> Self:
        """Train the level-1 estimator on outputs for rows that the members have not seen.

        Parameters
        ----------
        outputs : ndarray of shape (n_members, n_rows, n_classes)
        y : ndarray of shape (n_rows,)
            Class numbers, or the target of a regression.
        n_classes : int or None
            None for a regression, which uses the first of the outputs, the prediction.
        sequence : numpy.random.SeedSequence
        sample_weight : ndarray of shape (n_rows,), optional

        Raises
        ------
        ValueError
            `sample_weight` is given, but ``fit`` of the level-1 estimator takes none.
        """
        self.model_: AlignedClassifier | FittedRegressor
        estimator = self.estimator
        if estimator is None:
            estimator = ForestRegressor() if n_classes is None else ForestClassifier()
        if sample_weight is not None:
            check_takes_weights(estimator, "; choose another level-1 estimator")
        if n_classes is None:
            inputs, intervals = _features(outputs[:, :, :1]), outputs.shape[2] > 1
            self.model_ = fit_regressor(estimator, inputs, y, sequence, sample_weight, intervals)
        else:
            self.model_ = fit_aligned(estimator, _features(outputs), y, n_classes, sequence, sample_weight)
        return self

    def predict_proba(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the outputs of the level-1 estimator, probabilities or predictions, shape (n_rows, n_outputs)."""
        used = outputs[:, :, :1] if isinstance(self.model_, FittedRegressor) else outputs
        return self.model_.outputs(_features(used)).astype(np.float64)


def _features(outputs):
    """Return the members' outputs side by side, shape (n_rows, n_members * n_classes)."""
    members, rows, classes = outputs.shape
    return np.ascontiguousarray(outputs.transpose(1, 0, 2)).reshape(rows, members * classes)
