"""Studies of numbers: what they refuse, and each step on a small table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from tests.refusals import refusal
from tests.run.running import checked, combine, draw, refit, scored, split, step, told, train, train_nested

from rotastack.base.fitting import fit_regressor
from rotastack.data.artifacts import read_frame, read_prepared, write_frame
from rotastack.data.raw import write_raw
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.run.steps.refit import _measured
from rotastack.workflow.study.building import build
from rotastack.workflow.study.catalogue import REGRESSORS, resolved
from rotastack.workflow.study.specs import RefitSpec
from rotastack.workflow.tracking.model_files import load_model

FOREST = {"estimator": "forest", "parameters": {"n_estimators": 5}}
VOTE = {"pool": "p", "combiner": {"kind": "vote"}}
SLOW = ("multi_rotation_forest", "random_rotation_boosting")


def study(pool=FOREST, method=VOTE, **content):
    return {
        "name": "s",
        "task": "regression",
        "datasets": ["diabetes"],
        "protocol": {"kind": "holdout", "repeats": 2},
        "pools": {"p": pool},
        "methods": {"A": VOTE, "B": method},
        **content,
    }


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in REGRESSORS])
def test_every_short_name_is_a_regressor_that_learns(name):
    if name in ("catboost", "lightgbm"):
        pytest.importorskip(name, reason=f"{name} comes with the extra bench only")
    checked(study({"estimator": name}))
    X, y = load_diabetes(return_X_y=True)
    content = resolved(name, {}, REGRESSORS, REGRESSORS)
    made = build(content["class"], content["parameters"])
    predicted = fit_regressor(made, X, y, np.random.SeedSequence(0)).outputs(X)
    assert predicted.shape == (len(y), 1)
    assert np.mean((predicted[:, 0] - y) ** 2) < (0.99 if name == "svm" else 0.9) * y.var()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            {"pool": {"estimator": "ForestClassifier"}},
            "pools.p.estimator: ForestClassifier is a classifier, but the study's task is regression",
        ),
        ({"pool": {**FOREST, "view": "discriminant"}}, "pools.p.view: DiscriminantRotation needs classes"),
        ({"pool": {**FOREST, "diversity": True}}, "pools.p: diversity is for classification"),
        (
            {"method": {"pool": "p", "combiner": {"kind": "vote", "voting": "hard"}}},
            "methods.B.combiner.voting must be soft (the mean) for a regression",
        ),
        (
            {
                "method": {"pool": "p", "combiner": {"kind": "vote", "scoring": "accuracy"}},
                "protocol": {"kind": "nested"},
            },
            "methods.B.combiner.scoring is for classification",
        ),
        (
            {"method": {"pool": "p", "combiner": {"kind": "prune"}}},
            "methods.B.combiner.kind: prune is for classification",
        ),
        ({"datasets": ["iris"]}, "datasets: iris is for classification, but the study's task is regression"),
        (
            {"task": "classification", "datasets": ["iris"], "pool": {"estimator": "linear"}},
            "linear is a regressor, but the study's task is classification",
        ),
        ({"task": "classification"}, "datasets: diabetes is for regression, but the study's task is classification"),
    ],
)
def test_what_does_not_go_with_numbers_is_refused_in_one_line(changed, expected):
    assert expected in refusal(checked, study(**changed))


def test_nothing_is_made_of_probabilities():
    plan = Plan(checked(study()), {})
    assert {"rmse", "interval_coverage", "baseline"} <= set(plan.tables)
    assert not {"error", "calibration", "study/calibration"} & {*plan.tables, *plan.figures}


@pytest.fixture
def table(tmp_path):
    """Diabetes, its sex a category, as ``prepare`` writes it; with splits."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    write_raw(X.assign(target=y)[:150], tmp_path / "raw")
    kinds = {"categorical": ["sex"]}
    files = {"table": "table", "record": "p.json"}
    step("prepare", tmp_path, {"dataset": "d", "task": "regression", "kinds": kinds}, {"raw": "raw"}, files)
    split(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_mean_scores_as_the_baseline_does(table):
    train(table, "sklearn.dummy.DummyRegressor")
    combine(table, {"kind": "vote"})
    scores, calibration, record = scored(table)
    y, folds = read_prepared(table / "table").y, read_frame(table / "folds")[0]
    assert y.tolist() == load_diabetes().target[:150].tolist()
    by_hand = [np.sqrt(np.mean((y[c == 0] - y[c == 1].mean()) ** 2)) for _, c in folds.items()]
    np.testing.assert_allclose(scores["rmse"], by_hand)
    assert record["metrics"]["baseline"]["rmse"] == pytest.approx(np.mean(by_hand))
    assert record["metrics"]["mean_rmse"]["M"] == pytest.approx(np.mean(by_hand))
    assert scores["interval_coverage"].isna().all()
    assert calibration.empty


def test_the_share_of_ten_rows_in_the_squared_errors_is_counted_for_tables_of_the_user(table):
    train(table, "sklearn.dummy.DummyRegressor")
    combine(table, {"kind": "vote"})
    assert "ten_rows" not in scored(table)[2]["metrics"]
    data, folds = read_prepared(table / "table"), read_frame(table / "folds")[0]
    losses, gaps = np.zeros((2, len(data.y)))
    for _, column in folds.items():
        test = column.to_numpy() == 0
        gap = np.abs(data.y[test] - data.y[column == 1].mean())
        losses[test] += gap**2
        gaps[test] += gap
    rows, share, absolute = scored(table, is_own=True)[2]["metrics"]["ten_rows"]["M"]
    assert rows == np.count_nonzero(losses)
    assert share == pytest.approx(np.sort(losses)[-10:].sum() / losses.sum())
    assert absolute == pytest.approx(gaps[np.argsort(losses)[-10:]].sum() / gaps.sum())


def test_a_file_is_a_table_of_the_user():
    for entry, is_own in (("diabetes", False), ({"name": "mine", "sources": [{"file": "mine.csv"}]}, True)):
        made = checked(study(datasets=[entry]))
        (name,) = made.datasets
        assert told(made, "score", name).is_own == is_own


def test_scores_of_intervals_before_the_widening_do_not_stand_beside_those_after():
    spec = RefitSpec.model_construct(task="regression", score="mae", threshold=None)
    cells = pd.DataFrame(
        {"rmse": [2.0, 4.0], "mae": [1.0, 2.0], "pinball": 1.0, "interval_coverage": 0.5, "r2": np.nan}
    )
    for times, further in ((1.0, {"pinball": 1.0, "interval_coverage": 0.5}), (1.5, {})):
        measured = _measured(spec, cells, np.arange(2.0), {"times": times})
        assert measured == {"score": "mae", "scores": {"rmse": 3.0, "mae": 1.5, **further}}


def test_in_nested_cross_validation_each_row_has_the_mean_of_the_other_folds(table):
    draw(table, {"protocol": "nested", "fold_groups": 1, "folds": 3})
    train_nested(table, "sklearn.dummy.DummyRegressor", nested=False)
    method, _ = combine(table, {"kind": "vote"}, protocol="nested")
    data, folds = read_prepared(table / "table"), read_frame(table / "folds")[0]["FG-01"].to_numpy()
    expected = np.array([data.y[folds != f].mean() for f in folds])
    np.testing.assert_allclose(method["proba"].values[0, 0, :, 0], expected)
    scores, _, record = scored(table, ("rotation_group", "fold_group"), "nested")
    assert record["metrics"]["baseline"]["rmse"] == pytest.approx(scores["rmse"].mean())


def test_intervals_of_the_flagship_are_scored(table):
    train(table, "rotastack.ensembles.flagship.regressor.RotastackRegressor", {"trees_per_family": 5})
    method, _ = combine(table, {"kind": "vote"})
    prediction, lower, upper = np.moveaxis(method["proba"].values, -1, 0)
    assert ((lower <= prediction) & (prediction <= upper)).all()
    scores, _, record = scored(table)
    assert scores["interval_coverage"].between(0.7, 1).all()
    assert "intervals" not in record["metrics"]
    frame, about = read_frame(table / "table")
    write_frame(table / "table", frame.assign(day=range(150)), about | {"divided_by": {"time": "day"}})
    scores, _, record = scored(table)
    tested, rows = record["metrics"]["intervals"]["M"], method["rows"].values if "rows" in method else np.empty(0)
    assert tested["rows"] == (rows >= 0).sum()
    assert tested["held"] == pytest.approx(scores["interval_coverage"].mean())
    assert tested["times"] >= 1


@pytest.mark.parametrize(
    "combiner", [{"kind": "vote"}, {"kind": "stacking", "estimator": "linear"}], ids=["vote", "stacking"]
)
@pytest.mark.parametrize("view", [None, "rotation"])
def test_the_refitted_model_predicts_numbers(table, combiner, view):
    protocol = {"folds": 3, "rotation_groups": 1, "fold_groups": 1, "rotations": 3}
    pool = {**FOREST, "view": view}
    made = checked(study(pool, {"pool": "p", "combiner": combiner}, protocol=protocol, model={"refit": "B"}))
    spec = told(made, "refit", "diabetes").model_copy(update={"dataset": "d"})
    refit(table, spec, {"method": ["B"], "rmse": [60.0]})
    model, X = load_model(table / "model"), load_diabetes(as_frame=True).data[:150]
    y = load_diabetes().target[:150]
    assert np.mean((model.predict(X) - y) ** 2) < 0.7 * y.var()


def test_a_constant_regressor_has_no_interval():
    fitted = fit_regressor(
        DummyRegressor(), np.zeros((3, 1)), np.arange(3.0), np.random.SeedSequence(0), intervals=True
    )
    assert fitted.outputs(np.zeros((1, 1)))[0, 0] == 1
    assert np.isnan(fitted.outputs(np.zeros((1, 1)))[0, 1:]).all()
