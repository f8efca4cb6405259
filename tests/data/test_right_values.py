"""Small tables that were read wrongly, changed or dropped without a word, and their right values."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refusal

from rotastack import RotastackClassifier
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.data.tables import read_as_written, read_table, read_with_notes
from rotastack.data.target import check_target, decide_task, typed_labels, with_target
from rotastack.data.writing import write_table

I = np.arange(60)  # noqa: E741


def table(tmp_path, body, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(body if isinstance(body, bytes) else body.encode())
    return path


def rows(header, *values):
    return "\n".join([header, *map(",".join, values)]) + "\n"


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.5, 1.0, 1.5], ["0.5", "1", "1.5"]),
        (np.uint64(2**63) + np.arange(3, dtype=np.uint64), [str(2**63), str(2**63 + 1), str(2**63 + 2)]),
        ([1e20, 2e20], [str(10**20), str(2 * 10**20)]),
        ([-(2**63), 2**63 - 1], [-(2**63), 2**63 - 1]),
    ],
)
def test_fractions_and_classes_beyond_64_bits_are_text_with_all_digits(values, labels):
    assert typed_labels(pd.Series(values)).tolist() == labels
    assert RotastackClassifier(2).fit(I[:40, None], np.resize(labels, 40)).predict(I[:1, None]).item() in labels


@pytest.mark.parametrize("values", [[0, 1, np.inf], [*range(140), np.inf]])
def test_an_infinite_target_is_named(values):
    y = pd.Series(values * 4, dtype=float)
    assert re.search(
        r"the target is infinite in 4 rows \(such as inf\)", refusal(check_target, y, "t", decide_task(y)[0])
    )
    assert check_target(pd.Series(["inf", "off"] * 9), "t").tolist()[:2] == ["inf", "off"]  # a name


@pytest.mark.parametrize(
    ("dates", "note"),
    [
        (
            [f"{m:02d}/01/2019" for m in range(1, 13)],
            "'01/01/2019' is read as DD/MM/YYYY, because no value shows which number is the day",
        ),
        ([f"{m:02d}.01.2019" for m in range(1, 13)], None),
        ([f"2019-{m:02d}-01" for m in range(1, 13)], None),
        ([f"{m:02d}/25/2019" for m in range(1, 13)], None),
        ([f"25/{m:02d}/55" for m in range(1, 13)], "two-digit years (DD/MM/YY) are read as 1969 to 2068"),
    ],
)
def test_a_choice_among_formats_of_dates_is_told(tmp_path, dates, note):
    _, reading = read_with_notes(table(tmp_path, rows("day,y", *([d, "1"] for d in dates))))
    assert reading.notes == (() if note is None else (f"column 'day': {note}",))


def test_new_rows_are_read_like_the_training_table(tmp_path):
    days = [[f"{m:02d}/{d:02d}/2020", f"{m}.000,5", "1"] for m in range(1, 13) for d in (3, 20)]
    X, _ = read_table(table(tmp_path, rows("day;n;y", *[[";".join(row)] for row in days]), "a.csv"), "y")
    new, y = read_table(table(tmp_path, "day;n\n02/05/2020;50.000\n2020-05-02;1\n", "b.csv"), like=X)
    assert y is None
    assert new.astype({"day": str}).to_dict("list") == {"day": ["2020-02-05", "2020-05-02"], "n": [50000, 1]}


def test_a_column_that_became_text_is_read_anew(tmp_path):
    X, _ = read_table(table(tmp_path, rows("c,w,y", *([str(v % 9), str(v / 2), "1"] for v in I))), "y")
    X["w"] = np.where(I % 2, "u", "v")
    assert TablePreprocessor().fit(X).categories_["w"] == ["u", "v"]


def test_a_column_keeps_its_reading_when_rows_without_a_target_are_left_out(tmp_path):
    """Most of all rows are no dates, so the column is text, also where the rows with a target are dates."""
    dated = [[f"2020-{m:02d}-{d:02d}", "1"] for m in (1, 2) for d in range(1, 13)]
    body = rows("d,y", *dated, ["2020=06-19", "0"], *([f"x{v % 30}", ""] for v in I))
    frame, _ = with_target(read_with_notes(table(tmp_path, body), "y")[0], "y", "t")
    assert TablePreprocessor().fit(frame.drop(columns="target")).kinds_["d"] in ("id", "text")


def test_the_named_index_of_parquet_is_a_column(tmp_path):
    frame = pd.DataFrame({"age": I % 7, "w": I % 5, "y": I % 2})
    for part in (frame.set_index("age"), frame[I % 2 == 0]):  # the index of the second has no name
        part.to_parquet(tmp_path / "t.parquet")
        assert sorted(read_as_written(tmp_path / "t.parquet")[0]) == ["age", "w", "y"]


def test_decimals_of_whole_numbers(tmp_path):
    ids = [Decimal(9007199254740992 + v) for v in range(60)]
    pd.DataFrame({"id": ids * 3, "grade": [Decimal(v % 5) for v in range(180)], "y": 1}).to_parquet(
        tmp_path / "d.parquet"
    )
    X, _ = read_table(tmp_path / "d.parquet", "y")
    assert len(TablePreprocessor().fit(X).categories_["id"]) == 60
    assert X["grade"].dtype == "float64"
    X, _ = read_table(pd.DataFrame({"a": [Decimal("Infinity"), Decimal("1")], "y": ["u", "v"]}), "y")
    assert X["a"].tolist() == [float("inf"), 1]
    gaps = pd.DataFrame({"a": pd.Series([1, pd.NA, 2.5, Decimal("NaN"), None, 4] * 5, dtype=object)})
    assert TablePreprocessor().fit(gaps).kinds_ == {"a": "categorical"}


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        ([f"{1 + v / 10:.1f}e23" for v in I], [float(f"{1 + v / 10:.1f}e23") for v in I]),
        (["1e20" if v == 3 else f"{v / 2}" for v in I], [1e20 if v == 3 else v / 2 for v in I]),
        ([f'"0,{v:03d}"' for v in I], [v / 1000 for v in I]),
        ([f"{v / 4:.2f}" if v % 2 else f"{v / 4}" for v in I], [v / 4 for v in I]),
        ([f"47{v % 9}1-01" for v in I], [f"47{v % 9}1-01" for v in I]),
        ([f"20{v % 9}1-01" for v in I], [pd.Timestamp(f"20{v % 9}1-01") for v in I]),
    ],
    ids=["large", "one large", "thousandths", "prices", "codes", "months"],
)
def test_a_column_has_its_right_values(tmp_path, texts, values):
    X, _ = read_table(table(tmp_path, rows("x,y", *([text, "1"] for text in texts))), "y")
    assert X["x"].tolist() == values


@pytest.mark.parametrize(
    ("body", "name", "found"),
    [
        (",a,y\n7,1,0\n5,2,1\n", "t.csv", {"a": ["1", "2"], "y": ["0", "1"]}),
        ('{"a":"x\u2028y\u0085","b":1}\n{"a":"z","b":2}\n', "t.jsonl", {"a": ["x\u2028y\u0085", "z"], "b": [1, 2]}),
    ],
    ids=["row numbers of a part of the rows", "lines end at line feeds"],
)
def test_a_table_has_its_right_values(tmp_path, body, name, found):
    assert read_as_written(table(tmp_path, body, name))[0].to_dict("list") == found


def test_a_file_of_two_encodings_is_refused(tmp_path):
    assert "line 2 is UTF-8, and other lines are not; save the file as UTF-8" in refusal(
        read_as_written, table(tmp_path, "c,w\nKöln,1\n".encode() + b"Gen\xe8ve,1\n")
    )


def test_equal_fractions_of_different_text_stay_text(tmp_path):
    pd.DataFrame({"x": I, "y": ["1.1", "1.10", "1.2"] * 20}).to_parquet(tmp_path / "v.parquet")
    assert read_table(tmp_path / "v.parquet", "y")[1].value_counts().to_dict() == {"1.1": 20, "1.10": 20, "1.2": 20}


def test_whole_numbers_beyond_floats_are_categories_for_the_flagship():
    X = pd.DataFrame({"code": 2**60 + I % 6, "w": I % 11})
    assert RotastackClassifier(10, random_state=0).fit(X, I % 2).score(X, I % 2) == 1


def test_a_number_is_no_duration(tmp_path):
    pd.DataFrame({"d": pd.to_timedelta(I, unit="h"), "y": 1}).to_parquet(tmp_path / "d.parquet")
    X, _ = read_table(tmp_path / "d.parquet", "y")
    with pytest.warns(UserWarning, match=r"1 of 2 values are not durations \(such as '55'\)"):
        new, _ = read_table(table(tmp_path, "d,y\n55,1\n1 days,1\n"), "y", like=X)
    assert new["d"].isna().tolist() == [True, False]


def test_no_row_vanishes_or_appears_without_a_word(tmp_path):
    for text in ("x\n5\n\n40\n\n\n", "x\n5\n\n40"):
        for encoding in ("utf-8", "utf-16", "utf-8-sig"):
            assert len(read_as_written(table(tmp_path, text.encode(encoding)))[0]) == 3
    assert len(read_as_written(table(tmp_path, "\n1\n2\n".encode("utf-16")))[0]) == 1
    _, short = read_as_written(table(tmp_path, "c,w\nBonn\nx,1\n"))
    assert short.notes == ("column 'w': 1 row has fewer fields than the header; missing fields are empty",)
    quoted = rows("c,w", *(['"5 inch' if v in (12, 32) else "a", str(v)] for v in I))
    _, swallowed = read_as_written(table(tmp_path, quoted))
    assert "spans 21 lines that look like rows; check its quotes" in swallowed.notes[0]
    text = {"note": ["two\nlines", "b"], "n": [1, 2]}
    pd.DataFrame(text).to_csv(tmp_path / "t.csv", index=False)
    assert read_as_written(tmp_path / "t.csv")[1].notes == ()


def test_what_is_written_is_read_again(tmp_path):
    frame = pd.DataFrame(
        {
            "small": [1.5e-12, 8e-11],
            "single": np.float32([0.13, 0.2]),
            "text": ["=1+1", "#N/A"],
            "return": ["x\ry", "z"],
            "whole": pd.array([1, None], dtype="Int64"),
            "day": pd.to_datetime(["2024-01-01 10:00:00.123456"] * 2),
        }
    )
    write_table(frame, tmp_path / "t.jsonl")
    assert (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()[0] == (
        '{"small": 1.5e-12, "single": 0.13, "text": "=1+1", "return": "x\\ry", "whole": 1, "day": "2024-01-01T10:00:00.123456"}'
    )
    pytest.importorskip("openpyxl", reason="the extra `tables` is not installed")
    write_table(frame, tmp_path / "t.xlsx")
    assert read_as_written(tmp_path / "t.xlsx")[0]["text"].tolist() == ["=1+1", "#N/A"]
    written = {
        "id": ([2**53 + 1, 2**63 - 1, -(2**53) - 1], [str(2**53 + 1), str(2**63 - 1), str(-(2**53) - 1)]),
        "fits": ([2**53, 0, -(2**53)],) * 2,
        "wide": ([Decimal(2**60 + 1), Decimal(2**60 + 3), Decimal(2**60 + 5)], [str(2**60 + k) for k in (1, 3, 5)]),
        "lasts": (pd.to_timedelta(["1 days 02:03:04.5", "-3 s", "0 s"]).tolist(),) * 2,
        "share": ([0.5, 1.5, 2.0**60],) * 2,
    }
    write_table(pd.DataFrame({name: given for name, (given, _) in written.items()}), tmp_path / "ids.xlsx")
    read = read_as_written(tmp_path / "ids.xlsx")[0].to_dict("list")
    assert read == {name: found for name, (_, found) in written.items()}
    write_table(pd.DataFrame({"id": [2**70, "x"]}), tmp_path / "ids.parquet")
    assert read_as_written(tmp_path / "ids.parquet")[0]["id"].tolist() == [str(2**70), "x"]
    for text, why in (("x\x0b", "a control character"), ("x" * 40000, "40,000 characters")):
        assert re.search(why, refusal(write_table, pd.DataFrame({"a": [text]}), tmp_path / "u.xlsx"))


@pytest.mark.parametrize("type_", ["category", object, "str"])
@pytest.mark.parametrize(("name", "texts"), [("a", ["x\ry", "z"]), ("probability=x\ry", ["x", "z"])])
def test_a_carriage_return_splits_no_row(tmp_path, type_, name, texts):
    write_table(pd.DataFrame({name: pd.Series(texts, dtype=type_), "n": [1, 2]}), tmp_path / "t.csv")
    assert read_as_written(tmp_path / "t.csv")[0].to_dict("list") == {name: texts, "n": ["1", "2"]}


def test_a_gap_leaves_whole_numbers_whole(tmp_path):
    pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "y": 1}).to_parquet(tmp_path / "t.parquet")
    assert read_as_written(tmp_path / "t.parquet")[0]["a"].tolist() == [1, pd.NA, 3]
