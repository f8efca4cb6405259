"""Views in every protocol and in the refitted model, through the steps, in this process."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler
from tests.quick import first
from tests.refusals import refusal
from tests.run.running import combine, draw, pool_slice, refit, refit_spec, step, train, train_nested

from rotastack.base.fitting import fit_aligned
from rotastack.data.artifacts import read_arrays, read_frame, read_prepared, write_frame
from rotastack.data.raw import read_raw, write_raw
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.workflow.study.building import make, make_estimator
from rotastack.workflow.study.specs import ExplainSpec
from rotastack.workflow.tracking.model_files import load_model

VIEWS = {
    "principal": None,
    "discriminant": None,
    "double": None,
    "multi_rotation": None,
    "locality": None,
    "projection": {"n_components": 2},
    "subspace": {"n_components": 2},
    "diffusion": {"n_components": 3},
    "rotation": {"flip": True},
    "sklearn.decomposition.PCA": {"n_components": 3},
}


def view_of(name):
    return {"class": name, "parameters": VIEWS[name] or {}}


@pytest.fixture
def nested(folder):
    write_frame(folder / "folds", pd.DataFrame({"FG-01": np.random.default_rng(0).permutation(150) % 3}))
    return folder


def different(outputs):
    """Tell of each member after the first whether its outputs differ from those of the unrotated one."""
    return [not np.allclose(outputs[0], other, equal_nan=True) for other in outputs[1:]]


@pytest.mark.parametrize("name", first(5, VIEWS))
def test_in_nested_cross_validation(nested, name):
    pool, record = train_nested(nested, "naive_bayes", view=view_of(name))
    assert record["status"] == "ok", record["message"]
    outputs = pool["proba"].values[0, 0]  # (other fold, member, row, class)
    assert all(different(outputs[0])), "a member is unrotated"
    assert (outputs.argmax(axis=-1) == load_iris().target).mean() > 0.6
    method, record = combine(nested, {"kind": "stacking", "estimator": "logistic"}, protocol="nested")
    assert record["status"] == "ok", record["message"]
    assert (method["proba"].values[0, 0].argmax(axis=1) == load_iris().target).mean() > 0.8


@pytest.mark.parametrize("name", first(3, reversed(VIEWS)))
def test_in_splits(folder, name):
    pool = train(folder, "naive_bayes", None, (0, 1), view=view_of(name))
    assert pool.attrs["status"] == "ok", pool.attrs["message"]
    for outputs in pool["proba"].values:
        assert all(different(outputs)), "a member is unrotated"
    method, _ = combine(folder, {"kind": "vote"})
    assert (method["proba"].values.argmax(axis=-1) == load_iris().target[method["rows"].values]).mean() > 0.6
    np.testing.assert_allclose(method["proba"].values, pool["proba"].mean("member").values, atol=1e-6)


@pytest.mark.parametrize("name", first(3, VIEWS))
def test_in_the_refitted_model(tmp_path, name):
    X, y = load_iris(return_X_y=True)
    raw = pd.DataFrame(X, columns=list("abcd")).assign(e=np.resize(["u", "v", "w"], 150), target=y.astype(str))
    write_raw(raw, tmp_path / "raw")
    spec = refit_spec(pool_slice("tree", view=view_of(name)), {"kind": "vote"})
    record = refit(tmp_path, spec, {"method": ["A"], "error": [0.1]})
    assert record["status"] == "ok", record["message"]
    model = load_model(tmp_path / "model")
    views = [member.view for member in model[-1].pool_.members]
    assert views[0] is None
    assert [type(view) for view in views[1:]] == [type(make(spec.methods["A"].pool.view))] * 2
    assert (model.predict(read_raw(tmp_path / "raw").drop(columns="target")) == y.astype(str)).mean() > 0.9


def test_own_types_are_refitted_and_explained_by_consent(tmp_path):
    X, y = load_iris(return_X_y=True)
    write_raw(pd.DataFrame(X, columns=list("abcd")).assign(target=y.astype(str)), tmp_path / "raw")
    explained = ExplainSpec(study="s", dataset="d", score="error", trusted=["tests.study"])
    for trusted in ([], ["tests.study"]):
        spec = refit_spec(pool_slice("tests.study.strange.Mute"), {"kind": "vote"}, trusted=trusted)
        record = refit(tmp_path, spec, {"method": ["A"], "error": [0.1]})
        assert bool(re.search("Mute; if you trust [^\n]*--trust tests", record["message"])) == (not trusted)
        assert bool((tmp_path / "model").read_bytes()) == bool(trusted), "the study goes on"
    outputs = {"explanation": "e.json", "page": "e.html", "record": "explain.run.json"}
    step("explain", tmp_path, explained, {"raw": "raw", "model": "model", "refit": "refit.run.json"}, outputs)
    assert json.loads((tmp_path / "explain.run.json").read_text())["status"] == "ok"
    assert " effect that is shown: with shuffled values" in json.loads((tmp_path / "e.json").read_text())["words"][0]


def test_pools_of_a_group_share_views_and_groups_have_their_own(nested):
    """Seeds of views do not name the pool: what differs between pools is not the views."""
    one, _ = train_nested(nested, "lda", view=view_of("projection"), name="a")
    both, _ = train_nested(nested, "lda", view=view_of("projection"), name="b", groups=(0, 1))
    np.testing.assert_array_equal(one["proba"][0], both["proba"][0])
    assert not np.allclose(both["proba"][0, :, :, 1:], both["proba"][1, :, :, 1:])


def test_stretched_and_direct_rotations_are_drawn_in_training(nested):
    """Rotation groups store plain rotations alone."""
    views = [{"class": "rotation", "parameters": given} for given in ({}, {"stretch": True}, {"method": "direct"})]
    pools = [train_nested(nested, "naive_bayes", view=view, nested=False)[0] for view in views]
    plain, *others = (np.nan_to_num(pool["proba"].values) for pool in pools)
    for other in others:
        np.testing.assert_array_equal(plain[..., 0, :, :], other[..., 0, :, :])  # the first member has no rotation
        assert not np.allclose(plain[..., 1:, :, :], other[..., 1:, :, :])


def test_rotations_are_drawn_in_their_step_and_used_for_their_table_alone(nested):
    content = pool_slice("lda", view=view_of("rotation")).view
    draw(nested, {"protocol": "nested", "fold_groups": 1, "folds": 3}, content, ["RG-01"])
    group = read_arrays(nested / "rotations.nc")
    np.testing.assert_array_equal(group["block"][0], np.eye(4))
    pool, _ = train_nested(nested, "nearest_neighbors", view=view_of("rotation"), nested=False)
    data, folds = read_prepared(nested / "table"), pd.read_parquet(nested / "folds")["FG-01"].to_numpy()
    train_rows = folds != 1
    scaled = MinMaxScaler(clip=True).fit(data.numeric[train_rows]).transform(data.numeric).astype(np.float32)
    view = type(make(content)).from_matrix(group["block"].values[2], group["axes"].values[2], 4)
    seen = np.hstack([view.transform(scaled).astype(np.float32), data.X[:, 4:].astype(np.float32)])
    estimator = make_estimator(pool_slice("nearest_neighbors"))
    fitted = fit_aligned(estimator, seen[train_rows], data.y[train_rows], 3, np.random.SeedSequence(0))
    np.testing.assert_array_equal(pool["proba"].values[0, 0, 1, 2][folds == 1], fitted.outputs(seen[folds == 1]))
    frame, about = read_frame(nested / "table")
    write_frame(nested / "table", frame.drop(columns="d"), about)
    told = json.loads((nested / "p/pool.run.json").read_text())["parameters"]
    files = {"table": "table", "folds": "folds", "rotations": "rotations.nc"}
    assert "rotations of 4 columns, but d has 3 numeric columns" in refusal(
        step, "train", nested, told, files, {"pool": "pool"}
    )


def test_the_view_of_a_split_is_seeded_by_data_set_split_and_member(folder):
    pool = train(folder, "nearest_neighbors", None, (0, 1), view=view_of("projection"))
    data = read_prepared(folder / "table")
    held_out = pool["rows"].values[1]
    rows = np.setdiff1d(np.arange(150), held_out)
    scaled = MinMaxScaler(clip=True).fit(data.numeric[rows]).transform(data.numeric).astype(np.float32)
    view = make(pool_slice("lda", view=view_of("projection")).view)
    seed = integer_seed(child(root_sequence(1), "views", "d", 1, 2))
    mapped = view.set_params(random_state=seed).fit(scaled[rows]).transform(scaled).astype(np.float32)
    seen = np.hstack([mapped, data.X[:, 4:].astype(np.float32)])
    estimator = make_estimator(pool_slice("nearest_neighbors"))
    fitted = fit_aligned(estimator, seen[rows], data.y[rows], 3, np.random.SeedSequence(0))
    np.testing.assert_allclose(pool["proba"].values[1, 2], fitted.outputs(seen[held_out]), atol=1e-6)
