"""Pools of the members of other pools, and combiners of the members of all rotation groups."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.quick import first
from tests.run.running import checked, combine, iris_table, pool_slice, step, told, train, train_nested
from tests.run.test_pruning_studies import refitted

from rotastack.combine import BestGroups
from rotastack.combine.nested import combine_nested
from rotastack.combine.pruning import MarginPruner, QMMPruner
from rotastack.data.artifacts import read_arrays, read_frame
from rotastack.errors import RotastackError
from rotastack.seeds import child, root_sequence
from rotastack.trees import ForestClassifier
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.run.steps.score import _times
from rotastack.workflow.run.tracked.contents import pool_params

BAGS = {"n_estimators": 6, "bootstrap": True}
BOOSTED = {"n_estimators": 5, "estimator": {"class": "tree_stump"}}
PRUNE = {"kind": "prune", "pruner": "qmm", "selection": None}


def study(**changes):
    """Return a study of two pools, the mixed pool of both, and two methods."""
    content = {
        "name": "s",
        "datasets": ["iris"],
        "protocol": {"kind": "holdout", "repeats": 4},
        "pools": {
            "a": {"estimator": "rotation_forest", "parameters": BAGS},
            "b": {"estimator": "adaboost_m1", "parameters": BOOSTED},
            "mixed": {"of": ["a", "b"]},
            **changes.pop("pools", {}),
        },
        "methods": {
            "A": {"pool": "a", "combiner": {"kind": "vote"}},
            "M": {"pool": "mixed", "combiner": PRUNE},
            **changes.pop("methods", {}),
        },
        **changes,
    }
    return checked(content)


def mix(folder, spec, names=("a", "b")):
    """Run the step that mixes pools, and return the mixed pool."""
    inputs = {"table": "table", "folds": "folds", "rotations": [], "parts": [f"p/{n}.nc" for n in names]}
    step("train", folder, spec, inputs, {"pool": "p/pool.nc", "record": "p/pool.run.json"})
    return read_arrays(folder / "p/pool.nc")


def spec_of(made):
    return told(made, "train", "iris", "mixed", next(iter(made.blocks)))


@pytest.mark.parametrize("pruner", first(1, [QMMPruner(), MarginPruner(n_select=0.5)]))
def test_a_pruner_chooses_among_members_of_both_kinds(folder, pruner):
    parts = [
        train(folder, "rotation_forest", BAGS, name="a", selections=["auto"]),
        train(folder, "adaboost_m1", BOOSTED, name="b", selections=["auto"]),
    ]
    pool = mix(folder, spec_of(study()))
    assert pool.sizes["voter"] == sum(part.sizes["voter"] for part in parts)
    assert "out_of_bag" not in pool  # boosting has no bags, so the training rows select
    name = "qmm" if isinstance(pruner, QMMPruner) else "margin"
    method, record = combine(folder, {**PRUNE, "pruner": name})
    assert record["status"] == "ok"
    for i in range(4):
        weights = [part["voter_weights"].values[i] for part in parts]
        weights = np.concatenate([w / np.nanmean(w) for w in weights])
        known = np.isfinite(weights)
        training, test = (
            np.concatenate([part[v].values[i] for part in parts], axis=1)[:, known] for v in ("training_votes", "votes")
        )
        classes = parts[0]["training_classes"].values[i]
        by_hand = pruner.fit(training, classes, weights=weights[known], classes=range(3))
        np.testing.assert_allclose(method["proba"].values[i], by_hand.predict_proba(test), atol=1e-6)
        assert method["members"].values[i] == by_hand.n_selected_


@pytest.mark.slow
def test_bags_of_both_kinds_select_out_of_bag(folder):
    parts = [
        train(folder, kind, {"n_estimators": 4, "bootstrap": True}, name=name, selections=["auto"])
        for kind, name in [("rotation_forest", "a"), ("forest", "b")]
    ]
    pool = mix(folder, spec_of(study()))
    np.testing.assert_array_equal(pool["out_of_bag"], np.concatenate([p["out_of_bag"] for p in parts], axis=2))
    np.testing.assert_allclose(pool["proba"].mean("member"), sum(p["proba"].mean("member") for p in parts) / 2)
    assert [str(m) for m in pool["member"].values] == ["a all", "b all"]


@pytest.mark.slow
def test_the_mixed_pool_of_a_failed_pool_failed(folder):
    train(folder, "rotation_forest", BAGS, name="a", selections=["auto"])
    train(folder, "nearest_neighbors", {"n_neighbors": 10**6}, name="b", selections=["auto"])
    assert mix(folder, spec_of(study())).attrs["message"].startswith("pool b: ValueError")
    _, record = combine(folder, PRUNE)
    assert record["status"] == "failed"


@pytest.mark.slow
def test_a_stacker_learns_from_members_of_both_kinds(tmp_path):
    iris_table(tmp_path)
    train_nested(tmp_path, "forest", {"n_estimators": 3}, "rotation", name="a")
    train_nested(tmp_path, "naive_bayes", name="b")
    parts = [read_arrays(tmp_path / f"p/{name}.nc") for name in "ab"]
    made = study(
        protocol={"kind": "nested", "folds": 3, "rotation_groups": 1, "fold_groups": 1, "rotations": 3},
        pools={"a": {"estimator": "forest", "view": "rotation"}, "b": {"estimator": "naive_bayes"}},
        methods={"M": {"pool": "mixed", "combiner": {"kind": "stacking", "estimator": "logistic"}}},
    )
    assert made.rotated == ["A", "M"]
    pool = mix(tmp_path, spec_of(made))
    np.testing.assert_array_equal(pool["proba"], np.concatenate([p["proba"] for p in parts], axis=3))
    method, record = combine(tmp_path, {"kind": "stacking", "estimator": "logistic"}, protocol="nested")
    assert record["status"] == "ok"
    assert np.isfinite(method["proba"]).all()


def test_parts_are_trained_for_the_mixed_pool_and_no_model_is_refitted():
    made = study()
    assert made.used_pools == ["a", "b", "mixed"]
    assert made.selections_of("a") == made.selections_of("b") == made.selections_of("mixed") == ["auto"]
    assert made.refittable == ["A"]
    resources = Plan(made, {}).resources
    assert resources.n_trees("mixed") == resources.n_trees("a") + resources.n_trees("b")
    only = {"A": {"pool": "mixed", "combiner": {"kind": "vote"}}}
    assert Plan(study(methods=only), {}).refitted == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pools": {"mixed": {"of": ["a", "c"]}}}, "pools.mixed.of: needs two or more different pools .* found 'c'"),
        ({"pools": {"mixed": {"of": ["a"]}}}, "pools.mixed.of: needs two or more"),
        ({"pools": {"mixed": {"of": ["a", "a"]}}}, "pools.mixed.of: needs two or more"),
        ({"pools": {"more": {"of": ["a", "mixed"]}}}, "pools.more.of: .* found 'mixed'"),
        ({"pools": {"mixed": {"of": ["a", "b"], "scaling": "rank"}}}, "'scaling' is not allowed with 'of'"),
        ({"pools": {"a": {"scaling": "rank"}}}, "pools.a: key 'estimator' is missing"),
        ({"pools": {"b": {"estimator": "forest", "noise": {"labels": 0.1}}}}, "'b' and 'a' differ in noise"),
        ({"pools": {"b": {"estimator": "nearest_neighbor"}}}, "M.combiner: .* has no members that vote"),
        ({"model": {"refit": "M"}}, "model.refit: 'M' has a mixed pool, which has no model"),
        (
            {"methods": {"M": {"pool": "mixed", "combiner": {**PRUNE, "selection": "oob"}}}},
            "M.combiner.selection: the members of AdaBoostM1Classifier have no out-of-bag rows",
        ),
        (
            {"methods": {"M": {"pool": "mixed", "combiner": {**PRUNE, "first": 12}}}},
            "first: 12 is more than the 11 members",
        ),
    ],
)
def test_mistakes_are_named(changes, message):
    with pytest.raises(RotastackError, match=message):
        study(**changes)


def test_a_mixed_pool_takes_the_time_of_its_parts():
    known = {"parameters": {"pool": {}}}
    records = {
        "methods": [{"method": "A", "pool": "a"}, {"method": "M", "pool": "mixed"}],
        "pools": {
            "a": [{**known, "metrics": {"fit_processor_seconds": [1.0, 3.0, 2.0]}}],
            "b": [
                {
                    **known,
                    "metrics": {"trainings": 4, "members": 2, "fit_seconds": [3.0, 1.0], "predict_seconds": [2.0]},
                }
            ],
            "mixed": [{"parameters": {"pool": {"of": ["a", "b"]}}, "metrics": {"members": 3}}],
        },
    }
    assert _times(records) == {"fit_processor_seconds": {"A": 2.0, "M": 5.0}, "predict_processor_seconds": {}}


def test_a_mixed_pool_has_no_estimator():
    spec = spec_of(study())
    assert spec.pool.estimator == ""
    assert pool_params(spec.content()["pool"])["estimator"] == "mixed"


# A combiner of the members of all rotation groups

BEST = {
    "kind": "other",
    "class": "BestGroups",
    "parameters": {"n_best": 1, "estimator": {"class": "forest", "parameters": {"n_estimators": 8}}},
}


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
    model, X = refitted(pool_slice("forest", {"n_estimators": 3}, "rotation"), BEST, rotation_groups=2)
    assert (model.n_estimators, model.families_) == (6, ["identity", "view", "view"] * 2)
    assert all(len(c.errors_) == 2 and len(c.selected_) == 1 for c in model.combiners_)
    assert model.score(X, load_iris().target) > 0.9
