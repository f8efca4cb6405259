"""Stacking on random rotations, S-RRE (thesis, section 3.3)."""

from numbers import Integral
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from rotastack.base.scikit import HasMethods, Interval
from rotastack.base.traits import Traits
from rotastack.combine.stacking import Stacking
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.ensembles.pooled.pool import Recipe
from rotastack.ensembles.table import TableEnsemble
from rotastack.resampling.rotations import draw_group
from rotastack.seeds import child
from rotastack.trees.forest import ForestClassifier
from rotastack.views.rotation import RandomRotation


class StackedRotationClassifier(PooledEnsembleClassifier):
    """A stacking classifier: a member on each of K rotations, and a level-1 classifier on the members' outputs.

    Training is by nested cross-validation: for each pair of folds the K members are trained
    on the other folds. The level-1 classifier of fold h is trained on the rows outside h. The
    ensemble predicts the mean over the cross-validated models, which are the models that
    nested cross-validation evaluates. With F folds, ``F * (F - 1) / 2 * n_rotations`` members
    are trained and stored.

    Parameters
    ----------
    n_rotations : int, default=20
        K, number of rotations, the identity (rotation 0) included.
    estimator : scikit-learn classifier or None
        Level-0 estimator; None is a random forest of `n_trees` trees.
    final_estimator : scikit-learn classifier or None
        Level-1 estimator; None is a random forest of 100 trees.
    cv : int, splitter or iterable of (train, test), default=5
        Number of stratified folds, at least 3, drawn by `random_state`; a scikit-learn splitter; or pairs of row
        numbers. Each row must be held out once.
    n_trees : int, default=20
        Number of trees of the default level-0 forest.
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    max_axes : int, default=1000
        Largest number of random columns in each rotation.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    refit : bool, default=False
        Train both levels again on all rows and predict with these models. This stores and evaluates
        fewer models, but not the models that were cross-validated.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    stack_ : list
        The fitted level-1 classifiers, one for each fold; a single one with `refit`.
    folds_ : ndarray of shape (n_rows,)
        The fold of each training row.
    oof_proba_ : ndarray of shape (n_rows, n_classes)
        Probabilities of each training row, from the model trained without the row's fold.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, equation 3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import StackedRotationClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = StackedRotationClassifier(n_rotations=3, n_trees=5, cv=3, random_state=0).fit(X, y)
    >>> len(clf.stack_), clf.oof_proba_.shape
    (3, (150, 3))
    """

    study_traits: ClassVar[Traits] = Traits(rotates=True, n_trees=20 * 20 * 10)

    _parameter_constraints: ClassVar[dict] = {
        **TableEnsemble._parameter_constraints,
        "n_rotations": [Interval(Integral, 1, None, closed="left")],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "final_estimator": [HasMethods(["fit", "predict"]), None],
        "cv": PooledEnsembleClassifier._parameter_constraints["cv"],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "flip": ["boolean"],
        "max_axes": [Interval(Integral, 2, None, closed="left")],
        "refit": ["boolean"],
    }

    bootstrap = False

    def __init__(
        self,
        n_rotations: int = 20,
        estimator: Any = None,
        final_estimator: Any = None,
        *,
        cv: Any = 5,
        n_trees: int = 20,
        flip: bool = False,
        scaling: str | None = "minmax",
        max_axes: int = 1000,
        categorical_features: ArrayLike | None = None,
        refit: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_rotations = n_rotations
        self.estimator = estimator
        self.final_estimator = final_estimator
        self.cv = cv
        self.n_trees = n_trees
        self.flip = flip
        self.scaling = scaling
        self.max_axes = max_axes
        self.categorical_features = categorical_features
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _recipes(self, n_numeric, sequence):
        estimator = self.estimator
        if estimator is None:
            estimator = ForestClassifier(self.n_trees)
        axes, blocks = draw_group(
            n_numeric, self.n_rotations, child(sequence, "rotations"), flip=self.flip, max_axes=self.max_axes
        )
        recipes = [Recipe(None, estimator, "identity")]
        for k in range(1, self.n_rotations):
            view = RandomRotation.from_matrix(blocks[k], axes[k], n_numeric) if n_numeric > 1 else None
            recipes.append(Recipe(view, estimator, "rotation"))
        return recipes

    def _combiner(self):
        return Stacking(self.final_estimator)

    @property
    def stack_(self) -> list:
        """The fitted level-1 classifiers, in the order of the folds."""
        return [combiner.model_.estimator for combiner in self.combiners_]
