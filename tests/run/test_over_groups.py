"""A combiner of the members of all rotation groups."""

import numpy as np
from sklearn.datasets import load_iris
from tests.run.running import combine, iris_table, pool_slice, train_nested
from tests.run.test_pruning_studies import refitted

from rotastack.combine import BestGroups
from rotastack.combine.nested import combine_nested
from rotastack.data.artifacts import read_frame
from rotastack.seeds import child, root_sequence
from rotastack.trees import ForestClassifier

BEST = {
    "kind": "other", "class": "BestGroups",
    "parameters": {"n_best": 1, "estimator": {"class": "forest", "parameters": {"n_estimators": 8}}},
}  # fmt: skip


def test_the_best_of_all_rotation_groups_decide_in_each_of_them(tmp_path):
    iris_table(tmp_path)
    pool, _ = train_nested(tmp_path, "forest", {"n_estimators": 2}, "rotation", groups=[0, 1])
    method, record = combine(tmp_path, BEST, protocol="nested")
    assert record["status"] == "ok"
    folds, y = read_frame(tmp_path / "folds")[0]["FG-01"].to_numpy(), load_iris().target
    outputs = np.concatenate(list(pool["proba"].sel(fold_group="FG-01").values), axis=1)
    for g in ("RG-01", "RG-02"):
        np.testing.assert_array_equal(
            method["proba"].sel(rotation_group=g), method["proba"].sel(rotation_group="RG-01")
        )
    combiner = BestGroups(ForestClassifier(8), n_best=1, group_size=3)
    sequence = child(root_sequence(1), "combine", "d", "M")
    expected, _ = combine_nested(combiner, outputs, folds, y, child(sequence, 0))
    np.testing.assert_array_equal(method["proba"].values[0, 0], expected)


def test_the_refitted_model_has_the_members_of_all_groups():
    pool = pool_slice("forest", {"n_estimators": 3}, "rotation")
    model, X = refitted(pool, BEST, rotation_groups=2)
    assert model.n_estimators == 6
    assert model.families_ == ["identity", "view", "view"] * 2
    assert all(len(c.errors_) == 2 and len(c.selected_) == 1 for c in model.combiners_)
    assert model.score(X, load_iris().target) > 0.9
