"""Random splits: what the steps make of them."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler
from tests.quick import first
from tests.run.running import LEVELS, combine, iris_table, pool_slice, scored, split, step, train

from rotastack.base.fitting import set_up_columns
from rotastack.data.artifacts import read_frame, read_prepared, write_frame
from rotastack.data.raw import write_raw
from rotastack.errors import RotastackError
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.workflow.study.building import make_estimator

WEIGHTINGS = ["equal", "exp", "best"]
WEIGHED = {"n_estimators": 24, "n_rotations": 4, "micro_forest_size": 3, "weightings": WEIGHTINGS}


@pytest.fixture
def table(tmp_path):
    """Iris with a categorical column of three levels, prepared."""
    iris_table(tmp_path)
    return tmp_path


def seen_rows(mask):
    """Return the rows of the table as members see them, scaled by those of the mask."""
    X, _ = load_iris(return_X_y=True)
    dummies = np.stack([LEVELS == 1, LEVELS == 2], axis=1).astype(float)
    return np.hstack([MinMaxScaler(clip=True).fit(X[mask]).transform(X), dummies]).astype(np.float32)


def test_the_number_of_training_rows_may_be_given(table):
    split(table, rows=20)
    folds, _ = read_frame(table / "folds")
    assert (folds.sum() == 20).all()
    with pytest.raises(
        RotastackError, match="^d: train_size: 150 rows for training leaves no training or no test rows"
    ):
        split(table, rows=150)


def test_one_output_of_an_ensemble_is_that_of_all_its_members(table):
    """With one class in training there is no forest, and so no output for each weighting."""
    write_frame(table / "folds", pd.DataFrame({"S-01": (load_iris().target == 0).astype(np.int8)}))
    pool = train(table, "regularized_rotation_forest", WEIGHED, [0])
    assert pool.attrs["status"] == "ok"
    np.testing.assert_array_equal(pool["proba"].values, np.tile([1.0, 0.0, 0.0], (1, len(WEIGHTINGS), 100, 1)))


def test_outputs_are_those_of_the_estimator_itself(table):
    split(table)
    pool = train(table, "random_rotation_forest", {"n_estimators": 20})
    y = load_iris().target
    folds, _ = read_frame(table / "folds")
    mask = folds["S-02"].to_numpy() == 1
    np.testing.assert_array_equal(pool["rows"].values[1], np.flatnonzero(~mask))
    seen = seen_rows(mask)
    content = pool_slice("random_rotation_forest", {"n_estimators": 20})
    estimator = set_up_columns(make_estimator(content), 4, 2)
    seed = integer_seed(child(root_sequence(1), "train", "d", "p", 1))
    expected = estimator.set_params(random_state=seed).fit(seen[mask], y[mask]).predict_proba(seen[~mask])
    np.testing.assert_allclose(pool["proba"].values[1, 0], expected, atol=1e-5)
    assert estimator.categorical_features == [4, 5]


def test_blocks_and_threads_do_not_matter(table):
    split(table)
    whole = train(table, "regularized_rotation_forest", WEIGHED)
    parts = [train(table, "regularized_rotation_forest", WEIGHED, (k, k + 1), f"part{k}", threads=2) for k in (0, 2)]
    joined = xr.concat(parts, dim="split")
    np.testing.assert_array_equal(whole["proba"], joined["proba"])
    np.testing.assert_array_equal(whole["n_nodes"], joined["n_nodes"])
    one, _ = combine(table, {"kind": "member", "member": "best"})
    two, _ = combine(table, {"kind": "member", "member": "best"}, ("part0", "part2"))
    np.testing.assert_array_equal(one["proba"], two["proba"])
    np.testing.assert_allclose(one["proba"].values, whole["proba"].sel(member="best").values)


def test_members_are_the_weightings(table):
    from rotastack import RegularizedRotationForestClassifier

    split(table, 1)
    pool = train(table, "regularized_rotation_forest", WEIGHED, [0])
    nodes = pool["n_nodes"].sel(split="S-01")
    assert float(nodes.sel(member="best")) <= float(nodes.sel(member="equal"))
    data = read_prepared(table / "table")
    folds, _ = read_frame(table / "folds")
    mask = folds["S-01"].to_numpy() == 1
    seed = integer_seed(child(root_sequence(1), "train", "d", "p", 0))
    for weighting in WEIGHTINGS:
        alone = RegularizedRotationForestClassifier(
            24, 4, 3, weighting, categorical_features=[4, 5], random_state=seed
        ).fit(data.X[mask], data.y[mask])
        np.testing.assert_allclose(
            pool["proba"].sel(member=weighting).values[0], alone.predict_proba(data.X[~mask]), atol=1e-5
        )


@pytest.mark.slow
def test_training_errors_are_known_where_a_pool_asks_for_them(table):
    split(table)
    assert np.isnan(train(table, "lda")["training_error"]).all()
    pool = train(table, "lda", training_error=True, scaling="symmetric")
    data, folds = read_prepared(table / "table"), read_frame(table / "folds")[0]
    mask = folds["S-03"].to_numpy() == 1
    seen = np.hstack([MinMaxScaler((-1, 1)).fit(data.numeric[mask]).transform(data.numeric), data.X[:, 4:]])[mask]
    wrong = make_estimator(pool_slice("lda")).fit(seen, data.y[mask]).predict(seen) != data.y[mask]
    assert float(pool["training_error"][2, 0]) == pytest.approx(wrong.mean())
    train(table, "regularized_rotation_forest", WEIGHED, training_error=True)
    method, _ = combine(table, {"kind": "member", "member": "exp"})
    assert (method["training_error"] < 0.1).all()
    assert method["training_error"].dims == ("split",)


@pytest.mark.parametrize("kind", first(1, ["random_projection", "random_subspace", "diffusion_map"]))
def test_members_are_sizes_of_the_ensemble(table, kind):
    split(table)
    parameters = {"estimator": {"class": "naive_bayes"}, "n_estimators": 6}
    pool = train(table, kind, parameters, ensemble_sizes=[6, 1, 3])
    assert pool.member.values.tolist() == ["6", "1", "3"]
    whole = train(table, kind, parameters, name="whole")
    np.testing.assert_allclose(pool["proba"][:, 0], whole["proba"][:, 0], atol=1e-6)
    assert not np.allclose(pool["proba"][:, 1], pool["proba"][:, 2])
    method, _ = combine(table, {"kind": "member", "member": "3"})
    assert (method["proba"].values == pool["proba"].values[:, 2]).all()


@pytest.mark.slow
def test_names_of_many_splits_stay_whole_and_slow_estimators_may_run_fewer(table):
    """S-100 is longer than S-99, in another block."""
    split(table, 102)
    train(table, "lda", None, (97, 98), "a", limit=101)
    train(table, "lda", None, (99, 100, 101), "b", limit=101)
    method, record = combine(table, {"kind": "vote", "voting": "soft"}, ("a", "b"))
    assert method.split.values.tolist() == ["S-98", "S-99", "S-100", "S-101"]
    assert record["metrics"]["cells"] == 4


def test_facts_of_trees_and_of_machines_are_scores(table):
    split(table, 1)
    for estimator, facts, pool in [
        ("forest", ["n_nodes", "median_nodes", "mean_correlation", "margin_mean", "oob_error"], {"diversity": True}),
        ("exrm", ["iterations", "duality_gap", "training_disagreement"], {"scaling": "symmetric"}),
    ]:
        train(table, estimator, {"n_estimators": 3}, [0], **pool)
        combine(table, {"kind": "vote", "voting": "soft"})
        scores, _, _ = scored(table)
        assert scores[facts].notna().all(axis=None)
        assert (scores["error"] < 0.15).all()


def test_nothing_to_rotate_is_the_plain_forest():
    extra = {"n_estimators": 7, "tree": "extra", "n_cuts": 3}
    for kind, given, name in [
        ("random_rotation_forest", extra, "ExtraForestClassifier"),
        *(
            (f"{kind}_forest", {"n_estimators": 7}, "ForestClassifier")
            for kind in ("regularized_rotation", "multi_rotation")
        ),
    ]:
        plain = set_up_columns(make_estimator(pool_slice(kind, given)), 0, 5)
        assert (type(plain).__name__, plain.n_estimators) == (name, 7)
        assert plain.get_params().items() >= given.items() - {("tree", "extra")}


def test_noise_columns_come_after_the_numeric_ones(tmp_path):
    frame = pd.DataFrame({"x": np.arange(30) * 1.5, "c": ["r", "g"] * 15, "target": ["a", "b", "b"] * 10})
    write_raw(frame, tmp_path / "raw")
    spec = {"dataset": "d", "task": "classification", "noise_columns": 3, "seed": 5}
    step("prepare", tmp_path, spec, {"raw": "raw"}, {"table": "table", "record": "p.json"})
    table, _ = read_frame(tmp_path / "table")
    assert list(table.columns) == ["x", "noise 1", "noise 2", "noise 3", "c", "target"]
    noise = table[["noise 1", "noise 2", "noise 3"]].to_numpy()
    assert abs(noise.mean()) < 0.4
    assert 0.7 < noise.std() < 1.3
    metrics = json.loads((tmp_path / "p.json").read_text())["metrics"]
    assert metrics["snr_db"] == pytest.approx(10 * np.log10(2 / 3), abs=0.01)


def test_classes_of_few_rows_can_be_left_out(tmp_path):
    frame = pd.DataFrame({"x": np.arange(30) * 1.5, "target": ["a"] * 11 + ["rare"] * 7 + ["b"] * 12})
    write_raw(frame, tmp_path / "raw")
    spec = {"dataset": "d", "task": "classification"}
    for least, classes in [(7, ["a", "b", "rare"]), (8, ["a", "b"])]:
        files = {"raw": "raw"}, {"table": "table", "record": "p.json"}
        step("prepare", tmp_path, spec | {"smallest_class": least}, *files)
        data = read_prepared(tmp_path / "table")
        assert data.outputs == classes
        kept = frame[frame["target"].isin(classes)]
        assert data.X[:, 0].tolist() == kept["x"].tolist()
        assert [classes[k] for k in data.y] == kept["target"].tolist()


def test_methods_that_vote_are_combined_together_and_records_are_gathered(table):
    split(table)
    blocks = ("one", "two")
    for name, splits in zip(blocks, [(0, 1), (2, 3)], strict=True):
        train(table, "forest", {"n_estimators": 3}, splits, name)
    _, record = combine(table, {"kind": "vote"}, blocks)
    alone, expected = (table / "M.nc").read_bytes(), scored(table, blocks=blocks)
    (table / "M.nc").unlink()
    votes = [{"spec": record["parameters"], "pool": pool, "key": f"key-{pool}"} for pool in ("q", "p")]
    inputs = {"table": "table", "folds": "folds", "pool": [f"p/{block}.nc" for block in blocks[::-1] + blocks]}
    outputs = {"method": ["N.nc", "M.nc"], "record": ["N.run.json", "M.run.json"]}
    step("combine", table, {"votes": votes, "pools": ["q", "p"], "blocks": 2}, inputs, outputs)
    assert (table / "M.nc").read_bytes() == alone != (table / "N.nc").read_bytes()
    found = scored(table, blocks=blocks)
    for one, other in zip(found[:2], expected[:2], strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert found[2]["metrics"] == expected[2]["metrics"]
    gathered = json.loads((table / "records.json").read_text())
    (method,) = gathered["methods"]
    assert method == json.loads((table / "M.run.json").read_text())
    assert (method["key"], method["pool"]) == ("key-p", "p")
    assert [part["parameters"]["splits"] for part in gathered["pools"]["p"]] == [[0, 1], [2, 3]]
    assert gathered["groups"]["step"] == "groups"
