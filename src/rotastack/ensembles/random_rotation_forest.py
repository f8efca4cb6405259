"""Random rotation forests (thesis, algorithm 1 and listing 1.3)."""

from numbers import Integral, Real
from typing import Any, ClassVar

from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval, StrOptions

from rotastack.combine.voting import Voting
from rotastack.ensembles.pool import Recipe
from rotastack.ensembles.pooled import PooledEnsembleClassifier
from rotastack.trees.extra import ExtraForestClassifier
from rotastack.trees.forest import ForestClassifier
from rotastack.views.rotation import RandomRotation

__all__ = ["RandomRotationForestClassifier"]


class RandomRotationForestClassifier(PooledEnsembleClassifier):
    """A forest whose trees, alone or in groups, are each grown on a rotation of their own.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    tree : {"forest", "extra"}, default="forest"
        Trees of a random forest (bootstrap, best splits) or extremely randomised ones
        (all rows, random cuts).
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank"} or None, default="minmax"
        Scaler before the rotation; also fills missing values with training medians.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns looked at for each split.
    n_trees_per_rotation : int, default=1
        Trees that share a rotation; `n_estimators` must be a multiple of it.
    max_axes : int, default=1000
        Rotate so many random axes at most.
    categorical_features : array-like of int or bool, or None
        Columns (0/1 dummies) that are never rotated.
    n_jobs : int or None
        Threads over rotations. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pool_ : Pool
        One member per rotation: its view and the forest on it.

    Raises
    ------
    ValueError
        `n_estimators` is not a multiple of `n_trees_per_rotation`.

    References
    ----------
    Blaser, R. and Fryzlewicz, P. (2016). Random rotation ensembles. JMLR 17(4).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import RandomRotationForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RandomRotationForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "tree": [StrOptions({"forest", "extra"})],
        "flip": ["boolean"],
        "scaling": PooledEnsembleClassifier._parameter_constraints["scaling"],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "n_trees_per_rotation": [Interval(Integral, 1, None, closed="left")],
        "max_axes": [Interval(Integral, 2, None, closed="left")],
        "categorical_features": ["array-like", None],
        "n_jobs": [Integral, None],
    }
    refit = False

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        tree: str = "forest",
        flip: bool = False,
        scaling: str | None = "minmax",
        max_features: str | int | float | None = "sqrt",
        n_trees_per_rotation: int = 1,
        max_axes: int = 1000,
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.tree = tree
        self.flip = flip
        self.scaling = scaling
        self.max_features = max_features
        self.n_trees_per_rotation = n_trees_per_rotation
        self.max_axes = max_axes
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _recipes(self, n_numeric, sequence):
        n_rotations, rest = divmod(self.n_estimators, self.n_trees_per_rotation)
        if rest or not n_rotations:
            raise ValueError(
                f"n_estimators ({self.n_estimators}) must be a multiple of n_trees_per_rotation "
                f"({self.n_trees_per_rotation})"
            )
        forest: Any = ForestClassifier if self.tree == "forest" else ExtraForestClassifier
        learner = forest(n_estimators=self.n_trees_per_rotation, max_features=self.max_features)
        view = RandomRotation(flip=self.flip, max_axes=self.max_axes)
        return [Recipe(view, learner, "rotation") for _ in range(n_rotations)]

    def _combiner(self):
        return Voting()

    def _bootstrap(self):
        return False  # the forests draw their own rows
