"""Double rotation forests: all trees vote (DRSF), or only the trees that a pruner chooses (DRMF)."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from rotastack.base.scikit import HasMethods, Interval, StrOptions
from rotastack.blas import one_blas_thread
from rotastack.combine.pruning.orientation import OrientationPruner
from rotastack.combine.pruning.pruner import Pruner
from rotastack.ensembles.forests.rotation import SUBSET_CONSTRAINTS, SubsetRotationForest
from rotastack.seeds import child
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.threads import run_threads
from rotastack.views.double import DoubleRotation
from rotastack.views.subsets import whole_matrix


class DoubleRotationForestClassifier(SubsetRotationForest):
    """A double rotation forest with the simple vote of all trees (DRSF).

    The columns are rotated twice for each tree: to the principal axes of random subsets of the columns, then by
    locality sensitive discriminant analysis of other subsets. See :class:`rotastack.views.DoubleRotation`.

    Memory beyond that of the trees: 4 p k bytes for each tree on p numeric columns, and twice as much in ``fit``. The
    number of axes k is p. A subset of more columns than rows gives fewer axes than rows.

    Parameters
    ----------
    n_estimators : int, default=100
        L, number of trees.
    n_subsets : int or None, default=None
        K, number of subsets of the columns. None: `subset_size` sets the number, or the number is 2.
    subset_size : int or None, default=None
        Largest number of columns in a subset (3 in WEKA); an alternative to `n_subsets`.
    bootstrap_ratio : float, default=0.75
        gamma, number of rows drawn for a rotation, as a share of the rows of the drawn classes.
    estimator : C45Classifier, TreeClassifier, DecisionTreeClassifier or None, default=None
        The tree, which the compiled kernel grows; None is ``C45Classifier()``.
    bootstrap : bool, default=False
        Grow each tree on rows drawn with replacement, which gives out-of-bag rows.
    n_neighbors : int, default=5
        Neighbours of a row in the graphs of the discriminant analysis, see
        :class:`rotastack.views.LocalityDiscriminantAnalysis`.
    alpha : float, default=0.1
        Weight of the graph between classes in the discriminant analysis.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; the weight of a row is multiplied by the weight of its class.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
    feature_importances_ : ndarray of shape (n_features,)
    oob_decision_function_, oob_score_ : ndarray of shape (n_rows, n_classes), float
        Only with `bootstrap`, from the mean class shares of the trees.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, algorithm 1 and table 8.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import DoubleRotationForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = DoubleRotationForestClassifier(20, random_state=0).fit(X, y)
    >>> clf.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    _parameter_constraints: ClassVar[dict] = {
        **SUBSET_CONSTRAINTS,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0.0, 1.0, closed="both")],
    }

    hard = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        estimator: Any = None,
        bootstrap: bool = False,
        n_neighbors: int = 5,
        alpha: float = 0.1,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        class_weight: dict | str | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            n_subsets=n_subsets,
            subset_size=subset_size,
            bootstrap_ratio=bootstrap_ratio,
            estimator=estimator,
            bootstrap=bootstrap,
            scaling=scaling,
            categorical_features=categorical_features,
            class_weight=class_weight,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.n_neighbors = n_neighbors
        self.alpha = alpha

    def _views(self, X, rows, count, sequence):
        view = DoubleRotation(bootstrap_ratio=self.bootstrap_ratio, n_neighbors=self.n_neighbors, alpha=self.alpha)

        def matrix(k: int, _: NDArray[np.uint8]) -> NDArray[np.float32]:
            first, second = view._blocks(X, rows.of_view(k), count, child(sequence, k))
            return (whole_matrix(first) @ whole_matrix(second)).astype(np.float32)

        columns = np.arange(X.shape[1])
        with one_blas_thread():
            matrices = run_threads(matrix, range(self.n_estimators), self.n_jobs)
            return LinearViews.blocks(([(columns, rotation)] for rotation in matrices), X.shape[1])


class DoubleRotationMarginForestClassifier(DoubleRotationForestClassifier):
    """A double rotation margin forest (DRMF): a double rotation forest of which a pruner keeps half of the trees.

    The default pruner orders the trees by angles and keeps the first half: see
    :class:`rotastack.combine.pruning.OrientationPruner`. The paper's rule is ``pruner=MarginPruner(n_select=None)``.

    Memory in ``fit``: as :class:`DoubleRotationForestClassifier`. Afterwards only the kept trees need memory.

    Parameters
    ----------
    n_estimators : int, default=100
        L, number of trees before pruning.
    n_subsets : int or None, default=None
        K, number of subsets of the columns. None: `subset_size` sets the number, or the number is 2.
    subset_size : int or None, default=None
        Largest number of columns in a subset (3 in WEKA); an alternative to `n_subsets`.
    bootstrap_ratio : float, default=0.75
        gamma, number of rows drawn for a rotation, as a share of the rows of the drawn classes.
    estimator : C45Classifier, TreeClassifier, DecisionTreeClassifier or None, default=None
        The tree, which the compiled kernel grows; None is ``C45Classifier()``.
    pruner : pruner or None, default=None
        See :mod:`rotastack.combine.pruning`. None is ``OrientationPruner()``.
    selection : {"train", "oob"}, default="train"
        Rows on which the pruner compares the trees' votes. "train", as in the paper: the training rows, where fully
        grown trees make no errors but pruned trees do. "oob": each tree votes only on its out-of-bag rows.
    bootstrap : bool, default=False
        Grow each tree on rows drawn with replacement; selection "oob" needs a bootstrap. A bootstrap costs accuracy.
    n_neighbors : int, default=5
        Neighbours of a row in the graphs of the discriminant analysis, see
        :class:`rotastack.views.LocalityDiscriminantAnalysis`.
    alpha : float, default=0.1
        Weight of the graph between classes in the discriminant analysis.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; the weight of a row is multiplied by the weight of its class.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pruner_ : fitted pruner
        ``selected_`` has the tree numbers before pruning, in the order of choice. ``curve_`` and others depend on it.
    forest_ : GrownTrees
        The kept trees, in the order of choice.
    feature_importances_ : ndarray of shape (n_features,)

    Notes
    -----
    The paper's rule keeps the trees whose joint vote has the least error on the training rows, about five of a hundred.
    Their test error is a third above that of all trees. Half of the trees have no larger error: docs/evidence/drmf.md.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, algorithms 1 and 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import DoubleRotationMarginForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = DoubleRotationMarginForestClassifier(40, random_state=0).fit(X, y)
    >>> clf.predict(X[[0, 60, 120]]), len(clf.forest_)
    (array([0, 1, 2]), 20)
    """

    _parameter_constraints: ClassVar[dict] = {
        **DoubleRotationForestClassifier._parameter_constraints,
        "pruner": [HasMethods(["fit", "kept_shares"]), None],
        "selection": [StrOptions({"oob", "train"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        estimator: Any = None,
        pruner: Pruner | None = None,
        selection: str = "train",
        bootstrap: bool = False,
        n_neighbors: int = 5,
        alpha: float = 0.1,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        class_weight: dict | str | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            n_subsets=n_subsets,
            subset_size=subset_size,
            bootstrap_ratio=bootstrap_ratio,
            estimator=estimator,
            bootstrap=bootstrap,
            n_neighbors=n_neighbors,
            alpha=alpha,
            scaling=scaling,
            categorical_features=categorical_features,
            class_weight=class_weight,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.pruner = pruner
        self.selection = selection

    def _grow(self, rows, sequence):
        if self.selection == "oob" and not self.bootstrap:
            raise ValueError("selection='oob' needs bootstrap=True: without bags no row is out-of-bag")
        super()._grow(rows, sequence)
        votes = self.forest_.votes(rows.X, self.n_jobs)
        if self.selection == "oob":
            votes = np.where(self.forest_.out_of_bag(len(rows.X)), votes, -1)
        positive = slice(None) if rows.weights is None else rows.weights > 0
        pruner: Pruner = OrientationPruner() if self.pruner is None else clone(self.pruner)
        self.pruner_ = pruner.fit(votes[positive], rows.target[positive], classes=np.arange(rows.n_classes))
        self.forest_ = self.forest_.take(self.pruner_.selected_).compact()
        return None

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self.pruner_.kept_shares(self.forest_.votes(self._checked(X), self.n_jobs))
