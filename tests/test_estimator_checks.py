"""scikit-learn's own checks, in full, on every public estimator; no check is skipped.

A quick run checks the first instance of each class, a thorough run all instances.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.decomposition import KernelPCA
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import rotastack
from rotastack import combine, trees, views
from rotastack.combine import pruning

INSTANCES = [
    views.MinMaxScaler01(),
    views.QuantileScaler(),
    views.RelativeRankScaler(),
    views.RandomRotation(random_state=0),
    views.RandomRotation(max_axes=2, flip=True, random_state=0),
    views.RandomRotation(method="direct", stretch=True, translate=True, random_state=0),
    views.MultiRotation(n_rotations=3, random_state=0),
    views.MultiRotation(n_rotations=2, max_axes=2, random_state=0),
    views.RandomProjection(random_state=0),
    views.RandomProjection(kind="sign", random_state=0),
    views.RandomSubspace(random_state=0),
    views.PrincipalRotation(random_state=0),
    views.PrincipalRotation(subset_size=3, bootstrap_ratio=0.5, random_state=0),
    views.LocalityDiscriminantAnalysis(),
    views.DiscriminantRotation(random_state=0),
    views.DoubleRotation(random_state=0),
    views.DiffusionMap(random_state=0),
    views.DiffusionMap(1, epsilon=1.0, n_landmarks=15, extension="kernel", t=2, random_state=0),
    views.DiffusionMap(epsilon="random_squared", n_landmarks=15, extension="harmonics", random_state=0),
    views.RandomizedView(KernelPCA(2, kernel="rbf"), {"gamma": [0.1, 1.0]}, n_landmarks=15, random_state=0),
    views.RandomizedView(views.RandomProjection(), {"kind": ["sphere", "sign", "sparse"]}, random_state=0),
    rotastack.RandomProjectionEnsembleClassifier(random_state=0),
    rotastack.RandomProjectionEnsembleClassifier(GaussianNB(), n_estimators=3, kind="sign", random_state=0),
    rotastack.RandomSubspaceEnsembleClassifier(KNeighborsClassifier(1), n_estimators=3, random_state=0),
    rotastack.DiffusionMapEnsembleClassifier(n_estimators=3, random_state=0),
    rotastack.DiffusionMapEnsembleClassifier(GaussianNB(), boost=True, random_state=0),
    rotastack.OutOfBagSearchClassifier(trees.ForestClassifier(5, random_state=0), {"max_depth": [1, None]}),
    rotastack.PrimalSVMClassifier(),
    rotastack.PrimalSVMClassifier(loss_power=1, beta=0.1),
    rotastack.ExclusivityRegularizedClassifier(),
    rotastack.ExclusivityRegularizedClassifier(3, loss_power=1),
    rotastack.ExclusivityRegularizedClassifier(3, solver="alm", init="random", rho=1.0, random_state=0),
    rotastack.ExclusivityRegularizedClassifier(3, max_samples=0.7, random_state=0),
    rotastack.DiversityRegularizedClassifier(3, tol=1e-3),
    trees.ForestClassifier(n_estimators=5, random_state=0),
    trees.ForestClassifier(n_estimators=5, criterion="entropy", max_features=None, random_state=0),
    trees.ForestRegressor(n_estimators=5, random_state=0),
    trees.ExtraForestClassifier(n_estimators=5, n_cuts=2, random_state=0),
    trees.ExtraForestRegressor(n_estimators=5, random_state=0),
    trees.BoostedTreesClassifier(20, random_state=0),
    trees.BoostedTreesClassifier(20, n_bags=1, min_samples_leaf=1, subsample=0.7, max_features=0.9, random_state=0),
    trees.BoostedTreesRegressor(20, min_samples_leaf=5, random_state=0),
    trees.C45Classifier(),
    trees.C45Classifier(confidence=None, min_samples_leaf=1),
    trees.TreeClassifier(random_state=0),
    trees.TreeClassifier(splitter="random", random_state=0),
    trees.TreeRegressor(random_state=0),
    rotastack.RotastackClassifier(5, random_state=0),
    rotastack.PooledEnsembleClassifier(n_estimators=3, random_state=0),
    rotastack.PooledEnsembleClassifier(views.RandomRotation(), n_estimators=3, bootstrap=True, random_state=0),
    rotastack.PooledEnsembleClassifier(
        [("identity", None, 1), ("rotation", views.RandomRotation(), 2)],
        combiner=combine.Stacking(DecisionTreeClassifier()),
        n_estimators=3,
        cv=3,
        random_state=0,
    ),
    rotastack.RandomRotationForestClassifier(n_estimators=4, n_trees_per_rotation=2, random_state=0),
    rotastack.RandomRotationForestClassifier(n_estimators=3, tree="extra", random_state=0),
    rotastack.RandomRotationForestClassifier(n_estimators=4, drop_worst=0.5, scaling=None, random_state=0),
    rotastack.RandomRotationForestRegressor(n_estimators=4, drop_worst=0.25, random_state=0),
    rotastack.RandomRotationForestRegressor(n_estimators=3, tree="extra", random_state=0),
    rotastack.RegularizedRotationForestClassifier(8, n_rotations=3, micro_forest_size=2, random_state=0),
    rotastack.RegularizedRotationForestClassifier(
        8, n_rotations=3, micro_forest_size=2, weighting="joint", scaling="rank", random_state=0
    ),
    rotastack.AdaBoostM1Classifier(5, random_state=0),
    rotastack.AdaBoostM1Classifier(4, trees.TreeClassifier(max_depth=2), resample=True, random_state=0),
    rotastack.AdaBoostM1Classifier(5, GaussianNB()),
    rotastack.AdaBoostM1Classifier(5, KNeighborsClassifier(1), resample=True, random_state=0),
    rotastack.RotationForestClassifier(4, random_state=0),
    rotastack.RotationForestClassifier(
        4, subset_size=3, estimator=DecisionTreeClassifier(), bootstrap=True, scaling=None, random_state=0
    ),
    rotastack.DoubleRotationForestClassifier(4, random_state=0),
    rotastack.DoubleRotationMarginForestClassifier(6, random_state=0),
    rotastack.DoubleRotationMarginForestClassifier(6, bootstrap=True, selection="oob", random_state=0),
    rotastack.MultiRotationForestClassifier(n_rotations=3, n_estimators=4, random_state=0),
    rotastack.MultiRotationForestRegressor(n_rotations=3, n_estimators=4, n_best=2, random_state=0),
    rotastack.RandomRotationBoostingClassifier(2, trees_per_rotation=3, random_state=0),
    rotastack.RandomRotationBoostingClassifier(2, trees_per_rotation=3, engine="histogram", random_state=0),
    rotastack.RandomRotationBoostingRegressor(2, trees_per_rotation=20, learning_rate=0.3, random_state=0),
    rotastack.PooledEnsembleRegressor(views.RandomRotation(), n_estimators=3, bootstrap=True, random_state=0),
    rotastack.PooledEnsembleRegressor(
        views.RandomRotation(), combiner=combine.Stacking(LinearRegression()), n_estimators=3, cv=3, random_state=0
    ),
    rotastack.PooledEnsembleClassifier(
        views.RandomRotation(), combiner=pruning.MeanDMPruner(), n_estimators=5, bootstrap=True, random_state=0
    ),
    rotastack.PrunedEnsembleClassifier(RandomForestClassifier(10), pruning.KappaPruner(4), random_state=0),
    rotastack.PrunedEnsembleClassifier(BaggingClassifier(n_estimators=5), selection="train", random_state=0),
    rotastack.PrunedEnsembleClassifier(
        trees.ForestClassifier(8), pruning.MeanDMPruner(), selection=0.3, random_state=0
    ),
    rotastack.RotastackRegressor(5, random_state=0),
    rotastack.StackedRotationClassifier(n_rotations=2, n_trees=3, cv=3, random_state=0),
    rotastack.StackedRotationClassifier(n_rotations=2, n_trees=3, cv=3, refit=True, random_state=0),
]
FIRST = list({type(e): e for e in reversed(INSTANCES)}.values())
QUICK = [e for e in FIRST if isinstance(e, rotastack.RotastackRegressor) or not is_regressor(e)]
"""Regressors share most of their code with a classifier."""


DRAWN = "a bootstrap draws by weight, but other rows, and not as many as if those of weight 2 were given twice"
EQUIVALENCE = "check_sample_weight_equivalence_on_dense_data"
ROUNDED = (
    rotastack.RandomProjectionEnsembleClassifier,
    rotastack.RandomRotationBoostingClassifier,
    rotastack.RandomRotationBoostingRegressor,
)
"""Whose fits by weights and by equal rows are rounded differently: whether 7 digits agree is a matter of the kernels of OpenBLAS."""


def rounded(estimator):
    """Return whether the equivalence check depends on the processor."""
    return isinstance(estimator, ROUNDED) and getattr(estimator, "engine", None) != "histogram"


def of_kind(*kinds):
    return lambda e: isinstance(e, kinds)


def of_trees(estimator):
    combiner = getattr(estimator, "combiner", None)
    return isinstance(combiner, combine.Stacking) and isinstance(combiner.estimator, DecisionTreeClassifier)


FAILURES = [
    (
        of_kind(rotastack.DiffusionMapEnsembleClassifier),
        {
            "check_classifiers_train": "of two columns one coordinate is kept, in which the three groups do not lie apart",
            EQUIVALENCE: "a map is fitted to the rows that are there, however much they weigh",
        },
    ),
    (lambda e: getattr(e, "engine", None) == "histogram", {}),
    (rounded, {}),
    (of_trees, {EQUIVALENCE: "weights have a mean of 1, and a tree breaks ties by their last digits"}),
    (
        of_kind(
            rotastack.RotastackClassifier,
            rotastack.RotastackRegressor,
            rotastack.PrunedEnsembleClassifier,
            rotastack.RegularizedRotationForestClassifier,
            rotastack.RandomRotationForestClassifier,
            rotastack.RandomRotationForestRegressor,
            rotastack.MultiRotationForestClassifier,
            rotastack.MultiRotationForestRegressor,
            rotastack.RandomSubspaceEnsembleClassifier,
            rotastack.StackedRotationClassifier,
        ),
        {EQUIVALENCE: DRAWN},
    ),
    (
        of_kind(trees.BoostedTreesClassifier, trees.BoostedTreesRegressor),
        {EQUIVALENCE: "rows are dealt into folds at random, and rows, not weights, are counted in leaves"},
    ),
    (
        of_kind(
            rotastack.RotationForestClassifier,
            rotastack.DoubleRotationForestClassifier,
            rotastack.DoubleRotationMarginForestClassifier,
        ),
        {EQUIVALENCE: "rotations are fitted to rows drawn at random, however much these weigh"},
    ),
    (
        lambda e: isinstance(e, rotastack.AdaBoostM1Classifier) and e.estimator is None,
        {EQUIVALENCE: "weights have a mean of 1, so that a row of weight 2 is not two rows of a leaf"},
    ),
    (
        lambda e: (
            getattr(e, "bootstrap", False)
            and (
                hasattr(e, "min_samples_split")
                or isinstance(e, rotastack.PooledEnsembleClassifier | rotastack.PooledEnsembleRegressor)
            )
        ),
        {EQUIVALENCE: DRAWN},
    ),
    (lambda e: getattr(e, "resample", False), {EQUIVALENCE: DRAWN}),
    (
        of_kind(trees.TreeClassifier, trees.ExtraForestClassifier),
        {"check_class_weight_classifiers": "without limits, trees tell rows of any weight apart"},
    ),
    (
        lambda e: getattr(e, "max_samples", None) is not None,
        {EQUIVALENCE: "members see rows drawn at random, and the second of two equal rows is drawn by itself"},
    ),
    (
        lambda e: (
            getattr(e, "solver", None) == "alm"
            or (isinstance(e, rotastack.DiversityRegularizedClassifier) and e.solver == "exact")
        ),
        {EQUIVALENCE: "equal optima, but iterations end at the tolerance, and the check wants 7 digits"},
    ),
]
"""Estimators, of which the first entry holds -> the checks that fail by design, with the reason."""


def expected_failures(estimator):
    return next((failures for holds, failures in FAILURES if holds(estimator)), {})


def ask(estimator, check):
    try:
        check(estimator)
    except AssertionError:
        if not rounded(estimator) or check.func.__name__ != EQUIVALENCE:
            raise
        # OPENBLAS_CORETYPE=Haswell or Zen fails here, SkylakeX and Nehalem pass.
        pytest.xfail("weights and equal rows are rounded differently: the linear algebra of the processor decides")


@parametrize_with_checks(QUICK, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    ask(estimator, check)


@pytest.mark.slow
@parametrize_with_checks(
    [e for e in INSTANCES if not any(e is one for one in QUICK)], expected_failed_checks=expected_failures
)
def test_scikit_learn_checks_with_other_parameters(estimator, check):
    ask(estimator, check)


@pytest.mark.parametrize(
    "estimator", [e for e in FIRST if is_classifier(e) or is_regressor(e)], ids=lambda e: type(e).__name__
)
def test_a_missing_target_is_told_in_the_same_line(estimator):
    X = np.random.default_rng(0).random((12, 3))
    numbers = [0, 1] * 6
    labels = numbers if is_regressor(estimator) else ["a", "b"] * 6
    targets = [[*known[:-1], missing] for known in (numbers, labels) for missing in (None, np.nan, pd.NA)]
    targets += [np.array(y, dtype=object) for y in targets] + [pd.Series(y, dtype=object) for y in targets]
    targets += [pd.Series([*numbers[:-1], None], dtype=dtype) for dtype in ("Int64", "Float64", "boolean", float)]
    targets += [pd.Series([*labels[:-1], None], dtype=dtype) for dtype in ("string", "category")]
    for y in targets:
        with pytest.raises(ValueError, match="^y contains missing values$"):
            clone(estimator).fit(X, y)


@pytest.mark.parametrize("estimator", [e for e in FIRST if is_classifier(e)], ids=lambda e: type(e).__name__)
def test_labels_of_any_text(estimator):
    X = np.random.default_rng(0).random((30, 3))
    labels = np.array(["a", "b"])[(X[:, 0] > 0.5).astype(int)]
    plain = clone(estimator).fit(X, labels).predict(X)
    new = getattr(np.dtypes, "StringDType", None)  # of NumPy 2
    others = [] if new is None else [labels.astype(new()), labels.astype(new(na_object=np.nan))]
    for y in (*others, pd.Series(labels), pd.Series(labels, dtype="string")):
        assert clone(estimator).fit(X, y).predict(X).tolist() == plain.tolist()
    if new is not None:
        others[1][3] = np.nan
        with pytest.raises(ValueError, match="^y contains missing values$"):
            clone(estimator).fit(X, others[1])


@pytest.mark.parametrize("estimator", [e for e in FIRST if is_classifier(e)], ids=lambda e: type(e).__name__)
def test_large_labels_of_types_of_pandas(estimator):
    """Floats, which scikit-learn makes of them, would merge them into one class."""
    X = np.random.default_rng(0).random((30, 3))
    labels = pd.Series((X[:, 0] > 0.5) + 2**60)
    plain = clone(estimator).fit(X, labels.to_numpy()).predict(X)
    for dtype in ("Int64", "UInt64", "int64[pyarrow]"):
        fitted = clone(estimator).fit(X, labels.astype(dtype))
        assert fitted.classes_.tolist() == [2**60, 2**60 + 1]
        assert fitted.predict(X).tolist() == plain.tolist()
    assert clone(estimator).fit(X, (labels > 2**60).astype("boolean")).classes_.dtype == bool


def test_every_public_estimator_is_checked():
    public = {
        name
        for module in (rotastack, views, trees)
        for name in module.__all__
        if isinstance(getattr(module, name), type) and issubclass(getattr(module, name), BaseEstimator)
    }
    assert public <= {type(e).__name__ for e in INSTANCES}


@pytest.mark.parametrize("estimator", INSTANCES, ids=lambda e: type(e).__name__)
def test_parameters_are_documented(estimator):
    text = type(estimator).__doc__
    for name in estimator.get_params(deep=False):
        assert f"{name} :" in text or f"{name}," in text or f", {name}" in text, name


REGRESSORS = [e for e in FIRST if is_regressor(e)]


@pytest.mark.parametrize("estimator", REGRESSORS, ids=lambda e: type(e).__name__)
def test_every_regressor_refuses_a_target_whose_square_is_too_large(estimator):
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(ValueError, match=r"y contains values up to 1e\+160; at most 1e100 is allowed"):
        clone(estimator).fit(X, np.where(X[:, 0] > 0, -1e160, 0))
