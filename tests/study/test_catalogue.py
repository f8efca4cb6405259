import importlib
import inspect
import sys

import numpy as np
import pytest
from rotastack.learners.registry import check_learner, learner_names, learner_parameters, make_learner
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB

from rotastack.base.fitting import fit_aligned
from rotastack.ensembles.inducers.nearest import NearestNeighborClassifier
from rotastack.errors import RotastackError
from rotastack.trees import C45Classifier, ForestClassifier


@pytest.mark.parametrize("kind", learner_names())
def test_parameters_match_the_signature_and_it_learns(kind, iris):
    X, y = iris
    signature = inspect.signature(importlib.import_module(f"rotastack.learners.{kind}").make)
    assert list(signature.parameters) == list(learner_parameters(kind))
    if kind.startswith("aeon"):
        pytest.importorskip("aeon", reason="aeon comes with the extra bench only")
    fitted = fit_aligned(make_learner({"kind": kind}), X.astype(np.float32), y, 3, np.random.SeedSequence(0))
    assert (fitted.outputs(X.astype(np.float32)).argmax(axis=1) == y).mean() > 0.9


def test_a_learner_of_an_absent_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "aeon.classification.sklearn", None)
    with pytest.raises(RotastackError, match=r"needs the package aeon: pip install 'rotastack\[bench\]'"):
        make_learner({"kind": "aeon_rotation_forest"})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"kind": "forst"}, "learner 'forst' is unknown; did you mean 'forest'"),
        (
            {"kind": "forest", "n_tree": 3},
            "'n_tree' is not a parameter of learner 'forest'; did you mean 'n_trees'",
        ),
        ({"kind": "forest", "n_trees": 0}, "n_trees: 0 is not allowed"),
        ({"kind": "boosted", "learning_rate": "fast"}, "learning_rate: 'fast' is not allowed"),
        (
            {"kind": "plain", "base": "knn"},
            "base: 'knn' is not allowed; it must be one of nn, j48, nb; did you mean 'nn'",
        ),
        ({"kind": "diffusion_map", "delta": 0}, "delta: 0 is not allowed"),
    ],
)
def test_mistakes_are_named(spec, message):
    with pytest.raises(RotastackError, match=message):
        check_learner(spec)


def test_missing_classes_get_zero_columns():
    X = np.arange(6, dtype=np.float32).reshape(-1, 1)
    fitted = fit_aligned(
        make_learner({"kind": "boosted", "n_rounds": 2}),
        X,
        np.array([0, 0, 0, 3, 3, 3]),
        5,
        np.random.SeedSequence(0),
    )
    proba = fitted.outputs(X)
    assert proba.shape == (6, 5)
    assert (proba[:, [1, 2, 4]] == 0).all()


def test_one_class_is_predicted_with_certainty():
    X = np.zeros((3, 1), dtype=np.float32)
    fitted = fit_aligned(
        make_learner({"kind": "boosted"}), X, np.array([2, 2, 2]), 3, np.random.SeedSequence(0)
    )
    assert fitted.outputs(X).tolist() == [[0, 0, 1]] * 3


INDUCERS = {"nn": NearestNeighborClassifier, "j48": C45Classifier, "nb": GaussianNB}


@pytest.mark.parametrize("base", INDUCERS)
def test_inducers_alone_bagged_and_boosted(base, iris):
    X, y = iris
    assert isinstance(make_learner({"kind": "plain", "base": base}), INDUCERS[base])
    bags = make_learner({"kind": "bagging", "base": base, "n_trees": 7})
    assert isinstance(bags, ForestClassifier if base == "j48" else BaggingClassifier)
    boosted = make_learner({"kind": "adaboost_m1", "base": base, "n_trees": 7, "resample": True})
    assert isinstance(boosted.estimator, INDUCERS[base])
    for learner in (bags, boosted):
        assert learner.n_estimators == 7
        fitted = fit_aligned(learner, X.astype(np.float32), y, 3, np.random.SeedSequence(0))
        assert (fitted.outputs(X.astype(np.float32)).argmax(axis=1) == y).mean() > 0.9


@pytest.mark.parametrize("kind", ["random_projection", "random_subspace", "diffusion_map", "rotation_forest"])
@pytest.mark.parametrize("base", INDUCERS)
def test_ensembles_of_other_inducers(kind, base, iris):
    X, y = iris
    size = {"n_trees" if kind == "rotation_forest" else "n_estimators": 6}
    learner = make_learner({"kind": kind, "base": base, **size})
    assert learner.n_estimators == 6
    fitted = fit_aligned(learner, X.astype(np.float32), y, 3, np.random.SeedSequence(0))
    assert (fitted.outputs(X.astype(np.float32)).argmax(axis=1) == y).mean() > 0.85


def test_a_boosted_tree_is_no_other_base():
    with pytest.raises(RotastackError, match="tree and base exclude each other"):
        make_learner({"kind": "adaboost_m1", "tree": "stump", "base": "nb"})
    assert make_learner({"kind": "adaboost_m1"}).estimator.get_params() == C45Classifier().get_params()
