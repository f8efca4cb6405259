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

__all__ = ["TreeClassifier", "TreeRegressor"]


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
    criterion : {"gini", "entropy", "gain_ratio"}, default="gini"
        Impurity; "gain_ratio" chooses the split of the largest gain ratio, as C4.5 does.
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        Smallest number of rows in a leaf.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Columns searched for each split: their number, their share, or None for all.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves. With a limit, the node of the largest decrease of impurity is split first.
    min_impurity_decrease : float, default=0.0
        Smallest decrease of impurity by a split, weighted by the node's share of the total weight.
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
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(TreeClassifier(max_depth=2, random_state=3).fit(X, y).export_text(), end="")
    |--- petal width (cm) <= 0.800
    |   |--- class: 0 (50 rows)
    |--- petal width (cm) >  0.800
    |   |--- petal width (cm) <= 1.750
    |   |   |--- class: 1 (54 rows)
    |   |--- petal width (cm) >  1.750
    |   |   |--- class: 2 (46 rows)
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
        min_weight_fraction_leaf: float = 0.0,
        max_features: str | int | float | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
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
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
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
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Columns searched for each split: their number, their share, or None for all.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves. With a limit, the node of the largest decrease of impurity is split first.
    min_impurity_decrease : float, default=0.0
        Smallest decrease of variance by a split, weighted by the node's share of the total weight.
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
    >>> tree = TreeRegressor(random_state=0).fit([[0.0], [1.0], [2.0]], [5.0, 5.0, 8.0])
    >>> print(tree.export_text(), end="")
    |--- x0 <= 1.500
    |   |--- value: 5.000 (2 rows)
    |--- x0 >  1.500
    |   |--- value: 8.000 (1 rows)
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
        min_weight_fraction_leaf: float = 0.0,
        max_features: str | int | float | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        random_state=None,
    ):
        self.splitter = splitter
        self.n_cuts = n_cuts
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.random_state = random_state
