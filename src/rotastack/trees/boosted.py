"""Gradient-boosted trees as estimators."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rotastack.base.traits import Traits
from rotastack.trees.boosters import OPTION_CONSTRAINTS, BoostingOptions
from rotastack.trees.boosting import BoostedTrees, boosting_folds, grow_boosted, probabilities
from rotastack.trees.estimators import CLASSIFIER_CONSTRAINTS, LEAST_ONE, GrownEstimator, LabelTrees, NumberTrees
from rotastack.trees.growing import OutOfBag

DEFAULTS, BAGS = BoostingOptions(), 5


class BoostedEstimator(GrownEstimator):
    """Base class of gradient-boosted trees."""

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

    def _grow(self, rows, sequence):
        options = BoostingOptions(
            **{name: getattr(self, name) for name in BoostingOptions._fields if hasattr(self, name)}
        )
        folds = boosting_folds(rows.target, self.n_bags, sequence, rows.weights, rows.n_classes)
        self.boosted_ = grow_boosted(rows, options, sequence, folds=folds, n_jobs=self.n_jobs)
        self.forest_ = self.boosted_.trees
        self.n_rounds_ = self.boosted_.n_rounds
        self.losses_ = self.boosted_.losses
        held, outputs = folds >= 0, self.boosted_.held_out
        if rows.n_classes is not None:
            outputs = probabilities(outputs, rows.n_classes)
        return OutOfBag(outputs, held, np.empty(0)) if held.any() else None

    def _raw(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self.boosted_.raw(self._checked(X), self.n_jobs)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the total gain of all splits; zeros without a split."""
        check_is_fitted(self)
        return self.boosted_.importances()


class BoostedTreesClassifier(BoostedEstimator, LabelTrees):
    """Gradient-boosted trees on folds of the rows, with out-of-fold probabilities and a chosen number of rounds.

    With two classes, each round grows one tree on the gradients of the logistic loss. With more classes, each round
    grows one tree for each class on the gradients of the softmax loss. A split sends missing values to the side where
    the gain is larger. If no training row of a node misses the value, later missing values go to the child of larger
    weight.

    Parameters
    ----------
    n_rounds : int, default=200
        Largest number of rounds. Each round grows one tree, or with more than two classes one tree for each class.
    learning_rate : float, default=0.1
        Factor by which the values of leaves are multiplied.
    max_leaf_nodes : int or None, default=31
        Largest number of leaves of a tree. The leaf of the largest gain is split first.
    max_depth : int or None, default=None
    max_bins : int, default=255
        Largest number of bins of a column, from 2 to 255; missing values have a bin of their own. The bins are made
        from the rows of a bag. A column with at most `max_bins` different values has one bin for each value; the bins
        of other columns hold about equally many rows.
    min_samples_leaf : int, default=20
        Smallest number of rows in a leaf.
    l2_regularization : float, default=1.0
        Number that is added to the sum of hessians of a leaf, which shrinks the value of the leaf. The hessian of a
        row is 1 in a regression and at most 1/4 with two classes.
    subsample : float, default=1.0
        Share of the bag's rows that is drawn, without replacement, for each round.
    max_features : int, float or None, default=None
        Columns that are drawn for each tree: their number, their share, or None for all.
    n_bags : int, default=5
        Number of boosters and of folds of the rows. Booster b is trained on the rows outside fold b; predictions are
        made from the mean of the boosters' scores. So each row has an out-of-fold score. These scores estimate the
        error, choose the number of rounds, and can train a stacker. The mean of several boosters also varies less than
        one booster. With 1, a single booster is trained on all rows for `n_rounds` rounds.
    early_stopping : bool, default=True
        Choose the number of rounds, the same for all boosters, by the loss of the held-out rows. Training stops when
        this loss has had no new minimum for 20 rounds. The out-of-fold scores are of the same rows, so they are slightly
        optimistic.
    class_weight : {"balanced"}, dict or None, default=None
        Weights of the classes, which multiply the weights of their rows.
    n_jobs : int or None, default=None
        Number of threads over boosters; the result does not depend on `n_jobs`.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_rounds_ : int
        Number of rounds of each booster.
    losses_ : ndarray of shape (n_rounds_tried,)
        Weighted mean log loss, in nats, of the held-out rows after each round; NaN without held-out rows.
    boosted_ : BoostedTrees
    forest_ : GrownTrees
        The trees of all boosters.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the total gain of all splits.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Out-of-fold probabilities, if `n_bags` is above 1; NaN for rows of weight 0.
    oob_score_ : float
        Weighted accuracy of `oob_decision_function_`.

    Notes
    -----
    Gradients and hessians are rounded to whole numbers of a small unit, so their sums are exact in any order; a mean
    gradient has thousands of units. Of splits with equal gain, the first column wins, then the lower threshold. Weights
    of rows count relative to their mean. The initial score of a class that a bag lacks is that of half a row.

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

    study_traits: ClassVar[Traits] = Traits(trees=("n_rounds", "n_bags"))

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

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean scores of the boosters.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Log-odds of the second of two classes. With more classes, logarithms of the probabilities up to a constant
            for each row.
        """
        raw = self._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class probabilities that follow from the mean scores of the boosters."""
        return probabilities(self._raw(X), len(self.classes_))


class BoostedTreesRegressor(BoostedEstimator, NumberTrees):
    """Gradient-boosted trees of least squares on folds of the rows, with out-of-fold predictions.

    Each round grows a tree on the residuals. Missing values are treated as in :class:`BoostedTreesClassifier`.

    Parameters
    ----------
    n_rounds : int, default=200
        Largest number of rounds; each round grows one tree.
    learning_rate : float, default=0.1
        Factor by which the values of leaves are multiplied.
    max_leaf_nodes : int or None, default=31
        Largest number of leaves of a tree. The leaf of the largest gain is split first.
    max_depth : int or None, default=None
    max_bins : int, default=255
        Largest number of bins of a column, from 2 to 255; missing values have a bin of their own.
    min_samples_leaf : int, default=20
        Smallest number of rows in a leaf.
    l2_regularization : float, default=1.0
        Number that is added to the weight of a leaf, which shrinks the value of the leaf.
    subsample : float, default=1.0
        Share of the bag's rows that is drawn, without replacement, for each round.
    max_features : int, float or None, default=None
        Columns that are drawn for each tree: their number, their share, or None for all.
    n_bags : int, default=5
        Number of boosters and of folds of the rows. Booster b is trained on the rows outside fold b; predictions are
        the mean of the boosters' predictions. With 1, a single booster is trained on all rows for `n_rounds` rounds.
    early_stopping : bool, default=True
        Choose the number of rounds, the same for all boosters, by the loss of the held-out rows. Training stops when
        this loss has had no new minimum for 20 rounds.
    n_jobs : int or None, default=None
        Number of threads over boosters; the result does not depend on `n_jobs`.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    n_rounds_ : int
        Number of rounds of each booster.
    losses_ : ndarray of shape (n_rounds_tried,)
        Weighted mean squared error of the held-out rows after each round; NaN without held-out rows.
    boosted_ : BoostedTrees
    forest_ : GrownTrees
        The trees of all boosters.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the total gain of all splits.
    oob_prediction_ : ndarray of shape (n_rows,)
        Out-of-fold predictions, if `n_bags` is above 1; NaN for rows of weight 0.
    oob_score_ : float
        Weighted R^2 of `oob_prediction_`.

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

    study_traits: ClassVar[Traits] = Traits(trees=("n_rounds", "n_bags"))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean prediction of the boosters."""
        return self._raw(X)[:, 0]
