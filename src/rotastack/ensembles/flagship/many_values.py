"""Categories of many values as the shares of the classes, or the mean target, of their rows."""

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OrdinalEncoder, TargetEncoder

__all__ = ["ManyValues", "encoding_targets"]

MOST_CLASSES = 4
"""Categories are encoded by the shares of so many classes, the largest."""


def encoding_targets(codes: NDArray[np.integer], there: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return whether the class of each row is one of the largest: of the larger of two, otherwise of the four largest.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Class numbers.
    there : ndarray of bool of shape (n_rows,), optional
        Rows that tell which classes are large; all by default.

    Returns
    -------
    ndarray of shape (n_rows, n_targets)
    """
    sizes = np.bincount(codes, there, int(codes.max()) + 1)
    largest = np.argsort(-sizes, kind="stable")[: 1 if len(sizes) == 2 else MOST_CLASSES]
    return (codes[:, None] == largest).astype(np.float64)


class ManyValues:
    """Encode categories by the means of targets, those of a training row being means over the other folds.

    Means are shrunk towards the mean of all rows, by scikit-learn's TargetEncoder. A missing category is one of its own. An unknown
    one has the mean of all rows.

    Examples
    --------
    >>> cities = np.array([["Bern"], ["Rome"]] * 10, dtype=object)
    >>> targets = (cities == "Rome").astype(float)
    >>> encoder = ManyValues()
    >>> encoder.fit_transform(cities, targets, np.arange(20) // 10).shape
    (20, 1)
    >>> encoder.transform(np.array([["Rome"], ["Bern"], ["Oslo"]], dtype=object)).ravel().round(1).tolist()
    [1.0, 0.0, 0.5]
    """

    def fit_transform(
        self, categories: NDArray[np.object_], targets: NDArray[np.float64], folds: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Learn the means, and return those of the training rows over the other folds.

        Parameters
        ----------
        categories : ndarray of shape (n_rows, n_columns)
        targets : ndarray of shape (n_rows, n_targets)
        folds : ndarray of shape (n_rows,)

        Returns
        -------
        ndarray of shape (n_rows, n_columns * n_targets)
            The means of the first column, then those of the next.
        """
        self.values_ = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(categories)
        codes = self.values_.transform(categories)
        self.encoders_ = _fitted(codes, targets)
        found = np.empty((len(codes), codes.shape[1] * targets.shape[1]))
        for fold in np.unique(folds):
            mine = folds == fold
            others = ~mine if not mine.all() else mine
            found[mine] = _means(_fitted(codes[others], targets[others]), codes[mine])
        return found

    def transform(self, categories: NDArray[np.object_]) -> NDArray[np.float64]:
        """Return the means over all training rows, (n_rows, n_columns * n_targets)."""
        return _means(self.encoders_, self.values_.transform(categories))


def _fitted(codes: NDArray[np.float64], targets: NDArray[np.float64]) -> list[TargetEncoder]:
    return [TargetEncoder(target_type="continuous").fit(codes, target) for target in targets.T]


def _means(encoders: list[TargetEncoder], codes: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.stack([encoder.transform(codes) for encoder in encoders], axis=2)
    return found.reshape(len(codes), -1)
