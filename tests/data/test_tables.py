"""Tables as they come: delimiters, encodings, formats, places, and what is refused in one line."""

import gzip
import re
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.utils import Bunch
from tests.refusals import refusal

from rotastack.base.reading import stored_readings
from rotastack.data import read_table
from rotastack.data.tables import read_with_notes
from rotastack.errors import RotastackError

TABLE = pd.DataFrame({"Länge": [1.5, 2.5, 3.25], "Ort": ["Köln", "Aachen", "Jülich"], "y": ["u", "v", "u"]})


def notes_of(source, target="y"):
    """Read the table from a source; return the notes of its reading."""
    found, reading = read_with_notes(source, target)
    assert found.to_dict("list") == TABLE.to_dict("list")
    return reading


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
@pytest.mark.parametrize(("delimiter", "word"), [(",", "commas"), (";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_delimiters_and_encodings(tmp_path, delimiter, word, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(TABLE.to_csv(index=False, sep=delimiter).encode(encoding))
    reading = notes_of(path)
    said = {"latin-1": "latin-1", "utf-8": "UTF-8", "utf-8-sig": "UTF-8"}.get(encoding, encoding.upper())
    assert str(reading) == f"3 rows x 3 columns of t.csv ({word}, {said})"


def test_windows_text(tmp_path):
    (tmp_path / "t.csv").write_bytes("preis;y\n5 €;a\n6 €;b\n".encode("windows-1252"))
    found, reading = read_with_notes(tmp_path / "t.csv")
    assert found["preis"].tolist() == [5, 6]
    assert stored_readings(found)["preis"].unit == "€"
    assert reading.details == ("semicolons", "windows-1252")


@pytest.mark.parametrize(
    ("text", "columns", "delimiter"),
    [
        ("a,b\n1,x;y\n2,z;w\n", 2, "commas"),
        ('a;b\n"1,5;x";2\n"2,5;y";3\n', 2, "semicolons"),
        ("a;b;c\n1,5;2,5;x, y, z\n1,5;2,5;x\n", 3, "semicolons"),
        ('a,b\n"line 1\nline 2; 3; 4",1\nplain,2\n', 2, "commas"),
        ("a|b\n1|2,3,4\n5|6,7,8\n", 2, "bars"),
        ("\na;b\n\n1;2\n3;4\n", 2, "semicolons"),
    ],
)
def test_delimiters_in_text(tmp_path, text, columns, delimiter):
    (tmp_path / "t.csv").write_text(text)
    found, reading = read_with_notes(tmp_path / "t.csv")
    assert found.shape == (2, columns)
    assert reading.details[0] == delimiter


def test_decimal_commas(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c;y\n1,5;1.234,5;1,2;0,5\n;12;1,3 m;1,5\n-2;3.000;x;2,5\n")
    found, reading = read_with_notes(tmp_path / "t.csv", "y")
    np.testing.assert_array_equal(found["a"], [1.5, np.nan, -2])
    assert (found["b"].tolist(), found["c"].tolist()) == ([1234.5, 12, 3000], ["1,2", "1,3 m", "x"])
    assert found["y"].tolist() == [0.5, 1.5, 2.5]
    assert reading.notes == ("decimal commas in a, b, y", "thousands separators in b")


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(
    ("ending", "write", "said"),
    [
        (".jsonl", lambda t: t.to_json(orient="records", lines=True), "JSON lines"),
        (".ndjson", lambda t: t.to_json(orient="records", lines=True, force_ascii=False), "JSON lines"),
        (
            ".arff",
            lambda t: (
                "@relation t\n@attribute Länge numeric\n@attribute Ort {Köln,Aachen,Jülich}\n@attribute y {u,v}\n"
                f"@data\n{t.to_csv(index=False, header=False)}"
            ),
            "ARFF",
        ),
    ],
)
def test_other_texts(tmp_path, ending, write, said, packed):
    body = write(TABLE).encode()
    path = tmp_path / f"t{ending}{packed}"
    path.write_bytes(gzip.compress(body) if packed else body)
    assert notes_of(path).details == (said,)


def test_integers_of_arff_may_be_fractions(tmp_path):
    (tmp_path / "t.arff").write_text(
        "@relation r\n@ATTRIBUTE dose Integer \n@attribute 'a whole' integer\n@attribute y {u,v}\n@data\n0.2,1,u\n-0.8,?,u\n1.7,3,v\n"
    )
    found, _ = read_with_notes(tmp_path / "t.arff")
    assert found["dose"].tolist() == [0.2, -0.8, 1.7]
    assert (found["a whole"].dtype, found["a whole"].tolist()) == ("Int64", [1, pd.NA, 3])


@pytest.mark.parametrize("index", [False, True])
def test_excel(tmp_path, index):
    pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as writer:
        TABLE.to_excel(writer, index=index, sheet_name="data")  # the column of an index has no name
        TABLE.to_excel(writer, sheet_name="notes")
    reading = notes_of(path)
    assert reading.notes[0] == "sheet 'data', the first of 2 sheets; only this sheet is read"
    assert [("row numbers" in note) for note in reading.notes[1:]] == [True] * index


def test_numbers_of_excel_are_floats(tmp_path):
    pytest.importorskip("openpyxl")
    whole = [1.0, 2.0, 1e20, 3e20]
    pd.DataFrame({2020: whole, "y": [12.345, 1, True, "1,5"]}).to_excel(tmp_path / "t.xlsx", index=False)
    found, reading = read_with_notes(tmp_path / "t.xlsx")
    assert found.to_dict("list") == {"2020": whole, "y": [12.345, 1, 1, 1.5]}
    assert reading.notes[-1] == "column 'y': numbers, booleans, text in one column, read as numbers"


def test_excel_without_its_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)  # as if it were not installed
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(RotastackError, match=r"t.xlsx: openpyxl is not installed.*pip install 'rotastack\[tables\]'"):
        read_with_notes(tmp_path / "t.xlsx")[0]


def test_frames_of_other_libraries(tmp_path):
    TABLE.to_parquet(tmp_path / "t.parquet")
    for source, said in (
        (TABLE, "DataFrame"),
        (tmp_path / "t.parquet", "Parquet"),
        (pa.Table.from_pandas(TABLE), "Table"),
    ):
        assert said in str(notes_of(source, None))
    kept, _ = read_with_notes(pa.Table.from_pandas(TABLE.astype({"Ort": "category"})))
    assert kept["Ort"].dtype == "category"


@pytest.mark.parametrize("as_frame", [True, False])
@pytest.mark.parametrize(
    ("load", "target", "shape", "column", "values"),
    [
        (load_iris, None, (150, 4), "sepal length (cm)", ["setosa", "virginica"]),
        (load_diabetes, "progression", (442, 10), "age", [151, 57]),
    ],
)
def test_bunches(as_frame, load, target, shape, column, values):
    X, y = read_table(load(as_frame=as_frame), target)
    assert (X.shape, X.columns[0], y.iloc[[0, -1]].tolist()) == (shape, column, values)
    assert target in (None, y.name)


def test_a_bunch_has_its_rows_in_order_whatever_their_names():
    X = pd.DataFrame({"a": [1.5, 2.5, 3.5]}, index=[2, 0, 1])
    for name in (None, "self"):
        X_read, y = read_table(Bunch(data=X, target=pd.Series(["u", "v", "w"], name=name)), name)
        assert (X_read["a"].tolist(), y.tolist()) == ([1.5, 2.5, 3.5], ["u", "v", "w"])


def test_openml(monkeypatch):
    def table(number, where, target):
        assert (number, target) in [(61, "y"), (61, "default-target")]
        return TABLE.rename(columns={"y": "target"})

    monkeypatch.setattr("rotastack.data.tables.openml_table", table)
    assert read_table("openml:61")[1].tolist() == ["u", "v", "u"]
    notes_of("openml:61")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("openml:iris", "openml:iris: the number of the data set is missing; example: openml:61"),
        ("https://x.org/t.csv", "^https://x.org/t.csv: file not found; download the file and name the copy$"),
        (TABLE, "DataFrame: the parameter target is missing"),
    ],
)
def test_sources_that_are_none(source, message):
    assert re.search(message, refusal(read_table, source))


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("t.csv", "a,y\n", "t.csv: the table has a header but no rows"),
        ("t.csv", "a,y2\n1,2\n", "target column 'y' not found; did you mean 'y2'; columns: a, y2"),
        ("t.csv", "y\n1\n2\n", "'y' is the only column; at least one more column is needed"),
        (
            "t.csv",
            "a,y,b,y\n1,2,3,2\n",
            "columns 2 and 4 are both named 'y', the name of the target; rename or drop one",
        ),
        ("t.csv", "a,b,a,y\n1,2,3,4\n", "columns 1 and 3 are both named 'a'; rename or drop one"),
        ("t.csv", "a,,y\n1,2,3\n", "column 2 has no name; name the column"),
        ("t.csv", "a,y\n1,2,3\n4,5,6\n", "cannot be read: line 2 has 3 fields, the header has 2; name each column"),
        ("t.csv", "sep=;\na;y\n\n1;2;3\n4;5\n", "cannot be read: line 4 has 3 fields, the header has 2"),
        ("t.csv", "sep=;\na;y\n1;2\n4;5;6\n", "cannot be read: line 4 has 3 fields, the header has 2"),
        ("t.csv", 'a,y\n"x\nz",2\n3,4,5\n', "cannot be read: line 4 has 3 fields, the header has 2"),
        ("t.csv", "a,y\n1,2\n4,5,6\n", "cannot be read: line 3 has 3 fields, the header has 2"),
        ("t.csv", "", "cannot be read: the file is empty"),
        ("t.csv", b"a\0\0\0b,y\n", "the file is not text; save the table as CSV in UTF-8"),
        ("t.csv", b"\xff\xfea\0,\0y\0\n\0\x00\xd8", "the text is not valid UTF-16 .*; save the file as UTF-8"),
        ("t.csv", b"PK\x03\x04...", "the content is not .csv but .xlsx; rename the file to .xlsx"),
        ("t.csv.gz", b"\x1f\x8bnothing", "cannot be read"),
        ("t.csv", "a,y\n1,2\n".encode("utf-16-le"), "the file is not text; save the table as CSV in UTF-8"),
        ("t.jsonl", '[{"a": 1}]', "each line must be a record"),
        ("t.json", "[]", "format unknown; allowed endings: .csv"),
        ("t.feather", b"ARROW1", "format unknown; allowed endings: .csv"),
        ("t.jsonl", '{"a": 1}\n{"a": ', "the content is not valid JSON lines"),
        ("t.parquet", "a,y\n", "cannot be read"),
        ("t.txt", "a,y\n", "format unknown; allowed endings: .csv, .csv.gz"),
    ],
)
def test_what_is_refused(tmp_path, name, body, message):
    path = tmp_path / name
    path.write_bytes(body.encode() if isinstance(body, str) else body)
    line = refusal(read_table, path, "y")
    assert re.search(message, line)
    assert "t." in line


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (TABLE.to_csv(), "row numbers"),
        (TABLE.to_csv(index=False, sep=";").replace("\n", ";\n"), "last column, without a name"),
    ],
)
def test_row_numbers_without_a_name_and_an_empty_end_are_left_out(tmp_path, text, note):
    (tmp_path / "t.csv").write_text(text)
    assert note in notes_of(tmp_path / "t.csv", None).notes[0]
