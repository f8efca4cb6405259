"""Missing numbers in the flagship: kept for trees, filled in views, and counted."""

import numpy as np
import pandas as pd
import pytest

from rotastack import RotastackClassifier, RotationForestClassifier, TreeFamily
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.views import PrincipalRotation, RandomRotation


def holed(n=200, p=5):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[rng.random((n, p)) < np.resize([0.2, 0.1, 0, 0.3], p)] = np.nan
    return X, y


X, y = holed()


def small(**parameters):
    return RotastackClassifier(**{"trees_per_family": 8, "random_state": 0, **parameters})


def test_trees_see_missing_numbers_and_the_share_that_a_row_misses():
    clf = small(families=("rotations", "boosted")).fit(X, y)
    table = clf.table_
    assert table.missing_.tolist() == [0, 1, 3, 4]
    seen = table.transform(X, clf)
    np.testing.assert_array_equal(np.isnan(seen[:, :5]), np.isnan(X))
    np.testing.assert_allclose(seen[:, 5], np.isnan(X[:, [0, 1, 3, 4]]).mean(axis=1), rtol=1e-6)
    fills = clf.forest_.views.fills
    assert np.isnan(fills).any()  # of the column that had all its values
    assert ((fills[~np.isnan(fills)] > 0) & (fills[~np.isnan(fills)] < 1)).all()


def test_nothing_is_kept_where_nothing_is_missing():
    clf = small(families=("rotations",)).fit(np.nan_to_num(X), y)
    assert clf.forest_.views.fills is None
    assert clf.table_.transform(X[:3], clf).shape == (3, 5)
    assert np.isfinite(clf.predict_proba(np.vstack([X, np.full((2, 5), np.nan)]))).all()  # never missing in training


def test_numbers_that_are_missing_in_training_are_nothing_new():
    table = pd.DataFrame(X, columns=list("abcde")).assign(city=np.random.default_rng(1).choice(["Aachen", "Bonn"], 200))
    clf = small().fit(table, y)
    assert not clf.table_.shown_.lacking(clf.table_.transform(table, clf)).any()
    with pytest.warns(UserWarning, match="no training row has"):
        assert np.isfinite(clf.predict_proba(table.assign(city="Ulm"))).all()


@pytest.mark.parametrize("view", [RandomRotation(), PrincipalRotation()])
def test_views_of_ones_own_see_filled_bags(view):
    families = (TreeFamily("own", ("identity", view)), "rotations")
    assert small(families=families).fit(X, y).score(X, y) > 0.9


def test_rows_without_a_weight_say_nothing_of_what_is_missing():
    X, y = holed()
    X[:100] = np.nan_to_num(X[:100])
    clf = small(families=("rotations",)).fit(X, y, sample_weight=1.0 * (np.arange(200) < 100))
    assert not len(clf.table_.missing_)
    assert clf.forest_.views.fills is None


@pytest.mark.parametrize(
    "estimator", [RotationForestClassifier(3, scaling=None), PooledEnsembleClassifier(RandomRotation(), scaling=None)]
)
def test_who_takes_no_missing_values_says_what_to_do(estimator):
    fitted = estimator.fit(np.nan_to_num(X), y)
    for call, column in (
        (lambda: fitted.predict(X), r"\d"),
        (lambda: estimator.fit(X, y), r"\d"),
        (lambda: estimator.fit(pd.DataFrame(X, columns=list("abcde")), y), "'[a-e]'"),
    ):
        with pytest.raises(ValueError, match=rf"contains NaN: column {column}, row \d+; use a scaling"):
            call()
