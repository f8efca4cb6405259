"""Studies on random splits: what their steps make, and what of a study does not fit."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from rotastack.learners.registry import make_learner
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from rotastack.base.fitting import placed
from rotastack.ensembles.pooled.nested import nested_outputs
from rotastack.errors import RotastackError
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.study.artifacts import read_arrays, read_frame, write_frame
from rotastack.study.job import Job
from rotastack.study.steps import combine_holdout, folds_holdout, prepare, score, train_holdout
from rotastack.study.steps import train as nested_train
from rotastack.study.steps.refit import _estimator

WEIGHTINGS = ["equal", "exp", "best"]
STUDIES = ["rotation_scaling", "iris_sensitivity", "rotation_weights", "rotation_noise", "multi_rotation"]


@pytest.fixture
def table(tmp_path):
    """Iris with a categorical column of three levels, prepared."""
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    level = np.arange(150) % 3
    frame["e=1"], frame["e=2"] = (level == 1).astype(float), (level == 2).astype(float)
    frame["target"] = y.astype("int16")
    about = {"classes": ["s", "c", "v"], "categorical": [False] * 4 + [True] * 2, "owners": ["e", "e"]}
    write_frame(tmp_path / "table", frame, about)
    return tmp_path


def step(module, folder, spec, inputs, outputs, **options):
    name = module.__name__.rsplit(".", 1)[-1]
    module.run(
        Job(
            name,
            spec,
            {k: [folder / f for f in ([v] if isinstance(v, str) else v)] for k, v in inputs.items()},
            {k: [folder / v] for k, v in outputs.items()},
            {"dataset": "d", "study": "s"},
            **options,
        )
    )


def split(folder, repeats=4, rows=0.6):
    spec = {"seed": 1, "dataset": "d", "kind": "holdout", "repeats": repeats, "train": rows}
    step(folds_holdout, folder, spec, {"table": "table"}, {"folds": "folds", "record": "f.json"})


def train(folder, learner, repeats=(0, 1, 2, 3), name="pool", limit=100, threads=1, **pool):
    spec = {
        "seed": 1, "dataset": "d", "name": "p", "fold_groups": list(repeats), "repeats": limit,
        "pool": {
            "view": "identity", "scaling": "minmax", "diversity": False, "training_error": False, "noise": {}, "sizes": [], "votes": [],
            "learner": learner, **pool,
        },
    }  # fmt: skip
    (folder / "p" / "RG-01").mkdir(parents=True, exist_ok=True)
    files = {"pool": f"p/RG-01/{name}.nc", "record": f"p/RG-01/{name}.run.json"}
    step(train_holdout, folder, spec, {"table": "table", "folds": "folds"}, files, threads=threads)
    return read_arrays(folder / files["pool"])


def combine(folder, combiner, blocks=("pool",)):
    spec = {
        "seed": 1, "dataset": "d", "method": "M", "combiner": combiner, "pools": ["p"],
        "rotation_blocks": ["RG-01"], "fold_blocks": list(blocks),
    }  # fmt: skip
    step(
        combine_holdout,
        folder,
        spec,
        {"table": "table", "pools": "."},
        {"method": "m.nc", "record": "m.json"},
    )
    return read_arrays(folder / "m.nc"), json.loads((folder / "m.json").read_text())


def scored(folder):
    """Return scores, calibration and record of the method that was combined."""
    inputs = {"table": "table", "methods": ["m.nc"], "records": ["m.json"], "pools": "."}
    outputs = {"scores": "scores", "calibration": "calibration", "record": "s.json"}
    step(score, folder, {}, inputs, outputs)
    frames = [read_frame(folder / name)[0] for name in ("scores", "calibration")]
    return *frames, json.loads((folder / "s.json").read_text())


def test_splits_hold_all_levels(table):
    split(table)
    folds, _ = read_frame(table / "folds")
    assert list(folds.columns) == ["R-01", "R-02", "R-03", "R-04"]
    assert (folds.sum() == 90).all()


def test_the_number_of_training_rows_may_be_given(table):
    split(table, rows=20)
    folds, _ = read_frame(table / "folds")
    assert (folds.sum() == 20).all()
    with pytest.raises(RotastackError, match="^d: 150 rows for training leaves none on one side"):
        split(table, rows=150)


def test_outputs_are_those_of_the_learner_itself(table):
    split(table)
    pool = train(table, {"kind": "random_rotation_forest", "n_trees": 20})
    X, y = load_iris(return_X_y=True)
    level = np.arange(150) % 3
    dummies = np.stack([level == 1, level == 2], axis=1).astype(float)
    folds, _ = read_frame(table / "folds")
    mask = folds["R-02"].to_numpy() == 1
    np.testing.assert_array_equal(pool["rows"].values[1], np.flatnonzero(~mask))
    scaler = MinMaxScaler(clip=True).fit(X[mask])
    seen = np.hstack([scaler.transform(X), dummies]).astype(np.float32)
    learner = placed(make_learner({"kind": "random_rotation_forest", "n_trees": 20}), 4, 2)
    seed = integer_seed(child(root_sequence(1), "train", "d", "p", 1))
    expected = learner.set_params(random_state=seed).fit(seen[mask], y[mask]).predict_proba(seen[~mask])
    np.testing.assert_allclose(pool["proba"].values[0, 1, 0], expected, atol=1e-5)
    assert learner.categorical_features == [4, 5]


def test_blocks_and_threads_do_not_matter(table):
    split(table)
    learner = {"kind": "regularized_rotation_forest", "n_trees": 24, "n_rotations": 4, "micro_forest_size": 3,
               "weightings": WEIGHTINGS}  # fmt: skip
    whole = train(table, learner)
    parts = [train(table, learner, (k, k + 1), f"part{k}", threads=2) for k in (0, 2)]
    joined = xr.concat(parts, dim="fold_group")
    np.testing.assert_array_equal(whole["proba"], joined["proba"])
    np.testing.assert_array_equal(whole["n_nodes"], joined["n_nodes"])
    one, _ = combine(table, {"kind": "member", "member": "best"})
    two, _ = combine(table, {"kind": "member", "member": "best"}, ("part0", "part2"))
    np.testing.assert_array_equal(one["proba"], two["proba"])
    np.testing.assert_allclose(one["proba"].values[0], whole["proba"].sel(member="best").values[0])


def test_members_are_the_weightings(table):
    from rotastack import RegularizedRotationForestClassifier

    split(table, 1)
    learner = {"kind": "regularized_rotation_forest", "n_trees": 24, "n_rotations": 4, "micro_forest_size": 3,
               "weightings": WEIGHTINGS}  # fmt: skip
    pool = train(table, learner, [0])
    assert pool.member.values.tolist() == WEIGHTINGS
    assert float(pool["n_nodes"].sel(member="best").item()) <= float(
        pool["n_nodes"].sel(member="equal").item()
    )
    data, _ = read_frame(table / "table")
    folds, _ = read_frame(table / "folds")
    mask = folds["R-01"].to_numpy() == 1
    X = data.drop(columns="target").to_numpy()
    seed = integer_seed(child(root_sequence(1), "train", "d", "p", 0))
    for weighting in WEIGHTINGS:
        alone = RegularizedRotationForestClassifier(
            24, 4, 3, weighting, categorical_features=[4, 5], random_state=seed
        ).fit(X[mask], data["target"][mask])
        np.testing.assert_allclose(
            pool["proba"].sel(member=weighting).values[0, 0], alone.predict_proba(X[~mask]), atol=1e-5
        )


def test_scores_are_of_test_rows_with_facts_of_the_trees(table):
    split(table)
    train(table, {"kind": "forest", "n_trees": 30}, diversity=True)
    method, _ = combine(table, {"kind": "vote", "voting": "soft"})
    scores, _, _ = scored(table)
    assert len(scores) == 4
    assert (scores["error"] < 0.15).all()
    assert (scores["error"] * 60).round(6).mod(1).eq(0).all()
    assert (
        scores[["n_nodes", "median_leaves", "mean_correlation", "margin_mean", "oob_error"]]
        .notna()
        .all()
        .all()
    )
    assert scores["margin_mean"].between(0.5, 1).all()
    assert method.sizes == {"rotation_group": 1, "fold_group": 4, "row": 60, "class": 3}


def test_training_errors_are_known_where_a_pool_asks_for_them(table):
    split(table)
    assert np.isnan(train(table, {"kind": "lda"})["training_error"]).all()
    pool = train(table, {"kind": "lda"}, training_error=True, scaling="symmetric")
    data, folds = read_frame(table / "table")[0], read_frame(table / "folds")[0]
    mask = folds["R-03"].to_numpy() == 1
    X = data.drop(columns="target")
    numeric = MinMaxScaler((-1, 1)).fit(X.loc[mask, list("abcd")]).transform(X[list("abcd")])
    seen = np.hstack([numeric, X[["e=1", "e=2"]]])[mask]
    wrong = (
        make_learner({"kind": "lda"}).fit(seen, data["target"][mask]).predict(seen) != data["target"][mask]
    )
    assert float(pool["training_error"][0, 2, 0]) == pytest.approx(wrong.mean())
    learner = {"kind": "regularized_rotation_forest", "n_trees": 24, "n_rotations": 4, "micro_forest_size": 3,
               "weightings": WEIGHTINGS}  # fmt: skip
    assert (train(table, learner, training_error=True)["training_error"] < 0.1).all()
    method, _ = combine(table, {"kind": "member", "member": "exp"})
    assert method["training_error"].dims == ("rotation_group", "fold_group")


@pytest.mark.parametrize("features", [None, "nystroem"])
def test_facts_of_linear_machines_are_kept(table, features):
    split(table)
    learner = {"kind": "exrm", "n_estimators": 3, "features": features, "n_components": 10}
    pool = train(table, learner, scaling="symmetric")
    assert pool.attrs["status"] == "ok", pool.attrs["message"]
    assert (pool["iterations"] > 1).all()
    assert (pool["duality_gap"] < 1e-5).all()
    assert (pool["training_disagreement"] == 0).all()  # members of an optimum are equal
    assert pool["n_nodes"].isnull().all()
    assert train(table, {"kind": "lda"})["iterations"].isnull().all()


@pytest.mark.parametrize("kind", ["random_projection", "random_subspace", "diffusion_map"])
def test_members_are_sizes_of_the_ensemble(table, kind):
    split(table)
    learner = {"kind": kind, "base": "nb", "n_estimators": 6}
    pool = train(table, learner, sizes=[6, 1, 3])
    assert pool.member.values.tolist() == ["6", "1", "3"]
    whole = train(table, learner, name="whole")
    np.testing.assert_allclose(pool["proba"][:, :, 0], whole["proba"][:, :, 0], atol=1e-6)
    assert not np.allclose(pool["proba"][:, :, 1], pool["proba"][:, :, 2])
    method, _ = combine(table, {"kind": "member", "member": "3"})
    assert (method["proba"].values == pool["proba"].values[:, :, 2]).all()


def test_the_flagship_is_told_which_dummies_belong_together(table):
    split(table)
    learner = {"kind": "rotastack", "trees_per_family": 4}
    whole = train(table, learner)
    without = train(table, {**learner, "families": ["id", "idET", "Lm", "Lpc", "Lsp"]}, name="without")
    assert np.isfinite(whole["proba"]).all()
    assert not np.allclose(whole["proba"], without["proba"])
    told = placed(make_learner(learner), 4, 2, ["e", "e"])
    assert told.dummies == [[4, 5]]


def test_names_of_many_repeats_stay_whole(table):
    """R-100 is longer than R-99, in another block."""
    split(table, 101)
    train(table, {"kind": "lda"}, (97, 98), "a", limit=101)
    train(table, {"kind": "lda"}, (99, 100), "b", limit=101)
    method, _ = combine(table, {"kind": "vote", "voting": "soft"}, ("a", "b"))
    assert method.fold_group.values.tolist() == ["R-98", "R-99", "R-100", "R-101"]


def test_slow_learners_may_run_fewer_repeats(table):
    split(table)
    first = train(table, {"kind": "gaussian_process"}, (0, 1), "a", limit=1)
    assert first.sizes["fold_group"] == 1
    assert train(table, {"kind": "gaussian_process"}, (2, 3), "b", limit=1).sizes["fold_group"] == 0
    method, record = combine(table, {"kind": "vote", "voting": "soft"}, ("a", "b"))
    assert method.fold_group.values.tolist() == ["R-01"]
    assert record["metrics"]["cells"] == 1


def test_a_learner_that_fails_is_a_result(table):
    split(table)
    pool = train(table, {"kind": "forest", "n_trees": 3, "max_features": 50})
    assert pool.attrs["status"] == "failed"
    assert "max_features is 50" in pool.attrs["message"]
    method, record = combine(table, {"kind": "vote", "voting": "soft"})
    assert record["status"] == "failed"
    assert np.isnan(method["proba"]).all()


def test_nothing_to_rotate_is_the_plain_forest():
    for kind in ("random_rotation_forest", "regularized_rotation_forest", "multi_rotation_forest"):
        plain = placed(make_learner({"kind": kind, "n_trees": 7}), 0, 5)
        assert type(plain).__name__ == "ForestClassifier"
        assert plain.n_estimators == 7
    extra = placed(make_learner({"kind": "random_rotation_forest", "tree": "extra", "n_cuts": 3}), 0, 5)
    assert (type(extra).__name__, extra.n_cuts) == ("ExtraForestClassifier", 3)


@pytest.mark.parametrize(
    "kind", ["lda", "svm", "gaussian_process", "nearest_neighbors", "gradient_boosting", "random_rotation_boosting",
             "multi_rotation_forest", "extra_forest"],
)  # fmt: skip
def test_controls_and_ensembles_learn_iris(table, kind):
    split(table, 2)
    small = {"random_rotation_boosting": {"n_rotations": 5, "trees_per_rotation": 20}}.get(kind, {})
    pool = train(table, {"kind": kind, **small}, (0, 1))
    assert pool.attrs["status"] == "ok", pool.attrs["message"]
    data, _ = read_frame(table / "table")
    decided = pool["proba"].values[0, :, 0].argmax(axis=-1)
    wrong = decided != data["target"].to_numpy()[pool["rows"].values]
    assert wrong.mean() < 0.2


def test_noise_columns_come_after_the_numeric_ones(tmp_path):
    from rotastack.data.tables import write_raw

    frame = pd.DataFrame({"x": np.arange(30) * 1.5, "c": ["r", "g"] * 15, "target": ["a", "b", "b"] * 10})
    write_raw(frame, tmp_path / "raw")
    spec = {"kinds": "auto", "noise_columns": 3, "seed": 5}
    step(prepare, tmp_path, spec, {"raw": "raw"}, {"table": "table", "record": "p.json"})
    table, about = read_frame(tmp_path / "table")
    assert list(table.columns) == ["x", "noise 1", "noise 2", "noise 3", "c=r", "target"]
    assert about["categorical"] == [False] * 4 + [True]
    noise = table[["noise 1", "noise 2", "noise 3"]].to_numpy()
    assert abs(noise.mean()) < 0.4
    assert 0.7 < noise.std() < 1.3
    metrics = json.loads((tmp_path / "p.json").read_text())["metrics"]
    assert metrics["snr_db"] == pytest.approx(10 * np.log10(2 / 3), abs=0.01)


def test_the_flagship_is_told_in_nested_cross_validation_too(table, monkeypatch):
    seen = []

    def noted(X, y, n_classes, folds, pairs, recipes, sequence, **options):
        seen.extend(recipes)
        return nested_outputs(X, y, n_classes, folds, pairs, recipes, sequence, **options)

    monkeypatch.setattr(nested_train, "nested_outputs", noted)
    write_frame(table / "folds", pd.DataFrame({"FG-01": np.arange(150) % 3}))
    frame, about = read_frame(table / "table")
    frame.loc[frame.index % 3 != 0, "e=1"] = 0.0  # a level that one training set never sees
    write_frame(table / "table", frame, about)
    spec = {
        "seed": 1, "dataset": "d", "name": "p", "folds": 3, "nested": False, "fold_groups": [0], "rotation_groups": [0],
        "pool": {"learner": {"kind": "rotastack", "trees_per_family": 3}, "view": "identity", "scaling": "minmax"},
    }  # fmt: skip
    inputs = {"table": "table", "folds": "folds", "rotations": []}
    step(nested_train, table, spec, inputs, {"pool": "pool", "record": "r.json"})
    assert seen[0].learner.dummies == [[4, 5]]
    assert json.loads((table / "r.json").read_text())["status"] == "ok"
    refitted = _estimator(
        {"holdout": False, "folds": 3},
        {"pool": spec["pool"], "combiner": {"kind": "vote", "voting": "soft"}},
        np.array([False] * 4 + [True] * 2),
        ["e", "e"],
    )
    assert refitted.estimator.dummies == [[4, 5]]
