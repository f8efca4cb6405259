"""Boosting on rotations: several sets of boosted trees, each on a random rotation (thesis, table 1.5)."""

from numbers import Integral, Real
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from rotastack.base.scikit import Interval, StrOptions
from rotastack.base.traits import Traits
from rotastack.combine.voting import Voting
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.ensembles.pooled.pool import Recipe
from rotastack.ensembles.pooled.regressor import PooledEnsembleRegressor
from rotastack.ensembles.table import TableEnsemble, check_rotatable
from rotastack.errors import not_installed_error
from rotastack.views.rotation import RandomRotation


class _RandomRotationBoosting:
    """A pool of boosting models, each on a different random rotation."""

    study_traits: ClassVar[Traits] = Traits(rotates=True, trees=("n_rotations", "trees_per_rotation"))

    _parameter_constraints: ClassVar[dict] = {
        **TableEnsemble._parameter_constraints,
        "n_rotations": [Interval(Integral, 1, None, closed="left")],
        "trees_per_rotation": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "engine": [StrOptions({"xgboost", "histogram"})],
        "flip": ["boolean"],
        "max_axes": [Interval(Integral, 2, None, closed="left")],
    }
    bootstrap = False
    n_features_in_: int
    _regression: ClassVar[bool]

    def __init__(
        self,
        n_rotations: int = 100,
        trees_per_rotation: int = 50,
        learning_rate: float = 0.05,
        *,
        max_depth: int = 3,
        engine: str = "xgboost",
        flip: bool = False,
        scaling: str | None = "minmax",
        max_axes: int = 1000,
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.n_rotations = n_rotations
        self.trees_per_rotation = trees_per_rotation
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.engine = engine
        self.flip = flip
        self.scaling = scaling
        self.max_axes = max_axes
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _recipes(self, n_numeric, sequence):
        check_rotatable(n_numeric, self.n_features_in_)
        view = RandomRotation(flip=self.flip, max_axes=self.max_axes)
        estimator = self.unrotated()
        return [Recipe(view, estimator, "rotation") for _ in range(self.n_rotations)]

    def unrotated(self) -> Any:
        """Return the unfitted boosting model of one member, without a rotation."""
        options: dict[str, Any] = {"learning_rate": self.learning_rate, "max_depth": self.max_depth}
        if self.engine == "xgboost":
            try:
                import xgboost
            except ModuleNotFoundError as error:
                raise not_installed_error(error, "or set engine='histogram' (scikit-learn)") from None
            make = xgboost.XGBRegressor if self._regression else xgboost.XGBClassifier
            return make(n_estimators=self.trees_per_rotation, n_jobs=1, verbosity=0, **options)
        from sklearn import ensemble

        histogram: Any = (
            ensemble.HistGradientBoostingRegressor if self._regression else ensemble.HistGradientBoostingClassifier
        )
        return histogram(max_iter=self.trees_per_rotation, early_stopping=False, **options)


class RandomRotationBoostingClassifier(_RandomRotationBoosting, PooledEnsembleClassifier):
    """A vote of boosting models on several random rotations.

    Boosted trees depend on each other, so each rotation gets a sequence of boosted trees. In a
    random rotation forest, each tree can get a rotation.

    Parameters
    ----------
    n_rotations : int, default=100
        Number of members: boosting models, each on a different rotation.
    trees_per_rotation : int, default=50
        Boosting rounds of each member; a round grows a tree for each class (one tree for two classes).
    learning_rate : float, default=0.05
        Shrinkage.
    max_depth : int, default=3
        Largest depth of the trees.
    engine : {"xgboost", "histogram"}, default="xgboost"
        XGBoost, which ``pip install 'rotastack[boosting]'`` installs, or scikit-learn's histogram boosting.
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    max_axes : int, default=1000
        Largest number of random columns in each rotation.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pool_ : Pool
        One member per rotation.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, section 1.6.5 and table 1.5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import RandomRotationBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RandomRotationBoostingClassifier(5, trees_per_rotation=5, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    _regression = False

    def _combiner(self):
        return Voting("hard")


class RandomRotationBoostingRegressor(_RandomRotationBoosting, PooledEnsembleRegressor):
    """A mean of boosted regression trees on several random rotations.

    Parameters
    ----------
    n_rotations : int, default=100
        Number of members: boosting models, each on a different rotation.
    trees_per_rotation : int, default=50
        Boosting rounds of each member; a round grows a tree for each class (one tree for two classes).
    learning_rate : float, default=0.05
        Shrinkage.
    max_depth : int, default=3
        Largest depth of the trees.
    engine : {"xgboost", "histogram"}, default="xgboost"
        XGBoost, which ``pip install 'rotastack[boosting]'`` installs, or scikit-learn's histogram boosting.
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    max_axes : int, default=1000
        Largest number of random columns in each rotation.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    pool_ : Pool
        One member per rotation.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, section 1.6.5.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack import RandomRotationBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = RandomRotationBoostingRegressor(5, trees_per_rotation=60, random_state=0).fit(X, y)
    >>> reg.score(X, y) > 0.4
    True
    """

    _regression = True

    def _combiner(self):
        return Voting()

    def _moves(self):
        return True  # XGBoost computes in float32
