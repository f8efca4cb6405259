"""Gradient-boosted trees as estimators."""

from numbers import Integral
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from rotastack.base.classes import LabelClassifier
from rotastack.base.docstrings import documented
from rotastack.base.facts import Cost, Facts
from rotastack.base.outputs import accuracy, r_squared
from rotastack.base.row_weights import weights_of
from rotastack.seeds import root_sequence
from rotastack.trees.boosting import BoostedTrees, boosting_folds, grow_boosted, probabilities
from rotastack.trees.boosting_options import OPTION_CONSTRAINTS, BoostingOptions
from rotastack.trees.estimators import CLASSIFIER_CONSTRAINTS, LEAST_ONE, GrownEstimator

__all__ = ["BoostedTreesClassifier", "BoostedTreesRegressor"]

DEFAULTS, BAGS = BoostingOptions(), 5


class BoostedEstimator(GrownEstimator):
    """Base of boosted trees.

    Parameters
    ----------
    n_rounds : int, default=200
        Rounds at most; each grows a tree, or one for each class if there are more than two.
    learning_rate : float, default=0.1
        Share of what a leaf would add that it does add.
    max_leaf_nodes : int or None, default=31
        The leaf of the largest gain is split first.
    max_depth : int or None, default=None
    max_bins : int, default=255
        Columns are cut into so many bins, from 2 to 255, by the rows of a bag. If a column has no more values than that,
        each has its bin; else bins hold about equally many rows. Missing values have a bin of their own.
    min_samples_leaf : int, default=20
        In rows.
    l2_regularization : float, default=1.0
        What leaves shrink by: added to their hessians, which are 1 a row in a regression and at most 1/4 for two
        classes.
    subsample : float, default=1.0
        Share of the bag's rows that are drawn, without replacement, for each round.
    max_features : int, float or None, default=None
        Columns that are drawn for each tree: their number, their share, or all with None.
    n_bags : int, default=5
        Boosters. Rows are dealt into so many folds, and booster b is grown on those that are not in fold b; what is
        predicted is the mean of the boosters' scores. So each row has a score of a booster that never saw it: these
        give an honest error, choose the number of rounds, and are what a stacker or pool is to learn from. The mean of
        several boosters also varies less. With 1, one booster sees all rows, and `n_rounds` are grown.
    early_stopping : bool, default=True
        Choose the number of rounds, the same for all boosters, by the loss of the rows they do not see, and end once
        there was none smaller for 20 rounds.
    n_jobs : int or None, default=None
        Threads over boosters; the result does not depend on them.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.
    """

    boosted_: BoostedTrees
    _parameter_constraints: ClassVar[dict] = {
        **{name: allowed for name, allowed in OPTION_CONSTRAINTS.items() if name not in ("n_iter_no_change", "tol")},
        "n_bags": [LEAST_ONE],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_rounds: int = DEFAULTS.n_rounds,
        *,
        learning_rate: float = DEFAULTS.learning_rate,
        max_leaf_nodes: int | None = DEFAULTS.max_leaf_nodes,
        max_depth: int | None = DEFAULTS.max_depth,
        max_bins: int = DEFAULTS.max_bins,
        min_samples_leaf: int = DEFAULTS.min_samples_leaf,
        l2_regularization: float = DEFAULTS.l2_regularization,
        subsample: float = DEFAULTS.subsample,
        max_features: int | float | None = DEFAULTS.max_features,
        n_bags: int = BAGS,
        early_stopping: bool = DEFAULTS.early_stopping,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.max_bins = max_bins
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.max_features = max_features
        self.n_bags = n_bags
        self.early_stopping = early_stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _boost(
        self, X: NDArray[np.float32], target: NDArray, weights: NDArray | None, n_classes: int | None
    ) -> NDArray[np.bool_]:
        """Grow the boosters; return which rows have a score of one that has not seen them."""
        options = BoostingOptions(
            **{name: getattr(self, name) for name in BoostingOptions._fields if hasattr(self, name)}
        )
        sequence = root_sequence(self.random_state)
        folds = boosting_folds(target, self.n_bags, sequence, weights, n_classes)
        self.boosted_ = grow_boosted(
            X, target, options, sequence, n_classes=n_classes, folds=folds, weights=weights, n_jobs=self.n_jobs
        )  # fmt: skip
        self.forest_ = self.boosted_.trees
        self.n_rounds_ = self.boosted_.n_rounds
        self.losses_ = self.boosted_.losses
        return folds >= 0

    def _raw(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self.boosted_.raw(self._checked(X), self.n_jobs)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in what all splits gain; 0 for all if there is no split."""
        check_is_fitted(self)
        return self.boosted_.importances()


@documented
class BoostedTreesClassifier(LabelClassifier, BoostedEstimator):
    """Gradient-boosted trees on folds of the rows, with out-of-fold probabilities and their own number of rounds.

    Each round grows a tree on the gradients of the logistic loss, or with more than two classes one for each class on
    those of the softmax's. Missing values go to the side where they gain more, and where there were none to the heavier
    one.

    Parameters
    ----------
    %(n_rounds)s
    %(learning_rate)s
    %(max_leaf_nodes)s
    %(max_depth)s
    %(max_bins)s
    %(min_samples_leaf)s
    %(l2_regularization)s
    %(subsample)s
    %(max_features)s
    %(n_bags)s
    %(early_stopping)s
    class_weight : {"balanced"}, dict or None, default=None
        Weights of the classes, by which those of rows are multiplied.
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_rounds_ : int
        Rounds of each booster.
    losses_ : ndarray of shape (n_rounds_tried,)
        Mean log loss, in nats, of the rows that boosters do not see, by weight, after each round; NaN if there are none.
    boosted_ : BoostedTrees
    forest_ : GrownTrees
        The trees of all boosters.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in what all splits gain.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        With `n_bags` above 1: probabilities that the booster which has not seen a row gives it; NaN for rows of weight 0.
    oob_score_ : float
        Their accuracy, by weight.

    Notes
    -----
    Sums of gradients and hessians are those of whole numbers, quanta of which there are thousands to a gradient of mean
    size. Among cuts of equal gain the column that comes first wins, then the lower cut. Weights of rows count relative
    to their mean. A class that a bag lacks starts as if it had half a row there.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, 1189-1232.

    Ke, G. et al. (2017). LightGBM: a highly efficient gradient boosting decision tree. NeurIPS 30.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.trees import BoostedTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> boosted = BoostedTreesClassifier(random_state=0).fit(X, y)
    >>> boosted.predict(X[[0, 60, 120]]).tolist(), boosted.oob_score_ > 0.9
    ([0, 1, 2], True)
    """

    study_facts: ClassVar[Facts] = Facts(cost=Cost(0.2, 0, 0.11, 10, 1.3), trees=("n_rounds", "n_bags"))

    _parameter_constraints: ClassVar[dict] = {
        **BoostedEstimator._parameter_constraints,
        "class_weight": CLASSIFIER_CONSTRAINTS["class_weight"],
    }

    def __init__(
        self,
        n_rounds: int = DEFAULTS.n_rounds,
        *,
        learning_rate: float = DEFAULTS.learning_rate,
        max_leaf_nodes: int | None = DEFAULTS.max_leaf_nodes,
        max_depth: int | None = DEFAULTS.max_depth,
        max_bins: int = DEFAULTS.max_bins,
        min_samples_leaf: int = DEFAULTS.min_samples_leaf,
        l2_regularization: float = DEFAULTS.l2_regularization,
        subsample: float = DEFAULTS.subsample,
        max_features: int | float | None = DEFAULTS.max_features,
        n_bags: int = BAGS,
        early_stopping: bool = DEFAULTS.early_stopping,
        class_weight: dict | str | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_rounds,
            learning_rate=learning_rate,
            max_leaf_nodes=max_leaf_nodes,
            max_depth=max_depth,
            max_bins=max_bins,
            min_samples_leaf=min_samples_leaf,
            l2_regularization=l2_regularization,
            subsample=subsample,
            max_features=max_features,
            n_bags=n_bags,
            early_stopping=early_stopping,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.class_weight = class_weight

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the boosters.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Missing values are NaN.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            At least 0; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Infinite values (the message names the column), a continuous or missing target, weights below 0, or
            `max_features` above the number of columns.
        """
        X, codes, weights = self._checked_labels(X, y, sample_weight)
        n_classes = len(self.classes_)
        held = self._boost(X, codes, weights, n_classes)
        if held.any():
            self.oob_decision_function_ = probabilities(self.boosted_.held_out, n_classes)
            self.oob_score_ = accuracy(self.oob_decision_function_[held], codes[held], weights_of(weights, held))
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean scores of the boosters.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Log-odds of the second of two classes, or logarithms of probabilities up to a number for each row.
        """
        raw = self._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of the classes at the boosters' mean scores.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return probabilities(self._raw(X), len(self.classes_))


@documented
class BoostedTreesRegressor(RegressorMixin, BoostedEstimator):
    """Gradient-boosted trees of least squares on folds of the rows, with out-of-fold predictions.

    Each round grows a tree on the residuals. Missing values go to the side where they gain more, and where there were
    none to the heavier one.

    Parameters
    ----------
    %(n_rounds)s
    %(learning_rate)s
    %(max_leaf_nodes)s
    %(max_depth)s
    %(max_bins)s
    %(min_samples_leaf)s
    %(l2_regularization)s
    %(subsample)s
    %(max_features)s
    %(n_bags)s
    %(early_stopping)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    n_rounds_ : int
        Rounds of each booster.
    losses_ : ndarray of shape (n_rounds_tried,)
        Mean squared error of the rows that boosters do not see, by weight, after each round; NaN if there are none.
    boosted_ : BoostedTrees
    forest_ : GrownTrees
        The trees of all boosters.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in what all splits gain.
    oob_prediction_ : ndarray of shape (n_rows,)
        With `n_bags` above 1: what the booster which has not seen a row predicts for it; NaN for rows of weight 0.
    oob_score_ : float
        Their R^2, by weight.

    Notes
    -----
    See :class:`BoostedTreesClassifier`.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, 1189-1232.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack.trees import BoostedTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> BoostedTreesRegressor(random_state=0).fit(X, y).oob_score_ > 0.4
    True
    """

    study_facts: ClassVar[Facts] = Facts(cost=Cost(0, 0.55, 0.22, 12), trees=("n_rounds", "n_bags"))

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the boosters.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Missing values are NaN.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            At least 0; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Infinite values (the message names the column), a missing target, weights below 0, or `max_features` above the
            number of columns.
        """
        X, y, weights = self._checked_numbers(X, y, sample_weight)
        held = self._boost(X, y, weights, None)
        if held.any():
            self.oob_prediction_ = self.boosted_.held_out[:, 0]
            self.oob_score_ = r_squared(self.oob_prediction_[held], y[held], weights_of(weights, held))
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean prediction of the boosters.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._raw(X)[:, 0]
