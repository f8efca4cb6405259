"""Scalers that put numeric columns on one scale before a rotation (thesis, 1.6.2).

All scalers are fitted on training rows and replace missing values by the training median, so they use nothing of
held-out rows. A column without any training value becomes constant.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rotastack.base.naming import validate_data
from rotastack.base.scikit import whole_fit


class _MedianImputingScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Base class of scalers that replace missing values by training medians.

    A subclass defines ``_fit_scale(X)`` and ``_scale(X)``.
    """

    _fit_scale: Callable[[NDArray[np.floating]], None]
    _scale: Callable[[NDArray[np.floating]], NDArray[np.floating]]

    @whole_fit
    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Fit medians and scale to the training rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Training rows; missing values are NaN.
        y : ignored

        Returns
        -------
        self
        """
        X = self._validated(X, reset=True)
        self.median_ = np.zeros(X.shape[1])
        missing = np.isnan(X)
        observed = ~missing.all(axis=0)
        median = np.nanmedian if missing.any() else np.median  # the same, but faster on small tables
        self.median_[observed] = median(X[:, observed], axis=0)
        self._fit_scale(np.where(missing, self.median_, X))
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the scaled rows, with missing values replaced by training medians.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_features)
        """
        check_is_fitted(self)
        return self.scaled(self._validated(X, reset=False))

    def scaled(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the scaled rows of checked rows; for one row, checks would take most of the time."""
        filled = np.where(np.isnan(X), self.median_.astype(X.dtype), X)
        return self._scale(filled).astype(X.dtype, copy=False)

    def _validated(self, X: ArrayLike, reset: bool) -> NDArray[np.floating]:
        return validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class MinMaxScaler01(_MedianImputingScaler):
    """Scale each column to a range by its training minimum and maximum, with clipping.

    A column that is constant in the training rows becomes the lower end of the range.

    Parameters
    ----------
    feature_range : tuple of (float, float), default=(0, 1)
        Lower and upper end of the range.

    Attributes
    ----------
    median_, data_min_, data_range_ : ndarray of shape (n_features,)

    Examples
    --------
    >>> from rotastack.views import MinMaxScaler01
    >>> MinMaxScaler01().fit([[0.0], [4.0]]).transform([[1.0], [9.0]]).ravel()
    array([0.25, 1.  ])
    """

    def __init__(self, feature_range: tuple[float, float] = (0, 1)):
        self.feature_range = feature_range

    def _fit_scale(self, X):
        low, high = self.feature_range
        if not low < high:
            raise ValueError(f"feature_range must rise from low to high, got {self.feature_range}")
        self.data_min_ = X.min(axis=0)
        self.data_range_ = _spanned(self.data_min_, X.max(axis=0))

    def _scale(self, X):
        low, high = self.feature_range
        unit = _unit(X, self.data_min_, self.data_range_)
        return low + (high - low) * np.clip(unit, 0.0, 1.0)


class QuantileScaler(_MedianImputingScaler):
    """Scale each column by two quantiles, with soft winsorising that keeps the order (thesis, 1.6.2).

    A value becomes ``(x - Q_lower) / (Q_upper - Q_lower)``. Outside [0, 1] it becomes
    ``-0.01 log(1 + log(1 + d))`` or ``1 + 0.01 log(1 + log(1 + d))``, where d is the distance to
    the quantile in original units. If the two quantiles are equal, the column is scaled by its
    minimum and maximum instead, with clipping. A constant column becomes 0.

    Parameters
    ----------
    lower, upper : float, default=0.05, 0.95
        The quantiles, as fractions.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.views import QuantileScaler
    >>> X = np.arange(101.0).reshape(-1, 1)
    >>> QuantileScaler().fit(X).transform([[5.0], [50.0], [95.0]]).ravel()
    array([0. , 0.5, 1. ])
    """

    def __init__(self, lower: float = 0.05, upper: float = 0.95):
        self.lower = lower
        self.upper = upper

    def _fit_scale(self, X):
        if not 0 <= self.lower < self.upper <= 1:
            raise ValueError(f"lower and upper must satisfy 0 <= lower < upper <= 1, got {self.lower}, {self.upper}")
        low, high = np.quantile(X, [self.lower, self.upper], axis=0)
        flat = low == high
        self.low_ = np.where(flat, X.min(axis=0), low)
        self.range_ = _spanned(self.low_, np.where(flat, X.max(axis=0), high))
        self.soft_ = ~flat

    def _scale(self, X):
        unit = _unit(X, self.low_, self.range_)
        below = np.maximum(self.low_ - X, 0.0)
        above = np.maximum(X - (self.low_ + self.range_), 0.0)
        soft = 0.01 * np.log1p(np.log1p(above)) - 0.01 * np.log1p(np.log1p(below))
        return np.clip(unit, 0.0, 1.0) + np.where(self.soft_, soft, 0.0)


class RelativeRankScaler(_MedianImputingScaler):
    """Replace each value by its relative rank among the training values (thesis, 1.6.2).

    The n training values are augmented with minus and plus infinity and ranked to [0, 1];
    ties share their average rank. A new value gets the mean of two ranks: of the largest
    training value at or below the new value, and of the smallest training value at or above it.

    Examples
    --------
    >>> from rotastack.views import RelativeRankScaler
    >>> RelativeRankScaler().fit([[10.0], [20.0], [30.0]]).transform([[20.0], [25.0]]).ravel()
    array([0.5  , 0.625])
    """

    def _fit_scale(self, X):
        self.values_, self.ranks_ = [], []
        for column in X.T:
            values, counts = np.unique(column, return_counts=True)
            last = np.cumsum(counts)
            average = last - (counts - 1) / 2
            self.values_.append(np.concatenate([[-np.inf], values, [np.inf]]))
            self.ranks_.append(np.concatenate([[0.0], average, [len(column) + 1.0]]) / (len(column) + 1))

    def _scale(self, X):
        scaled = np.empty(X.shape)
        for j, (values, ranks) in enumerate(zip(self.values_, self.ranks_, strict=True)):
            below = np.searchsorted(values, X[:, j], side="right") - 1
            above = np.searchsorted(values, X[:, j], side="left")
            scaled[:, j] = (ranks[below] + ranks[above]) / 2
        return scaled


SCALERS: dict[str, Callable[[], Any]] = {
    "minmax": MinMaxScaler01,
    "quantile": QuantileScaler,
    "rank": RelativeRankScaler,
    "symmetric": partial(MinMaxScaler01, (-1, 1)),
}
"""Name -> function that makes the scaler; "symmetric", with 0 in the middle of the range, suits linear estimators."""


def _spanned(low, high):
    """Return high - low, or raise ValueError if a difference overflows."""
    with np.errstate(over="ignore"):
        width = high - low
    if not np.isfinite(width).all():
        column = int(np.flatnonzero(~np.isfinite(width))[0])
        raise ValueError(
            f"column {column} has values from {low[column]:g} to {high[column]:g}, a range too large for scaling"
        )
    return width


def _unit(X, low, width):
    """Return (X - low) / width, and 0 where the width is 0."""
    return np.divide(X - low, width, out=np.zeros(X.shape), where=np.broadcast_to(width > 0, X.shape))
