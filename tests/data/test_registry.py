import numpy as np
import pandas as pd
import pytest

from rotastack.data import load_dataset, read_table
from rotastack.data.loading import check_table, columns_by_kind, fetch_table, unavailable
from rotastack.data.registry import entry, make_sources, registry
from rotastack.data.tables import read_raw, write_raw
from rotastack.errors import RotastackError

LOCAL = [name for name, spec in registry().items() if {"bundled", "generated"} & set(*spec["sources"][:1])]


def test_local_sets_are_there():
    expected = {"iris", "wine", "wdbc", "digits", "balance-scale", "tic-tac-toe", "threeOf9", "monks-1", "ringnorm"}
    assert expected <= set(LOCAL)


@pytest.mark.parametrize("name", LOCAL)
def test_local_sets_load_and_are_as_registered(name):
    X, y = load_dataset(name)
    spec = entry(name)
    assert len(X) == len(y) == spec["rows"]
    if spec["task"] == "regression":
        assert y.dtype == float
        assert y.nunique() > 100
    else:
        assert y.value_counts().to_dict() == spec["classes"]


def test_every_entry_is_sound():
    for name, spec in registry().items():
        make_sources(name, spec)
        if spec["task"] == "classification" and name != "isolet":  # whose class counts nobody has seen yet
            assert sum(spec["classes"].values()) == spec["rows"], name
        assert spec["citation"], name
        assert spec["licence"], name
        if isinstance(spec.get("kinds"), dict):
            columns_by_kind(spec["columns"], spec["kinds"], name)


def test_unknown_name_suggests_the_nearest():
    with pytest.raises(RotastackError, match="data set 'irsi' is unknown; did you mean 'iris'"):
        load_dataset("irsi")


def test_raw_tables_round_trip_with_equal_bytes(tmp_path):
    table = pd.DataFrame({"a": [0.1 + 0.2, 1e-300, np.nan], "b": ["x", None, "z"], "target": ["1", "2", "10"]})
    write_raw(table, tmp_path / "one.csv.gz")
    write_raw(table, tmp_path / "two.csv.gz")
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    back = read_raw(tmp_path / "one.csv.gz")
    assert back["a"].tolist()[:2] == table["a"].tolist()[:2]
    assert back["target"].tolist() == ["1", "2", "10"]


def test_mirror_is_asked_before_the_network_and_checked(tmp_path, monkeypatch):
    spec = entry("glass")
    rng = np.random.default_rng(0)
    labels = np.repeat(list(spec["classes"]), list(spec["classes"].values()))
    table = pd.DataFrame(rng.normal(size=(214, 9))).assign(target=labels)
    write_raw(table, tmp_path / "glass.csv.gz")
    monkeypatch.setenv("DATA_MIRROR", str(tmp_path))
    assert fetch_table("glass", spec).shape == (214, 10)
    assert unavailable("glass", spec) is None
    write_raw(table.iloc[1:], tmp_path / "glass.csv.gz")
    with pytest.raises(RotastackError, match="glass: .*is a different table: 213 rows, expected 214; class counts"):
        fetch_table("glass", spec)
    (tmp_path / "glass.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(RotastackError, match="damaged"):
        fetch_table("glass", spec)


def test_differences_are_said_and_columns_named():
    spec = {"rows": 2, "columns": ["u", "v"], "classes": {"a": 1, "b": 1}}
    good = pd.DataFrame({"x": [1, 2], "y": [3, 4], "target": ["p", "q"]})
    assert list(check_table(good, "t", spec, "here").columns) == ["u", "v", "target"]
    with pytest.raises(RotastackError, match="1 feature columns, expected 2"):
        check_table(good.drop(columns="y"), "t", spec, "here")
    with pytest.raises(RotastackError, match="class counts"):
        check_table(good.assign(target="p"), "t", spec, "here")


def test_columns_by_kind_mistakes():
    with pytest.raises(RotastackError, match=r"kinds.categorical: there is no column 'z'"):
        columns_by_kind(["a"], {"categorical": ["z"]}, "t")
    with pytest.raises(RotastackError, match="both categorical and leak"):
        columns_by_kind(["a"], {"categorical": ["a"], "leak": ["a"]}, "t")


def test_unknown_source_kind():
    with pytest.raises(RotastackError, match="source 'opemml' is unknown; did you mean 'openml'"):
        make_sources("t", {"sources": [{"opemml": 1}]})


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".arff", ".csv.gz"])
def test_one_table_in_every_format(tmp_path, suffix):
    table = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"], "label": ["u", "v"]})
    path = tmp_path / f"t{suffix}"
    if suffix == ".parquet":
        table.to_parquet(path)
    elif suffix == ".arff":
        path.write_text(
            "@relation t\n@attribute a numeric\n@attribute b {x,y}\n@attribute label {u,v}\n@data\n1.5,x,u\n2.5,y,v\n"
        )
    else:
        table.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    X, y = read_table(path, "label")
    assert X.to_dict("list") == {"a": [1.5, 2.5], "b": ["x", "y"]}
    assert y.tolist() == ["u", "v"]


def test_file_mistakes(tmp_path):
    with pytest.raises(RotastackError, match="there is no such file"):
        read_table(tmp_path / "none.csv", "y")
    (tmp_path / "t.csv").write_text("a,class\n1,x\n")
    with pytest.raises(
        RotastackError, match="target column 'clas' not found; did you mean 'class'; columns are a, class"
    ):
        read_table(tmp_path / "t.csv", "clas")
    (tmp_path / "t.txt").write_text("a")
    with pytest.raises(RotastackError, match="format not known"):
        read_table(tmp_path / "t.txt", "a")
    (tmp_path / "e.csv").write_text("")
    with pytest.raises(RotastackError, match="cannot be read"):
        read_table(tmp_path / "e.csv", "a")


def test_labels_may_look_like_missing_values(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,NA\n2,None\n3,\n4,null\n")
    _, y = read_table(tmp_path / "t.csv", "y")
    assert y.isna().tolist() == [False, False, True, False]
    write_raw(pd.DataFrame({"a": [1, 2, 3], "target": ["NA", "None", None]}), tmp_path / "r.csv.gz")
    assert read_raw(tmp_path / "r.csv.gz")["target"].isna().tolist() == [False, False, True]
