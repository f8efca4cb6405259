"""A grid search by out-of-bag error (thesis, section 3.4.1)."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags

from rotastack.base.scikit import num_samples, whole_fit


class OutOfBagSearchClassifier(GridSearchCV):
    """A classifier with the parameters of least out-of-bag error; no row is held out.

    As level-0 estimator of a pool, each member searches by itself, on its own view and training rows.

    Parameters
    ----------
    estimator : classifier with ``oob_score_`` after its fit
        Such as a forest; scikit-learn's need ``oob_score=True``.
    param_grid : dict or list of dict
        Parameter -> values to try; all combinations are trained on all rows.
    n_jobs : int or None, default=None
        Processes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import OutOfBagSearchClassifier
    >>> from rotastack.trees import ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> search = OutOfBagSearchClassifier(ForestClassifier(30, random_state=0), {"max_depth": [1, 4]}).fit(X, y)
    >>> search.best_params_
    {'max_depth': 4}
    """

    def __init__(self, estimator: Any, param_grid: Any, *, n_jobs: int | None = None):
        super().__init__(estimator, param_grid, scoring=_score, cv=_AllRows(), n_jobs=n_jobs, error_score="raise")

    fit = whole_fit(GridSearchCV.fit)
    score = ClassifierMixin.score  # of the rows given; GridSearchCV's is the out-of-bag score

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags


class _AllRows:
    """A split whose training rows are all rows."""

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1

    def split(self, X, y=None, groups=None):
        yield (np.arange(num_samples(X)),) * 2


def _score(estimator: Any, X: Any, y: Any) -> float:
    if not hasattr(estimator, "oob_score_"):
        raise ValueError(f"the search needs an estimator with an out-of-bag score, got {estimator!r}")
    return float(estimator.oob_score_)
