import joblib
import numpy as np
import pytest
from sklearn.datasets import load_wine

from rotastack.trees import ForestClassifier
from rotastack.trees.estimators import _check_plain
from rotastack.trees.growing import n_candidates


@pytest.mark.parametrize(
    ("value", "expected"), [(None, 9), ("sqrt", 3), ("log2", 3), (4, 4), (0.5, 4), (1.0, 9), (9, 9)]
)
def test_max_features(value, expected):
    assert n_candidates(value, 9) == expected


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_constant", [1, 3])  # with one, columns are presorted
def test_a_node_whose_drawn_column_is_constant_is_a_leaf_in_r(criterion, n_constant):
    """Of the roots, a share of n_constant / (n_constant + 1) draws a constant column."""
    X = np.zeros((60, n_constant + 1))
    X[:, 0] = np.arange(60)
    y = np.arange(60) >= 30
    options = {"n_estimators": 2000, "criterion": criterion, "max_features": 1, "random_state": 0}
    assert set(ForestClassifier(**options).fit(X, y).forest_.complexity()["n_nodes"].tolist()) == {3}
    leaves = ForestClassifier(constant_leaf=True, **options).fit(X, y).forest_.complexity()["n_nodes"] == 1
    assert leaves.mean() == pytest.approx(n_constant / (n_constant + 1), abs=0.04)
    assert ForestClassifier(constant_leaf=True, **{**options, "max_features": None}).fit(X, y).score(X, y) == 1


X, y = load_wine(return_X_y=True, as_frame=True)
forest = ForestClassifier(30, random_state=0).fit(X, y)


def test_leaves_and_outputs_agree():
    leaves = forest.apply(X)
    for t in (0, 13, 29):
        arrays = forest.forest_.arrays(t)
        for row in range(0, len(X), 17):
            node = 0
            while arrays["children_left"][node] >= 0:
                side = X.to_numpy()[row, arrays["feature"][node]] <= arrays["threshold"][node]
                node = arrays["children_left"][node] if side else arrays["children_right"][node]
            assert leaves[row, t] == node
    probas = forest.forest_.outputs(X.to_numpy(dtype=np.float32))
    assert probas.mean(axis=0) == pytest.approx(forest.predict_proba(X))
    assert (forest.tree_votes(X) == probas.argmax(axis=2).T).all()


def test_a_fitted_forest_survives_pickle_and_read_only_memory(tmp_path):
    """joblib hands large arrays to its workers read-only; no function is compiled anew for them."""
    joblib.dump(forest, tmp_path / "forest")
    loaded = joblib.load(tmp_path / "forest", mmap_mode="r")
    assert not loaded.forest_.nodes.flags.writeable
    assert np.array_equal(loaded.predict_proba(X), forest.predict_proba(X))


def test_checked_parameters_are_kept_for_a_while_only():
    _check_plain.cache_clear()
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 0, 1, 1])
    for n in range(1, 1100):
        ForestClassifier(n)._check_parameters()
    ForestClassifier(1, random_state=3).fit(X, y)
    assert _check_plain.cache_info().currsize == 1000
    for _ in range(2):  # True is 1, but no number of trees
        with pytest.raises(ValueError, match="The 'n_estimators' parameter of ForestClassifier must be an int"):
            ForestClassifier(1.0).fit(X, y)
