"""Double rotation forests: with the votes of all trees (DRSF), or of those that margins choose (DRMF)."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rotastack.base.scikit import Interval, StrOptions
from rotastack.blas import one_blas_thread
from rotastack.combine.pruning.margin import MarginPruner
from rotastack.ensembles.forests.rotation import SUBSET_CONSTRAINTS, SubsetRotationForest
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.threads import run_threads
from rotastack.views.double import double_matrices

__all__ = ["DoubleRotationForestClassifier", "DoubleRotationMarginForestClassifier"]


class _DoubleRotationForest(SubsetRotationForest):
    _parameter_constraints: ClassVar[dict] = {
        **SUBSET_CONSTRAINTS,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0.0, 1.0, closed="both")],
    }
    hard = True
    n_neighbors: int
    alpha: float

    def _views(self, X, rows, count, sequences):
        def matrix(k: int) -> NDArray[np.float64]:
            ((first, second),) = double_matrices(
                X, [rows[k]], count, self.bootstrap_ratio, self.n_neighbors, self.alpha, [sequences[k]]
            )
            return first @ second

        with one_blas_thread():
            return LinearViews.dense(list(run_threads(matrix, range(len(sequences)), self.n_jobs)))


class DoubleRotationForestClassifier(_DoubleRotationForest):
    """Double rotation, and the simple vote of all trees (DRSF).

    Each tree sees the columns first turned to principal axes of random subsets, then mapped by
    locality sensitive discriminant analysis of other subsets: see :class:`rotastack.views.DoubleRotation`.

    Parameters
    ----------
    n_estimators : int, default=100
        L, number of trees.
    n_subsets : int or None, default=None
        K, subsets of the columns; None is 2, or what `subset_size` makes it.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        gamma: rows drawn for a rotation, as a share of those of the classes kept.
    estimator : C45Classifier, TreeClassifier, DecisionTreeClassifier or None, default=None
        The tree: None is ``C45Classifier()``.
    bootstrap : bool, default=False
        Also grow each tree on rows drawn with replacement, which gives out-of-bag rows.
    n_neighbors, alpha
        Of the discriminant analysis, see :class:`rotastack.views.LocalityDiscriminantAnalysis`.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler before the rotation; also fills missing values with training medians.
    categorical_features : array-like of int, bool or str, or None
        Columns (0/1 dummies) that are never rotated.
    n_jobs : int or None
        Threads over trees. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
    feature_importances_ : ndarray of shape (n_features,)
    oob_proba_, oob_score_ : ndarray of shape (n_rows, n_classes), float
        With `bootstrap`: of mean class shares.

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
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.n_subsets = n_subsets
        self.subset_size = subset_size
        self.bootstrap_ratio = bootstrap_ratio
        self.estimator = estimator
        self.bootstrap = bootstrap
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state


class DoubleRotationMarginForestClassifier(_DoubleRotationForest):
    """Double rotation margin forest (DRMF): a double rotation forest pruned by margins.

    Trees are ordered by the weights of a Lasso that brings the margins of the selection rows near 1, and
    the first of them vote: see :class:`rotastack.combine.pruning.MarginPruner`.

    Parameters
    ----------
    n_estimators : int, default=100
        L, number of trees before pruning.
    n_subsets : int or None, default=None
        K, subsets of the columns; None is 2, or what `subset_size` makes it.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        gamma: rows drawn for a rotation, as a share of those of the classes kept.
    estimator : C45Classifier, TreeClassifier, DecisionTreeClassifier or None, default=None
        The tree: None is ``C45Classifier()``.
    lambda_ : "cv" or float, default="cv"
        Penalty of the Lasso.
    selection : {"oob", "train"}, default="oob"
        Rows by whose votes trees are chosen: those of training, each tree voting only on rows out of
        its bag; or all of them, as in the source, which asks for pruned trees: fully grown ones are
        always right there, and one would be kept.
    vote : {"simple", "weighted"}, default="simple"
        Whether trees vote with equal weights or with those of the Lasso.
    bootstrap : bool, default=True
        Grow each tree on rows drawn with replacement; selection "oob" needs it. The source has none.
    n_neighbors, alpha
        Of the discriminant analysis, see :class:`rotastack.views.LocalityDiscriminantAnalysis`.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler before the rotation; also fills missing values with training medians.
    categorical_features : array-like of int, bool or str, or None
        Columns (0/1 dummies) that are never rotated.
    n_jobs : int or None
        Threads over trees. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pruner_ : MarginPruner
        With ``selected_`` (tree numbers before pruning, in the order of choice), ``lasso_weights_``, ``curve_``.
    forest_ : GrownTrees
        The trees kept, in the order of choice.
    feature_importances_ : ndarray of shape (n_features,)

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
    >>> clf.predict(X[[0, 60, 120]]), len(clf.forest_) < 40
    (array([0, 1, 2]), True)
    """

    _parameter_constraints: ClassVar[dict] = {
        **_DoubleRotationForest._parameter_constraints,
        "lambda_": [StrOptions({"cv"}), Interval(Real, 0.0, None, closed="left")],
        "selection": [StrOptions({"oob", "train"})],
        "vote": [StrOptions({"simple", "weighted"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        estimator: Any = None,
        lambda_: str | float = "cv",
        selection: str = "oob",
        vote: str = "simple",
        bootstrap: bool = True,
        n_neighbors: int = 5,
        alpha: float = 0.1,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.n_subsets = n_subsets
        self.subset_size = subset_size
        self.bootstrap_ratio = bootstrap_ratio
        self.estimator = estimator
        self.lambda_ = lambda_
        self.selection = selection
        self.vote = vote
        self.bootstrap = bootstrap
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _grow(self, X, target, n_classes, n_numeric, sequence):
        if self.selection == "oob" and not self.bootstrap:
            raise ValueError("selection='oob' needs bootstrap=True: without it no row is out of bag")
        super()._grow(X, target, n_classes, n_numeric, sequence)
        votes = self.forest_.votes(X, self.n_jobs)
        if self.selection == "oob":
            votes = np.where(self.forest_.out_of_bag(len(X)), votes, -1)
        pruner = MarginPruner(self.lambda_, vote=self.vote)
        self.pruner_ = pruner.fit(votes, target, classes=np.arange(n_classes))
        self.forest_ = self.forest_.take(self.pruner_.selected_).compact()
        return None

    def __sklearn_is_fitted__(self) -> bool:  # lambda_ looks like something learned
        return hasattr(self, "pruner_")

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the share of votes for each class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self, "forest_")
        return self.pruner_.kept_shares(self.forest_.votes(self._checked(X), self.n_jobs))
