"""Estimators of tables see missing values and categories in studies as they do in the package."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline
from tests.quick import first
from tests.run.running import combiner_slice, pool_slice, refit, split, step, train, train_nested

from rotastack import RotastackClassifier
from rotastack.data.artifacts import read_frame, read_prepared, write_frame
from rotastack.data.raw import read_raw, write_raw
from rotastack.ensembles.rows import estimator_input
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.workflow.study.building import make_estimator
from rotastack.workflow.study.model import PoolDocument
from rotastack.workflow.study.resolving import resolved_pool
from rotastack.workflow.study.specs import MethodSpec, RefitSpec
from rotastack.workflow.study.task import TASKS
from rotastack.workflow.tracking.model_files import load_model
from rotastack.workflow.use.explaining import explain

SMALL = {"trees_per_family": 4}


@pytest.fixture
def table(tmp_path):
    """Iris with missing numbers and two columns of text, one with missing values, prepared from the raw table."""
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.1] = np.nan
    raw = pd.DataFrame(X, columns=list("abcd"))
    raw["colour"] = rng.choice(["blue", "green", "red"], 150)
    raw["shape"] = np.where(rng.random(150) < 0.3, None, np.where(y == 2, "round", rng.choice(["flat", "tall"], 150)))
    raw["target"] = y.astype(str)
    write_raw(raw, tmp_path / "raw")
    step(
        "prepare",
        tmp_path,
        {"dataset": "d", "task": "classification"},
        {"raw": "raw"},
        {"table": "table", "record": "p.json"},
    )
    return tmp_path


def raw_rows(table):
    return read_raw(table / "raw").drop(columns="target")


def test_prepared_tables_keep_what_is_missing_and_categories(table):
    data, raw = read_prepared(table / "table"), raw_rows(table)
    assert np.isnan(data.numeric).sum() == raw[list("abcd")].isna().to_numpy().sum() > 20
    assert data.n_categories == [3, 4]  # missing is a category of its own, where numbers are wanted
    assert data.is_dummy.tolist() == [False] * 4 + [True] * 5
    assert data.is_category.tolist() == [False] * 4 + [True] * 2
    np.testing.assert_array_equal(np.isnan(data.table[:, 5]), raw["shape"].isna())
    assert json.loads((table / "p.json").read_text())["metrics"]["categorical_columns"] == 2


def seeded(*key):
    return RotastackClassifier(4, random_state=integer_seed(child(root_sequence(1), "train", "d", "p", *key)))


def test_the_flagship_on_splits_is_the_flagship_on_the_raw_table(table):
    split(table, 2)
    pool = train(table, "rotastack", SMALL, (0, 1))
    raw, y = raw_rows(table), load_iris().target
    for s, (_, fold) in enumerate(read_frame(table / "folds")[0].items()):
        mask = fold.to_numpy() == 1
        expected = seeded(s).fit(raw[mask], y[mask])
        assert "pairs" in expected.families_
        np.testing.assert_allclose(pool["proba"].values[s, 0], expected.predict_proba(raw[~mask]), atol=1e-6)


def test_the_flagship_in_nested_cross_validation_is_the_flagship_on_the_raw_table(table):
    fold = np.random.default_rng(0).permutation(150) % 3
    write_frame(table / "folds", pd.DataFrame({"FG-01": fold}))
    pool, record = train_nested(table, "rotastack", SMALL, nested=True)
    assert record["status"] == "ok", record["message"]
    raw, y = raw_rows(table), load_iris().target
    for a, b in [(0, 0), (1, 2)]:
        train_rows = (fold != a) & (fold != b)
        expected = seeded(0, 0, a, b, 0).fit(raw[train_rows], y[train_rows])
        proba = pool["proba"].values[0, 0, b, 0]
        np.testing.assert_allclose(proba[fold == a], expected.predict_proba(raw[fold == a]), atol=1e-6)


def refitted(folder, pool, **more):
    """Refit the only method to the raw table; return the model and the metrics of its record."""
    methods = {"A": MethodSpec(pool=pool, combiner=combiner_slice({"kind": "vote"}))}
    known = {"task": "classification", "score": "error", "rotations": 3, "folds": 3, "methods": methods, **more}
    spec = RefitSpec(seed=1, dataset="d", refit="A", **known)
    record = refit(folder, spec, {"method": ["A"], "error": [0.1]})
    assert record["status"] == "ok", record["message"]
    return load_model(folder / "model"), record["metrics"]


def test_the_refitted_flagship_is_the_flagship_on_the_raw_table(table):
    model, _ = refitted(table, pool_slice("rotastack", SMALL))
    raw = raw_rows(table)
    seed = integer_seed(child(root_sequence(1), "refit", "d", "A"))
    expected = RotastackClassifier(4, random_state=seed).fit(raw, load_iris().target.astype(str))
    for rows in (raw, raw.head(4).assign(colour=["violet", None, "red", "blue"], a=np.nan)):
        np.testing.assert_allclose(model.predict_proba(rows), expected.predict_proba(rows), atol=1e-12)


def test_a_refitted_model_is_not_sure_of_a_category_that_is_new(tmp_path):
    """In Aachen all are a risk, elsewhere none; Aachen is the category without a dummy in the study."""
    rng = np.random.default_rng(0)
    raw = pd.DataFrame({"city": rng.choice(["Aachen", "Bonn", "Celle"], 120), "number": rng.random(120)})
    write_raw(raw.assign(target=np.where(raw["city"] == "Aachen", "risk", "safe")), tmp_path / "raw")
    model, _ = refitted(tmp_path, pool_slice("forest", {"n_estimators": 50}))
    assert model.predict_proba(raw[raw["city"] == "Aachen"])[:, 0].min() > 0.9
    with pytest.warns(UserWarning, match="column 'city': 5 of 5 rows have a category that no training row has"):
        unknown = model.predict_proba(raw.head().assign(city="Ulm"))
    assert unknown[:, 0].max() < 0.8


def test_linear_models_follow_a_trend_and_know_categories_and_gaps(tmp_path):
    """The refitted ridge predicts beyond its training rows; 1e9 is much more than float32 can add to the trend."""
    rng = np.random.default_rng(0)
    raw = pd.DataFrame({"day": np.arange(200.0), "city": rng.choice(["Bonn", "Ulm", None], 200)})
    target = 1e9 + raw["day"] + 50 * (raw["city"] == "Ulm")
    late = raw["day"] >= 150
    raw.loc[raw.index % 10 == 5, "day"] = np.nan
    write_raw(raw.assign(target=target)[~late], tmp_path / "raw")
    ridge = resolved_pool(PoolDocument.read({"estimator": "ridge"}, "pool"), TASKS["regression"])
    model, _ = refitted(tmp_path, ridge, task="regression")
    known = raw[late].dropna(subset="day")
    np.testing.assert_allclose(model.predict(known), target[known.index], atol=25)
    with pytest.warns(UserWarning, match="category that no training row has"):
        assert np.isfinite(model.predict(known.assign(city="Celle"))).all()


def test_logistic_regression_takes_tables_and_arrays(table):
    assert refitted(table, pool_slice("logistic_regression"))[1]["training_error"] < 0.2
    split(table, 2)
    pool = train(table, "logistic_regression", {}, (0, 1), view="rotation")
    assert pool.attrs["status"] == "ok", pool.attrs["message"]


def test_others_get_scaled_numbers_and_dummies_and_so_does_everybody_behind_a_view(table):
    data = read_prepared(table / "table")
    for pool in (pool_slice("forest"), pool_slice("rotastack", SMALL, view="rotation")):
        ready = estimator_input(make_estimator(pool), data, pool)
        assert ready.X.shape == (150, 9)
        assert ready.options.categorical is not None


@pytest.mark.parametrize(
    ("estimator", "parameters"), first(1, [("hist_gradient_boosting", {"max_iter": 5}), ("rotastack", SMALL)])
)
def test_a_model_keeps_the_threshold_that_was_chosen(tmp_path, estimator, parameters):
    rng = np.random.default_rng(0)
    raw = pd.DataFrame({"x": rng.random(200), "city": rng.choice(["Bonn", "Celle", "Trier"], 200)})
    target = np.where(rng.random(200) < raw["x"] ** 3, "leaves", "stays")
    write_raw(raw.assign(target=target), tmp_path / "raw")
    model, metrics = refitted(tmp_path, pool_slice(estimator, parameters), threshold=0.2)
    decided = np.where(model.predict_proba(raw)[:, 0] >= 0.2, "leaves", "stays")
    assert (model.predict(raw) == decided).all()
    assert metrics["training_error"] == pytest.approx((decided != target).mean())
    plain = Pipeline([("table", model[0]), ("classifier", model[-1].estimator_)])
    ours, without = (explain(m, raw, target, "f1")["score"] for m in (model, plain))
    assert ours != without, "the threshold is the model's"
