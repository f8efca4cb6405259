"""Rotation Forest (Rodriguez, Kuncheva & Alonso 2006), and the base of forests on fitted rotations."""

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.docstrings import documented
from rotastack.base.facts import Cost, Facts
from rotastack.base.row_weights import per_row
from rotastack.base.scikit import Interval
from rotastack.ensembles.forests.base_tree import base_tree
from rotastack.ensembles.forests.rotated import CLASS_WEIGHT, CONSTRAINTS, RotatedClassifier
from rotastack.seeds import child
from rotastack.trees.bags import Bags, tree_seeds
from rotastack.trees.forest import ForestClassifier
from rotastack.trees.growing import FamilyOutOfBag, grow_forest
from rotastack.trees.linear_views import LinearViews
from rotastack.views.principal import principal_blocks
from rotastack.views.subsets import RowsByClass, count_subsets

__all__ = ["SUBSET_CONSTRAINTS", "RotationForestClassifier", "SubsetRotationForest"]

SUBSET_CONSTRAINTS: dict[str, list[Any]] = {
    **{name: CONSTRAINTS[name] for name in ("n_estimators", "scaling", "categorical_features", "n_jobs")},
    "n_subsets": [Interval(Integral, 1, None, closed="left"), None],
    "subset_size": [Interval(Integral, 1, None, closed="left"), None],
    "bootstrap_ratio": [Interval(Real, 0.0, None, closed="neither")],
    "bootstrap": ["boolean"],
    **CLASS_WEIGHT,
}


class SubsetRotationForest(RotatedClassifier):
    """A forest whose trees are each grown on a rotation of their own, fitted to random subsets of the columns.

    Parameters
    ----------
    n_subsets : int or None, default=None
        K, subsets of the columns; None is 2, or what `subset_size` makes it.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets` (3 in WEKA).
    bootstrap_ratio : float, default=0.75
        gamma: rows drawn for a rotation, as a share of those of the classes kept.
    estimator : C45Classifier, TreeClassifier, DecisionTreeClassifier or None, default=None
        The tree, grown by the compiled kernel; None is ``C45Classifier()``.
    """

    study_facts: ClassVar[Facts] = Facts(rotates=True, has_matrices=True)

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
        self.n_estimators = n_estimators
        self.n_subsets = n_subsets
        self.subset_size = subset_size
        self.bootstrap_ratio = bootstrap_ratio
        self.estimator = estimator
        self.bootstrap = bootstrap
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _views(
        self,
        X: NDArray[np.float64],
        rows: Sequence[RowsByClass],
        count: int,
        sequences: Sequence[np.random.SeedSequence],
    ) -> LinearViews:
        """Return a view of the centred numeric columns for each of the sequences, fitted to its rows."""
        raise NotImplementedError

    def check_parameters(self) -> None:
        """Raise ValueError if the estimator is no tree that can be grown here."""
        self._tree()

    def _tree(self) -> Any:
        return base_tree(self.estimator, "others go with PooledEnsembleClassifier(PrincipalRotation(), estimator)")

    def _grow(self, X, target, n_classes, n_numeric, weights, sequence) -> FamilyOutOfBag | None:
        tree = self._tree()
        numeric = X[:, :n_numeric].astype(np.float64)
        numeric -= (numeric if weights is None else numeric[weights > 0]).mean(axis=0)
        count = count_subsets(n_numeric, self.n_subsets, self.subset_size)
        sequences = [child(sequence, "views", k) for k in range(self.n_estimators)]
        views = self._views(numeric, self._rows(target, weights, sequence), count, sequences)
        if X.shape[1] > n_numeric:
            others = np.arange(n_numeric, X.shape[1])[None]
            views = widened(views, X.shape[1]).beside(LinearViews.subset(others, X.shape[1]))
        family = replace(tree._family(), n_trees=self.n_estimators, views=views)
        # C4.5 counts weights as rows, so that without bags they are 1 on average.
        counted = weights if self.bootstrap else per_row(weights)
        self.forest_, out_of_bag = grow_forest(
            X, target, [family], tree._options(), sequence,
            n_classes=n_classes, weights=counted, bootstrap=self.bootstrap, n_jobs=self.n_jobs,
        )  # fmt: skip
        return None if out_of_bag is None else out_of_bag[0]

    def _rows(self, target, weights, sequence) -> list[RowsByClass]:
        """Return the rows that each view is fitted to: those of a weight, with bags those in its tree's bag.

        Otherwise a row out of a tree's bag would not be unseen: its class would have shaped the tree's view.
        """
        bags = Bags.of(len(target), weights)
        if not self.bootstrap:
            return [RowsByClass.among(bags.rows, target)] * self.n_estimators
        seeds = tree_seeds(sequence, 0, self.n_estimators)
        return [RowsByClass.among(np.unique(bags.drawn(seed)), target) for seed in seeds]

    def unrotated(self) -> ForestClassifier:
        """Return bagged trees on all columns, unfitted, without rotations; they see missing values as they are."""
        return self._plain(ForestClassifier, criterion="entropy", max_features=None)


@documented
class RotationForestClassifier(SubsetRotationForest):
    """Rotation Forest: each tree is grown on random subsets of the columns, turned to their principal axes.

    Trees are C4.5 by default; their class shares are averaged. Any other base learner goes with
    ``PooledEnsembleClassifier(PrincipalRotation(), estimator)``. See
    :class:`rotastack.views.PrincipalRotation` for the rotations.

    Memory beyond a forest's own: for each tree 4 m k bytes for each subset of m columns, and twice that in fitting. k is
    the number of its axes: m, or fewer than there are rows if m is more.

    Parameters
    ----------
    n_estimators : int, default=100
        L, number of trees.
    %(n_subsets)s
    %(subset_size)s
    %(bootstrap_ratio)s
    %(estimator)s
    bootstrap : bool, default=False
        Also grow each tree on rows drawn with replacement, which gives out-of-bag rows; its rotation is
        fitted to the same rows, each once.
    %(scaling)s
    %(categorical_features)s
    %(class_weight)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : GrownTrees
        With ``views``: the rotations.
    feature_importances_ : ndarray of shape (n_features,)
    oob_decision_function_, oob_score_ : ndarray of shape (n_rows, n_classes), float
        With `bootstrap`.

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

    study_facts: ClassVar[Facts] = Facts(
        rotates=True, has_matrices=True, cost=Cost(6.4, 0, 3.8, 60, 0.2, turned=0.185, far=5)
    )

    _parameter_constraints: ClassVar[dict] = SUBSET_CONSTRAINTS

    def _views(self, X, rows, count, sequences):
        blocks = principal_blocks(X, rows, count, self.bootstrap_ratio, sequences)
        return LinearViews.blocks(blocks, X.shape[1])


def widened(views: LinearViews, n_features: int) -> LinearViews:
    """Return views of the first columns of a wider table."""
    return replace(views, n_features=n_features)
