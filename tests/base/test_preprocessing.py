import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from tests.refusals import refusal

from rotastack import RotastackClassifier
from rotastack.base.categories import MISSING, texts_of
from rotastack.data import TablePreprocessor, load_dataset
from rotastack.data.target import check_target, decide_task


def table():
    return pd.DataFrame(
        {
            "number": np.arange(12.0),
            "few": [1, 2, 3] * 4,
            "colour": ["red", "green", None] * 4,
            "name": [f"row {i}" for i in range(12)],
            "same": 7,
            "empty": np.nan,
            "marks": ["?"] + [str(i) for i in range(11)],
        }
    )


def test_dummies_and_missing_values():
    p = TablePreprocessor().fit(table())
    Z = p.transform(table())
    assert p.get_feature_names_out().tolist() == ["number", "marks", "few=2", "few=3", "colour=green", "colour=red"]
    assert Z[:3, 4:].tolist() == [[0, 1], [1, 0], [0, 0]]  # missing is the category without a dummy
    assert np.isnan(Z[0, 1])  # "?" among numbers is missing


def test_declared_kinds_win():
    kinds = {"few": "numeric", "number": "leak", "name": "id", "colour": "auto"}
    assert TablePreprocessor(kinds).fit(table()).kinds_.items() >= {**kinds, "colour": "categorical"}.items()


def test_new_rows():
    p = TablePreprocessor().fit(table())
    new = table().iloc[:2].assign(colour=["violet", "red"], few=[2.0, 3.0], extra=1)
    assert_array_equal(p.transform(new)[:, 2:], [[1, 0, 0, 0], [0, 1, 0, 1]])
    assert "columns missing from the table: few" in refusal(p.transform, new.drop(columns="few"))


def test_infinities_are_refused_by_column():
    infinite = table().assign(number=[np.inf, *range(11)])
    for step in (TablePreprocessor().fit, TablePreprocessor().fit(table()).transform):
        assert "column 'number': infinite values in 1 row" in refusal(step, infinite)


@pytest.mark.parametrize(
    ("labels", "task", "message"),
    [
        (["a"] * 5, "classification", "only one class"),
        (["a", None, "b"], "classification", "missing in 1 row"),
        (
            np.linspace(0, 1, 50),
            "classification",
            r"looks continuous \(50 different fractional numbers in 50 rows, more than 20\)",
        ),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]), "classification", "is a date"),
        (
            ["31.12.2024", "30.12.2024"] * 3,
            "classification",
            r"is a date \(such as '31.12.2024'\); convert the dates to numbers",
        ),
        (
            [f"p{i}" for i in range(500)],
            "classification",
            r"500 different labels in 500 rows, like ids \(such as 'p0'\)",
        ),
        (
            [f"p{i % 1200}" for i in range(5000)],
            "classification",
            "1200 classes in 5000 rows; at most 1000 classes are allowed",
        ),
        ([1.0, None], "regression", "missing in 1 row"),
        ([1.0, "x", 2.0], "regression", r"is not a number in 1 row \(such as 'x'\)"),
        ([1.0, np.inf, 2.0], "regression", "is infinite in 1 row"),
        ([1.0, 1.0], "regression", "has only one value in 2 rows"),
        ([1.0, 2.0, -3e160], "regression", "is beyond 1e\\+100 in 1 row"),
        ([1e-200, 2e-200], "regression", "varies by less than 1e-100 in 2 rows"),
    ],
)
def test_bad_targets(labels, task, message):
    assert re.search(f"t: the target.*{message}", refusal(check_target, pd.Series(labels), "t", task))


def test_a_class_of_one_row_is_named():
    with pytest.warns(UserWarning, match="t: class 'b' of the target has only one row; .* drop or merge the class"):
        assert check_target(pd.Series(["a", "a", "b"]), "t").tolist() == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("values", "task", "reason"),
    [
        (["a", "b", "a"], "classification", r"text, 2 values"),
        ([True, False, None], "classification", "booleans"),
        (pd.Categorical([1.5, 2.5]), "classification", "declared categories"),
        (np.arange(500) % 31, "regression", "^31 different whole numbers in 500 rows, more than 30$"),
        (np.arange(140) % 30, "regression", "30 different whole numbers in 140 rows, fewer than 5 rows per number"),
        (
            np.arange(150) % 30,
            "classification",
            "30 different whole numbers in 150 rows, at least 5 rows per number on average",
        ),
        (
            np.repeat(np.arange(12), 2 ** np.arange(12)[::-1]),
            "regression",
            "from 0 upwards, and the larger the rarer, like counts",
        ),
        (
            np.repeat(np.arange(1, 13), 2 ** np.arange(12)[::-1]),
            "classification",
            "at least 5 rows per number on average",
        ),
        (np.arange(12), "regression", "12 different whole numbers"),
        (np.linspace(0, 1, 21).repeat(100), "regression", "21 different fractional numbers in 2100 rows, more than 20"),
        (np.linspace(0, 1, 20).repeat(5), "classification", "20 different fractional"),
        ([0.5, 1.5, 2.5], "regression", "3 different fractional numbers in 3 rows, fewer"),
        (["1.5", "2.5", "3.5"], "regression", "3 different fractional"),
    ],
)
def test_the_task_is_decided_by_the_rule(values, task, reason):
    decided, why = decide_task(pd.Series(values))
    assert decided == task
    assert re.search(reason, why)


def test_a_target_of_regression_is_numbers():
    y = check_target(pd.Series(["1.5", "2", "-3e2"], name="price"), "t", "regression")
    pd.testing.assert_series_equal(y, pd.Series([1.5, 2.0, -300.0], name="price"))


def test_numbers_are_counted_without_junk_and_ids_without_missing():
    mixed = pd.DataFrame(
        {"m": [*range(8)] * 5 + [f"junk{i}" for i in range(10)], "i": [None] + [f"id{i}" for i in range(49)]}
    )
    assert TablePreprocessor().fit(mixed).kinds_ == {"m": "categorical", "i": "id"}


def test_categories_by_their_numbers():
    """For estimators that take categories: missing is no number, and neither is a category that is new."""
    p = TablePreprocessor(encoding="codes").fit(table())
    assert p.get_feature_names_out().tolist() == ["number", "marks", "few", "colour"]
    assert p.categorical_.tolist() == [False, False, True, True]
    assert_array_equal(p.transform(table())[:3, 2:], [[0, 2], [1, 1], [2, np.nan]])
    assert_array_equal(p.transform(table().iloc[:2].assign(colour=["violet", None]))[:, 3], [3, np.nan])


@pytest.mark.parametrize(
    ("name", "values", "kind", "reason"),
    [
        ("x", np.linspace(0, 1, 50), "numeric", "50 different numbers"),
        ("x", np.arange(5, 55), "numeric", "50 different"),
        ("x", np.arange(1, 51), "id", "row numbers"),
        (
            "customer_id",
            np.random.default_rng(0).permutation(50),
            "id",
            "by its name and 50 different values in 50 rows",
        ),
        ("PassengerId", [*range(100, 149), None], "id", "by its name and 49 different values in 49 rows"),
        ("id", np.arange(50) % 20, "numeric", "20 different"),
        ("acid", np.random.default_rng(0).permutation(50), "numeric", "50 different"),
        ("x", [f"{k:08x}-aa" for k in range(50)], "id", "text with unique values"),
        ("x", [f"town {k}" for k in range(50)], "id", "text with unique values"),
        ("x", [f"IMG {k}.jpg" for k in range(50)], "id", "text with unique values"),
        ("x", [f"0{k:02} 12 34 {k}" for k in range(50)], "id", "text with unique values"),
        (
            "x",
            [f"town {k % 40}" for k in range(60)],
            "id",
            "40 different values in 60 rows, 7 characters on average, mostly single words",
        ),
        ("x", [f"Frau Müller-{k} sagt, gut" for k in range(50)], "text", "50 different"),
        ("x", [f"день {k} был хорош" for k in range(50)], "text", "50 different"),
        ("x", [f"第{k}天很好" for k in range(50)], "id", "text with unique values"),
        ("x", [f"{2 * k} kg" for k in range(50)], "numeric", "50 different numbers in kg"),
        ("x", [f"broken on day {k}" for k in range(50)], "text", "50 different values in 50 rows, 16 characters"),
        ("x", [f"www.place.net/{'a' * k}" for k in range(50)], "id", "text with unique values"),
        (
            "x",
            [f"a long comment on the row {k % 30} of it" for k in range(200)],
            "text",
            "30 different values in 200 rows, 34",
        ),
        ("x", [f"town {k % 30}" for k in range(200)], "categorical", "text of 30 different values"),
        ("x", pd.Categorical([f"a name {k}" for k in range(50)]), "categorical", "declared categories of 50"),
        ("x", pd.Categorical(list(range(15)) * 3), "categorical", "declared categories of 15"),
        ("年龄", np.random.default_rng(0).permutation(50) + 100, "numeric", "50 different"),
        ("x", [True, False] * 10, "categorical", "2 different numbers, fewer than 10"),
        ("x", pd.to_timedelta(np.arange(5, 55), unit="h"), "numeric", "50 different numbers"),
        ("x", pd.date_range("2020-01-01", periods=50), "date", "from 2020-01-01 to 2020-02-19: days, weekday"),
        ("x", [f"2020-01-{1 + k % 28:02d}" for k in range(50)], "date", "from 2020-01-01 to 2020-01-28: days, weekday"),
        ("x", [f"2020-01-{1 + k % 28:02d}T10:{k:02d}:00Z" for k in range(50)], "date", "days, weekday"),
        (
            "x",
            [f"{1 + k % 28}/13/2020" for k in range(50)],
            "id",
            "28 different values in 50 rows, 10 characters on average, mostly single words",
        ),
        ("x", ["2020-01-01", None] * 20, "categorical", "text of 1"),
        ("x", ["2020-01-01"] * 20, "constant", "one value only"),
        ("x", [None] * 50, "missing", "all missing"),
        ("x", [[1]] * 50, "objects", "holds lists"),
    ],
)
def test_kinds_and_why(name, values, kind, reason):
    rows = len(values)
    table = pd.DataFrame({name: values, "number": np.arange(rows) / 7})
    p = TablePreprocessor().fit(table)
    assert p.kinds_ == {name: kind, "number": "numeric"}
    assert reason in p.reasons_[name]
    assert (name in p.dropped_) == (kind in ("id", "objects", "constant", "missing"))
    assert p.transform(table).shape == (rows, len(p.get_feature_names_out()))


def test_dates_are_days_and_what_comes_again():
    when = ["2024-02-29 12:00", "2025-03-01 06:00", None, "1969-12-31 18:00"]
    table = pd.DataFrame({"when": when, "number": np.arange(4.0)})
    p = TablePreprocessor(min_distinct=2).fit(table)
    assert p.get_feature_names_out().tolist() == ["number", "when", "when (month)", "when (weekday)", "when (hour)"]
    nan = np.nan
    expected = [[0, 19782.5, 2, 3, 12], [1, 20148.25, 3, 5, 6], [2, nan, nan, nan, nan], [3, -0.25, 12, 2, 18]]
    assert_array_equal(p.transform(table), expected)
    new = table.head(2).assign(when=["someday", pd.Timestamp("1970-01-02")])
    with pytest.warns(UserWarning, match="column 'when': 1 of 2 values are not dates .*YYYY-MM-DD .such as 'someday'"):
        assert_array_equal(p.transform(new)[:, 1], [nan, 1])
    assert not p.categorical_.any()


def test_in_one_hot_columns_a_new_category_is_none_of_the_known():
    train = pd.DataFrame({"city": ["Aachen", "Bonn", "Celle"] * 4, "shape": ["flat", None, "round"] * 4})
    p = TablePreprocessor(encoding="onehot").fit(train)
    names = ["city=Aachen", "city=Bonn", "city=Celle", "shape=flat", "shape=round"]
    assert p.get_feature_names_out().tolist() == names
    assert_array_equal(p.transform(train.head(2)), [[1, 0, 0, 1, 0], [0, 1, 0, 0, 0]])
    new = pd.DataFrame({"city": ["Ulm", None, "Bonn"], "shape": ["oval", None, "flat"]})
    with pytest.warns(
        UserWarning, match="'city': 1 of 3 .* 'Ulm'; rows 0.; .*'city': 1 .*rows 1.; .*'shape': 1 .*'oval'"
    ):
        assert_array_equal(p.transform(new), [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 1, 0]])


@pytest.mark.filterwarnings("error")
def test_numbers_and_dates_that_are_newly_missing_are_named():
    days = pd.date_range("2020-01-01", periods=20)
    train = pd.DataFrame({"x": np.arange(20) / 7, "gaps": [None, *np.arange(19) / 3], "day": days})
    p = TablePreprocessor().fit(train)
    assert (p.complete_, p.ranges_) == (["x", "day"], {"x": (0, 19 / 7), "gaps": (0, 6)})
    p.transform(train)
    p.transform(train.assign(gaps=None))
    with pytest.warns(UserWarning, match=r"'x': 7 of 20 .*rows 0, 1, 2, 3, 4 and 2 more\); .*'day': 1 of 20 .*rows 8"):
        p.transform(train.assign(x=train["x"].mask(train["x"] < 1), day=days.where(days.day != 9)))


def test_categories_are_in_alphabetical_order():
    """The first category has no dummy."""
    columns = {"numbers": [10, 9, 9, None], "text": ["b", "a", "a", "b"], "x": np.arange(4) / 7}
    p = TablePreprocessor({"x": "numeric"}).fit(pd.DataFrame(columns))
    assert p.categories_ == {"numbers": ["(missing)", "10", "9"], "text": ["a", "b"]}


ORDER = ["low", "middle", "high"]


@pytest.mark.parametrize("is_declared", [False, True])
@pytest.mark.parametrize("gap", [None, "low"])
def test_an_ordered_column_is_a_number_by_its_order(is_declared, gap):
    """Of a declared order the column is text; a value outside of the order is missing, and named: training rows may have it, too."""
    sizes = pd.Series(["low", "high", gap, "low"] * 5)
    ordered = sizes.astype(pd.CategoricalDtype(ORDER, ordered=True))
    X = pd.DataFrame({"size": sizes if is_declared else ordered, "x": np.arange(20) / 7})
    p = TablePreprocessor({"size": ORDER} if is_declared else None).fit(X)
    assert (p.kinds_["size"], p.reasons_["size"], p.numeric_) == ("ordered", "low < middle < high", ["size", "x"])
    assert p.complete_ == (["size", "x"] if gap else ["x"])
    new = pd.DataFrame({"size": ["middle", "huge", " high ", None], "x": 0.0})
    with pytest.warns(
        UserWarning, match=r"column 'size': 1 of 4 rows have a category outside of the order \(such as 'huge'"
    ):
        assert_array_equal(p.transform(new)[:, 0], [1, np.nan, 2, np.nan])
    as_categories = TablePreprocessor({"size": "categorical"}).fit(X.assign(size=ordered))
    assert as_categories.categories_["size"][-2:] == ["low", "high"]


def test_every_table_brings_its_order(tmp_path):
    sizes = pd.Series(["low", "high", "middle", "low"] * 10)
    frame = pd.DataFrame({"x": np.arange(40) / 7, "size": sizes.astype(pd.CategoricalDtype(ORDER, ordered=True))})
    frame = frame.assign(city=["Aachen", "Bonn", "Celle", "Ulm"] * 10, grade=pd.Categorical(list("abacd") * 8))
    frame.to_parquet(tmp_path / "t.parquet")
    of_polars = pl.from_pandas(frame.drop(columns="size")).insert_column(
        1, pl.Series("size", sizes.tolist(), dtype=pl.Enum(ORDER))
    )
    y = np.tile([0, 1, 1, 0], 10)
    numbers = frame.assign(size=frame["size"].cat.codes.astype(float))
    expected = RotastackClassifier(2, random_state=0).fit(numbers, y).predict_proba(numbers)
    for table in (frame, of_polars, pd.read_parquet(tmp_path / "t.parquet"), pa.Table.from_pandas(frame)):
        assert_array_equal(RotastackClassifier(2, random_state=0).fit(table, y).predict_proba(table), expected)


def test_only_ids_beside_the_target():
    assert re.search(
        r"no usable column is left: 'id' is dropped \(id: row numbers\)",
        refusal(TablePreprocessor().fit(pd.DataFrame({"id": range(30)})).get_feature_names_out),
    )
    assert "column 'a' occurs twice" in refusal(TablePreprocessor().fit, pd.DataFrame([[1, 2]], columns=["a", "a"]))


@pytest.mark.parametrize(
    ("values", "dtype", "names"),
    [
        ([1, 1.0, True, "1", None, 2.5, np.int64(3)], object, ["1", "1", "True", "1", MISSING, "2.5", "3"]),
        ([1.0, 2.5, np.nan, -0.0], float, ["1", "2.5", MISSING, "0"]),
        ([True, False], bool, ["True", "False"]),
        ([3.0, None], "category", ["3", MISSING]),
    ],
)
def test_names_of_categories_are_those_of_each_value(values, dtype, names):
    """Values of a type are looked at once each; those of several types, which may be equal, one by one."""
    assert texts_of(pd.Series(values, dtype=dtype)).tolist() == names


@pytest.mark.parametrize("name", ["iris", "wine", "tic-tac-toe", "balance-scale", "monks-1", "threeOf9"])
def test_no_column_of_a_registered_table_is_taken_for_an_id_or_a_date(name):
    X, _ = load_dataset(name)
    assert set(TablePreprocessor().fit(X).kinds_.values()) <= {"numeric", "categorical"}


def test_text_has_no_blanks_around_and_values_that_differ_in_spelling_are_named():
    table = pd.DataFrame(
        {
            "city": ["Bonn", "Bonn ", "\u00a0Ulm"] * 8,
            "of": pd.Categorical(["a", " a", "b"] * 8),
            "place": ["K\u00f6ln", "Ko\u0308ln", "Bonn"] * 8,
            "patient": ["P1", "p1", "P2", "P3"] * 6,
        }
    )
    with pytest.warns(UserWarning, match="values .* differ only in spaces, capital letters or") as told:
        p = TablePreprocessor({"patient": "id", "city": "auto"}, encoding="codes").fit(table)
    assert (p.categories_["city"], p.categories_["of"]) == (["Bonn", "Ulm"], ["a", "b"])
    assert [str(w.message).split("'")[1:6:2] for w in told] == [
        ["place", "Ko\u0308ln", "K\u00f6ln"],
        ["patient", "P1", "p1"],
    ]
    assert p.transform(table.head(1).assign(city="  Bonn\t", of="b "))[0, :2].tolist() == [0, 1]


def test_numbers_beside_text_in_a_list_stay_numbers():
    german = pd.DataFrame({"x1": [f"{k}.{100 + k},5" for k in range(1, 31)], "x2": ["u", "v"] * 15})
    assert TablePreprocessor().fit(german).transform([[12.345, "u"], ["1.000", "v"]])[:, 0].tolist() == [12.345, 1000]
