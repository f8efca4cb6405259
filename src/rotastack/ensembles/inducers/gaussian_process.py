"""Gaussian process classification with length scales from the data, without optimised parameters."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

from rotastack.base.scikit import whole_fit

_ROWS = 2000


class QuantileGaussianProcess(GaussianProcessClassifier):
    r"""A Gaussian process classifier on standardised columns; quantiles of distances determine its radial kernel.

    The kernel is that of gausspr, a function of R's package kernlab, with its automatic choice of sigma: the kernel of
    two rows is :math:`\exp(-\sigma d^2)`, where d is their distance after each column is divided by its standard
    deviation, and sigma the mean of the inverses of the .1 and .9 quantiles of :math:`d^2`. The quantiles are over all
    pairs of at most 2000 rows; kernlab draws pairs. With more than two classes, one class is compared with the rest,
    whereas kernlab compares pairs of classes.

    Parameters
    ----------
    random_state : None or int
        Seed of the choice of the 2000 rows.
    """

    def __init__(self, random_state=None):
        super().__init__(optimizer=None, random_state=random_state)

    @whole_fit
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Set the length scale of each column, and find the mode of the posterior."""
        rows = np.asarray(X, dtype=float)
        deviations = rows.std(axis=0)
        deviations[deviations == 0] = 1.0  # a constant column adds nothing to distances
        if len(rows) > _ROWS:
            rows = rows[np.random.default_rng(self.random_state).choice(len(rows), _ROWS, replace=False)]
        squared = pdist(rows / deviations, "sqeuclidean")
        squared = squared[squared > 0]
        sigma = np.mean(1 / np.quantile(squared, [0.1, 0.9])) if len(squared) else 0.5
        self.kernel = RBF(deviations / np.sqrt(2 * sigma))
        return super().fit(X, y)
