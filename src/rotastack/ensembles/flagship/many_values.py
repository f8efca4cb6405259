"""Encoding of categories of many values by the class shares or the mean target of their rows."""

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import TargetEncoder

__all__ = ["ManyValues", "encoding_targets"]

MOST_CLASSES = 4
"""Largest number of classes whose shares encode a category; the largest classes are used."""


def encoding_targets(codes: NDArray[np.integer], there: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return 0/1 targets of the largest classes: of the larger of two classes, otherwise of the four largest.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Class numbers.
    there : ndarray of bool of shape (n_rows,), optional
        Mask of the rows that count for the sizes of the classes; all rows by default.

    Returns
    -------
    ndarray of shape (n_rows, n_targets)
        1 if the row is of the target's class.
    """
    sizes = np.bincount(codes, there, int(codes.max()) + 1)
    largest = np.argsort(-sizes, kind="stable")[: 1 if len(sizes) == 2 else MOST_CLASSES]
    return (codes[:, None] == largest).astype(np.float64)


class ManyValues:
    """An encoder of categories by target means; a training row gets means over the rows of the other folds.

    Scikit-learn's TargetEncoder shrinks the means towards the mean of all rows. Missing values are a category.
    An unknown category gets the mean of all rows.

    Examples
    --------
    >>> cities = np.array([[1.0], [2.0]] * 10)
    >>> encoder = ManyValues()
    >>> encoder.fit_transform(cities, cities - 1, np.arange(20) // 10).shape
    (20, 1)
    >>> encoder.transform(np.array([[2.0], [1.0], [7.0]])).ravel().round(1).tolist()
    [1.0, 0.0, 0.5]
    """

    def fit_transform(
        self, codes: NDArray[np.float64], targets: NDArray[np.float64], folds: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Learn the means, and return for each training row the means over the rows of the other folds.

        Parameters
        ----------
        codes : ndarray of shape (n_rows, n_columns)
            Category numbers; NaN for missing values.
        targets : ndarray of shape (n_rows, n_targets)
        folds : ndarray of shape (n_rows,)

        Returns
        -------
        ndarray of shape (n_rows, n_columns * n_targets)
            The means of the first column, followed by the means of the next columns.
        """
        self.encoders_ = _fitted(codes, targets)
        means = np.empty((len(codes), codes.shape[1] * targets.shape[1]))
        for fold in np.unique(folds):
            held = folds == fold
            others = ~held if not held.all() else held
            means[held] = _means(_fitted(codes[others], targets[others]), codes[held])
        return means

    def transform(self, codes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the means over all training rows, shape (n_rows, n_columns * n_targets)."""
        return _means(self.encoders_, codes)


def _fitted(codes: NDArray[np.float64], targets: NDArray[np.float64]) -> list[TargetEncoder]:
    return [TargetEncoder(target_type="continuous").fit(codes, target) for target in targets.T]


def _means(encoders: list[TargetEncoder], codes: NDArray[np.float64]) -> NDArray[np.float64]:
    means = np.stack([encoder.transform(codes) for encoder in encoders], axis=2)
    return means.reshape(len(codes), -1)
