"""Files of trees: they hold little, and give back every byte."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier

from rotastack import RotastackClassifier, RotastackRegressor
from rotastack.trees import ForestClassifier, ForestRegressor, LinearViews
from rotastack.trees.bags import Bags
from rotastack.trees.grown import GrownTrees
from rotastack.workflow.tracking.model_files import dump_model, load_model

X, y = load_breast_cancer(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)


def assert_equal(one, other):
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, LinearViews | Bags):
            assert_equal(a, b)
        elif isinstance(a, np.ndarray):
            assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), field.name
        else:
            assert a == b, field.name


TREES = ("rotations", "discriminants", "boosted")  # a kernel would take most of the weight here
MODELS = {
    "flagship": lambda: RotastackClassifier(40, TREES, random_state=0).fit(X, y),
    "weighted": lambda: RotastackClassifier(20, random_state=0).fit(
        X, y, np.arange(len(X)) % 3, np.arange(len(X)) // 5
    ),
    "numbers": lambda: RotastackRegressor(10, random_state=0).fit(*NUMBERS),
    "forest": lambda: ForestClassifier(60, random_state=0).fit(X, y),
    "impure": lambda: ForestClassifier(200, min_samples_leaf=5, random_state=0).fit(X, y),
    "regression": lambda: ForestRegressor(20, random_state=0).fit(*NUMBERS),
}


def forests_of(model):
    if hasattr(model, "grown_"):
        return [trees for family in model.grown_ for trees in family.forests()]
    return [model.forest_]


@pytest.mark.parametrize(
    ("name", "pickled"),
    [*((name, True) for name in MODELS), *((name, False) for name in ("flagship", "weighted", "numbers"))],
)
def test_pickles_and_model_files_give_back_every_byte(name, pickled, tmp_path):
    model = MODELS[name]()
    if pickled:
        again = pickle.loads(pickle.dumps(model))
    else:
        dump_model(model, tmp_path / "model.skops")
        again = load_model(tmp_path / "model.skops")
    for one, other in zip(forests_of(model), forests_of(again), strict=True):
        assert_equal(one, other)


@pytest.mark.slow
def test_a_model_is_a_fraction_of_scikit_learns_forest():
    ours = pickle.dumps(RotastackClassifier(random_state=0).fit(X, y))
    theirs = pickle.dumps(RandomForestClassifier(500, random_state=0).fit(X, y))
    assert len(ours) < len(theirs) / 5


def test_descriptions_can_be_left_out():
    forest = ForestClassifier(60, random_state=0).fit(X, y).forest_
    bare = forest.undescribed()
    np.testing.assert_array_equal(bare.importances(), forest.importances())
    assert len(bare.impurity) == len(bare.weight) == len(bare.counts) == 0
    assert len(pickle.dumps(bare)) < len(pickle.dumps(forest)) * 2 / 3


def test_a_forest_that_only_predicts_says_so():
    forest = MODELS["flagship"]().forest_
    assert isinstance(forest, GrownTrees)
    with pytest.raises(ValueError, match="have no impurity, weight and counts; the forest is for prediction only"):
        forest.importances()
    assert len(forest.take(np.array([3, 1]))) == 2
    assert len(GrownTrees.concatenate([forest, replace(forest)])) == 2 * len(forest)
