"""What training has not shown is averaged over what training has shown."""

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rotastack import RotastackClassifier, RotastackRegressor
from rotastack.ensembles.flagship.mixed_table import N_VALUES, ShownValues

QUIET = pytest.mark.filterwarnings("ignore:column .* training row has")


def mixed_table(n, seed, n_cities=6):
    """A table of numbers, of categories with two, several and many values, and of dates; each of them counts."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "z": rng.normal(size=n),
            "city": rng.choice([f"city {k}" for k in range(n_cities)], n),
            "yes": rng.choice(["yes", "no"], n, p=[0.7, 0.3]),
            "shop": rng.choice([f"shop {k}" for k in range(50)], n),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        }
    )
    y = table["x"] + (table["city"] < "city 3") + (table["yes"] == "yes") + (table["shop"] < "shop 3")
    return table, y + (table["day"] > "2021-06-01") + 0.3 * rng.normal(size=n)


TABLE, Y = mixed_table(300, 0)
NEW = mixed_table(40, 1)[0]
CLASSIFIER = RotastackClassifier(8, random_state=0).fit(TABLE, Y.median() < Y)
REGRESSOR = RotastackRegressor(8, random_state=0).fit(TABLE, Y)


@QUIET
@pytest.mark.parametrize("answer", [CLASSIFIER.predict_proba, REGRESSOR.predict])
@pytest.mark.parametrize("column", ["city", "yes"])
@pytest.mark.parametrize("value", ["never seen", None])
def test_an_unknown_category_gets_the_mean_over_all_categories(answer, column, value):
    shares = TABLE[column].value_counts(normalize=True)
    mean = sum(share * answer(NEW.assign(**{column: name})) for name, share in shares.items())
    np.testing.assert_allclose(answer(NEW.assign(**{column: value})), mean, rtol=1e-9, atol=1e-9)


def test_an_unknown_category_is_not_a_missing_one():
    """One missing value in training taught nothing; an unknown category counted as such a value."""
    table = TABLE.assign(city=TABLE["city"].where(TABLE.index != 0))
    clf = RotastackClassifier(8, random_state=0).fit(table, table["city"].fillna("city 0") < "city 3")
    with pytest.warns(UserWarning, match="'city': 40 of 40 rows have a category that no training row has"):
        proba = clf.predict_proba(NEW.assign(city="never seen"))[:, 1]
    assert np.abs(proba - (TABLE["city"] < "city 3").mean()).max() < 0.05
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict_proba(NEW.assign(city=None))  # training has shown missing cities


GONE = {"x": np.nan, "z": np.nan, "city": "new", "yes": None, "shop": "new", "day": pd.NaT}


@QUIET
@given(
    st.lists(st.sets(st.sampled_from(list(GONE)), max_size=4), min_size=1, max_size=5),
    st.sampled_from(["frame", "objects"]),
)
@settings(max_examples=6, deadline=None)
def test_mixtures_of_rows_with_values_that_training_has_not_shown(gone, form):
    new = NEW.head(len(gone)).astype(object)
    for row, columns in enumerate(gone):
        for column in columns:
            new.loc[row, column] = GONE[column]
    new = new if form == "objects" else new.infer_objects()
    proba, predicted = CLASSIFIER.predict_proba(new), REGRESSOR.predict(new)
    levels = [0.05, 0.25, 0.5, 0.95]
    quantiles = REGRESSOR.predict(new, quantiles=levels)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert ((proba > 0) & (proba < 1)).all()
    assert (np.diff(quantiles, axis=1) >= 0).all()
    assert ((Y.min() <= quantiles) & (quantiles <= Y.max())).all()
    whole, complete = [not columns for columns in gone], NEW.head(len(gone))
    np.testing.assert_array_equal(proba[whole], CLASSIFIER.predict_proba(complete)[whole])
    np.testing.assert_array_equal(quantiles[whole], REGRESSOR.predict(complete, quantiles=levels)[whole])
    for row in range(len(gone)):  # no row counts for another
        np.testing.assert_allclose(CLASSIFIER.predict_proba(new.iloc[[row]])[0], proba[row], atol=1e-12)
        np.testing.assert_allclose(REGRESSOR.predict(new.iloc[[row]])[0], predicted[row], rtol=1e-12)


def with_gap(n, seed, kind):
    """A decisive column x, and others; `kind` is what new rows lack: a number, or known categories."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("xab"))
    effect = table["x"]
    if kind == "category":
        table["x"] = rng.choice(list("PQRSTU"), n)
        effect = table["x"].map(dict(zip("PQRSTU", [-2, -1, 0, 0.5, 1, 2], strict=True)))
    return table, effect + 0.5 * table["a"] + 0.3 * rng.normal(size=n)


@QUIET
@pytest.mark.parametrize("kind", ["number", "category"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_intervals_hold_without_a_decisive_column(kind, seed):
    (X, y), (new, y_new) = with_gap(400, seed, kind), with_gap(1000, 100 + seed, kind)
    reg = RotastackRegressor(20, random_state=0).fit(X, y)
    low, high = reg.predict_interval(new.assign(x=np.nan if kind == "number" else "new")).T
    assert 0.85 <= ((low <= y_new) & (y_new <= high)).mean() <= 0.97
    whole = np.diff(reg.predict_interval(new), axis=1).mean()
    assert (high - low).mean() > 2 * whole


@pytest.mark.parametrize("form", [np.asarray, partial(pd.DataFrame, columns=[0, 1, 2]), np.ndarray.tolist])
def test_arrays_warn_as_frames_do(form, recwarn):
    codes = np.random.default_rng(0).integers(0, 5, 300)
    X = np.column_stack([codes, TABLE[["x", "z"]]])
    new = X[:4].copy()
    new[1:3, 0], new[3, 2] = 77, np.nan
    clf = RotastackClassifier(5, categorical_features=[0], random_state=0).fit(form(X), codes % 2)
    for rows in (X, new):  # the first without a warning
        clf.predict(form(rows))
    (told,) = recwarn
    assert re.search("column 0: 2 of 4 .* .such as '77'; rows 1, 2.; column 2: 1 of 4", str(told.message))
    assert told.filename == __file__


def test_at_most_20_values_by_quantiles():
    rows = np.arange(100, dtype=np.float32)[:, None] / 100
    shown = ShownValues(rows, np.zeros(1, np.intp), [], rows.astype(float))
    shares, parts = zip(*shown.fillings(np.full((3, 1), np.nan, np.float32)), strict=True)
    assert len(parts) == N_VALUES
    np.testing.assert_array_equal(shares, np.full((20, 3), 0.05))
    np.testing.assert_allclose([filled[0, 0] for filled in parts], (np.arange(20) * 5 + 2) / 100)


def test_columns_that_lack_together_take_values_of_one_row():
    """The second column is minus the first: no training row has the same sign twice."""
    first = np.random.default_rng(0).normal(size=(200, 1)).astype(np.float32)
    rows = np.hstack([first, -first])
    shown = ShownValues(rows, np.arange(2), [], first.astype(float))
    for share, filled in shown.fillings(np.full((1, 2), np.nan, np.float32)):
        assert share.tolist() == [1 / 20]
        assert filled[0, 0] == -filled[0, 1]
