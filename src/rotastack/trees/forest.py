"""Random forests."""

from typing import ClassVar

from rotastack.base.facts import USUAL_COST, Cost, Facts
from rotastack.base.scikit import StrOptions
from rotastack.trees.estimators import CLASSIFIER_CONSTRAINTS, FOREST_CONSTRAINTS, GrownClassifier, GrownRegressor

__all__ = ["ForestClassifier", "ForestRegressor"]


class ForestClassifier(GrownClassifier):
    """A random forest: bootstrapped trees with random features at each split.

    The same forest as scikit-learn's ``RandomForestClassifier`` up to the random numbers, at a
    fraction of its time. Out-of-bag probabilities are always kept.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "gain_ratio", "c45"}, default="gini"
        Impurity. "gain_ratio" takes, as C4.5 does, the largest ratio of the decrease of entropy
        to the entropy of the sides' sizes, among columns of at least average decrease. "c45" grows and
        prunes trees as :class:`C45Classifier` does: they look at all columns, and know `max_depth` and
        `min_samples_leaf` (2 in C4.5) only.
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        In rows, not counting how often a bootstrap drew them.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns looked at for each split: their number, their share, or all with None.
    constant_leaf : bool, default=False
        Make a leaf of a node in which all columns drawn for its split are constant, as R's randomForest does.
        Otherwise further columns are drawn, as in scikit-learn.
    max_leaf_nodes : int or None, default=None
        With it, the node of the largest decrease is split first.
    min_impurity_decrease : float, default=0.0
        Least decrease of a split, weighted by the node's share of the weight.
    bootstrap : bool, default=True
        Grow each tree on as many rows, drawn with replacement and in proportion to their weights.
    class_weight : {"balanced"}, dict or None, default=None
        Weights of the classes, by which those of rows are multiplied.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning.
    n_jobs : int or None, default=None
        Threads; the forest does not depend on them.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
    feature_importances_ : ndarray of shape (n_features,)
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        With `bootstrap`: mean over the trees that have a row out of bag; NaN if none has.
    oob_score_ : float
        Accuracy of `oob_decision_function_`, by weight, over the rows that were ever out of bag.
    tree_oob_error_ : ndarray of shape (n_estimators,)
        Error of each tree on its out-of-bag rows, by weight.

    Notes
    -----
    Memory: see :func:`rotastack.trees.growing.grow_forest`. Cuts are float32; values that are
    equal in float32 cannot be told apart.

    Missing values are NaN. The rows of a node that miss their value go to one side of a split, the
    better one, and a split may also part known values from missing ones. Where none is missing in
    a node, later ones go to the child of larger weight. From a column without any known value
    nothing is learnt.

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

    study_facts: ClassVar[Facts] = Facts(cost=USUAL_COST)

    _parameter_constraints: ClassVar[dict] = {
        **FOREST_CONSTRAINTS,
        **CLASSIFIER_CONSTRAINTS,
        "criterion": [StrOptions({"gini", "entropy", "gain_ratio", "c45"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: str | int | float | None = "sqrt",
        constant_leaf: bool = False,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        class_weight: dict | str | None = None,
        ccp_alpha: float = 0.0,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.constant_leaf = constant_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.n_jobs = n_jobs
        self.random_state = random_state


class ForestRegressor(GrownRegressor):
    """A random forest for regression: bootstrapped trees of least squared error.

    Missing values are NaN, and treated as :class:`ForestClassifier` says.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        In rows, not counting how often a bootstrap drew them.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default=1.0
        Columns looked at for each split: their number, their share, or all with None.
    constant_leaf : bool, default=False
        Make a leaf of a node in which all columns drawn for its split are constant, as R's randomForest does.
        Otherwise further columns are drawn, as in scikit-learn.
    max_leaf_nodes : int or None, default=None
        With it, the node of the largest decrease is split first.
    min_impurity_decrease : float, default=0.0
        Least decrease of the variance by a split, weighted by the node's share of the weight.
    bootstrap : bool, default=True
        Grow each tree on as many rows, drawn with replacement and in proportion to their weights.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning.
    n_jobs : int or None, default=None
        Threads; the forest does not depend on them.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    forest_ : GrownTrees
    feature_importances_ : ndarray of shape (n_features,)
    oob_prediction_ : ndarray of shape (n_rows,)
        With `bootstrap`: mean over the trees that have a row out of bag; NaN if none has.
    oob_score_ : float
        R^2 of `oob_prediction_`, by weight, over the rows that were ever out of bag.

    References
    ----------
    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack.trees import ForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ForestRegressor(random_state=0).fit(X, y).oob_score_ > 0.35
    True
    """

    study_facts: ClassVar[Facts] = Facts(cost=Cost(0, 9, 6, 200), row_bytes=106)

    _parameter_constraints: ClassVar[dict] = FOREST_CONSTRAINTS

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: str | int | float | None = 1.0,
        constant_leaf: bool = False,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        ccp_alpha: float = 0.0,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.constant_leaf = constant_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.ccp_alpha = ccp_alpha
        self.n_jobs = n_jobs
        self.random_state = random_state
