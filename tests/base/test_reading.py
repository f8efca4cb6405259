"""How text is read: each rule with its smallest table, and rows that do not depend on their neighbours."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.base.columns import column_kind
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.base.reading import is_dates, read_columns, readings_of
from rotastack.data.tables import read_with_notes

MANY = [f"{k / 7:.3f}" for k in range(1, 41)]
DAYS = [f"2020-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(40)]


def read(texts, delimiter=",", beside=None, **options):
    """Return the reading of a column, its values and the notes; `beside` is a second column that shows the marks."""
    table = pd.DataFrame({"c": pd.Series(texts, dtype="str")})
    table = table if beside is None else table.assign(beside=(beside * len(table))[: len(table)])
    readings = readings_of(table, delimiter, **options)
    notes = []
    return readings["c"], read_columns(table, readings, notes.append)["c"], notes


@pytest.mark.parametrize(
    ("texts", "delimiter", "beside", "values"),
    [
        (["1.5", "-2", "1e3"], ",", None, [1.5, -2, 1000]),
        (["0,5", "1.234,5", "-2"], ";", None, [0.5, 1234.5, -2]),
        (["42.745", "936"], ";", ["0,25"], [42745, 936]),
        (["42,745", "936"], ";", ["0.25"], [42745, 936]),
        (["42,745", "936"], ",", None, [42745, 936]),
        (["42.745", "936"], ",", None, [42.745, 936]),
        (["42\u00a0745,5", "936"], ";", None, [42745.5, 936]),
        (["42'745.5", "9’936"], ",", None, [42745.5, 9936]),
        (["1.234.567", "936"], ",", None, [1234567, 936]),
        (["\u22121.5", "2.5"], ",", None, [-1.5, 2.5]),
        (["12%", "7.5 %"], ",", None, [0.12, 0.075]),
        (["5.0", "6", "7"], ",", None, [5, 6, 7]),
        (["€1,234.50", "-€5", "€-6.25", "+€7"], ",", None, [1234.5, -5, -6.25, 7]),
        (["1\u00a0234,50 €", "7,25€"], ",", None, [1234.5, 7.25]),
        (["$1,234", "$5"], ",", None, [1234, 5]),
        (["USD 5", "USD 6.5"], ",", None, [5, 6.5]),
        (["US$5", "US$ 6"], ",", None, [5, 6]),
        (["5 km/h", "\u22127.5 km/h"], ",", None, [5, -7.5]),
        (["12 Std.", "1e1 Std."], ",", None, [12, 10]),
        (["21 °C", "5 °C"], ",", None, [21, 5]),
        (["3 m²", "5 m²"], ",", None, [3, 5]),
        (["12 kg", "13kg", "14"], ",", None, [12, 13, 14]),
        (["76.586", "936", "1.002"], ";", None, [76586, 936, 1002]),
        (["76.586", "936", "1.002"], ";", ["2.5"], [76.586, 936, 1.002]),
        (["76.586", "936", "1.002"], "\t", ["7"], [76586, 936, 1002]),
        (["57.4k", "765", "1.2M", "3 bn"], ",", None, [57400, 765, 1.2e6, 3e9]),
        (["57,4k", "765"], ";", None, [57400, 765]),
        (["$1.2M", "$900", "$57.4k"], ",", None, [1.2e6, 900, 57400]),
        (["293 K", "301.5 K"], ",", None, [293, 301.5]),
        ([*MANY, "9500000000000000.0", "9600000000000000.0"], ",", None, [*map(float, MANY), 9.5e15, 9.6e15]),
        ([*MANY, "1234567890123456789"], ",", None, [*map(float, MANY), 1234567890123456789]),
        ([*MANY, "99999999999999999999"], ",", None, [*map(float, MANY), 1e20]),
        (["9.007.199.254.740.993", "1.234.567.890.123.456"], ";", None, [9007199254740993, 1234567890123456]),
        (["12 kg", "unknown", "14 kg"], ",", None, [12, np.nan, 14]),
        ([*MANY, "12 kg"], ",", None, [*map(float, MANY), np.nan]),
        (["?"] * 60 + MANY, ",", None, [np.nan] * 60 + [*map(float, MANY)]),
        (["1", "2", "3", "4"] * 20 + ["n. a."], ",", None, [1, 2, 3, 4] * 20 + [np.nan]),
    ],
)
def test_numbers(texts, delimiter, beside, values):
    how, found, _ = read(texts, delimiter, beside)
    assert how.type == "number"
    np.testing.assert_allclose(found.to_numpy(dtype=float), values, rtol=1e-15)


@pytest.mark.parametrize(
    "texts",
    [
        ["01", "02", "10"],
        ["01", "A1", "02"],
        ["1E3", "1E4", "Z", "1E3", "Z"],
        ["1234567890123456781", "1234567890123456782"],
        [*MANY, "1234567890123456781", "1234567890123456782"],
        ["TRUE", "FALSE", "unknown"],
        ["1", "2", "3", "4", "5+"] * 4,
        ["030 123 456", "030 123 457"],
        ["1.2.3.4", "10.0.0.1"],
        ["A12", "A13"],
        ["012 A", "013 A"],
        ["1.5 kg", "1.50 kg"],
        ["1st", "2nd", "3rd", "4th"],
        ["2", "3", "4", "5more"] * 9,
        ["12 kg is much", "13 kg is more"],
        ["5 Std", "6 h", "7 min"],
    ],
)
def test_codes_and_categories_stay_text(texts):
    how, found, notes = read(texts)
    assert (how.type, found.tolist(), notes) == ("text", texts, [])


def test_a_mark_that_no_column_shows_is_told():
    how, found, _ = read(["42,745", "936"], ";")
    assert (how.decimal, how.example, found.tolist()) == (",", "42,745", [42.745, 936])
    assert read(["42,745", "936"], ";", ["0.25"])[0].example == ""
    for delimiter, values in ((",", [42.745, 936]), (";", [42745, 936]), (None, [42.745, 936])):
        how, found, _ = read(["42.745", "936"], delimiter)
        assert (how.example, found.tolist()) == ("42.745", values)
        assert read(["42.745", "936"], delimiter, ["1.5"])[0].example == ""
    assert read(["936", "412"], ";")[0].decimal == "."  # of whole numbers, later 1.0 is no missing value


@pytest.mark.parametrize(
    ("texts", "formats", "lost"),
    [
        (DAYS, ["ISO8601"], 0),
        ([day + " " for day in DAYS], ["ISO8601"], 0),
        ([*DAYS, "unknown", "0000-00-00"], ["ISO8601"], 2),
        pytest.param(
            ["9999-12-31", "0001-01-01", *DAYS],
            ["ISO8601"],
            0,
            # Estimators work with pandas 2.2, which has no dates outside 1678 to 2261; the page on own tables says so.
            marks=pytest.mark.skipif(int(pd.__version__[0]) < 3, reason="pandas 2 reads dates in nanoseconds"),
        ),
        ([f"1/{k}/20" for k in range(1, 29)], ["%m/%d/%y"], 0),
        ([f"{1 + k % 28:02d}.01.2020" for k in range(30)], ["%d.%m.%Y"], 0),
        ([*DAYS[:20], *(f"{k:02d}.01.2020" for k in range(1, 21))], ["ISO8601", "%d.%m.%Y"], 0),
        ([*(f"{k}/12/2020" for k in range(13, 29)), "12/31/2020"], ["%d/%m/%Y"], 1),
    ],
)
def test_dates(texts, formats, lost):
    how, found, notes = read(texts)
    assert how.formats == formats
    assert found.isna().sum() == lost
    assert len(notes) == (lost > 0)
    assert column_kind(found).kind == "date"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("texts", [["a", "b"], ["1", "2"], [None, None]])
def test_a_column_without_units_is_read_without_warnings(texts):
    """Where no text has a unit, the units are missing values only, and pandas 2 warned that their type will change."""
    assert read(texts)[0].unit == ""


def test_one_unit_is_kept_and_another_one_is_missing_and_named():
    columns = (["12 kg", "13.5 kg", "7"], ["3.5 %", "4%"], ["57.4k", "765"], [*MANY, "12 kg"])
    how, *others = (read(texts)[0] for texts in columns)
    assert [reading.in_unit for reading in (how, *others)] == [" in kg", " in %, 12 % as 0.12", "", ""]
    assert readings_of(pd.DataFrame({"w": pd.to_timedelta([1, 2], unit="h")}))["w"].in_unit == " in days"
    new = pd.DataFrame({"c": ["300 g", "8 kg", "9", "€5", "5%", "kg", "7 kg kg", "1,234.5 kg"]}, dtype="str")
    notes = []
    found = read_columns(new, {"c": how}, notes.append)["c"]
    assert [x for x in found.tolist() if x == x] == [8, 9]
    (text,) = notes
    assert text.startswith("column 'c': 6 of 8 values are not numbers in kg (such as '300 g', '€5', '5%')")


def test_several_units_stay_text_and_are_told(tmp_path):
    weights = [f"{k} {'g' if k % 3 else 'kg'}" for k in range(1, 31)]
    one_stray = [*(f"{k} kg" for k in range(30)), "300 g"]
    views, sexes = [*(f"{k}.5K" for k in range(30)), "765"], ["1M", "2M", "3M", "1F"] * 9
    for texts, units in ((weights, "g, kg"), (one_stray, "kg, g"), (views, "K, none"), (sexes, "M, F")):
        pd.DataFrame({"w": texts, "y": "a"}).to_csv(tmp_path / "t.csv", index=False)
        (note,) = read_with_notes(tmp_path / "t.csv", "y")[1].notes
        assert note == f"column 'w': text, because its numbers have several units ({units}); use one unit"


def test_a_target_with_a_unit():
    how, found, _ = read([f"€{k}.50" for k in range(30)], target="c")
    assert (how.unit, found.tolist()) == ("€", [k + 0.5 for k in range(30)])
    for names in (["2 doors", "4 doors"] * 9, ["3M", "6M", "12M"] * 9):
        assert read(names, target="c")[1].tolist() == names  # of classes


def test_the_unit_is_stored_and_tables_without_units_are_stored_as_before():
    written = pd.DataFrame({"w": ["5 kg", "6 kg"], "n": ["1", "2"]})
    table = read_columns(written, readings_of(written, ","))
    stored = json.loads(table.attrs["readings"])
    assert (stored["w"]["unit"], "unit" in stored["n"]) == ("kg", False)
    reader = TablePreprocessor({"w": "numeric", "n": "numeric"}).fit(table)
    with pytest.warns(UserWarning, match=r"not numbers in kg \(such as '8 lb'\)"):
        new = reader.transform(pd.DataFrame({"w": ["7 kg", "8 lb"], "n": [1, 2]}))
    np.testing.assert_array_equal(new[:, 0], [7, np.nan])


def test_what_cannot_be_read_is_counted_and_named():
    _, _, notes = read([*MANY, "#DIV/0!", "#DIV/0!", "12 kg", "NA", ""])
    assert notes == [
        "column 'c': 3 of 45 values are not numbers (such as '#DIV/0!', '12 kg'); these values become missing"
    ]


def test_a_number_with_the_other_decimal_mark_is_named_as_such():
    how, notes = read([f"{k},5" for k in range(30)])[0], []
    read_columns(pd.DataFrame({"c": ["80.5", "7"]}, dtype="str"), {"c": how}, notes.append)
    assert "1 of 2 values are not numbers with decimal commas (such as '80.5')" in notes[0]


@pytest.mark.parametrize(
    ("delimiter", "options", "n_missing"), [(",", {}, 2), (",", {"target": "c"}, 0), (None, {}, 0)]
)
def test_missing_text_depends_on_the_format(delimiter, options, n_missing):
    assert read(["NA", "EU", "None"], delimiter, **options)[1].isna().sum() == n_missing


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1.1", "1.10"], "categorical", ["1.1", "1.10"]),
        (["1.1", "1.2"], "categorical", [1.1, 1.2]),
        (["12 kg", "13 kg", "5"], "numeric", [12, 13, 5]),
        (["12 kg", "1 g", "5"], "numeric", [None, None, 5]),
        *((["12 kg", "13 kg"], kind, ["12 kg", "13 kg"]) for kind in ("categorical", "text", "id")),
    ],
)
def test_declared_kinds(texts, kind, values):
    found = read(texts, kinds={"c": kind})[1].astype(object)
    assert found.where(found.notna(), None).tolist() == values


def test_targets_of_few_numbers_and_words_are_classes():
    texts = ["0", "1"] * 30 + ["other"]
    assert (read(texts, target="c")[0].type, read(texts)[0].type) == ("text", "number")


def test_whole_numbers_beyond_floats_are_codes_in_every_type():
    for values in ([2**60 + k % 3 for k in range(30)], pd.array([2**60, 2**60 + 1, None] * 10, dtype="Int64")):
        p = TablePreprocessor().fit(pd.DataFrame({"code": values, "x": np.arange(30) / 7}))
        assert p.kinds_["code"] == "categorical"
        assert str(2**60 + 1) in p.categories_["code"]


def test_typed_values_find_the_category_of_their_text():
    """A reader of CSV makes numbers of codes and truth values of TRUE; a category of equal value is meant."""
    table = pd.DataFrame({"icd": ["01", "02", "A1"] * 10, "flag": ["TRUE", "FALSE", "unknown"] * 10})
    p = TablePreprocessor(encoding="codes").fit(table)
    new = pd.DataFrame({"icd": [1, 2], "flag": [True, False]})
    np.testing.assert_array_equal(p.transform(new), p.transform(table.head(2)))


TEXTS = {
    "amount": [f"{k}.{100 + k},{k % 10}" for k in range(1, 37)] + ["?", "900", "", "-"],
    "ward": ["01", "02", "A1", "10"] * 10,
    "flag": ["TRUE", "FALSE"] * 20,
    "day": [f"{1 + k % 28:02d}.{1 + k % 12:02d}.2021" for k in range(39)] + ["unknown"],
    "rating": ["1", "2", "5,0", "", "3"] * 8,
    "city": ["Bonn", "Köln", "NA", "Ulm"] * 10,
}


WRITTEN = pd.DataFrame(TEXTS, dtype="str")
TABLE = read_columns(WRITTEN, readings_of(WRITTEN, ";"), lambda note: None)
FITTED = TablePreprocessor({"rating": "numeric"}).fit(TABLE)


@pytest.mark.slow
@given(st.lists(st.integers(0, 39), min_size=1, max_size=12))
def test_a_row_does_not_depend_on_its_neighbours(rows):
    """Any rows in any order, as text, as objects, as categories or read anew, give the numbers of the whole table."""
    whole, part = FITTED.transform(TABLE)[rows], WRITTEN.iloc[rows]
    for new in (TABLE.iloc[rows], part, part.astype(object), part.astype("category"), part.replace("", None)):
        np.testing.assert_array_equal(FITTED.transform(new), whole)


@pytest.mark.parametrize(
    ("values", "are_dates"),
    [(DAYS, True), (pd.date_range("2020-01-01", periods=3), True), ([*DAYS, "unknown"], False), ([20200101], False)],
)
def test_is_dates(values, are_dates):
    assert is_dates(pd.Series(values)) == are_dates
