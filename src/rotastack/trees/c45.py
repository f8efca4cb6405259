"""The C4.5 tree."""

from numbers import Real
from typing import Any, ClassVar

from rotastack.base.scikit import Interval
from rotastack.trees.estimators import LEAST_ONE, MembersClassifier
from rotastack.trees.grown import GrownTrees


class C45Classifier(MembersClassifier):
    """A C4.5 tree (release 8) of numeric columns, as WEKA's J48 grows it.

    A split has the largest gain ratio among the columns of at least average gain. The gain of a column is reduced by
    the cost of encoding the choice among its cuts (thresholds). Cuts are values of the training data. The tree is
    pruned by pessimistic estimates of its errors, with subtree raising.

    The trees equal J48's, node for node, on data that float32 holds exactly, but for two rules. First, J48 searches a
    column only if the node has enough rows, even if the rows have weights; this class requires enough weight, so a
    weight counts like repeated rows. Second, J48 and Quinlan send a row with a missing value (NaN) to both sides of a
    split with shared weight; this class sends the row to one side: see :class:`ForestClassifier`. A cut with missing
    values on the left and one with missing values on the right count as two cuts in the cost of encoding.

    Parameters
    ----------
    confidence : float or None, default=0.25
        Confidence factor of the error estimates, above 0 and at most 0.5: a smaller factor gives a smaller tree. With
        None the tree is not pruned; only subtrees that do not lower the training error become leaves.
    min_samples_leaf : int, default=2
        Smallest weight on either side of a split. In large nodes the limit rises to a tenth of the mean weight of a
        class, up to 25.
    subtree_raising : bool, default=True
        Whether pruning may replace a node by its larger branch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
        A forest of one tree.
    feature_importances_ : ndarray of shape (n_features,)

    Notes
    -----
    A row of weight w counts as w cases, so weights of 1 / n give a tree of one leaf. Neighbouring values of a column
    count as equal up to a distance of 1e-5, so columns of smaller numbers have to be scaled.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for machine learning.

    Quinlan, J. R. (1996). Improved use of continuous attributes in C4.5. Journal of Artificial
    Intelligence Research 4, 77-90.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.trees import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> arrays = C45Classifier().fit(X, y).tree_.arrays(0)
    >>> arrays["feature"].tolist(), arrays["n_node_samples"].tolist()
    ([3, -2, 3, 2, -2, -2, 3, -2, -2], [150, 50, 100, 54, 46, 48, 6, 3, 3])
    """

    _parameter_constraints: ClassVar[dict] = {
        "confidence": [Interval(Real, 0.0, 0.5, closed="right"), None],
        "min_samples_leaf": [LEAST_ONE],
        "subtree_raising": ["boolean"],
    }
    criterion: ClassVar[str] = "c45"
    max_features = None
    random_state: Any = 0  # C4.5 draws no random numbers

    def __init__(self, *, confidence: float | None = 0.25, min_samples_leaf: int = 2, subtree_raising: bool = True):
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.subtree_raising = subtree_raising

    @property
    def tree_(self) -> GrownTrees:
        """The tree, as a forest of one tree."""
        return self.forest_
