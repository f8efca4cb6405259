"""Importances out of bag: no row is judged by a tree that was grown on it."""

import numpy as np
import pandas as pd
import pytest

from rotastack import RotastackClassifier, RotastackRegressor


def mixed_table(n=150):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"noise": rng.normal(size=n), "x": rng.normal(size=n), "kind": rng.choice(["a", "b", "c"], n)}
    )
    return table, table["x"] + 1.5 * (table["kind"] == "b")  # fmt: skip


@pytest.fixture(params=["classes", "numbers"])
def fitted(request):
    X, y = mixed_table()
    if request.param == "classes":
        y = np.where(y > 0.5, "high", "low")
        return RotastackClassifier(20, random_state=0).fit(X, y), X, y
    return RotastackRegressor(20, random_state=0).fit(X, y), X, y


def test_rows_as_they_are_score_as_out_of_bag(fitted):
    model, X, y = fitted
    rows, score = model.out_of_bag_score(y)
    assert len(rows) == len(X)
    assert score(X) == pytest.approx(model.oob_score_, abs=1e-12)
    if isinstance(model, RotastackClassifier):
        answers = model._pool_out_of_bag(model._outputs_out_of_bag(X, model.forest_.out_of_bag(len(X))))
        np.testing.assert_allclose(answers["predict_proba"], model.oob_proba_, rtol=1e-9)


def test_columns_are_shuffled_as_they_were_given(fitted):
    model, X, y = fitted
    found = model.out_of_bag_importances(X, y, n_repeats=3)
    assert found.importances.shape == (3, 3)
    noise, x, kind = found.importances_mean
    assert x > 0.1
    assert kind > 0.1
    assert abs(noise) < 0.05
    again = model.out_of_bag_importances(X, y, n_repeats=3)
    assert (again.importances == found.importances).all()


def test_memorised_noise_is_worth_nothing():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    model = RotastackClassifier(20, ("id",), random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert np.abs(model.out_of_bag_importances(X, y).importances_mean).max() < 0.06


def test_other_scores_and_fewer_rows(fitted):
    model, X, y = fitted
    scoring = "neg_log_loss" if isinstance(model, RotastackClassifier) else "neg_mean_absolute_error"
    found = model.out_of_bag_importances(X, y, scoring, max_rows=60)
    assert found.score < 0
    assert found.importances_mean[1] > found.importances_mean[0]


def test_other_rows_are_refused(fitted):
    model, X, y = fitted
    with pytest.raises(ValueError, match="need those of fit, 150"):
        model.out_of_bag_importances(X[:100], y[:100])
    with pytest.raises(ValueError, match="X has 100 rows, y 150"):
        model.out_of_bag_importances(X[:100], y)
