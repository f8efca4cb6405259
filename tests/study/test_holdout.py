"""Studies on random splits: what their steps make, and what of a study does not fit."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from rotastack.errors import RotastackError
from rotastack.learners.fitting import placed
from rotastack.learners.registry import make_learner
from rotastack.project import project_file
from rotastack.schema import load_yaml
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.study.artifacts import read_arrays, read_frame, write_frame
from rotastack.study.config import Study
from rotastack.study.job import Job
from rotastack.study.sizes import resized
from rotastack.study.steps import combine_holdout, folds_holdout, prepare, score, train_holdout

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
            "view": "identity", "scaling": "minmax", "diversity": False, "training_error": False, "noise": {}, "votes": [],
            "learner": learner, **pool,
        },
    }  # fmt: skip
    (folder / "p" / "RG-01").mkdir(parents=True, exist_ok=True)
    files = {"pool": f"p/RG-01/{name}.nc", "record": f"p/RG-01/{name}.json"}
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
    step(score, table, {}, {"table": "table", "methods": "m.nc"}, {"scores": "scores", "record": "s.json"})
    scores, _ = read_frame(table / "scores")
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


# The study files


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("size", ["full", "small"])
def test_studies_of_the_thesis_are_valid_at_both_sizes(name, size):
    path = project_file(f"config/studies/{name}.yaml")
    study = Study.from_mapping(resized(load_yaml(path), size, str(path)), str(path))
    assert study.name == (name if size == "full" else f"{name}-small")
    cells = pd.read_csv(project_file(f"config/published/{study.content['published']}.csv"))
    assert set(cells["method"]) <= set(study.methods)
    if size == "full":
        assert set(cells["dataset"]) <= set(study.datasets)


@pytest.mark.parametrize("name", ["drmf", "drmf_noise", "qmm", "qmm_curves"])
@pytest.mark.parametrize("size", ["full", "small"])
def test_studies_of_pruning_are_valid_at_both_sizes(name, size):
    path = project_file(f"config/studies/{name}.yaml")
    study = Study.from_mapping(resized(load_yaml(path), size, str(path)), str(path))
    assert study.prunes
    if study.content["published"]:
        cells = pd.read_csv(project_file(f"config/published/{study.content['published']}.csv"))
        assert set(cells["method"]) - {"Nemenyi"} <= set(study.methods)


@pytest.mark.parametrize("name", ["exrm", "exrm_members", "exrm_lambda"])
@pytest.mark.parametrize("size", ["full", "small"])
def test_studies_of_linear_machines_are_valid_at_both_sizes(name, size):
    path = project_file(f"config/studies/{name}.yaml")
    study = Study.from_mapping(resized(load_yaml(path), size, str(path)), str(path))
    assert all(pool["scaling"] == "symmetric" for pool in study.pools.values())
    for dataset in study.datasets:
        assert study.prepare_spec(dataset)["kinds"] == "numeric"
    if study.content["published"]:
        cells = pd.read_csv(project_file(f"config/published/{study.content['published']}.csv"))
        assert set(cells["method"]) <= set(study.methods)
        if size == "full":
            assert set(cells["dataset"]) - {"all"} == set(study.datasets)
    else:
        drawn = {
            m
            for sweep in study.content["evaluation"]["sweeps"]
            for line in sweep["lines"].values()
            for m in line
        }
        assert drawn == set(study.methods)


def test_the_printed_studies_are_valid(tmp_path):
    """Those of config/README.md, at their sizes."""
    text = project_file("config/README.md").read_text()
    printed = [block.split("```")[0] for block in text.split("```yaml\n")[1:]]
    studies = [block for block in printed if block.startswith("name:")]
    assert len(studies) == 4
    for block in studies:
        path = tmp_path / "printed.yaml"
        path.write_text(block)
        content = load_yaml(path)
        for size in ("full", *content.get("sizes", {})):
            Study.from_mapping(resized(content, size, "printed"), "printed")


def test_sizes_merge():
    full = {
        "name": "s", "pools": {"a": {"learner": {"n": 5, "k": 1}}, "b": {"learner": {"k": 2}}, "c": {}},
        "datasets": ["x", "y"],
        "sizes": {"small": {"pools": {"*": {"learner": {"n": 2}}, "b": {"learner": {"m": 3}}, "c": None}, "datasets": ["x"]}},
    }  # fmt: skip
    small = resized(full, "small", "s.yaml")
    assert small["name"] == "s-small"
    assert small["pools"] == {"a": {"learner": {"n": 2, "k": 1}}, "b": {"learner": {"k": 2, "m": 3}}}
    assert small["datasets"] == ["x"]
    assert "sizes" not in resized(full, "full", "s.yaml")
    with pytest.raises(RotastackError, match="no size 'smal'; did you mean 'small'"):
        resized(full, "smal", "s.yaml")


BASE = {
    "name": "s", "datasets": ["iris"], "protocol": {"kind": "holdout"},
    "pools": {"a": {"learner": {"kind": "forest"}},
              "w": {"learner": {"kind": "regularized_rotation_forest", "weightings": ["equal", "cut"]}}},
    "methods": {"A": {"pool": "a", "combiner": {"kind": "vote"}}, "W": {"pool": "w", "combiner": {"kind": "member", "member": "cut"}}},
}  # fmt: skip


SWEEP = {"title": "T", "axis": "x", "values": [1, 2], "lines": {"a": ["A", "W"], "level": ["A"]}}


def changed(**changes):
    content = json.loads(json.dumps(BASE))
    for path, value in changes.items():
        *parents, last = path.split("__")
        at = content
        for key in parents:
            at = at[key]
        at[last] = value
    return content


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"protocol": {"kind": "holdout", "folds": 5}}, "protocol: 'folds' does not go with kind 'holdout'"),
        ({"protocol": {"kind": "holdout", "train": 150}}, "protocol.train: iris has 150 rows; 150 to train on leave none to test"),
        ({"protocol": {"kind": "holdout", "train": 1.5}}, "protocol.train: 1.5 is neither a share below 1 nor a whole number"),
        ({"protocol": {"kind": "holdout", "train": 0}}, "protocol.train: must be greater than 0"),
        ({"protocol": {"repeats": 5}}, "protocol: 'repeats' does not go with kind 'nested'"),
        ({"methods__W__combiner": {"kind": "member", "member": "exp"}}, "'exp' is not a member of its pool; there are equal, cut"),
        ({"methods__A__combiner": {"kind": "member", "member": "x"}}, "none with a name"),
        ({"methods__A__combiner": {"kind": "vote", "h": 2}}, "'h' does not go with kind 'vote'"),
        ({"methods__A__combiner": {"kind": "stacking"}}, "stacking needs nested cross-validation"),
        ({"methods__A__combiner": {"kind": "weights"}}, "weights need a pool on rotations"),
        ({"pools__a__view": "rotation"}, "a learner that rotates does so itself"),
        ({"pools__a__repeats": {"wine": 3}}, "'wine' is not a data set of this study"),
        ({"evaluation": {"pairs": [["A", "B"]]}}, "evaluation.pairs: 'B' is not a method"),
        ({"evaluation": {"sweeps": [{**SWEEP, "lines": {"a": ["A", "B"]}}]}}, "evaluation.sweeps.0.lines.a: 'B' is not a method"),
        ({"evaluation": {"sweeps": [{**SWEEP, "lines": {"a": ["A", "A", "A"]}}]}}, "lines.a: 3 methods for 2 values"),
        ({"evaluation": {"sweeps": [{**SWEEP, "values": [2, 1]}]}}, "sweeps.0.values: \\[2, 1\\] must rise"),
        ({"evaluation": {"sweeps": [{**SWEEP, "values": [0, 1], "log": True}]}}, "must rise from more than 0"),
        ({"evaluation": {"sweeps": [{**SWEEP, "colour": "red"}]}}, "sweeps.0: unknown key 'colour'"),
        ({"datasets": [{"name": "n", "like": "irs"}]}, "n.like: 'irs' is unknown; did you mean 'iris'"),
        ({"datasets": [{"name": "n"}]}, "datasets.0"),
        ({"protocol": {"folds": 3}}, "member needs random splits"),
        ({"pools__a__diversity": True, "pools__a__learner": {"kind": "lda"}}, "pools.a.diversity: lda has no trees that vote"),
        ({"pools__w__learner__n_trees": 100}, "\\(10 x 25\\) is more than n_trees \\(100\\)"),
        ({"pools__a__learner": {"kind": "random_rotation_forest", "n_trees": 5, "n_trees_per_rotation": 2}}, "multiple of n_trees_per_rotation"),
        ({"pools__a__learner": {"kind": "random_rotation_forest", "tree": "extra", "drop_worst": 0.1}}, "drop_worst needs trees of kind forest"),
        ({"illustrations": ["mona_lisa"]}, "illustrations.0: 'mona_lisa' is not one of"),
        ({"pools__w__learner": {"kind": "regularized_rotation_forest", "weightings": ["heavy"]}}, "weightings: \\['heavy'\\] is not allowed"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(changes, message):
    with pytest.raises(RotastackError, match=message):
        Study.from_mapping(changed(**changes), "s.yaml")
    Study.from_mapping(changed(), "s.yaml")
    Study.from_mapping(changed(evaluation={"sweeps": [SWEEP]}), "s.yaml")


@pytest.mark.parametrize(
    ("combiner", "learner", "message"),
    [
        ({"weighting": "cut", "h": 9}, "forest", "h: 9 does not go with cut; it must be a whole number from 1 to 3, or null"),
        ({"weighting": "exp", "h": 0.05}, "forest", "from 0.1 to 3, or null"),
        ({"weighting": "linear", "h": 2}, "forest", "does not go with linear; it must be null"),
        ({"weighting": "linear"}, "logistic", "weights need the learner forest"),
    ],
)  # fmt: skip
def test_weights_in_nested_studies_are_checked(combiner, learner, message):
    content = {
        "name": "s", "datasets": ["iris"], "protocol": {"rotations": 3},
        "pools": {"a": {"view": "rotation", "learner": {"kind": learner}}},
        "methods": {"A": {"pool": "a", "combiner": {"kind": "vote"}}, "B": {"pool": "a", "combiner": {"kind": "weights", **combiner}}},
    }  # fmt: skip
    with pytest.raises(RotastackError, match=message):
        Study.from_mapping(content, "s.yaml")
    content["pools"]["a"]["diversity"] = True
    with pytest.raises(RotastackError, match="noise go with random splits only"):
        Study.from_mapping(content, "s.yaml")


def test_data_sets_like_others_share_their_entry():
    study = Study.from_mapping(
        changed(datasets=[{"name": "n", "like": "glass", "noise_columns": 4}]), "s.yaml"
    )
    assert study.datasets["n"]["mirror"] == "glass"
    assert study.datasets["n"]["rows"] == 214
    assert study.prepare_spec("n")["noise_columns"] == 4
