"""Ensembles on dimension reductions: random projections, random subspaces, diffusion maps."""

from numbers import Integral, Real
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from rotastack.base.scikit import HasMethods, Interval, StrOptions
from rotastack.ensembles.adaboost import AdaBoostM1Classifier
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.ensembles.pooled.pool import Recipe
from rotastack.ensembles.table import TableEnsemble
from rotastack.trees.c45 import C45Classifier
from rotastack.views.diffusion import DiffusionMap
from rotastack.views.projection import RandomProjection
from rotastack.views.subspace import RandomSubspace

_ROUNDS = 10


class _ReductionEnsemble(PooledEnsembleClassifier):
    """An ensemble on views of fewer columns that averages the members' probabilities."""

    _parameter_constraints: ClassVar[dict] = {
        **TableEnsemble._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "boost": ["boolean"],
        "bootstrap": ["boolean"],
    }
    n_components: int | None
    boost: bool
    # Parameters of PooledEnsembleClassifier that these ensembles fix.
    view: Any = None
    combiner: Any = None

    def __init__(
        self,
        estimator: Any = None,
        n_components: int | None = None,
        n_estimators: int = 10,
        *,
        boost: bool = False,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_components = n_components
        self.n_estimators = n_estimators
        self.boost = boost
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _view(self) -> Any:
        raise NotImplementedError

    def _recipes(self, n_numeric, sequence):
        return [Recipe(self._view(), self._member_estimator(), "all")] * self.n_estimators

    def _member_estimator(self):
        estimator = C45Classifier() if self.estimator is None else self.estimator
        if self.boost:
            return AdaBoostM1Classifier(_ROUNDS, estimator, resample=True)
        return estimator


class RandomProjectionEnsembleClassifier(_ReductionEnsemble):
    """An ensemble of members on random projections of the columns.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Estimator of the members; None is C4.5. One call trains all members if they are compiled trees.
    n_components : int or None, default=None
        Number of columns of a projection; None is half the number of columns, rounded up.
    n_estimators : int, default=10
        Number of members.
    kind : {"sphere", "sign", "sparse"}, default="sphere"
        See :class:`~rotastack.views.RandomProjection`.
    boost : bool, default=False
        Let each member be AdaBoost.M1 with resampling and at most ten rounds.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    bootstrap : bool, default=False
        Train each member on rows drawn with replacement.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pool_ : Pool
        The members; ``pool_.members[k].view`` is the view of one.

    References
    ----------
    Schclar, A., Rokach, L., Amit, A. Ensembles of classifiers based on dimensionality reduction, section 4.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from rotastack import RandomProjectionEnsembleClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> clf = RandomProjectionEnsembleClassifier(KNeighborsClassifier(1), random_state=0).fit(X[::2], y[::2])
    >>> clf.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **_ReductionEnsemble._parameter_constraints,
        "kind": [StrOptions({"sphere", "sign", "sparse"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_components: int | None = None,
        n_estimators: int = 10,
        *,
        kind: str = "sphere",
        boost: bool = False,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            estimator,
            n_components,
            n_estimators,
            boost=boost,
            scaling=scaling,
            bootstrap=bootstrap,
            categorical_features=categorical_features,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.kind = kind

    def _view(self):
        return RandomProjection(self.n_components, self.kind)


class RandomSubspaceEnsembleClassifier(_ReductionEnsemble):
    """An ensemble of members on random subsets of the columns.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Estimator of the members; None is C4.5. One call trains all members if they are compiled trees.
    n_components : int or None, default=None
        Number of columns of a member; None is half the number of columns, rounded up.
    n_estimators : int, default=10
        Number of members.
    boost : bool, default=False
        Let each member be AdaBoost.M1 with resampling and at most ten rounds.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    bootstrap : bool, default=False
        Train each member on rows drawn with replacement.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pool_ : Pool
        The members; ``pool_.members[k].view`` is the view of one.

    References
    ----------
    Schclar, A., Rokach, L., Amit, A. Ensembles of classifiers based on dimensionality reduction, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from rotastack import RandomSubspaceEnsembleClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> clf = RandomSubspaceEnsembleClassifier(random_state=0).fit(X[::2], y[::2])
    >>> clf.score(X[1::2], y[1::2]) > 0.8
    True
    """

    def _view(self):
        return RandomSubspace(self.n_components)


class DiffusionMapEnsembleClassifier(_ReductionEnsemble):
    """An ensemble of members on diffusion maps of random widths.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Estimator of the members; None is C4.5.
    n_components : int or None, default=None
        Number of coordinates of a map; None is half the number of columns, rounded up.
    n_estimators : int, default=10
        Number of members.
    epsilon : "random", "random_squared" or float, default="random"
        Width of the kernel, see :class:`~rotastack.views.DiffusionMap`. With the two random ones, members differ in
        their widths and in their landmark rows.
    n_landmarks : int, default=600
        Number of rows from which a map is built.
    extension : {"markov", "kernel", "harmonics"}, default="markov"
    delta : float, default=1e-3
    t : int or float, default=1
        See :class:`~rotastack.views.DiffusionMap`.
    boost : bool, default=False
        Let each member be AdaBoost.M1 with resampling and at most ten rounds (DM+AdaBoost).
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    bootstrap : bool, default=False
        Train each member on rows drawn with replacement.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pool_ : Pool
        The members; ``pool_.members[k].view`` is the view of one.

    References
    ----------
    Schclar, A., Rokach, L., Amit, A. Ensembles of classifiers based on dimensionality reduction, section 3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from rotastack import DiffusionMapEnsembleClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> clf = DiffusionMapEnsembleClassifier(KNeighborsClassifier(1), random_state=0).fit(X[::2], y[::2])
    >>> clf.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **_ReductionEnsemble._parameter_constraints,
        "epsilon": DiffusionMap._parameter_constraints["epsilon"],
        "n_landmarks": [Interval(Integral, 2, None, closed="left")],
        "extension": DiffusionMap._parameter_constraints["extension"],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "t": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_components: int | None = None,
        n_estimators: int = 10,
        *,
        epsilon: str | float = "random",
        n_landmarks: int = 600,
        extension: str = "markov",
        delta: float = 1e-3,
        t: float = 1,
        boost: bool = False,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            estimator,
            n_components,
            n_estimators,
            boost=boost,
            scaling=scaling,
            bootstrap=bootstrap,
            categorical_features=categorical_features,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.epsilon = epsilon
        self.n_landmarks = n_landmarks
        self.extension = extension
        self.delta = delta
        self.t = t

    def _view(self):
        return DiffusionMap(self.n_components, self.epsilon, self.n_landmarks, self.extension, self.delta, self.t)
