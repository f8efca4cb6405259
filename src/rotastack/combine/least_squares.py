"""Least-squares weights: a weighted sum of families' predictions, with fitted weights."""

from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from rotastack.base.outputs import weighted_sum
from rotastack.base.scikit import Interval, fit_context
from rotastack.blas import one_blas_thread
from rotastack.combine.log_linear import nonnegative_minimum
from rotastack.errors import RotastackError


class LeastSquaresWeights(BaseEstimator):
    """The flagship's combiner of a regression: a constant plus the weighted sum of the families' predictions.

    The weights are at least 0. They minimise the squared error on rows that the members have not seen, in units of
    the target's variance, plus a ridge penalty on the distance to equal weights (Breiman's stacked regression). A
    weight of 0 switches a member off. The sum of the weights is free: above 1 it corrects predictions that lie too
    near the mean. The class is not for a pool, whose combiner needs other arguments of ``fit``.

    Parameters
    ----------
    ridge : float, default=2.0
        Factor of the squared distance to equal weights. The error is a sum over rows, not a mean.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
    intercept_ : float

    References
    ----------
    Breiman, L. (1996). Stacked regressions. Machine Learning 24, 49-64.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=200)
    >>> shrunk, noise = 5 + y / 2, rng.normal(size=200)
    >>> pool = LeastSquaresWeights(0.01).fit(np.stack([shrunk, noise]), y)
    >>> pool.weights_.round(1).tolist(), round(pool.intercept_)
    ([2.0, 0.0], -10)
    """

    _parameter_constraints: ClassVar[dict] = {"ridge": [Interval(Real, 0, None, closed="neither")]}

    def __init__(self, ridge: float = 2.0):
        self.ridge = ridge

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, outputs: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the weights and the constant.

        Parameters
        ----------
        outputs : array-like of shape (n_members, n_rows)
            Predictions for rows that the members have not seen. Without rows all weights are equal.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows in the squared error.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            `ridge` not above 0, or outputs that are not finite.
        """
        predicted = np.asarray(outputs, dtype=np.float64)
        if not np.isfinite(predicted).all():
            raise RotastackError("least-squares weights need finite predictions")
        y = np.asarray(y, dtype=np.float64)
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        total = weight.sum()
        if total == 0:  # no rows, or none with weight
            self.weights_, self.intercept_ = np.full(len(predicted), 1 / len(predicted)), 0.0
            return self
        with one_blas_thread():
            mean, level = predicted @ weight / total, float(y @ weight / total)
            predicted, y = predicted - mean[:, None], y - level
            variance = float(weight @ y**2) / total or 1.0  # a constant target has no unit
            hessian = (predicted * weight) @ predicted.T / variance
            rounding = 1e-12 * float(np.trace(hessian))
            hessian += max(self.ridge, rounding) * np.eye(len(predicted))
            linear = (predicted * weight) @ y / variance + self.ridge / len(predicted)
            self.weights_ = nonnegative_minimum(hessian, linear)
            self.intercept_ = level - float(self.weights_ @ mean)
        return self

    def predict(self, outputs: ArrayLike) -> NDArray[np.float64]:
        """Return the weighted sum plus the constant.

        Parameters
        ----------
        outputs : array-like of shape (n_members, n_rows)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self.intercept_ + weighted_sum(self.weights_, np.asarray(outputs, dtype=np.float64))
