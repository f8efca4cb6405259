import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rotastack.data import TablePreprocessor
from rotastack.data.preprocessing import check_target, decide_task
from rotastack.errors import RotastackError


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


def test_kinds_are_decided_by_the_rules():
    p = TablePreprocessor().fit(table())
    assert p.numeric_ == ["number", "marks"]
    assert p.categories_ == {"few": ["1", "2", "3"], "colour": ["(missing)", "green", "red"]}
    assert p.dropped_ == {
        "name": "id: text, and all values differ",
        "same": "constant",
        "empty": "all missing",
    }
    assert p.categorical_.tolist() == [False, False, True, True, True, True]


def test_dummies_and_missing_values():
    p = TablePreprocessor().fit(table())
    Z = p.transform(table())
    names = list(p.get_feature_names_out())
    assert names == ["number", "marks", "few=2", "few=3", "colour=green", "colour=red"]
    assert Z[:3, names.index("colour=red")].tolist() == [1, 0, 0]
    assert Z[2, 4:].tolist() == [0, 0]  # missing is the category without a dummy
    assert np.isnan(Z[0, 1])  # "?" among numbers is missing


def test_declared_kinds_win():
    p = TablePreprocessor({"few": "numeric", "number": "leak", "name": "id", "colour": "auto"}).fit(table())
    assert "few" in p.numeric_
    assert p.dropped_["number"] == "declared leak"
    assert p.dropped_["name"] == "declared id"


def test_new_rows():
    p = TablePreprocessor().fit(table())
    new = table().iloc[:2].assign(colour=["violet", "red"], few=[2.0, 3.0], extra=1)
    Z = p.transform(new)
    assert Z[0, 4:].tolist() == [0, 0]
    assert Z[:, 2:4].tolist() == [[1, 0], [0, 1]]
    with pytest.raises(RotastackError, match="columns missing from the table: few"):
        p.transform(new.drop(columns="few"))


def test_infinities_are_refused_by_column():
    with pytest.raises(RotastackError, match="column 'number': infinite values in 1 rows"):
        TablePreprocessor().fit(table().assign(number=[np.inf, *range(11)]))
    p = TablePreprocessor().fit(table())
    with pytest.raises(RotastackError, match="infinite"):
        p.transform(table().assign(number=-np.inf))


def test_nothing_left_is_refused():
    with pytest.raises(RotastackError, match="no usable column"):
        TablePreprocessor().fit(pd.DataFrame({"a": [1, 1], "b": [np.nan, np.nan]}))


def test_it_is_a_transformer():
    p = clone(TablePreprocessor(min_distinct=3))
    assert p.fit_transform(table()).shape == (12, 5)
    assert TablePreprocessor().fit_transform(np.arange(30.0).reshape(15, 2)).shape == (15, 2)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 5, "one class only"),
        (["a", None, "b"], "missing in 1 rows"),
        (
            np.linspace(0, 1, 50),
            r"looks continuous \(it holds 50 fractional numbers in 50 rows, more than 20\)",
        ),
        (np.arange(300), "looks continuous"),
        ([f"p{i}" for i in range(500)], r"labels all differ \(500 in 500 rows, such as 'p0'\): are they ids"),
        ([f"p{i % 1000}" for i in range(5000)], "1000 classes in 5000 rows, and 100 are the most"),
    ],
)
def test_bad_targets(labels, message):
    with pytest.raises(RotastackError, match=f"t: the target.*{message}"):
        check_target(pd.Series(labels), "t")


def test_labels_become_text_without_decimal_points():
    assert check_target(pd.Series([1.0, 2.0] * 2), "t").tolist() == ["1", "2"] * 2


def test_a_class_of_one_row_is_named():
    with pytest.warns(UserWarning, match="t: class 'b' of the target has one row only"):
        assert check_target(pd.Series(["a", "a", "b"]), "t").tolist() == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("values", "task", "reason"),
    [
        (["a", "b", "a"], "classification", r"text \(2 values\)"),
        ([True, False, None], "classification", "truth values"),
        (pd.Categorical([1.5, 2.5]), "classification", "declared categories"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]), "classification", "text"),
        (np.arange(300) % 101, "regression", "101 whole numbers in 300 rows, more than 100"),
        (np.arange(300) % 100, "regression", "100 whole numbers in 300 rows, fewer than 5 rows for each"),
        (np.arange(500) % 100, "classification", "100 whole numbers in 500 rows, 5 or more"),
        (np.arange(12) % 10, "classification", "10 whole numbers"),
        (np.arange(12), "regression", "12 whole numbers"),
        (np.linspace(0, 1, 21).repeat(100), "regression", "21 fractional numbers in 2100 rows, more than 20"),
        (np.linspace(0, 1, 20).repeat(5), "classification", "20 fractional"),
        ([0.5, 1.5, 2.5], "regression", "3 fractional numbers in 3 rows, fewer"),
        ([0.5, 1.5, None], "classification", "2 fractional"),
        (["1.5", "2.5", "3.5"], "regression", "3 fractional"),
        (["1.5", "2.5", "three"], "classification", "text"),
    ],
)
def test_the_task_is_decided_by_the_rule(values, task, reason):
    decided, why = decide_task(pd.Series(values))
    assert decided == task
    assert re.search(reason, why)


def test_a_target_of_regression_is_numbers():
    y = check_target(pd.Series(["1.5", "2", "-3e2"], name="price"), "t", "regression")
    assert y.dtype == float
    assert (y.name, y.tolist()) == ("price", [1.5, 2.0, -300.0])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, None], "missing in 1 rows"),
        ([1.0, "x", 2.0], r"is no number in 1 rows \(such as 'x'\)"),
        ([1.0, np.inf, 2.0], "is infinite in 1 rows"),
        ([1.0, 1.0], "has one value only in 2 rows"),
    ],
)
def test_bad_targets_of_regression(values, message):
    with pytest.raises(RotastackError, match=f"t: the target.*{message}"):
        check_target(pd.Series(values), "t", "regression")


def test_numbers_are_counted_without_junk_and_ids_without_missing():
    mixed = pd.DataFrame(
        {"m": [*range(8)] * 5 + [f"junk{i}" for i in range(10)], "i": [None] + [f"id{i}" for i in range(49)]}
    )
    p = TablePreprocessor().fit(mixed)
    assert "m" in p.categories_
    assert p.dropped_["i"].startswith("id")


def test_categories_by_their_numbers():
    """For estimators that take categories: missing is no number, and neither is a category that is new."""
    p = TablePreprocessor(encoding="codes").fit(table())
    assert p.get_feature_names_out().tolist() == ["number", "marks", "few", "colour"]
    assert p.categorical_.tolist() == [False, False, True, True]
    np.testing.assert_array_equal(p.transform(table())[:3, 2:], [[0, 2], [1, 1], [2, np.nan]])
    new = p.transform(table().iloc[:2].assign(colour=["violet", None]))
    np.testing.assert_array_equal(new[:, 3], [3, np.nan])
