"""AdaBoost.M1 (Freund & Schapire 1996) with compiled trees or with any other classifier."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from rotastack.base.classes import present_target
from rotastack.base.fitting import AlignedClassifier, fit_aligned
from rotastack.base.naming import validate_data
from rotastack.base.row_weights import relative_weights
from rotastack.base.scikit import HasMethods, Interval
from rotastack.ensembles.forests.base_tree import TREES, base_tree
from rotastack.ensembles.voters import has_forest, voters_of
from rotastack.seeds import child
from rotastack.trees.bags import Bags, weighted_bag
from rotastack.trees.estimators import ForestOfLabels, GrownEstimator
from rotastack.trees.growing import TrainingRows, grow_forest
from rotastack.trees.grown import GrownTrees

_DRAWS = 10
NOTHING = 1e-6
"""Errors closer than this count as equal, as in WEKA: after reweighting, a tree's error is 1/2 up to rounding."""

Trainer = Callable[[NDArray[np.float64], NDArray[np.int64] | None, np.random.SeedSequence], tuple[Any, NDArray]]
"""Function of the row weights, the number of copies of each row or None, and a seed; returns a member and its votes."""


class AdaBoostM1Classifier(GrownEstimator, ForestOfLabels):
    """AdaBoost.M1: each member gives more weight to the rows that earlier members misclassified.

    Let e be the weighted error of a member. Each round multiplies the weights of the misclassified rows by
    ``(1 - e) / e`` and scales all weights to their old sum. The member votes with weight ``log((1 - e) / e)``.
    As in WEKA, boosting stops at a member with e = 0 or e >= 1/2. This member is left out unless it is the first.

    Parameters
    ----------
    n_estimators : int, default=50
        T, largest number of members.
    estimator : classifier or None, default=None
        None is ``C45Classifier()``. The compiled kernel grows ``C45Classifier``, ``TreeClassifier`` and
        ``DecisionTreeClassifier``. Any other classifier is cloned and trained on class numbers.
    resample : bool, default=False
        Train each member on rows drawn with their weights as probabilities, instead of on weighted rows. If the
        member has no error, the sample is drawn again, for at most ten draws in all. With False, the estimator's
        ``fit`` must take ``sample_weight``.
    restart : bool, default=False
        Where boosting would stop, go on from the first weights, until there are `n_estimators` members. Members without
        random choices then repeat themselves.
    n_jobs : int or None
        Threads for the predictions of trees.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the samples and of members with random choices.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
        The members, if the kernel grew them.
    estimators_ : list of classifiers
        The members, if the kernel did not grow them.
    estimators_classes_ : list of ndarray of int
        For each member of ``estimators_``, the positions in ``classes_`` of the classes in its training rows.
    estimator_weights_ : ndarray of shape (n_members,)
        Weight of each member's vote; 1 if boosting stopped at the first member.
    estimator_errors_ : ndarray of shape (n_members,)
        Weighted training error of each member.
    feature_importances_ : ndarray of shape (n_features,)
        Unweighted mean over the trees.

    Notes
    -----
    With two classes, M1 equals SAMME, scikit-learn's ``AdaBoostClassifier``. With more classes, SAMME continues
    up to an error of 1 - 1 / n_classes, while M1 stops at 1/2.

    References
    ----------
    Freund, Y. and Schapire, R. (1996). Experiments with a new boosting algorithm. ICML.
    Martinez, W. (2022). Ensemble pruning via margin maximization, algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from rotastack import AdaBoostM1Classifier
    >>> from rotastack.trees import TreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaBoostM1Classifier(30, TreeClassifier(max_depth=1)).fit(X, y)
    >>> len(clf.forest_), round(clf.score(X, y), 2)
    (30, 1.0)
    >>> nearest = AdaBoostM1Classifier(10, KNeighborsClassifier(1), resample=True, random_state=0).fit(X, y)
    >>> len(nearest.estimators_) <= 10
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "resample": ["boolean"],
        "restart": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_estimators: int = 50,
        estimator: Any = None,
        *,
        resample: bool = False,
        restart: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.resample = resample
        self.restart = restart
        self.n_jobs = n_jobs
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError if the parameters contradict each other."""
        if self._has_trees():
            return
        name = type(self.estimator).__name__
        if not is_classifier(self.estimator):
            raise ValueError(f"estimator must be a classifier, got {name}")
        if not self.resample and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"estimator: {name}.fit has no parameter sample_weight; set resample=True to draw rows by their weights"
            )

    def _grow(self, rows, sequence):
        train = self._tree_trainer(rows) if self._has_trees() else self._any_trainer(rows)
        relative = relative_weights(rows.weights)
        weights = np.ones(len(rows.target)) if relative is None else relative
        start, total = weights, weights.sum()
        members, votes, errors = [], [], []
        for t in count():
            member, wrong, error = self._round(train, rows.target, weights, child(sequence, t))
            last = not NOTHING < error < 0.5 - NOTHING
            if not last or weights is start:
                members.append(member)
                errors.append(error)
                votes.append(1.0 if last else np.log((1 - error) / error))
            if len(members) == self.n_estimators or (last and not self.restart):
                break
            if last:
                weights = start
            else:
                weights = np.where(wrong, weights * ((1 - error) / error), weights)
                weights *= total / weights.sum()
        if self._has_trees():
            self.forest_ = GrownTrees.concatenate(members)
        else:
            self.estimators_ = [member.estimator for member in members]
            self.estimators_classes_ = [member.classes for member in members]
        self.estimator_weights_, self.estimator_errors_ = np.array(votes), np.array(errors)
        return None

    def _round(self, train: Trainer, target, weights, sequence):
        """Train a member; return the member, the mask of its misclassified rows, and its weighted error."""
        shares = weights / weights.sum()
        for draw in range(_DRAWS):
            copies = weighted_bag(sequence, draw, shares) if self.resample else None
            member, votes = train(weights, copies, child(sequence, draw))
            wrong = votes != target
            error = float(shares[wrong].sum())
            if error > NOTHING or not self.resample:
                break
        return member, wrong, error

    def _tree_trainer(self, rows: TrainingRows) -> Trainer:
        tree = base_tree(self.estimator)
        options = tree._options()._replace(want_oob=False, bootstrap=self.resample)

        def train(weights, copies, sequence) -> tuple[GrownTrees, NDArray]:
            bags = None if copies is None else Bags.given(copies[None])
            weighted = replace(rows, weights=weights if copies is None else None)
            grown, _ = grow_forest(weighted, [tree._group()], options, sequence, bags=bags)
            return grown, grown.votes(rows.X)[:, 0]

        return train

    def _any_trainer(self, given: TrainingRows) -> Trainer:
        self.check_parameters()
        X, target, n_classes = given.X, given.target, given.n_classes
        assert n_classes is not None

        def train(weights, copies, sequence) -> tuple[AlignedClassifier, NDArray]:
            if copies is None:
                rows = np.flatnonzero(weights)  # some estimators do not ignore rows of weight 0
                weights = weights[rows]
            else:
                rows, weights = np.repeat(np.arange(len(target)), copies), None
            member = fit_aligned(self.estimator, X[rows], target[rows], n_classes, sequence, weights)
            return member, member.classes[member.estimator.predict(X)]

        return train

    def _has_trees(self) -> bool:
        """Return whether the compiled kernel grows the members."""
        return self.estimator is None or isinstance(self.estimator, TREES)

    def _checked(self, X, *y):
        if self._has_trees() if y else has_forest(self):
            return super()._checked(X, *y)
        if y:
            y = (present_target(y[0]),)
        missing = get_tags(self).input_tags.allow_nan
        return validate_data(self, X, *y, reset=bool(y), ensure_all_finite="allow-nan" if missing else True)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if not self._has_trees():
            tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        votes = self._votes(X)
        sums = np.stack([(votes == c) @ self.estimator_weights_ for c in range(len(self.classes_))], axis=1)
        return sums / sums.sum(axis=1, keepdims=True)

    def tree_votes(self, X: ArrayLike) -> NDArray:
        """Return the class label that each member votes for, shape (n_rows, n_members)."""
        return self.classes_[self._votes(X)]

    def _votes(self, X: ArrayLike) -> NDArray:
        """Return the class number that each member votes for, shape (n_rows, n_members)."""
        check_is_fitted(self)
        X = self._checked(X)
        if has_forest(self):  # `estimator` may have been set to another kind since the fit
            return self.forest_.votes(X, self.n_jobs)
        return voters_of(self).votes(X)
