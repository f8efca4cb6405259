"""Single decision trees."""

from typing import ClassVar

from rotastack.base.scikit import StrOptions
from rotastack.trees.estimators import (
    CLASSIFIER_CONSTRAINTS,
    LEAST_ONE,
    TREE_CONSTRAINTS,
    GrownRegressor,
    MembersClassifier,
)


class TreeClassifier(MembersClassifier):
    """A single classification tree, grown on all rows.

    Missing values (NaN) are treated as in :class:`ForestClassifier`, and with random cuts as in
    :class:`ExtraForestClassifier`.

    Parameters
    ----------
    splitter : {"best", "random"}, default="best"
        Use the best cut (threshold) of a column, or the best of `n_cuts` random cuts.
    n_cuts : int, default=1
        Number of cuts that the random splitter draws for each column.
    criterion : {"gini", "entropy"}, default="gini"
        Impurity.
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        Smallest number of rows in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Columns searched for each split: their number, their share, or None for all.
    class_weight : {"balanced"}, dict or None, default=None
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the searched columns and of random cuts; it also decides between equally good splits.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
        A forest of one tree.
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and regression trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.trees import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> TreeClassifier(max_depth=2, random_state=3).fit(X, y).predict(X[[0, 60, 120]]).tolist()
    [0, 1, 2]
    """

    _parameter_constraints: ClassVar[dict] = {
        **TREE_CONSTRAINTS,
        **CLASSIFIER_CONSTRAINTS,
        "splitter": [StrOptions({"best", "random"})],
        "n_cuts": [LEAST_ONE],
    }

    def __init__(
        self,
        *,
        splitter: str = "best",
        n_cuts: int = 1,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_features: str | int | float | None = None,
        class_weight: dict | str | None = None,
        ccp_alpha: float = 0.0,
        random_state=None,
    ):
        self.splitter = splitter
        self.n_cuts = n_cuts
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.random_state = random_state


class TreeRegressor(GrownRegressor):
    """A single regression tree, grown on all rows.

    Missing values (NaN) are treated as in :class:`ForestClassifier`, and with random cuts as in
    :class:`ExtraForestClassifier`.

    Parameters
    ----------
    splitter : {"best", "random"}, default="best"
        Use the best cut (threshold) of a column, or the best of `n_cuts` random cuts.
    n_cuts : int, default=1
        Number of cuts that the random splitter draws for each column.
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        Smallest number of rows in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Columns searched for each split: their number, their share, or None for all.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the searched columns and of random cuts; it also decides between equally good splits.

    Attributes
    ----------
    forest_ : GrownTrees
        A forest of one tree.
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and regression trees.

    Examples
    --------
    >>> from rotastack.trees import TreeRegressor
    >>> TreeRegressor(random_state=0).fit([[0.0], [1.0], [2.0]], [5.0, 5.0, 8.0]).predict([[1.2], [1.8]]).tolist()
    [5.0, 8.0]
    """

    _parameter_constraints: ClassVar[dict] = {
        **TREE_CONSTRAINTS,
        "splitter": [StrOptions({"best", "random"})],
        "n_cuts": [LEAST_ONE],
    }

    def __init__(
        self,
        *,
        splitter: str = "best",
        n_cuts: int = 1,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_features: str | int | float | None = None,
        ccp_alpha: float = 0.0,
        random_state=None,
    ):
        self.splitter = splitter
        self.n_cuts = n_cuts
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.ccp_alpha = ccp_alpha
        self.random_state = random_state
