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
from rotastack.trees.grown import FEW_NODES, GrownTrees
from rotastack.trees.kernel.batches import MISSING_RIGHT, NODE
from rotastack.trees.narrow import narrow
from rotastack.trees.nodes import packed_nodes, unpacked_nodes
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
    "weighted": lambda: RotastackClassifier(20, random_state=0).fit(X, y, sample_weight=np.arange(len(X)) % 3),
    "numbers": lambda: RotastackRegressor(10, random_state=0).fit(*NUMBERS),
    "forest": lambda: ForestClassifier(60, random_state=0).fit(X, y),
    "impure": lambda: ForestClassifier(200, min_samples_leaf=5, random_state=0).fit(X, y),
    "regression": lambda: ForestRegressor(20, random_state=0).fit(*NUMBERS),
    "few nodes": lambda: ForestClassifier(3, random_state=0).fit(X, y),
}


def forests_of(model):
    if hasattr(model, "grown_"):
        return [trees for family in model.grown_ for trees in family.forests()]
    return [model.forest_]


@pytest.mark.parametrize("name", MODELS)
def test_pickles_give_back_every_byte(name):
    model = MODELS[name]()
    forests = forests_of(model)
    assert (max(len(trees.nodes) for trees in forests) > FEW_NODES) == (name != "few nodes")
    for one, other in zip(forests, forests_of(pickle.loads(pickle.dumps(model))), strict=True):
        assert_equal(one, other)


@pytest.mark.parametrize("name", ["flagship", "numbers"])
def test_model_files_give_back_every_byte(name, tmp_path):
    model = MODELS[name]()
    dump_model(model, tmp_path / "model.skops")
    for one, other in zip(forests_of(model), forests_of(load_model(tmp_path / "model.skops")), strict=True):
        assert_equal(one, other)


def test_a_model_is_a_fraction_of_scikit_learns_forest():
    ours = pickle.dumps(RotastackClassifier(random_state=0).fit(X, y))
    theirs = pickle.dumps(RandomForestClassifier(500, random_state=0).fit(X, y))
    assert len(ours) < len(theirs) / 5


def test_forests_whose_nodes_are_not_in_the_order_of_the_kernel():
    """Those of boosted trees are in the order of their splits; what nothing can be said of stays as it is."""
    forest = ForestClassifier(200, min_samples_leaf=5, random_state=0).fit(X, y).forest_
    turned = forest.take(np.arange(200)[::-1])  # leaf values are numbered from the last tree on
    assert_equal(turned, pickle.loads(pickle.dumps(turned)))
    assert_equal(forest.take(np.arange(50, 200)), pickle.loads(pickle.dumps(forest.take(np.arange(50, 200)))))
    stumps = ForestClassifier(400, max_leaf_nodes=4, random_state=0).fit(X, y).forest_
    packed = packed_nodes(stumps.nodes, stumps.starts)
    assert packed is not None
    backwards = stumps.nodes[::-1].copy()
    assert packed_nodes(backwards, stumps.starts) is None


def test_trees_numbered_in_the_order_of_their_splits():
    nodes = np.array(
        [(0, 0.5, 1), (1, 0.5, 3), (2 | MISSING_RIGHT, 1.5, 5), (-1, 0, 3), (-1, 0, 2), (-1, 0, 1), (-1, 0, 0),
         (5, 0.25, 1), (-1, 0, 5), (-1, 0, 4)],
        NODE,
    )  # fmt: skip
    nodes["child"][1:3] = [5, 3]  # the second node was split after the third
    starts = np.array([0, 7, 10])
    packed = packed_nodes(nodes, starts)
    assert packed["children"].tolist() == [0, 2, 1, 0]
    assert packed["entries"].tolist() == [3, 2, 1, 0, 1, 0]
    assert unpacked_nodes(packed, starts).tobytes() == nodes.tobytes()
    for name, wrong in (("children", [0, 0, 1, 0]), ("children", [0, 3, 1, 0]), ("entries", [0])):
        with pytest.raises(ValueError, match=r"form no trees|do not match"):
            unpacked_nodes(packed | {name: np.array(wrong, np.uint8)}, starts)


def test_descriptions_can_be_left_out():
    forest = ForestClassifier(60, random_state=0).fit(X, y).forest_
    bare = forest.undescribed()
    np.testing.assert_array_equal(bare.importances(), forest.importances())
    assert len(bare.impurity) == len(bare.weight) == len(bare.counts) == 0
    assert len(pickle.dumps(bare)) < len(pickle.dumps(forest)) / 2


@pytest.mark.parametrize("which", ["none", "some", "all"])
def test_the_way_of_missing_values_is_kept(which):
    forest = ForestClassifier(60, random_state=0).fit(X, y).forest_
    nodes = forest.nodes.copy()
    inner = nodes["column"] >= 0
    bits = {"none": inner & False, "some": inner & (np.arange(len(nodes)) % 3 == 0), "all": inner}[which]
    nodes["column"] = np.where(inner, nodes["column"] & ~MISSING_RIGHT, -1) | np.where(bits, MISSING_RIGHT, 0)
    assert unpacked_nodes(packed_nodes(nodes, forest.starts), forest.starts).tobytes() == nodes.tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": np.array([0, 1, 2], np.uint8)}, "form no trees"),
        ({"codes": np.array([5, 5, 5], np.uint8)}, "do not match"),
        ({"starts": np.array([0, 4])}, "do not match"),
        ({"starts": np.array([-1, 3])}, "do not match"),
        ({"starts": np.array([0, 0, 3])}, "do not match"),
        ({"starts": np.array([0, 1, 3])}, "form no trees"),
    ],
)
def test_files_that_were_tampered_with(change, message):
    nodes = np.array([(5, 0.5, 1), (-1, 0, -1), (-1, 0, -2)], NODE)
    starts = np.array([0, 3])
    packed = packed_nodes(nodes, starts)
    if "codes" in change and change["codes"][0] == 0:
        packed["cuts"] = np.ones(3, np.float32)
        packed["least"] = 0
    with pytest.raises(ValueError, match=message):
        unpacked_nodes(packed | change, change.get("starts", starts))


def test_whole_numbers_as_narrow_as_they_fit():
    for numbers in ([], [0, 255], [0, 256], [-1, 127], [-1, 128], [0, 2**32], [-(2**40)]):
        given = np.array(numbers, np.int64)
        assert (narrow(given).astype(np.int64) == given).all()
    assert [narrow(np.array(v)).dtype.str[1:] for v in ([255], [256], [-1, 127], [2**40])] == ["u1", "u2", "i1", "i8"]


def test_a_forest_that_only_predicts_says_so():
    forest = MODELS["flagship"]().forest_
    assert isinstance(forest, GrownTrees)
    for ask in (forest.importances, lambda: forest.arrays(0), lambda: forest.text(0)):
        with pytest.raises(ValueError, match="have no impurity, weight and counts; the forest is for prediction only"):
            ask()
    assert len(forest.take(np.array([3, 1]))) == 2
    assert len(GrownTrees.concatenate([forest, replace(forest)])) == 2 * len(forest)
