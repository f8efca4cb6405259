"""C4.5."""

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from rotastack.base.scikit import Interval
from rotastack.trees.estimators import LEAST_ONE, GrownClassifier
from rotastack.trees.grown import GrownTrees

__all__ = ["C45Classifier"]


class C45Classifier(GrownClassifier):
    """A C4.5 tree (release 8) of numeric columns, as WEKA's J48 grows it.

    Splits have the largest gain ratio among columns of at least average gain, where the gain of a
    column is reduced by the cost of encoding the choice among its cuts. Cuts are values of the
    training data. The tree is pruned by pessimistic estimates of its errors, with subtree raising.

    The trees are J48's, node for node, on data that float32 holds exactly. Two rules differ:
    where J48 asks for so many rows in a node of weighted rows before it looks at a column, this
    asks for their weight, as it does everywhere else; so weights count as repeated rows do. And
    where a value is missing (NaN), J48 and Quinlan share the row among both sides of a split, this
    sends it to one: see :class:`ForestClassifier`. Cuts with missing values on the left and on the
    right count as so many cuts, of which the choice is paid for.

    Parameters
    ----------
    confidence : float or None, default=0.25
        Confidence factor of the estimates, above 0 and at most 0.5: the less, the smaller the
        tree. With None it is not pruned; only subtrees that do not lower the training error
        are replaced by leaves.
    min_samples_leaf : int, default=2
        Least weight on either side of a split. It is more in large nodes: a tenth of the mean
        weight of a class, up to 25.
    subtree_raising : bool, default=True
        Whether pruning may put the larger branch of a node in its place.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
        Of one tree.
    feature_importances_ : ndarray of shape (n_features,)

    Notes
    -----
    A row of weight w counts as w cases: weights of 1 / n make a tree of one leaf. Neighbouring
    values of a column count as one up to a distance of 1e-5, so columns of smaller numbers need
    to be scaled.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for machine learning.

    Quinlan, J. R. (1996). Improved use of continuous attributes in C4.5. Journal of Artificial
    Intelligence Research 4, 77-90.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.trees import C45Classifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = C45Classifier().fit(X, y)
    >>> print(tree.export_text(), end="")
    |--- petal width (cm) <= 0.600
    |   |--- class: 0 (50 rows)
    |--- petal width (cm) >  0.600
    |   |--- petal width (cm) <= 1.700
    |   |   |--- petal length (cm) <= 4.900
    |   |   |   |--- class: 1 (48 rows)
    |   |   |--- petal length (cm) >  4.900
    |   |   |   |--- petal width (cm) <= 1.500
    |   |   |   |   |--- class: 2 (3 rows)
    |   |   |   |--- petal width (cm) >  1.500
    |   |   |   |   |--- class: 1 (3 rows)
    |   |--- petal width (cm) >  1.700
    |   |   |--- class: 2 (46 rows)
    """

    _parameter_constraints: ClassVar[dict] = {
        "confidence": [Interval(Real, 0.0, 0.5, closed="right"), None],
        "min_samples_leaf": [LEAST_ONE],
        "subtree_raising": ["boolean"],
    }
    criterion: ClassVar[str] = "c45"
    max_features = None
    random_state: Any = 0  # nothing is drawn

    def __init__(self, *, confidence: float | None = 0.25, min_samples_leaf: int = 2, subtree_raising: bool = True):
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.subtree_raising = subtree_raising

    @property
    def tree_(self) -> GrownTrees:
        """The tree, as a forest of one."""
        return self.forest_

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return int(self.forest_.facts[0, 1])

    def get_depth(self) -> int:
        """Return the depth of the deepest leaf; 0 for a lone root."""
        check_is_fitted(self)
        return int(self.forest_.facts[0, 2])
