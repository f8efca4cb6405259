"""AdaBoost.M1 (Freund & Schapire 1996) over compiled trees."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted

from rotastack.ensembles.base_tree import base_tree
from rotastack.seeds import child, root_sequence
from rotastack.trees.estimators import GrownClassifier
from rotastack.trees.growing import Family, grow_forest
from rotastack.trees.grown import GrownTrees

__all__ = ["AdaBoostM1Classifier"]

_REDRAWS = 10
NOTHING = 1e-6
"""Errors that differ by less are equal, as in WEKA: after a round its tree errs on one half, but for rounding."""


class AdaBoostM1Classifier(GrownClassifier):
    """AdaBoost.M1: each tree attends to the rows that those before got wrong.

    The weights of wrong rows are multiplied by ``(1 - e) / e``, e being the tree's weighted error, and all
    are scaled to their old sum; trees vote with weight ``log((1 - e) / e)``. It ends as WEKA's does: at a
    tree with e of 0, or of one half or more, which is left out unless it is the first.

    Parameters
    ----------
    n_estimators : int, default=50
        T, number of trees at most.
    estimator : C45Classifier, TreeClassifier, DecisionTreeClassifier or None, default=None
        The tree: None is ``C45Classifier()``. All are grown by the compiled kernel.
    resample : bool, default=False
        Grow each tree on rows drawn by their weights, instead of weighing them; a sample whose tree
        errs on no row is drawn again, ten times at most.
    n_jobs : int or None
        Threads for predictions.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of samples, and of trees that draw something.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
    estimator_weights_ : ndarray of shape (n_trees,)
        What each tree's vote counts; 1 for a first tree that ended it.
    estimator_errors_ : ndarray of shape (n_trees,)
        Weighted training error of each tree.
    feature_importances_ : ndarray of shape (n_features,)
        Mean over trees, unweighted.

    Notes
    -----
    Two classes: the same as SAMME, scikit-learn's ``AdaBoostClassifier``. With more, SAMME goes on up to an
    error of 1 - 1 / n_classes, and M1 ends at one half.

    References
    ----------
    Freund, Y. and Schapire, R. (1996). Experiments with a new boosting algorithm. ICML.
    Martinez, W. (2022). Ensemble pruning via margin maximization, algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rotastack.ensembles import AdaBoostM1Classifier
    >>> from rotastack.trees import TreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaBoostM1Classifier(30, TreeClassifier(max_depth=1)).fit(X, y)
    >>> len(clf.forest_), round(clf.score(X, y), 2)
    (30, 1.0)
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "resample": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_estimators: int = 50,
        estimator: Any = None,
        *,
        resample: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.resample = resample
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _grow(self, X, target, sample_weight, n_classes):
        tree = base_tree(self.estimator, "others go with scikit-learn's AdaBoostClassifier")
        self._tree = tree._options(), tree._family()
        sequence = root_sequence(self.random_state)
        start = np.ones(len(target)) if sample_weight is None else sample_weight.astype(np.float64)
        total = start.sum()
        weights = start
        trees, votes, errors = [], [], []
        for t in range(self.n_estimators):
            grown, wrong, error = self._round(X, target, weights, n_classes, child(sequence, t))
            last = not NOTHING < error < 0.5 - NOTHING
            if last and trees:
                break
            trees.append(grown)
            errors.append(error)
            votes.append(1.0 if last else np.log((1 - error) / error))
            if last:
                break
            weights = np.where(wrong, weights * ((1 - error) / error), weights)
            weights *= total / weights.sum()
        del self._tree
        self.forest_ = GrownTrees.concatenate(trees)
        self.estimator_weights_, self.estimator_errors_ = np.array(votes), np.array(errors)
        return None

    def _round(self, X, target, weights, n_classes, sequence):
        """Grow a tree; return it, which rows it gets wrong, and its weighted error."""
        options, family = self._tree
        shares = weights / weights.sum()
        for draw in range(_REDRAWS):
            bag = None
            if self.resample:
                rng = np.random.default_rng(child(sequence, "bag", draw))
                bag = rng.multinomial(len(target), shares)[None].astype(np.int32)
            grown, _ = grow_forest(
                X, target, [Family(1, None, family.splitter, family.max_features, family.n_cuts)], options,
                child(sequence, draw), n_classes=n_classes, weights=None if self.resample else weights,
                bootstrap=False, bag_counts=bag, want_oob=False,
            )  # fmt: skip
            wrong = grown.votes(X)[:, 0] != target
            error = float(shares[wrong].sum())
            if error > NOTHING or not self.resample:
                break
        return grown, wrong, error

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the weight that votes for each class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        votes = self.forest_.votes(self._checked(X), self.n_jobs)
        sums = np.stack([(votes == c) @ self.estimator_weights_ for c in range(len(self.classes_))], axis=1)
        return sums / sums.sum(axis=1, keepdims=True)
