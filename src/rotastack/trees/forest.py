"""A random forest for very many small forests."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rotastack.seeds import integer_seed, root_sequence
from rotastack.trees.growing import grow_tree, pack_trees, unpack_trees

__all__ = ["ForestClassifier"]


class ForestClassifier(ClassifierMixin, BaseEstimator):
    """A random forest: bootstrapped gini trees with random features at each split.

    The same forest as scikit-learn's ``RandomForestClassifier`` up to the random numbers, at a
    fraction of its time on small data. Out-of-bag probabilities are always kept.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns looked at for each split: their number, their share, or all with None.
    max_depth : int or None, default=None
    min_samples_leaf : int, default=1
    bootstrap : bool, default=True
        Grow each tree on rows drawn with replacement.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    trees_ : list of sklearn.tree._tree.Tree
    oob_proba_ : ndarray of shape (n_rows, n_classes)
        With `bootstrap`: mean over the trees that have a row out of bag; NaN if none has.
    oob_score_ : float
        Accuracy of `oob_proba_` over the rows that were ever out of bag.

    References
    ----------
    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.trees import ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> forest.predict(X[[0, 60, 120]]).tolist(), forest.oob_score_ > 0.9
    ([0, 1, 2], True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "bootstrap": ["boolean"],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_features: str | int | float | None = "sqrt",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        bootstrap: bool = True,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike):
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Missing or infinite values, a continuous target, or `max_features` above the
            number of columns.
        """
        X, y = validate_data(self, X, y, dtype=np.float32, order="C")
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        n, p = X.shape
        n_classes = len(self.classes_)
        target = codes.astype(np.float64).reshape(-1, 1)
        state = np.random.RandomState(integer_seed(root_sequence(self.random_state)))
        depth = np.iinfo(np.int32).max if self.max_depth is None else self.max_depth
        wanted = self._n_candidates(p)
        self.trees_ = []
        votes = np.zeros((n, n_classes))
        seen = np.zeros(n, dtype=np.intp)
        for _ in range(self.n_estimators):
            weights = None
            if self.bootstrap:
                weights = np.bincount(state.randint(0, n, n), minlength=n).astype(np.float64)
            tree = grow_tree(X, target, weights, n_classes, state, wanted, depth, self.min_samples_leaf)
            self.trees_.append(tree)
            if weights is not None:
                out = np.flatnonzero(weights == 0)
                if len(out):
                    votes[out] += tree.predict(X[out]).reshape(len(out), -1)
                    seen[out] += 1
        if self.bootstrap:
            known = seen > 0
            self.oob_proba_ = np.full(votes.shape, np.nan)
            self.oob_proba_[known] = votes[known] / seen[known, None]
            right = self.oob_proba_[known].argmax(axis=1) == codes[known]
            self.oob_score_ = float(right.mean()) if known.any() else float("nan")
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean over trees of the class frequencies in the leaves.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float32, order="C")
        total = np.zeros((len(X), len(self.classes_)))
        for tree in self.trees_:
            total += tree.predict(X).reshape(total.shape)
        return total / len(self.trees_)

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def _n_candidates(self, p: int) -> int:
        if self.max_features is None:
            return p
        if self.max_features == "sqrt":
            return max(1, int(np.sqrt(p)))
        if self.max_features == "log2":
            return max(1, int(np.log2(p)))
        if isinstance(self.max_features, Integral):
            if self.max_features > p:
                raise ValueError(f"max_features is {self.max_features}, but there are {p} columns")
            return int(self.max_features)
        return max(1, int(self.max_features * p))

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "trees_" in state:
            state["trees_"] = pack_trees(state["trees_"])
        return state

    def __setstate__(self, state):
        if isinstance(state.get("trees_"), dict):
            state = dict(state)
            state["trees_"] = unpack_trees(state["trees_"], state["n_features_in_"], len(state["classes_"]))
        super().__setstate__(state)
