"""Short names: each is a class that can be made, and an estimator that learns."""

from importlib.util import find_spec

import grimp
import numpy as np
import pytest
from tests.run.running import pool_slice

from rotastack.base.fitting import fit_aligned
from rotastack.errors import RotastackError
from rotastack.workflow.study.building import load_class, make_estimator
from rotastack.workflow.study.catalogue import (
    ESTIMATORS,
    PRUNERS,
    REGRESSORS,
    VIEWS,
    find,
    public_modules,
    resolved,
    traits_of,
)
from rotastack.workflow.study.classes import checked


def make(name, **parameters):
    return make_estimator(pool_slice(name, parameters))


def checked_by_name(name, parameters, among):
    found = resolved(name, parameters, among)
    return checked(found["class"], found["parameters"], "here")


SLOW = ("random_rotation_boosting",)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in ESTIMATORS])
def test_every_estimator_is_sound_and_learns(name, iris):
    X, y = iris
    package = ESTIMATORS[name].path.partition(".")[0]
    if package in ("aeon", "catboost", "lightgbm"):
        pytest.importorskip(package, reason=f"{package} comes with the extra bench only")
    checked_by_name(name, {}, ESTIMATORS)
    fitted = fit_aligned(make(name), X.astype(np.float32), y, 3, np.random.SeedSequence(0))
    assert (fitted.outputs(X.astype(np.float32)).argmax(axis=1) == y).mean() > (0.6 if name == "tree_stump" else 0.9)


@pytest.mark.parametrize("name", [*VIEWS, *PRUNERS])
def test_every_view_and_pruner_is_sound(name, iris):
    X, y = iris
    made = checked_by_name(name, {}, {**VIEWS, **PRUNERS})
    assert name in PRUNERS or made.fit(X, y).transform(X).shape[0] == len(X)


def test_a_class_is_found_by_short_name_by_its_own_name_and_by_its_path():
    path = "rotastack.ensembles.forests.rotation.RotationForestClassifier"
    names = ("rotation_forest", "RotationForestClassifier", "rotastack.RotationForestClassifier", path)
    assert {find(name).path for name in names} == {path}
    assert find("sklearn.svm.SVC").path == "sklearn.svm.SVC"
    assert find("RandomRotation", VIEWS).path == find("rotation", VIEWS).path


# The lock file installs no aeon; where the extra bench is installed, its packages are not absent.
@pytest.mark.skipif(find_spec("aeon") is not None, reason="aeon is installed")
def test_a_package_of_an_extra_is_named_with_the_extra():
    with pytest.raises(
        RotastackError, match=r"needs the package aeon, which is not installed: pip install 'rotastack\[bench\]'"
    ):
        load_class("aeon.classification.sklearn.RotationForestClassifier")


@pytest.mark.parametrize(("y", "n_classes", "absent"), [([0, 0, 0, 3, 3, 3], 5, [1, 2, 4]), ([2, 2, 2], 3, [0, 1])])
def test_missing_classes_get_zero_columns(y, n_classes, absent):
    X = np.arange(len(y), dtype=np.float32).reshape(-1, 1)
    model = make("boosted", n_estimators=2)
    proba = fit_aligned(model, X, np.array(y), n_classes, np.random.SeedSequence(0)).outputs(X)
    assert proba.shape == (len(y), n_classes)
    assert (proba[:, absent] == 0).all()
    assert proba.sum(axis=1) == pytest.approx(1)


def test_defaults_are_those_of_the_class():
    """A short name fixes what makes it what it is called, and nothing else."""
    for name, entry in ESTIMATORS.items():
        if not entry.parameters and entry.path.startswith("rotastack."):
            made, plain = make(name), load_class(entry.path)()
            told = {k: v for k, v in made.get_params(deep=False).items() if k != "scaling"}
            assert told == {k: v for k, v in plain.get_params(deep=False).items() if k != "scaling"}, name


def test_all_that_rotates_is_declared():
    """Classes that are called so, and those that use a view which is."""
    public = [f"{module}.{name}" for name, module in public_modules().items()]
    known = {*public, *(entry.path for names in (ESTIMATORS, REGRESSORS, VIEWS) for entry in names.values())}
    ours = {path for path in known if path.startswith(("rotastack.ensembles.", "rotastack.views."))}
    ours = {path for path in ours if hasattr(load_class(path, "here"), "fit")}
    named = {path for path in ours if "Rotation" in path}
    views = {path.rpartition(".")[0] for path in named if ".views." in path} | {"rotastack.trees.bagged_views"}
    graph = grimp.build_graph("rotastack", cache_dir=None)
    using = {path for path in ours if views & graph.find_upstream_modules(path.rpartition(".")[0])}
    assert named | using == {path for path in ours if traits_of(path).rotates}


def test_classes_of_others_are_kept_quiet_however_they_are_named():
    by_path = resolved("catboost.CatBoostClassifier", {"verbose": True})["parameters"]
    assert by_path == {"allow_writing_files": False, "random_state": 0, "verbose": True}
    assert resolved("catboost", {})["parameters"] == {**by_path, "thread_count": 1, "verbose": False}
    assert resolved("bagging", {"estimator": {"class": "xgboost.XGBClassifier"}})["parameters"]["estimator"] == {
        "class": "xgboost.XGBClassifier",
        "parameters": {"verbosity": 0},
    }
