"""Extremely randomised trees."""

from typing import ClassVar

from rotastack.trees.estimators import LEAST_ONE
from rotastack.trees.forest import ForestClassifier, ForestRegressor


class ExtraForestClassifier(ForestClassifier):
    """Extremely randomised trees: each split is the best of a few random cuts (thresholds).

    For each searched column, `n_cuts` cuts are drawn between the smallest and the largest value in the node. The split
    is the best cut of all searched columns. Each cut sends missing values (NaN) to a random side. If all known values
    of a column are equal, its cut separates known values from missing values.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    n_cuts : int, default=1
        Number of cuts drawn for each column; the best one is used.
    criterion : {"gini", "entropy"}, default="gini"
        Impurity.
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        Smallest number of rows in a leaf; a row that a bootstrap draws several times counts once.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns searched for each split: their number, their share, or None for all.
    bootstrap : bool, default=False
        Grow each tree on a bootstrap sample: as many rows, drawn with replacement in proportion to their weights.
        Without a bootstrap, no row is out of bag, and fully grown trees do not predict heavy classes more often.
    class_weight : {"balanced"}, dict or None, default=None
        Weights of the classes, which multiply the weights of their rows.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning.
    n_jobs : int or None, default=None
        Number of threads; the forest does not depend on `n_jobs`.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
    feature_importances_ : ndarray of shape (n_features,)
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        With `bootstrap`: mean output of the trees whose bag lacks the row; NaN if there is no such tree.
    oob_score_, tree_oob_error_ : see :class:`ForestClassifier`

    References
    ----------
    Geurts, P., Ernst, D. & Wehenkel, L. (2006). Extremely randomized trees. Machine Learning 63, 3-42.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.trees import ExtraForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraForestClassifier(20, random_state=0).fit(X, y).predict(X[[0, 60, 120]]).tolist()
    [0, 1, 2]
    """

    splitter = "random"
    _parameter_constraints: ClassVar[dict] = {**ForestClassifier._parameter_constraints, "n_cuts": [LEAST_ONE]}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_cuts: int = 1,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_features: str | int | float | None = "sqrt",
        bootstrap: bool = False,
        class_weight: dict | str | None = None,
        ccp_alpha: float = 0.0,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            max_features=max_features,
            bootstrap=bootstrap,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.n_cuts = n_cuts


class ExtraForestRegressor(ForestRegressor):
    """Extremely randomised trees for regression: each split is the best of a few random cuts (thresholds).

    For each searched column, `n_cuts` cuts are drawn between the smallest and the largest value in the node. The split
    is the best cut of all searched columns. Missing values (NaN) are treated as in :class:`ExtraForestClassifier`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    n_cuts : int, default=1
        Number of cuts drawn for each column; the best one is used.
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        Smallest number of rows in a leaf; a row that a bootstrap draws several times counts once.
    max_features : {"sqrt", "log2"}, int, float or None, default=1.0
        Columns searched for each split: their number, their share, or None for all.
    bootstrap : bool, default=False
        Grow each tree on a bootstrap sample: as many rows, drawn with replacement in proportion to their weights.
        Without a bootstrap, no row is out of bag.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning.
    n_jobs : int or None, default=None
        Number of threads; the forest does not depend on `n_jobs`.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    oob_prediction_ : ndarray of shape (n_rows,)
        With `bootstrap`: see :class:`ForestRegressor`.
    forest_ : GrownTrees
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_ : see :class:`ForestRegressor`

    References
    ----------
    Geurts, P., Ernst, D. & Wehenkel, L. (2006). Extremely randomized trees. Machine Learning 63, 3-42.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack.trees import ExtraForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraForestRegressor(bootstrap=True, random_state=0).fit(X, y).oob_score_ > 0.35
    True
    """

    splitter = "random"
    _parameter_constraints: ClassVar[dict] = {**ForestRegressor._parameter_constraints, "n_cuts": [LEAST_ONE]}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_cuts: int = 1,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_features: str | int | float | None = 1.0,
        bootstrap: bool = False,
        ccp_alpha: float = 0.0,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            max_features=max_features,
            bootstrap=bootstrap,
            ccp_alpha=ccp_alpha,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.n_cuts = n_cuts
