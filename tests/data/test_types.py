"""A column keeps its type through every format and through the raw copy: reading twice gives the same frame."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.quick import first

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.data.raw import read_raw, write_raw
from rotastack.data.tables import read_with_notes

N = 24
MOMENTS = pd.date_range("2020-01-01", periods=N, freq="7h")


def repeated(values, dtype=object):
    return pd.Series((list(values) * N)[:N], dtype=dtype)


COLUMNS = {
    **{
        name: repeated(range(5), name)
        for name in ("int8", "uint16", "int64", "uint64", "float16", "float32", "float64")
    },
    **{name: repeated([1, None, 3], name) for name in ("Int8", "Int64", "UInt32", "Float64")},
    "longdouble": pd.Series(np.arange(N, dtype=np.longdouble) / 3),
    "large": repeated([2**60 + 1, 2**60 + 3], "int64"),
    "large with gaps": repeated([2**60 + 1, None], "Int64"),
    "larger than any integer": repeated([10**30, 10**30 + 1]),
    "bool": repeated([True, False], bool),
    "boolean": repeated([True, None, False], "boolean"),
    "truth objects": repeated([True, None, False]),
    "str": repeated(["a", "b", None], "str"),
    "string": repeated(["a", "b", None], "string"),
    "text of digits": repeated(["1", "2", "10"], "str"),
    "zeros in front": repeated(["01", "02", "10"], "category"),
    "versions": repeated(["1.1", "1.10"], "category"),
    "missing as text": repeated(["NA", "None", "EU"], "category"),
    "blanks": repeated([" a", "a", "a ", ""], "str"),
    "returns": repeated(["a\rb", "a\r\nb", "a,b;\tc", 'a"b'], "str"),
    "ordered": repeated(["low", "high"], pd.CategoricalDtype(["low", "mid", "high"], ordered=True)),
    "categories of numbers": repeated(range(12), "category"),
    "intervals": pd.Series(pd.cut(np.arange(N), 4)),
    "interval": pd.Series(pd.interval_range(0, N)),
    "sparse": pd.Series(pd.arrays.SparseArray([0, 1] * (N // 2))),
    "seconds": pd.Series(MOMENTS.astype("datetime64[s]")),
    "nanoseconds": pd.Series(MOMENTS.astype("datetime64[ns]")),
    "zone": pd.Series(MOMENTS.tz_localize("Europe/Berlin")),
    "period": pd.Series(pd.period_range("2020-01", periods=N, freq="M")),
    "duration": pd.Series(MOMENTS - MOMENTS[0]),
    "date": pd.Series(MOMENTS.date),
    "far dates": repeated([datetime.date(9999, 12, 31), datetime.date(1, 1, 1)]),
    "time": pd.Series(MOMENTS.time),
    "decimal": repeated([Decimal("1.10"), Decimal("2.25")]),
    "mixed": repeated([1, "a", 2.5, True]),
    "nothing": repeated([None]),
    "arrow": repeated([1, None, 3], pd.ArrowDtype(pa.int32())),
    "arrow text": repeated(["01", None], pd.ArrowDtype(pa.large_string())),
}


def table(*names):
    columns = {name: COLUMNS[name] for name in names}
    return pd.DataFrame({**columns, "x": np.arange(N) / 7, "target": ["u", "v"] * (N // 2)})


WRITERS = {
    ".parquet": lambda frame, path: frame.to_parquet(path),
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True, date_format="iso"),
    ".xlsx": lambda frame, path: frame.to_excel(path, index=False),
}


def source(frame, ending, path):
    """Return a table as a source of a kind, which for a file is its path."""
    if ending == "memory":
        return frame
    if ending == "polars":
        # An installed wheel is tested without the extra dev, which brings polars; the lock file has it.
        polars = pytest.importorskip("polars", reason="polars is not installed")
        return polars.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))
    WRITERS[ending](frame, path)
    return path


def is_held(name, ending, path):
    """Return whether pandas or Arrow has the type of a column in a format; Excel, for example, has no time zones."""
    try:
        source(table(name), ending, path)
    # What cannot be written is no source; the test counts how many columns remain.
    except (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("ending", first(1, ["memory", *WRITERS, "polars"]))
def test_types_survive(tmp_path, ending):
    path = tmp_path / f"t{ending}"
    names = [name for name in COLUMNS if is_held(name, ending, path)]
    assert len(names) >= len(COLUMNS) - 5
    given = source(table(*names), ending, path)
    found, again = (read_with_notes(given, "target")[0] for _ in range(2))
    pd.testing.assert_frame_equal(found, again)
    write_raw(found, tmp_path / "raw.parquet")
    raw = read_raw(tmp_path / "raw.parquet")
    assert raw.attrs == found.attrs
    for other in (raw, read_with_notes(found, "target")[0]):
        pd.testing.assert_frame_equal(found, other)
    features, copied = found.drop(columns="target"), raw.drop(columns="target")
    one, other = (TablePreprocessor(dict.fromkeys(names, "auto")).fit(rows) for rows in (features, copied))
    assert (one.kinds_, one.categories_) == (other.kinds_, other.categories_)
    np.testing.assert_array_equal(one.transform(copied), other.transform(features))


@pytest.mark.parametrize("name", ["zeros in front", "versions", "missing as text", "ordered", "large", "returns"])
def test_categories_are_those_of_the_source(tmp_path, name):
    """The values, as text, are those in memory: no zeros, no blanks and no missing values come or go."""
    table(name).to_parquet(tmp_path / "t.parquet")
    found, _ = read_with_notes(tmp_path / "t.parquet", "target")
    assert found[name].astype(object).map(str).tolist() == COLUMNS[name].astype(object).map(str).tolist()
