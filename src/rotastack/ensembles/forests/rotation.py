"""Rotation Forest (Rodriguez, Kuncheva & Alonso 2006) and the base class of forests on fitted rotations."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.row_weights import relative_weights
from rotastack.base.scikit import Interval
from rotastack.ensembles.forests.base_tree import base_tree
from rotastack.ensembles.forests.rotated import CLASS_WEIGHT, CONSTRAINTS, RotatedClassifier
from rotastack.seeds import child, kernel_seeds
from rotastack.trees.bags import Bags, tree_seeds
from rotastack.trees.forest import ForestClassifier
from rotastack.trees.growing import TrainingRows, grow_forest
from rotastack.trees.linear_views import LinearViews
from rotastack.views.principal import principal_blocks
from rotastack.views.subsets import RowsByClass, count_subsets

SUBSET_CONSTRAINTS: dict[str, list[Any]] = {
    **{name: CONSTRAINTS[name] for name in ("n_estimators", "scaling", "categorical_features", "n_jobs")},
    "n_subsets": [Interval(Integral, 1, None, closed="left"), None],
    "subset_size": [Interval(Integral, 1, None, closed="left"), None],
    "bootstrap_ratio": [Interval(Real, 0.0, None, closed="neither")],
    "bootstrap": ["boolean"],
    **CLASS_WEIGHT,
}


class SubsetRotationForest(RotatedClassifier):
    """A forest that fits a rotation of random subsets of the columns for each tree."""

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        estimator: Any = None,
        bootstrap: bool = False,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        class_weight: dict | str | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            scaling=scaling,
            categorical_features=categorical_features,
            class_weight=class_weight,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.n_subsets = n_subsets
        self.subset_size = subset_size
        self.bootstrap_ratio = bootstrap_ratio
        self.estimator = estimator
        self.bootstrap = bootstrap

    def _views(
        self, X: NDArray[np.float64], rows: RowsByClass, count: int, sequence: np.random.SeedSequence
    ) -> LinearViews:
        """Return a view of the centred numeric columns for each tree."""
        raise NotImplementedError

    def check_parameters(self) -> None:
        """Raise ValueError if the compiled kernel cannot grow the estimator."""
        self._tree()

    def _tree(self) -> Any:
        return base_tree(
            self.estimator, "for other estimators use PooledEnsembleClassifier(PrincipalRotation(), estimator)"
        )

    def _grow(self, rows, sequence):
        tree, n_numeric, n_features = self._tree(), self._n_numeric, rows.X.shape[1]
        numeric = rows.X[:, :n_numeric].astype(np.float64)
        numeric -= (numeric if rows.weights is None else numeric[rows.weights > 0]).mean(axis=0)
        count = count_subsets(n_numeric, self.n_subsets, self.subset_size)
        views = self._views(numeric, self._rows_of_views(rows, sequence), count, child(sequence, "views"))
        if n_features > n_numeric:
            others = np.arange(n_numeric, n_features)[None]
            views = replace(views, n_features=n_features).beside(LinearViews.subset(others, n_features))
        group = replace(tree._group(), n_trees=self.n_estimators, views=views)
        if not self.bootstrap:  # C4.5 counts weights as rows, so the weights must have mean 1 if no bags are drawn
            rows = replace(rows, weights=relative_weights(rows.weights))
        options = tree._options()._replace(bootstrap=self.bootstrap, n_jobs=self.n_jobs)
        self.forest_, out_of_bag = grow_forest(rows, [group], options, sequence)
        return out_of_bag[0] if out_of_bag else None

    def _rows_of_views(self, rows: TrainingRows, sequence: np.random.SeedSequence) -> RowsByClass:
        """Return the training rows of the views: rows of positive weight; with bootstrap, the rows in each tree's bag.

        A view fitted to out-of-bag rows would use their classes, which would bias the out-of-bag estimates.
        """
        bags = Bags.of(len(rows.target), rows.weights)
        by_class = RowsByClass.among(bags.rows, rows.target)
        if not self.bootstrap:
            return by_class
        in_bag = np.zeros((self.n_estimators, len(rows.target)), bool)
        for mine, seed in zip(in_bag, tree_seeds(sequence, 0, self.n_estimators), strict=True):
            mine[bags.drawn(seed)] = True
        return replace(by_class, bags=in_bag[:, by_class.order])

    def unrotated(self) -> ForestClassifier:
        """Return an unfitted forest of bagged trees without rotations; its trees use missing values unfilled."""
        return self._plain(ForestClassifier, criterion="entropy", max_features=None)


class RotationForestClassifier(SubsetRotationForest):
    """Rotation Forest: each tree is grown on random subsets of the columns, rotated to their principal axes.

    Trees are C4.5 by default, and their class shares are averaged. For any other estimator use
    ``PooledEnsembleClassifier(PrincipalRotation(), estimator)``. See
    :class:`rotastack.views.PrincipalRotation` for the rotations.

    Memory beyond that of the trees: for each tree 4 m k bytes for each subset of m columns and k axes, and twice as
    much in ``fit``. The number of axes k is m, or less than the number of rows if m is larger.

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
        Grow each tree on rows drawn with replacement, which gives out-of-bag rows. The rotation is fitted
        to the distinct rows in the tree's bag.
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
        The trees; the rotations are in its ``views``.
    feature_importances_ : ndarray of shape (n_features,)
    oob_decision_function_, oob_score_ : ndarray of shape (n_rows, n_classes), float
        Only with `bootstrap`.

    References
    ----------
    Rodriguez, J. J., Kuncheva, L. I. and Alonso, C. J. (2006). Rotation forest: a new classifier
    ensemble method. IEEE TPAMI 28. Hu, Q. et al. (2014). Exploiting diversity for optimizing margin
    distribution in ensemble learning. Knowledge-Based Systems, for K = 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import RotationForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RotationForestClassifier(20, random_state=0).fit(X, y)
    >>> clf.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    _parameter_constraints: ClassVar[dict] = SUBSET_CONSTRAINTS

    def _views(self, X, rows, count, sequence):
        seeds = kernel_seeds(sequence, self.n_estimators)
        return LinearViews.blocks(principal_blocks(X, rows, count, self.bootstrap_ratio, seeds), X.shape[1])
