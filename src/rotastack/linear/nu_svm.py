"""Linear nu-SVM by libsvm, which is the diversity regularised machine with one member."""

from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import NuSVC
from sklearn.utils.validation import check_is_fitted

from rotastack.base.scikit import whole_fit


class FeasibleNuSVC(ClassifierMixin, BaseEstimator):
    """A linear nu-SVM whose nu is the largest nu that the class sizes allow, divided by `lam`, above 1.

    The largest nu of two classes of m and n rows is ``2 min(m, n) / (m + n)``. With more classes it is the
    smallest of these numbers over all pairs. If nu is so small that the reduced hulls of the classes overlap,
    w = 0 is optimal and libsvm's solution is arbitrary.
    """

    def __init__(self, lam: float = 1.2):
        self.lam = lam

    @whole_fit
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Compute nu from the class sizes and train the SVM."""
        self.classes_, counts = np.unique(y, return_counts=True)
        if len(counts) < 2 or not np.ptp(X, axis=0).any():  # libsvm's message has other words
            raise ValueError("a nu-SVM needs rows of two classes, and rows that differ in a column")
        largest = min(2 * min(pair) / sum(pair) for pair in combinations(counts.tolist(), 2))
        self.machine_ = NuSVC(nu=largest / self.lam, kernel="linear").fit(X, y)
        return self

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the class of each row."""
        check_is_fitted(self, "machine_")
        return self.machine_.predict(X)
