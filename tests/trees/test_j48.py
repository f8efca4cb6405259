"""The trees of WEKA's J48, node for node; tests/trees/j48/make_fixtures.py recorded them."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.trees.j48.tables import OPTIONS, TABLES, table

from rotastack.trees import C45Classifier

FIXTURES = json.loads((Path(__file__).parent / "j48" / "fixtures.json").read_text())


def fitted(name, option):
    data = table(name)
    weights = None if data.weights is None else data.weights[data.train]
    tree = C45Classifier(**OPTIONS[option][0])
    return tree.fit(data.X[data.train], data.y[data.train], weights), data


def nodes_of(text):
    """Return the recorded nodes: (column, cut) or (class, cases, wrong cases)."""
    for node in text.split():
        if node[0] == "=":
            label, cases = node[1:-1].split("(")
            yield int(label), *(float(c) for c in (cases + "/0").split("/")[:2])
        else:
            column, cut = node.split("<=")
            yield int(column), float(cut)


def nodes_grown(tree):
    """Return the same of a fitted tree."""
    arrays = tree.tree_.arrays(0)
    todo = [0]
    while todo:
        node = todo.pop()
        if arrays["children_left"][node] >= 0:
            yield int(arrays["feature"][node]), arrays["threshold"][node]
            todo += [arrays["children_right"][node], arrays["children_left"][node]]
            continue
        cases, shares = arrays["weighted_n_node_samples"][node], arrays["value"][node]
        best = shares.argmax()
        yield int(tree.classes_[best]), cases, cases * (1 - shares[best])


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", [name for name in TABLES if name != "three heavy rows"])
def test_same_tree_and_predictions(name, option):
    recorded = FIXTURES[name][option]
    tree, data = fitted(name, option)
    assert "".join(map(str, tree.predict(data.X))) == recorded["predictions"]
    assert tree.tree_.sizes[0, :2].tolist() == [recorded["size"], recorded["leaves"]]
    expected, grown = list(nodes_of(recorded["tree"])), list(nodes_grown(tree))
    assert [len(node) for node in grown] == [len(node) for node in expected]
    for ours, theirs in zip(grown, expected, strict=True):
        assert ours[0] == theirs[0]
        if len(ours) == 2:
            assert ours[1] == np.float32(theirs[1])
        else:  # J48 prints hundredths
            assert ours[1:] == pytest.approx(theirs[1:], abs=0.00501)


def test_j48_counts_rows_where_c45_adds_up_weights():
    """The one rule that is not J48's: it looks for a cut in nodes of so many rows, whatever their weight.

    Here it wants four rows for leaves of weight 2, and does not split. C4.5 means weights; only so is a
    weight of 2 the same as a row given twice. Rows of weight up to 1 make no difference.
    """
    assert FIXTURES["three heavy rows"]["default"]["tree"] == "=0(9.5/4)"
    tree, _ = fitted("three heavy rows", "default")
    assert list(nodes_grown(tree)) == [(0, 1.0), (0, 5.5, 0.0), (1, 4.0, 0.0)]
    # With leaves of weight 1 two rows will do.
    assert FIXTURES["three heavy rows"]["confident"]["tree"] == "0<=1 =0(5.5) =1(4)"
