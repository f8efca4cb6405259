"""Columns of free text as numbers: the leading components of the TF-IDF of their words."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rotastack.base.scikit import whole_fit
from rotastack.blas import one_blas_thread

MOST_COMPONENTS, _MOST_WORDS, _MOST_CHARACTERS = 100, 5000, 10_000


class TextComponents(BaseEstimator):
    """An encoder of one column of text by scikit-learn's TfidfVectorizer and TruncatedSVD.

    Words are those that at least two training texts have, at most the 5,000 most frequent; of a text the first 10,000
    characters count. With no more words than components, TF-IDF itself is the result. Fewer components than
    `n_components` are followed by zeros, so that all training sets have as many columns. A missing text, and a text
    without known words, is a row of zeros.

    Examples
    --------
    >>> texts = pd.Series(["good food", "bad food", "good wine", None, "bad wine"])
    >>> TextComponents(5).fit(texts).transform(texts).round(2).tolist()[:2]
    [[0.0, 0.71, 0.71, 0.0, 0.0], [0.71, 0.71, 0.0, 0.0, 0.0]]
    """

    def __init__(self, n_components: int = MOST_COMPONENTS):
        self.n_components = n_components

    @whole_fit
    def fit(self, X: pd.Series, y: Any = None) -> Self:
        """Learn the words and the components from training texts."""
        from sklearn.decomposition import TruncatedSVD  # late imports: few tables have text
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.vectorizer_ = TfidfVectorizer(max_features=_MOST_WORDS, min_df=2, sublinear_tf=True, dtype=np.float32)
        self.svd_ = None
        try:
            found = self.vectorizer_.fit_transform(_texts(X))
        except ValueError:  # the error of TfidfVectorizer if no word is in two texts; such texts are rows of zeros
            self.vectorizer_ = None
            return self
        if found.shape[1] > self.n_components:
            with one_blas_thread():  # one order of additions
                self.svd_ = TruncatedSVD(self.n_components, random_state=0).fit(found)
        return self

    def transform(self, X: pd.Series) -> NDArray[np.float64]:
        """Return the components of texts, shape (n_rows, n_components)."""
        components = np.zeros((len(X), self.n_components))
        if self.vectorizer_ is not None and len(X):
            found = self.vectorizer_.transform(_texts(X))
            found = found.toarray() if self.svd_ is None else self.svd_.transform(found)
            components[:, : found.shape[1]] = found
        return components


def _texts(column: pd.Series) -> pd.Series:
    return column.astype(object).where(column.notna(), "").map(str).str.slice(0, _MOST_CHARACTERS)
