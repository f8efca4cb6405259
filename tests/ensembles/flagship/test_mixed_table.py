"""Tables as they come, in the flagship: frames of any library, dates, ids, free text, and categories never seen."""

import numpy as np
import pandas as pd
import pytest

from rotastack import RotastackClassifier, RotastackRegressor, RotationForestClassifier, StackedRotationClassifier


def small(**parameters):
    return RotastackClassifier(**{"trees_per_family": 5, "random_state": 0, **parameters})


def cities(n=200):
    """Aachen is a risk, Bonn and Celle are none."""
    rng = np.random.default_rng(0)
    city = rng.choice(["Aachen", "Bonn", "Celle"], n)
    return pd.DataFrame({"city": city, "noise": rng.random(n)}), np.where(city == "Aachen", "risk", "safe")


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_columns_of_other_types(backend):
    """Those of Arrow and nullable ones; spans of time are days; a date is one, also beside categories that are named."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "day": pd.date_range("2020-01-01", periods=60, freq="17h", tz="Europe/Berlin"),
            "span": pd.to_timedelta(rng.integers(0, 999, 60), unit="h"),
            "whole": rng.integers(0, 50, 60),
            "city": rng.choice(["a", "b"], 60),
        }
    )
    y = X["span"] > pd.Timedelta(days=20)
    clf = small(categorical_features=["city"]).fit(X, y)
    assert ([*clf.table_.preprocessor_.categories_], clf.score(X, y)) == (["city"], 1)
    typed = X.convert_dtypes(dtype_backend=backend)
    np.testing.assert_array_equal(small().fit(typed, y).predict_proba(typed), clf.predict_proba(X))


def test_rows_of_objects_are_read_as_the_columns_of_fit():
    """A table made of records has objects, where a column with a gap had a type of its own."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "span": pd.Series(pd.to_timedelta(rng.integers(0, 999, 60), unit="h")).mask(rng.random(60) < 0.2),
            "whole": pd.Series(rng.integers(0, 50, 60), dtype="Int64").mask(rng.random(60) < 0.2),
            "yes": pd.Series(rng.random(60) < 0.5, dtype="boolean").mask(rng.random(60) < 0.2),
            "number": rng.normal(size=60),
        }
    )
    clf = small().fit(X, X["number"] > 0)
    records = pd.DataFrame(X.to_dict("records"), dtype=object)
    np.testing.assert_array_equal(clf.predict_proba(records), clf.predict_proba(X))


def test_dummies_of_categories_and_of_missing_values():
    """Two categories have one dummy; "missing" is the last one; all of an unknown category are NaN."""
    X = pd.DataFrame({"three": ["a", "b", None] * 20, "two": ["x", "y"] * 30, "one": ["z", None] * 30})
    clf = small().fit(X, np.arange(60) % 2)
    new = pd.DataFrame({"three": ["c", "a"], "two": ["w", None], "one": ["v", "z"]})
    expected = [[1, 0, 0, 0, 0], [0, 1, 0, 1, 1], [0, 0, 1, 0, 0], [np.nan] * 5, [1, 0, 0, np.nan, 0]]
    np.testing.assert_array_equal(clf.table_.transform(pd.concat([X.head(3), new]), clf), expected)
    assert [group.tolist() for group in clf.table_.dummies_] == [[0, 1, 2], [3], [4]]


def shops(n=800, n_shops=120, seed=0):
    """Half of the shops are a risk; their names tell nothing of which."""
    rng = np.random.default_rng(seed)
    shop = rng.integers(0, n_shops, n)
    risky = np.random.default_rng(1).permutation(n_shops) % 2
    X = pd.DataFrame({"shop": np.char.add("shop ", shop.astype(str)).astype(object), "noise": rng.normal(size=n)})
    return X, np.where(rng.random(n) < 0.1 + 0.8 * risky[shop], "risk", "safe")


@pytest.mark.parametrize("kind", [RotastackClassifier, RotastackRegressor])
def test_categories_of_many_values_are_means_of_targets(kind):
    (X, y), (new, y_new) = shops(), shops(seed=2)
    if kind is RotastackRegressor:
        y, y_new = (y == "risk") + 0.1 * X["noise"], (y_new == "risk") + 0.1 * new["noise"]
    X.loc[:40, "shop"] = None
    model = kind(20, random_state=0).fit(X, y)
    assert (model.table_.transform(X, model).shape, model.table_.sources_.tolist()) == ((800, 2), [1, 0])
    assert model.score(new, y_new) > (0.8 if kind is RotastackClassifier else 0.3)
    assert abs(model.oob_score_ - model.score(new, y_new)) < 0.1


@pytest.mark.slow  # statistical
def test_means_of_targets_know_nothing_of_their_row():
    """Labels by chance: in-sample means of 120 shops would tell most of them."""
    X, _ = shops()
    found = [
        small(trees_per_family=20).fit(X, np.random.default_rng(k).permutation(800) % 2).oob_score_ for k in range(8)
    ]
    assert abs(np.mean(found) - 0.5) < 0.025


def test_rows_of_no_weight_have_no_say_in_means_of_targets():
    X, y = shops()
    weights = np.r_[np.zeros(100), np.ones(700)]
    spoiled = np.where(weights > 0, y, "safe")
    first, second = (small().fit(X, target, sample_weight=weights) for target in (y, spoiled))
    assert (first.predict_proba(X) == second.predict_proba(X)).all()
    alone = small().fit(X[100:], y[100:])
    np.testing.assert_allclose(alone.table_.transform(X, alone), first.table_.transform(X, first))


def test_text_is_named_where_it_cannot_be_used():
    X, y = cities()
    with pytest.raises(ValueError, match=r"'city' contains text \(such as '\w+'\); name the column in categorical"):
        small(categorical_features=None).fit(X, y)
    for table, name in ((X, "'city'"), (X[["city"]], "'city'"), (X.to_numpy(), "0")):
        for given in (None, [0]):
            with pytest.raises(ValueError, match=rf"^column {name} contains text \(such as '\w+'\); .*OneHotEncoder"):
                RotationForestClassifier(5, categorical_features=given).fit(table, y)
    with pytest.raises(ValueError, match=r"^column 'city' contains dates or times \(such as '2020-01-01 00:00:00'\)"):
        StackedRotationClassifier().fit(X.assign(city=pd.Timestamp("2020-01-01")), y)


def test_what_is_no_number_in_predict_is_named():
    X, y = cities()
    X = X.assign(number=np.arange(200) / 7)
    for used, value in ((X, "big"), (X.drop(columns="city"), pd.Timestamp("2020-01-01"))):
        with pytest.raises(ValueError, match=f"^column 'number' was numeric in fit and contains '{value}"):
            small().fit(used, y).predict(used.assign(number=value))


@pytest.mark.filterwarnings("error", "ignore:columns left out")
def test_what_is_no_date_in_predict_is_told_of_where_predict_was_called():
    X, y = cities()
    X = X.assign(sold=pd.date_range("2020-01-01", periods=200), opened="2020-01-01", noise=pd.NaT)
    clf = small().fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(X.assign(opened="2021-05-05")), clf.predict_proba(X))
    with pytest.warns(UserWarning, match="column 'sold': ") as said:
        clf.predict(X.head(3).assign(sold=["yesterday", None, "soon"]))
    assert "2 of 3 values are not dates in the format YYYY-MM-DD (such as 'yesterday'" in str(said[0].message)
    assert [w.filename for w in said] == [__file__] * 2
    assert str(said[1].message).startswith("column 'sold': 3 of 3 rows lack a value that every training row has")
