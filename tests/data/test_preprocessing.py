import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rotastack.data import TablePreprocessor
from rotastack.data.preprocessing import check_target
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
        (np.linspace(0, 1, 50), "looks continuous"),
        (np.arange(300), "looks continuous"),
    ],
)
def test_bad_targets(labels, message):
    with pytest.raises(RotastackError, match=f"t: the target.*{message}"):
        check_target(pd.Series(labels), "t")


def test_labels_become_text_without_decimal_points():
    assert check_target(pd.Series([1.0, 2.0]), "t").tolist() == ["1", "2"]


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
