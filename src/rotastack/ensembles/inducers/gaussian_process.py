"""Gaussian process classification with a length scale from the data, without optimised parameters."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

__all__ = ["MedianGaussianProcess"]

_ROWS = 2000


class MedianGaussianProcess(GaussianProcessClassifier):
    """A Gaussian process classifier with a radial kernel; its length scale is the median distance of rows.

    With more than two classes, one class is compared with the rest. The median is over at most 2000 rows.

    Parameters
    ----------
    random_state : None or int
        Seed of the choice of the 2000 rows.
    """

    def __init__(self, random_state=None):
        super().__init__(optimizer=None, random_state=random_state)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Set the length scale and find the mode of the posterior."""
        rows = np.asarray(X, dtype=float)
        if len(rows) > _ROWS:
            rows = rows[np.random.default_rng(self.random_state).choice(len(rows), _ROWS, replace=False)]
        length = float(np.median(pdist(rows))) if len(rows) > 1 else 0.0
        self.kernel = RBF(length or 1.0)
        return super().fit(X, y)
