import re

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refusal

from rotastack.data import load_dataset
from rotastack.data.loading import check_table, columns_by_kind, fetch_table, unavailable
from rotastack.data.raw import read_raw, write_raw
from rotastack.data.registry import make_sources, registry
from rotastack.errors import RotastackError


@pytest.mark.parametrize(
    "name", [name for name, spec in registry().items() if {"bundled", "generated"} & set(*spec["sources"][:1])]
)
def test_local_sets_load_and_are_as_registered(name):
    X, y = load_dataset(name)
    spec = registry()[name]
    assert len(X) == len(y) == spec["rows"]
    if spec["task"] == "classification":
        assert y.value_counts().to_dict() == spec["classes"]


@pytest.mark.parametrize("name", registry())
def test_every_entry_is_sound(name):
    spec = registry()[name]
    make_sources(name, spec)
    if spec["task"] == "classification" and name != "isolet":  # whose class counts nobody has seen yet
        assert sum(spec["classes"].values()) == spec["rows"]
    assert all(spec[name] for name in ("citation", "licence"))
    if isinstance(spec.get("kinds"), dict):
        columns_by_kind(spec["columns"], spec["kinds"], name)


def test_raw_tables_round_trip_with_equal_bytes(tmp_path):
    """Labels may look like missing values."""
    table = pd.DataFrame({"a": [0.1 + 0.2, 1e-300, np.nan], "b": ["x", None, "z"], "target": ["NA", "None", None]})
    one, two = tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"
    for path in (one, two):
        write_raw(table, path)
    assert one.read_bytes() == two.read_bytes()
    pd.testing.assert_frame_equal(read_raw(one), table, check_dtype=False, check_exact=True)


def test_mirror_is_asked_before_the_network_and_checked(tmp_path, monkeypatch):
    spec = registry()["glass"]
    labels = np.repeat(list(spec["classes"]), list(spec["classes"].values()))
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(214, 9))).assign(target=labels)
    write_raw(table, tmp_path / "glass.csv.gz")
    monkeypatch.setenv("DATA_MIRROR", str(tmp_path))
    assert len(fetch_table("glass", spec)) == 214
    assert unavailable("glass", spec) is None
    own = {**spec, "sources": [{"file": {"path": "gone.csv", "target": "target"}}]}
    with pytest.raises(RotastackError, match="gone.csv: file not found"):
        fetch_table("glass", own)
    assert unavailable("glass", own) == "glass: file gone.csv not found", "no mirror replaces a file of the user's"
    write_raw(table.iloc[1:], tmp_path / "glass.csv.gz")
    assert re.search(
        "glass: the table of .*: 213 rows, expected 214; class counts", refusal(fetch_table, "glass", spec)
    )
    (tmp_path / "glass.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(RotastackError, match="^((?!delete).)*damaged((?!delete).)*$"):  # a mirror is the user's
        fetch_table("glass", spec)


def arrays(folder, **changed):
    """Write a data set as arrays, with two splits."""
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 1, 1, 1])
    folds = {"f0": np.array([0, 1, 3, 4]), "f1": np.array([2, 5]), "f2": np.array([0, 3]), "f3": np.array([1])}
    content = {"X": X, "y": y, **folds, **changed}
    np.savez(folder / "mine.npz", **{name: array for name, array in content.items() if array is not None})


def test_a_mirror_may_have_arrays_with_splits(tmp_path):
    spec = {"sources": [], "mirror": "mine", "rows": 6}
    arrays(tmp_path, columns=np.array(["wide", "high"]))
    assert list(fetch_table("own", spec, tmp_path))[:2] == ["wide", "high"]
    arrays(tmp_path)
    table = fetch_table("own", spec, tmp_path)
    assert table.fillna("-").to_dict("list") == {
        "x1": [0, 2, 4, 6, 8, 10],
        "x2": [1, 3, 5, 7, 9, 11],
        "split 1": ["train", "train", "test", "train", "train", "test"],
        "split 2": ["train", "test", "-", "train", "-", "-"],
        "target": ["0"] * 3 + ["1"] * 3,
    }
    write_raw(table, tmp_path / "raw.csv.gz")
    assert read_raw(tmp_path / "raw.csv.gz")["split 2"].isna().sum() == 3
    assert re.search("mine.npz .*: 6 rows, expected 7", refusal(fetch_table, "own", {**spec, "rows": 7}, tmp_path))
    assert re.search("put mine.csv.gz .* or mine.npz", refusal(fetch_table, "own", spec, tmp_path / "elsewhere"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"y": None}, "arrays X of shape"),
        ({"y": np.zeros(5)}, "arrays X of shape"),
        ({"f3": None}, "must be f0, f1, ..., two per split"),
        ({"f1": np.array([2, 6])}, "f1: 6 is not a row number; allowed are 0 to 5"),
        ({"f1": np.array([0.5])}, "f1: float64 is not a row number"),
        ({"f1": np.array([2, 2])}, "f1: a row occurs twice in f0 and f1"),
        ({"f1": np.array([2, 4])}, "f1: a row occurs twice"),
        ({"columns": np.array(["a", "a"])}, "columns: X needs 2 different names; found a, a"),
        ({"columns": np.array(["a"])}, "needs 2 different names"),
        ({"X": np.array([None] * 6, dtype=object).reshape(6, 1)}, "cannot be read"),
    ],
)
def test_arrays_that_are_no_data_set_are_one_line(tmp_path, changed, said):
    arrays(tmp_path, **changed)
    assert re.search(f"mine.npz: .*{said}", refusal(fetch_table, "own", {"sources": [], "mirror": "mine"}, tmp_path))


SPEC = {"rows": 2, "columns": ["u", "v"], "classes": {"a": 1, "b": 1}}
GOOD = pd.DataFrame({"x": [1, 2], "y": [3, 4], "target": ["p", "q"]})


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (check_table, (GOOD.drop(columns="y"), "t", SPEC, "here"), "1 feature columns, expected 2"),
        (check_table, (GOOD.assign(target="p"), "t", SPEC, "here"), "class counts"),
        (columns_by_kind, (["a"], {"categorical": ["z"]}, "t"), "kinds.categorical: column 'z' not found"),
        (columns_by_kind, (["a"], {"categorical": ["a"], "leak": ["a"]}, "t"), "is declared categorical and leak"),
        (make_sources, ("t", {"sources": [{"opemml": 1}]}), "source 'opemml' is unknown; did you mean 'openml'"),
        (load_dataset, ("irsi",), "data set 'irsi' is unknown; did you mean 'iris'"),
    ],
)
def test_differences_are_said_and_columns_named(function, arguments, message):
    assert list(check_table(GOOD, "t", SPEC, "here").columns) == ["u", "v", "target"]
    assert re.search(message, refusal(function, *arguments))
