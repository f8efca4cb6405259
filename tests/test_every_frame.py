"""Whatever columns a table has, every path fits and predicts, or ends in one line that names the column."""

import os
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mixture_paths import PATHS
from tests.mixtures import CHANGES, INDEXES, KINDS, LIBRARIES, NAMES_ARE, TARGETS, Mixture
from tests.refusals import refusal

from rotastack import RandomRotationForestClassifier, RotastackClassifier, RotastackRegressor
from rotastack.base.columns import as_pandas
from rotastack.data import TablePreprocessor
from rotastack.data.raw import read_raw, write_raw
from rotastack.trees import ForestClassifier
from rotastack.views import RandomRotation

EXAMPLES = int(os.environ.get("MIXTURES", 1000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 50))
"""A hundred thousand: ``MIXTURES=100000``."""


@st.composite
def mixtures(draw):
    kinds = tuple(draw(st.lists(st.sampled_from(list(KINDS)), max_size=5)))
    return Mixture(
        kinds,
        tuple(draw(st.booleans()) for _ in kinds),
        draw(st.sampled_from([20, 12, 40])),
        draw(st.sampled_from(LIBRARIES)),
        draw(st.sampled_from(NAMES_ARE)),
        draw(st.sampled_from(INDEXES)),
        draw(st.sampled_from(TARGETS)),
        draw(st.sampled_from(CHANGES)),
        draw(st.integers(0, 10**6)),
    )


@settings(max_examples=EXAMPLES)
@given(mixtures(), st.sampled_from(list(PATHS)))
def test_a_mixture_of_columns_fits_or_is_refused_in_one_line(mixture, path):
    PATHS[path](mixture)


N = 40
NUMBERS = pd.DataFrame(np.random.default_rng(0).normal(size=(N, 3)), columns=list("abc"))
LEFT_OUT = {
    "customer_id": np.arange(1000, 1000 + N),
    "file": [f"photo{i}.jpg" for i in range(N)],
    "places": [[i] for i in range(N)],
    "currency": "GBP",
    "empty": pd.Series([None] * N, dtype=object),
}
FLAGSHIPS = pytest.mark.parametrize("flagship", [RotastackClassifier, RotastackRegressor])


@FLAGSHIPS
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("column", LEFT_OUT)
def test_numbers_and_a_column_that_is_left_out(flagship, column):
    X, y = NUMBERS.assign(**{column: LEFT_OUT[column]}), (NUMBERS.a > 0).astype(int)
    with pytest.warns(UserWarning, match=f"^columns left out: {column!r} .") as told:
        model = flagship(2, random_state=0).fit(X, y)
    assert len(told) == 1
    assert ("to keep a column" in str(told[0].message)) == (column in ("customer_id", "file", "places"))
    np.testing.assert_array_equal(model.predict(X), flagship(2, random_state=0).fit(NUMBERS, y).predict(NUMBERS))
    assert model.feature_importances_[3:].tolist() == [0]


@FLAGSHIPS
@pytest.mark.parametrize(
    ("table", "said"),
    [
        (NUMBERS[[]], "X has no columns"),
        (pl.DataFrame(), "X has no columns"),
        (pa.table({}), "X has no columns"),
        (np.empty((N, 0)), r"Found array with 0 feature\(s\)"),
        (
            pd.DataFrame({"id": range(1, N + 1), "k": "GBP"}),
            r"no usable column is left: 'id' is dropped \(id: row numbers\); 'k' is",
        ),
        (NUMBERS.assign(b=np.inf), "column 'b': Input X contains infinity"),
        (NUMBERS.assign(b=1j), "column 'b': Complex data not supported"),
        (NUMBERS.set_axis(["a", "b", "b"], axis=1), "column 'b' occurs twice"),
        (NUMBERS.set_axis(["a", "b", np.nan], axis=1), "column name nan is neither text nor a number"),
        (
            pa.table(
                {
                    "a": np.arange(N),
                    "b": pa.DictionaryArray.from_arrays(
                        np.arange(N, dtype=np.int32) % 2, pa.array([{"u": 1}, {"u": 2}])
                    ),
                }
            ),
            "column 'b' cannot be converted",
        ),
    ],
)
def test_a_table_that_no_model_fits_is_refused_by_its_column(flagship, table, said):
    told = pytest.warns(UserWarning, match="left out") if "usable" in said else warnings.catch_warnings()
    with told, pytest.raises(ValueError, match=said) as caught:
        flagship(2).fit(table, np.arange(N) % 2)
    assert "\n" not in str(caught.value)


def test_the_preprocessor_says_why_nothing_is_left():
    assert refusal(TablePreprocessor().fit(NUMBERS[[]]).transform, NUMBERS[[]]).endswith("the table has no columns")
    assert "rename the column" in refusal(TablePreprocessor().fit, NUMBERS.set_axis([True, "b", "c"], axis=1))


def test_sparse_columns_are_numbers():
    y = np.arange(N) % 2
    dense = RotastackClassifier(2, random_state=0).fit(NUMBERS, y).predict_proba(NUMBERS)
    for fill in (np.nan, 0.0):
        sparse = NUMBERS.astype(pd.SparseDtype(float, fill))
        np.testing.assert_array_equal(
            RotastackClassifier(2, random_state=0).fit(sparse, y).predict_proba(sparse), dense
        )


def test_a_column_of_arrow_beside_objects_that_arrow_does_not_hold():
    mixed = pd.Series([1, "a", pd.Timestamp("2020")] * 4, index=range(3, 15))
    table = pd.DataFrame({"n": pd.Series(range(12), index=range(3, 15), dtype="int64[pyarrow]"), "m": mixed})
    found = as_pandas(table)
    assert (found.dtypes.tolist(), found.index.tolist()) == ([np.int64, object], table.index.tolist())


def test_new_rows_may_hold_lists_and_there_may_be_none():
    X = NUMBERS.assign(city=["Aachen", "Bonn"] * 20, marks=["?", *map(str, range(39))])
    p = TablePreprocessor().fit(X)
    lists = X.head(2).assign(city=[[1, 2], np.arange(2)], marks=[[1, 2], np.arange(2)])
    with pytest.warns(UserWarning, match="column 'marks'|column 'city'"):
        assert np.isnan(p.transform(lists)[:, 3]).all()
    model = RotastackClassifier(2).fit(X[["city"]], np.arange(N) % 2)
    with pytest.raises(ValueError, match="X has no rows"):
        model.predict(X[["city"]].head(0))


def test_categories_of_numbers_with_gaps_keep_their_type(tmp_path):
    codes = pd.Series(pd.Categorical([1, 2, 3] * 4)).where(np.arange(12) % 5 > 0)
    table = pd.DataFrame({"c": codes, "target": "a"})
    write_raw(table, tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read_raw(tmp_path / "t.parquet"), table.astype({"target": "str"}))


@pytest.mark.parametrize(
    "estimator",
    [ForestClassifier(2), RandomRotationForestClassifier(2), RandomRotation()],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["x", "y"] * 20, "column 'b' contains text .such as 'x'.; numbers are needed"),
        (pd.date_range("2020", periods=N), "column 'b' contains dates or times .such as '2020-01-01"),
        ([[1, 2]] * N, "column 'b': "),
    ],
)
def test_estimators_of_numbers_name_the_column(estimator, column, said):
    with pytest.raises((ValueError, TypeError), match=said) as caught:
        estimator.fit(NUMBERS.assign(b=column), np.arange(N) % 2)
    assert "\n" not in str(caught.value)
