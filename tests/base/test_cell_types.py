"""A number, boolean, date or duration stays what it is, whatever text stands beside it; each text is read by itself."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.base.cell_types import types_of_cells
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.base.reading import ColumnReading, read_columns, readings_of

DAY = pd.Timestamp("2021-03-04")
HALVES = [k + 0.5 for k in range(30)]


def read(values):
    """Return the reading of a column of objects, its values, and the notes."""
    table = pd.DataFrame({"c": pd.Series(list(values), dtype=object)})
    readings, notes = readings_of(table), []
    return readings["c"], read_columns(table, readings, notes.append)["c"], notes


def of_types(held, as_what):
    return [f"column 'c': {held} in one column, read as {as_what}"]


def lost(n, of, what, example):
    return [f"column 'c': {n} of {of} values are not {what} (such as {example!r}); these values become missing"]


@pytest.mark.parametrize(
    ("values", "found", "notes"),
    [
        (
            ["1,5", "2,75", "3,25", 12.345, 4.125],
            [1.5, 2.75, 3.25, 12.345, 4.125],
            of_types("numbers, text", "numbers"),
        ),
        ([12.345, ""], [12.345, np.nan], []),
        ([12.345, None, "  "], [12.345, np.nan, np.nan], []),
        ([*HALVES, "12 %", 12], [*HALVES, 0.12, 12], of_types("numbers, text", "numbers")),
        (["12 kg", "13 kg", "14 kg", 15], [12, 13, 14, 15], of_types("numbers, text", "numbers")),
        ([*HALVES, "12 kg"], [*HALVES, np.nan], lost(1, 31, "numbers", "12 kg")),
        ([*HALVES, DAY], [*HALVES, np.nan], lost(1, 31, "numbers", str(DAY))),
        ([*HALVES, True, "2"], [*HALVES, 1, 2], of_types("numbers, booleans, text", "numbers")),
        ([Decimal("1.5"), np.float32(0.1), np.int8(3)], [1.5, float(np.float32(0.1)), 3], []),
        ([*HALVES, 2**60, "7"], [*HALVES, 2.0**60, 7], of_types("numbers, text", "numbers")),
        ([*range(30), 10**400], [*range(30), np.inf], []),
        ([True, "true", "FALSE"], [True, True, False], of_types("booleans, text", "booleans")),
        ([True, "unknown"], [True, "unknown"], of_types("booleans, text", "text")),
        ([1, "01", "02"], [1, "01", "02"], of_types("numbers, text", "text")),
        ([2**60, 2**61, "x"], [2**60, 2**61, "x"], of_types("numbers, text", "text")),
    ],
)
def test_typed_values_stay_and_a_mixed_column_says_so_once(values, found, notes):
    _, got, told = read(values)
    pd.testing.assert_series_equal(
        got.astype(object), pd.Series(found, dtype=object), check_names=False, check_exact=True
    )
    assert told == notes


@pytest.mark.parametrize("text", ["31.12.2020", "12/31/2020", "2020-12-31", "2020-12-31 00:00"])
def test_dates_beside_text(text):
    zone = DAY.tz_localize("Asia/Tokyo")
    for typed in ([DAY] * 2, [DAY.date(), DAY.to_pydatetime()], [DAY.to_datetime64(), zone.tz_convert("UTC")]):
        how, found, notes = read([typed[0], typed[1] + pd.Timedelta(days=1), text, "lost"])
        assert (how.type, found.isna().tolist()) == ("date", [False, False, False, True])
        assert found[2] == pd.Timestamp("2020-12-31")
        assert notes[0].startswith("column 'c': 1 of 4 values are not dates in the format")


def test_durations_beside_text():
    how, found, _ = read([datetime.timedelta(hours=5), datetime.timedelta(days=1), "2 days"])
    assert (how.type, found.tolist()) == ("duration", [*map(pd.Timedelta, ["5h", "1 day", "2 days"])])


def test_types_of_texts_are_found_without_a_look_at_each_cell():
    for dtype in ("str", "string", object):
        assert types_of_cells(pd.Series(["1", None], dtype=dtype)).tolist() == ["text", "text"]


TYPED = st.one_of(
    st.integers(-(10**400), 10**400),
    st.integers(-9, 99),
    st.floats(width=64),
    st.booleans(),
    st.dates(),
    st.datetimes(),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    st.builds(np.float32, st.floats(width=32)),
    st.none(),
)
TEXTS = st.sampled_from(
    [
        "1,5",
        "12.345",
        "12 %",
        "3 kg",
        "57.4k",
        "lost",
        "",
        "?",
        "NA",
        "true",
        "31.12.2020",
        "2020-01-01",
        "2 days",
        " a ",
        "01",
        "1e3",
    ]
)
READINGS = [
    ColumnReading("number"),
    ColumnReading("number", ",", "."),
    ColumnReading("number", ".", ",", unit="kg"),
    ColumnReading("boolean"),
    ColumnReading("date", formats=["%d.%m.%Y"]),
    ColumnReading("duration"),
    ColumnReading("text"),
    ColumnReading("text", blanks=True),
]


def same(a, b):
    return (pd.isna(a) and pd.isna(b)) or (a == b and isinstance(a, bool | np.bool_) == isinstance(b, bool | np.bool_))


@given(st.sampled_from(READINGS), st.lists(st.one_of(TYPED, TEXTS), min_size=1, max_size=6))
def test_a_cell_does_not_depend_on_the_cells_beside_it(how, values):
    column = pd.Series(values, dtype=object)
    found = how.values(column).astype(object)
    for k, value in enumerate(values):
        assert same(found[k], how.values(column.iloc[[k]]).astype(object).iloc[0])
        if how.type == "number" and isinstance(value, float):
            assert same(found[k], value)


@pytest.mark.slow
@given(st.lists(st.integers(-400, 4000), min_size=1, max_size=20), st.data())
def test_typed_values_and_their_texts_are_one_table(quarters, data):
    """Numbers whose text has one meaning, and dates in ISO 8601: typed, as text, and in any mixture."""
    for typed in ([k / 4 for k in quarters], quarters, [DAY + pd.Timedelta(days=k) for k in quarters]):
        as_text = [str(value) for value in typed]
        mixed = [data.draw(st.sampled_from(pair)) for pair in zip(typed, as_text, strict=True)]
        expected = pd.Series(typed)
        for values in (typed, as_text, mixed):
            _, found, _ = read(values)
            pd.testing.assert_series_equal(found, expected, check_dtype=False, check_names=False, check_exact=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@given(st.lists(st.one_of(st.floats(-1e9, 1e9), st.integers(-999, 999), TEXTS), min_size=1, max_size=5))
def test_numbers_of_new_rows_keep_their_value_whatever_the_marks_of_training(values):
    p = TablePreprocessor().fit(
        pd.DataFrame({"w": [f"{k}.{100 + k},5" for k in range(1, 40)], "city": ["Bonn", "Ulm", "K\u00f6ln"] * 13})
    )
    found = p.transform(pd.DataFrame({"w": pd.Series(values, dtype=object), "city": "Bonn"}))[:, 0]
    for got, value in zip(found, values, strict=True):
        assert isinstance(value, str) or got == value
