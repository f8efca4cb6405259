"""Tables of columns of any kind."""

import datetime
import uuid
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

WORDS = np.array(["Aachen", "Bonn", "Celle", "Dortmund", "Essen"], dtype=object)
DAY = pd.Timestamp("2021-03-04 05:06")


def _objects(values):
    values = list(values)
    column = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        column[k] = value
    return column


def _times(rng, n):
    return DAY + pd.to_timedelta(rng.integers(0, 90_000, n), unit="h")


KINDS = {
    "float": lambda rng, n: rng.normal(size=n),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "half": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "long float": lambda rng, n: rng.normal(size=n).astype(np.longdouble),
    "huge": lambda rng, n: rng.normal(size=n) * 1e300,
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.3, np.inf, rng.normal(size=n)),
    "int": lambda rng, n: rng.integers(0, 50, n),
    "few ints": lambda rng, n: rng.integers(0, 3, n),
    "small ints": lambda rng, n: rng.integers(0, 200, n).astype(np.uint8),
    "big ints": lambda rng, n: rng.integers(2**60, 2**62, n),
    "unsigned": lambda rng, n: rng.integers(2**62, 2**63, n).astype(np.uint64) * 2,
    "Python's big ints": lambda rng, n: _objects([int(k) * 10**20 for k in rng.integers(1, 99, n)]),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "objects of bool": lambda rng, n: _objects((rng.random(n) < 0.5).tolist()),
    "Int64": lambda rng, n: pd.array(rng.integers(0, 50, n), dtype="Int64"),
    "Float64": lambda rng, n: pd.array(rng.normal(size=n), dtype="Float64"),
    "boolean": lambda rng, n: pd.array(rng.random(n) < 0.5, dtype="boolean"),
    "text": lambda rng, n: WORDS[rng.integers(0, 3, n)],
    "string": lambda rng, n: pd.array(WORDS[rng.integers(0, 3, n)], dtype="string"),
    "NumPy's strings": lambda rng, n: _objects([np.str_(w) for w in WORDS[rng.integers(0, 3, n)]]),
    "category": lambda rng, n: pd.Categorical(WORDS[rng.integers(0, 5, n)]),
    "ordered": lambda rng, n: pd.Categorical(WORDS[rng.integers(0, 3, n)], WORDS[::-1], ordered=True),
    "categories of numbers": lambda rng, n: pd.Categorical(rng.integers(0, 5, n)),
    "categories of floats": lambda rng, n: pd.Categorical(rng.integers(0, 5, n) / 3),
    "categories of bools": lambda rng, n: pd.Categorical(rng.random(n) < 0.5),
    "categories of dates": lambda rng, n: pd.Categorical(DAY + pd.to_timedelta(rng.integers(0, 4, n), unit="D")),
    "categories of objects": lambda rng, n: pd.Categorical(_objects([(1, "a", 2.5)[k] for k in rng.integers(0, 3, n)])),
    "unused categories": lambda rng, n: pd.Categorical(["a"] * n, ["a", "b", "c"]),
    "no categories": lambda rng, n: pd.Categorical([None] * n),
    "many categories": lambda rng, n: pd.Categorical([f"shop {k}" for k in rng.integers(0, 40, n)]),
    "intervals": lambda rng, n: pd.cut(rng.normal(size=n), 4),
    "many texts": lambda rng, n: _objects([f"town {k}" for k in rng.integers(0, 12, n)]),
    "free text": lambda rng, n: _objects([f"a note on the row {k} of the table" for k in range(n)]),
    "reviews": lambda rng, n: _objects(
        " ".join(rng.choice([*WORDS, "guter", "день", "very", "12"], 9)) for _ in range(n)
    ),
    "notes of few words": lambda rng, n: _objects([f"see {k}, or {n - k} и" if k % 3 else "... !" for k in range(n)]),
    "names": lambda rng, n: _objects(
        [f"{w}, {chr(65 + k % 26)}. {chr(97 + k % 25) * 5}" for k, w in enumerate(WORDS[rng.integers(0, 5, n)])]
    ),
    "text without blanks": lambda rng, n: _objects([f"第{k}天的东西很好" for k in range(n)]),
    "prices": lambda rng, n: _objects([f"€{1000 * x:,.2f}" for x in rng.random(n)]),
    "weights": lambda rng, n: _objects([f"{x:.1f} kg" if x > 9 else "?" for x in 100 * rng.random(n)]),
    "several units": lambda rng, n: _objects([f"{k} {('g', 'kg')[k % 2]}" for k in rng.integers(1, 90, n)]),
    "percentages": lambda rng, n: _objects([f"{x:.0f} %" for x in 100 * rng.random(n)]),
    "numbers as text": lambda rng, n: _objects([f"{x:.2f}".replace(".", ",") for x in 1000 * rng.random(n)]),
    "numbers with marks": lambda rng, n: _objects([f"{x:.2f}" if x > 0.2 else "?" for x in rng.random(n)]),
    "blanks": lambda rng, n: _objects(["", " ", "NA"][k] for k in rng.integers(0, 3, n)),
    "odd text": lambda rng, n: _objects(['"', "a\nb", "\x00", "ä,;|\t", "{x}%s$"][k] for k in rng.integers(0, 5, n)),
    "constant": lambda rng, n: np.full(n, 7.5),
    "constant text": lambda rng, n: _objects(["GBP"] * n),
    "missing": lambda rng, n: np.full(n, np.nan),
    "None": lambda rng, n: _objects([None] * n),
    "NA": lambda rng, n: _objects([pd.NA] * n),
    "no date": lambda rng, n: pd.to_datetime([None] * n),
    "id": lambda rng, n: np.arange(1, n + 1),
    "id of text": lambda rng, n: _objects([f"{k:08x}-aa" for k in rng.permutation(n)]),
    "uuid": lambda rng, n: _objects([uuid.UUID(int=int(k)) for k in rng.permutation(n)]),
    "date": _times,
    "date of a zone": lambda rng, n: _times(rng, n).tz_localize("Europe/London", ambiguous="NaT", nonexistent="NaT"),
    "date as text": lambda rng, n: _times(rng, n).strftime("%d.%m.%Y").to_numpy(object),
    "Python's dates": lambda rng, n: _objects([d.date() for d in _times(rng, n)]),
    "Python's times": lambda rng, n: _objects([d.time() for d in _times(rng, n)]),
    "early dates": lambda rng, n: np.array([f"{1000 + k}-01-01" for k in rng.integers(0, 90, n)], dtype="M8[s]"),
    "zones": lambda rng, n: _objects(
        [d.tz_localize(("UTC", "Asia/Tokyo")[k % 2]) for k, d in enumerate(_times(rng, n))]
    ),
    "period": lambda rng, n: pd.PeriodIndex(_times(rng, n), freq="M"),
    "duration": lambda rng, n: pd.to_timedelta(rng.integers(0, 900, n), unit="h"),
    "Python's durations": lambda rng, n: _objects([datetime.timedelta(hours=int(k)) for k in rng.integers(0, 90, n)]),
    "Decimal": lambda rng, n: _objects([Decimal(int(k)) / 7 for k in rng.integers(0, 90, n)]),
    "mixed": lambda rng, n: _objects([(1, "a", 2.5, True, None)[k] for k in rng.integers(0, 5, n)]),
    "numbers and text": lambda rng, n: _objects([k if k % 7 else "x" for k in rng.integers(0, 90, n).tolist()]),
    "numbers and their text": lambda rng, n: _objects(
        [(k / 4, f"{k / 4:.2f}", f"{k} %", "?", "")[k % 5] for k in rng.integers(0, 900, n).tolist()]
    ),
    "dates and their text": lambda rng, n: _objects(
        [(d, d.date(), f"{d:%d.%m.%Y}", "unknown", None)[k % 5] for k, d in enumerate(_times(rng, n))]
    ),
    "truth and its text": lambda rng, n: _objects(
        [(True, False, "true", "FALSE", "")[k] for k in rng.integers(0, 5, n)]
    ),
    "durations and text": lambda rng, n: _objects(
        [(datetime.timedelta(hours=int(k)), "3 days")[int(k) % 7 == 0] for k in rng.integers(0, 90, n)]
    ),
    "codes and numbers": lambda rng, n: _objects(
        [(k, f"{k:03d}", f" {k} ")[k % 3] for k in rng.integers(0, 9, n).tolist()]
    ),
    "one long number": lambda rng, n: _objects([*rng.integers(0, 99, n - 1).tolist(), 10**30]),
    "numbers and dates": lambda rng, n: _objects([k if k % 2 else DAY for k in rng.integers(0, 90, n).tolist()]),
    "objects of floats": lambda rng, n: _objects(rng.normal(size=n).tolist()),
    "sparse": lambda rng, n: pd.arrays.SparseArray(np.where(rng.random(n) < 0.7, 0.0, rng.normal(size=n))),
    "complex": lambda rng, n: rng.normal(size=n) + 1j * rng.normal(size=n),
    "lists": lambda rng, n: _objects([[1, int(k)] for k in rng.integers(0, 9, n)]),
    "records": lambda rng, n: _objects([{"a": int(k)} for k in rng.integers(0, 9, n)]),
    "sets": lambda rng, n: _objects([{int(k)} for k in rng.integers(0, 9, n)]),
    "tuples": lambda rng, n: _objects([(1, int(k)) for k in rng.integers(0, 3, n)]),
    "arrays": lambda rng, n: _objects([np.arange(2) for _ in range(n)]),
    "bytes": lambda rng, n: _objects([bytes([65 + k]) for k in rng.integers(0, 9, n)]),
}
"""Kind of a column -> function of a generator and the number of rows."""

NAMES = [*["{}"] * 4, "{} ", "ä {}", "{}=a", "{{{}}}", "'{}'", '"{}"', "{}\n2", "<b>{}", "{}%s$", "target{}", "", "id"]
ODD_NAMES = [
    0,
    2.5,
    None,
    True,
    ("a", 1),
    pd.Timestamp("2020-01-01"),
    np.nan,
    "x",
    "target",
    "x",
    "(missing)",
    "prediction",
]
LIBRARIES = ["pandas"] * 6 + ["pandas of Arrow"] * 2 + ["polars"] * 2 + ["Arrow", "NumPy"]
CHANGES = ["kind", "missing", "new", "row", "library", "shuffled"] * 3
CHANGES += ["none", "order", "no row", "further", "without"]
NAMES_ARE = ["plain"] * 12 + ["numbers"] * 2 + ["odd text"] * 4 + ["odd"]
INDEXES = ["plain"] * 4 + ["text", "turned", "equal", "dates", "levels"]
TARGETS = ["numbers", "labels", "text", "bool", "string", "category"]


@dataclass(frozen=True)
class Mixture:
    """A table with columns of the `kinds`, each with a share of missing values; all else follows from the seed."""

    kinds: tuple[str, ...]
    holes: tuple[bool, ...]
    rows: int = 20
    library: str = "pandas"
    names: str = "plain"
    index: str = "plain"
    target: str = "text"
    change: str = "none"
    seed: int = 0

    def frame(self):
        """Return the training table as pandas has it."""
        rng = np.random.default_rng(self.seed)
        columns = [_column(rng, kind, self.rows, hole) for kind, hole in zip(self.kinds, self.holes, strict=True)]
        return self._framed(columns, rng)

    def _framed(self, columns, rng):
        n = self.rows
        index = {
            "plain": pd.RangeIndex(n),
            "text": [f"r{k}" for k in range(n)],
            "turned": np.arange(n)[::-1],
            "equal": np.zeros(n, int),
            "dates": pd.date_range("2020", periods=n),
            "levels": pd.MultiIndex.from_product([[0], range(n)]),
        }[self.index]
        frame = pd.DataFrame({j: pd.Series(c) for j, c in enumerate(columns)}, index=range(n)).set_axis(index)
        if self.names == "plain":
            return frame.set_axis([f"c{j}" for j in range(len(columns))], axis=1)
        if self.names == "numbers":
            return frame
        if self.names == "odd text":
            found = [str(rng.choice(NAMES)).format(f"c{j}") for j in range(len(columns))]
        else:
            found = [ODD_NAMES[k] for k in rng.integers(0, len(ODD_NAMES), len(columns))]
        return frame.set_axis(pd.Index(found, dtype=object, tupleize_cols=False), axis=1)

    def y(self, number=False):
        """Return the target."""
        rng = np.random.default_rng(self.seed + 1)
        codes = rng.permutation(np.arange(self.rows) % 3)
        if number:
            return codes + rng.normal(size=self.rows)
        labels = WORDS[codes]
        made = {
            "numbers": codes,
            "labels": codes - 1,
            "text": labels,
            "bool": codes > 0,
            "string": pd.Series(labels, dtype="string"),
            "category": pd.Categorical(labels),
        }
        return made[self.target]

    def new(self, frame):
        """Return new rows, which differ from the training table by `change`."""
        rng = np.random.default_rng(self.seed + 2)
        width = frame.shape[1]
        if self.change == "order":
            return frame.iloc[:, rng.permutation(width)]
        if self.change in ("row", "no row"):
            return frame.iloc[: int(self.change == "row")]
        if self.change == "shuffled":
            return frame.iloc[rng.permutation(len(frame))]
        if self.change == "further":
            return frame.assign(further=1)
        if not width or self.change in ("none", "library"):
            return frame
        j = rng.integers(width)
        if self.change == "without":
            return frame.iloc[:, np.arange(width) != j]
        other = str(rng.choice(list(KINDS)))
        column = pd.Series(_column(rng, other, len(frame), False)).set_axis(frame.index)
        if self.change == "missing":
            column = frame.iloc[:, j].copy()
            try:
                column.iloc[::2] = None
            except (TypeError, ValueError):
                column = column.astype(object).where(np.arange(len(frame)) % 2 > 0, None)
        elif self.change == "new":
            column = frame.iloc[:, j].astype(object).where(np.arange(len(frame)) % 2 > 0, "a new value")
        parts = [column if k == j else frame.iloc[:, k] for k in range(width)]
        found = pd.concat([part.reset_index(drop=True) for part in parts], axis=1).set_axis(frame.index)
        return found.set_axis(frame.columns, axis=1)

    def given(self, frame, library=None):
        """Return a table in the mixture's library; in pandas if the library has no such columns."""
        try:
            return _in_library(frame, library or self.library)
        except Exception:  # Arrow and polars lack types and names
            return frame


def _column(rng, kind, n, hole):
    column = KINDS[kind](rng, n)
    if hole:
        series = pd.Series(column)
        gaps = rng.random(n) < 0.3
        return series.where(~gaps) if series.dtype != object else series.where(~gaps, None)
    return column


def _in_library(frame, library):
    if library == "NumPy":
        return frame.to_numpy()
    if library == "pandas":
        return frame
    if library == "pandas of Arrow":
        return frame.convert_dtypes(dtype_backend="pyarrow")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return table if library == "Arrow" else pl.from_arrow(table)
