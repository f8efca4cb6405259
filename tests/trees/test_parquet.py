import json
import os
import subprocess
import sys
from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
import pytest

from rotastack import AdaBoostM1Classifier
from rotastack.errors import RotastackError
from rotastack.trees import ExtraForestClassifier, ForestClassifier, ForestRegressor, fit_parquet, units
from rotastack.trees.parquet_blocks import BLOCK_ROWS
from rotastack.trees.parquet_forest import BlockBags

pytest.importorskip("pyarrow")
N_ROWS = 3 * BLOCK_ROWS - 5000


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 4)), columns=list("abcd"))
    X["n"] = rng.integers(0, 5, N_ROWS)
    signal = X["a"] * X["b"] + 0.3 * rng.normal(size=N_ROWS)
    X.loc[rng.random(N_ROWS) < 0.1, "d"] = np.nan
    return X.assign(label=np.where(signal > 0, "yes", "no"), number=1e6 + signal)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet")
    write(frame.drop(columns="number"), path / "label", [0, N_ROWS])
    write(frame.drop(columns="label"), path / "number", [0, N_ROWS])
    return path


def write(frame, folder, edges, **how):
    folder.mkdir(exist_ok=True)
    for k, (a, b) in enumerate(pairwise(edges)):
        frame.iloc[a:b].to_parquet(folder / f"{k:03d}.parquet", index=False, **how)


def same(first, second):
    one, two = first.forest_, second.forest_
    return (
        one.nodes.tobytes() == two.nodes.tobytes()
        and one.values.tobytes() == two.values.tobytes()
        and np.array_equal(one.starts, two.starts)
        and np.array_equal(one.decreases, two.decreases)
        and first.oob_score_ == second.oob_score_
    )


@pytest.mark.parametrize(("target", "kind"), [("label", ForestClassifier), ("number", ForestRegressor)])
def test_readers_files_and_memory_make_no_difference(frame, folder, tmp_path, target, kind):
    whole = fit_parquet(kind(5, random_state=0), folder / target, target, max_samples=3000)
    rest = {"label": "number", "number": "label"}[target]
    write(frame.drop(columns=rest), tmp_path / "cut", [0, 1, 700, 20_000, N_ROWS], row_group_size=1234)
    cut = fit_parquet(
        kind(5, n_jobs=2, random_state=0), tmp_path / "cut", target, max_samples=3000, read_rows=777, memory=1
    )
    assert same(whole, cut)
    assert not same(whole, fit_parquet(kind(5, random_state=1), folder / target, target, max_samples=3000))


def test_each_worker_has_trees_however_much_memory_there_is(folder, monkeypatch):
    here = fit_parquet(ForestClassifier(6, random_state=0), folder / "label", "label", max_samples=500)
    returned, unpacked = [], units._unpacked
    monkeypatch.setattr(units, "_unpacked", lambda found: returned.append(found) or unpacked(found))
    with joblib.parallel_config("loky", n_jobs=2):
        there = fit_parquet(ForestClassifier(6, random_state=0), folder / "label", "label", max_samples=500)
    assert same(here, there)
    assert sum(isinstance(found, tuple) for found in returned) == 2


def test_memory_may_have_no_limit(folder):
    some, all_at_once = (
        fit_parquet(ForestClassifier(2, random_state=0), folder / "label", "label", max_samples=500, memory=memory)
        for memory in (1e9, float("inf"))
    )
    assert same(some, all_at_once)


def test_more_trees_leave_the_first_as_they_are(folder):
    few, many = (
        fit_parquet(
            ExtraForestClassifier(n, bootstrap=True, random_state=0), folder / "label", "label", max_samples=500
        )
        for n in (2, 4)
    )
    n = few.forest_.starts[-1]
    assert few.forest_.nodes["cut"].tobytes() == many.forest_.nodes[:n]["cut"].tobytes()


@pytest.mark.parametrize(("target", "kind"), [("label", ForestClassifier), ("number", ForestRegressor)])
def test_it_is_as_good_as_a_forest_in_memory_on_as_many_rows_a_tree(frame, folder, target, kind):
    size = 5000
    ours = fit_parquet(kind(30, random_state=0), folder / target, target, max_samples=size)
    X = frame[list("abcdn")]
    # each tree in memory sees a draw of as many rows
    rng, there = np.random.default_rng(1), frame.index < N_ROWS - 4000
    test = ~there
    outputs = []
    for k in range(30):
        rows = rng.choice(np.flatnonzero(there), size)
        tree = kind(1, bootstrap=False, random_state=k).fit(X.iloc[rows], frame[target].iloc[rows])
        outputs.append(tree.predict_proba(X[test]) if target == "label" else tree.predict(X[test]))
    mean = np.mean(outputs, axis=0)
    y = frame[target][test].to_numpy()
    if target == "label":
        in_memory = np.mean(tree.classes_[mean.argmax(axis=1)] == y)
    else:
        in_memory = 1 - np.sum((y - mean) ** 2) / np.sum((y - y.mean()) ** 2)
    assert in_memory > 0.5
    assert ours.oob_score_ == pytest.approx(in_memory, abs=0.03)
    assert ours.feature_importances_[:2].sum() > 0.6
    assert ours.feature_names_in_.tolist() == list("abcdn")
    assert len(ours.predict(X[:3])) == 3


def test_rows_out_of_bag_are_scored_by_trees_that_have_not_seen_them(frame, tmp_path):
    noise = frame[["a", "c"]].assign(label=np.random.default_rng(0).permutation(frame["label"])).iloc[:2000]
    write(noise, tmp_path / "noise", [0, 2000])
    forest = fit_parquet(ForestClassifier(20, random_state=0), tmp_path / "noise", "label", max_samples=2000)
    assert forest.oob_score_ == pytest.approx(0.5, abs=0.06)
    assert np.mean(forest.predict(noise[["a", "c"]]) == noise["label"]) > 0.9


def test_bags_are_poisson_draws():
    bags = BlockBags(2 * BLOCK_ROWS + 100, 8000)
    seeds = np.random.SeedSequence(0).generate_state(200, np.uint64)
    sizes = np.stack([bags.sizes(seed) for seed in seeds])
    expected = 8000 * np.array([BLOCK_ROWS, BLOCK_ROWS, 100]) / (2 * BLOCK_ROWS + 100)
    np.testing.assert_allclose(sizes.mean(axis=0), expected, rtol=0.05)
    np.testing.assert_allclose(sizes[:, 0].var(), expected[0], rtol=0.3)
    rows = np.concatenate(
        [bags.drawn(seed, 0, BLOCK_ROWS, size) for seed, size in zip(seeds, sizes[:, 0], strict=True)]
    )
    quarters = np.bincount(rows // (BLOCK_ROWS // 4), minlength=4) / len(rows)
    np.testing.assert_allclose(quarters, 0.25, atol=0.005)


TOLD = """
import json, sys
from pyarrow import parquet
from rotastack.trees import ForestClassifier, fit_parquet

def peak():  # of this program; ru_maxrss begins with what the process that started it has held
    (line,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024

fit_parquet(ForestClassifier(2, random_state=0), sys.argv[1], "y", max_samples=100)
before = peak()
forest = fit_parquet(ForestClassifier(8, random_state=0), sys.argv[2], "y", max_samples=2000, memory=1e6)
grown = peak() - before
whole = parquet.read_table(sys.argv[2])
told = {"grown": grown, "whole": peak() - before, "oob": forest.oob_score_, "trees": len(forest.forest_)}
print(json.dumps(told))
"""


# Elsewhere a program's peak begins with that of the one that started it, and is no measure of what is read.
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of a program is read from /proc")
@pytest.mark.slow
def test_a_table_of_four_times_the_memory(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    columns, group, n_groups = 32, 10_000, 100
    rng = np.random.default_rng(0)
    for path, n in (("small.parquet", 1), ("large.parquet", n_groups)):
        writer = None
        for _ in range(n):
            X = rng.normal(size=(group, columns)).astype(np.float32)
            table = pa.table({f"c{j}": X[:, j] for j in range(columns)} | {"y": (X[:, 0] + X[:, 1] > 0).astype(int)})
            writer = writer or parquet.ParquetWriter(tmp_path / path, table.schema)
            writer.write_table(table)
        writer.close()
    done = subprocess.run(
        [sys.executable, "-c", TOLD, tmp_path / "small.parquet", tmp_path / "large.parquet"],
        capture_output=True, text=True, check=True, env=os.environ | {"OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told["trees"] == 8
    assert told["oob"] > 0.7
    size = 4 * columns * group * n_groups
    assert told["whole"] > size / 2  # what holds the table is seen
    assert told["grown"] <= size / 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(d="text"), "column 'd' holds .*string, no numbers"),
        (lambda f: f.assign(d=1e300), "column 'd' holds values beyond float32"),
        (lambda f: f.drop(columns="label"), "there is no column 'label'"),
        (lambda f: f.assign(label=f["label"].where(f.index > 0, None)), "the target 'label' is missing in 1 rows"),
        (lambda f: f.iloc[:0], "no rows"),
    ],
)
def test_what_cannot_be_used_is_named(frame, tmp_path, change, message):
    write(change(frame.drop(columns="number").iloc[:100]), tmp_path / "bad", [0, 100])
    with pytest.raises(RotastackError, match=message):
        fit_parquet(ForestClassifier(2), tmp_path / "bad", "label")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_a_target_that_is_no_number_is_named(frame, tmp_path, kind, bad):
    """As NaN, which is no null of the file."""
    import pyarrow as pa
    from pyarrow import parquet

    y = np.arange(100.0) % 2
    y[7] = bad
    parquet.write_table(pa.table({"a": frame["a"].to_numpy()[:100], "y": y}), tmp_path / "y.parquet")
    with pytest.raises(RotastackError, match=r"y\.parquet: the target 'y' is missing or infinite in 1 rows"):
        fit_parquet(kind(2), tmp_path, "y", max_samples=50)


def test_a_regression_of_text_is_refused(folder):
    with pytest.raises(RotastackError, match="column 'label' holds .*string, no numbers"):
        fit_parquet(ForestRegressor(2), folder / "label", "label")


def test_files_that_are_none_are_named(tmp_path):
    with pytest.raises(RotastackError, match="there is no such file"):
        fit_parquet(ForestClassifier(2), tmp_path / "none.parquet", "y")
    with pytest.raises(RotastackError, match=r"ends in \.parquet"):
        fit_parquet(ForestClassifier(2), tmp_path, "y")
    (tmp_path / "half.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(RotastackError, match=r"half\.parquet: this is no Parquet file"):
        fit_parquet(ForestClassifier(2), tmp_path, "y")


def test_forests_that_cannot_draw_are_refused(folder):
    with pytest.raises(ValueError, match="bootstrap is False"):
        fit_parquet(ForestClassifier(2, bootstrap=False), folder / "label", "label")
    with pytest.raises(TypeError, match="AdaBoostM1Classifier cannot be fitted to Parquet files"):
        fit_parquet(AdaBoostM1Classifier(2), folder / "label", "label")
    with pytest.raises(ValueError, match="class_weight must be None"):
        fit_parquet(ForestClassifier(2, class_weight="balanced"), folder / "label", "label")
    with pytest.raises(ValueError, match="continuous"):
        fit_parquet(ForestClassifier(2), folder / "number", "number")
