"""Random forests."""

from typing import ClassVar

from rotastack.base.scikit import StrOptions
from rotastack.trees.estimators import CLASSIFIER_CONSTRAINTS, FOREST_CONSTRAINTS, GrownRegressor, MembersClassifier


class ForestClassifier(MembersClassifier):
    """A random forest: bootstrapped trees with random features at each split.

    The forest equals scikit-learn's ``RandomForestClassifier`` up to the random numbers, and trains in a fraction of
    its time. A forest with a bootstrap always keeps its out-of-bag probabilities.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "c45"}, default="gini"
        Impurity. "c45" grows and prunes trees as :class:`C45Classifier` does: such trees search all columns, and of the
        limits of a tree they only use `max_depth` and `min_samples_leaf` (2 in C4.5).
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        Smallest number of rows in a leaf; a row that a bootstrap draws several times counts once.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns searched for each split: their number, their share, or None for all.
    constant_leaf : bool, default=False
        Make a node a leaf if all columns drawn for its split are constant, as R's randomForest does. Otherwise further
        columns are drawn, as in scikit-learn.
    bootstrap : bool, default=True
        Grow each tree on a bootstrap sample: as many rows, drawn with replacement in proportion to their weights.
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
    oob_score_ : float
        Weighted accuracy of `oob_decision_function_` on the rows that are out of at least one bag.
    tree_oob_error_ : ndarray of shape (n_estimators,)
        Weighted error of each tree on its out-of-bag rows.

    Notes
    -----
    Memory: see :func:`rotastack.trees.growing.grow_forest`. Cuts (thresholds) are float32, so no split separates values
    that are equal in float32.

    Missing values are NaN. A split sends all rows with a missing value to the better side; a split may also separate
    known values from missing values. If no training row of a node misses the value, later missing values go to the
    child of larger weight. A column without any known value is never used.

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
        **FOREST_CONSTRAINTS,
        **CLASSIFIER_CONSTRAINTS,
        "criterion": [StrOptions({"gini", "entropy", "c45"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_features: str | int | float | None = "sqrt",
        constant_leaf: bool = False,
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
        self.max_features = max_features
        self.constant_leaf = constant_leaf
        self.bootstrap = bootstrap
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.n_jobs = n_jobs
        self.random_state = random_state


class ForestRegressor(GrownRegressor):
    """A random forest for regression: bootstrapped trees that minimise the squared error.

    Missing values (NaN) are treated as in :class:`ForestClassifier`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_depth : int or None, default=None
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
        Smallest number of rows in a leaf; a row that a bootstrap draws several times counts once.
    max_features : {"sqrt", "log2"}, int, float or None, default=1.0
        Columns searched for each split: their number, their share, or None for all.
    constant_leaf : bool, default=False
        Make a node a leaf if all columns drawn for its split are constant, as R's randomForest does. Otherwise further
        columns are drawn, as in scikit-learn.
    bootstrap : bool, default=True
        Grow each tree on a bootstrap sample: as many rows, drawn with replacement in proportion to their weights.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning.
    n_jobs : int or None, default=None
        Number of threads; the forest does not depend on `n_jobs`.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    forest_ : GrownTrees
    feature_importances_ : ndarray of shape (n_features,)
    oob_prediction_ : ndarray of shape (n_rows,)
        With `bootstrap`: mean output of the trees whose bag lacks the row; NaN if there is no such tree.
    oob_score_ : float
        Weighted R^2 of `oob_prediction_` on the rows that are out of at least one bag.

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

    _parameter_constraints: ClassVar[dict] = FOREST_CONSTRAINTS

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_features: str | int | float | None = 1.0,
        constant_leaf: bool = False,
        bootstrap: bool = True,
        ccp_alpha: float = 0.0,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.constant_leaf = constant_leaf
        self.bootstrap = bootstrap
        self.ccp_alpha = ccp_alpha
        self.n_jobs = n_jobs
        self.random_state = random_state
