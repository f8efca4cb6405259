"""``rotastack explain``: a page, sentences, and what they rest on."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline
from tests.cli.conftest import customers, done, refused, saved
from tests.study.strange import Mute

from rotastack import PooledEnsembleClassifier, RandomRotationForestClassifier, RotastackClassifier
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.data.raw import write_raw
from rotastack.workflow.study import costs
from rotastack.workflow.tracking.model_files import dump_model
from rotastack.workflow.use import explaining, explanation
from rotastack.workflow.use.explaining import SPANS, _cost, explain, together
from rotastack.workflow.use.explanation import _importances_in_words


@pytest.fixture
def folder(shop, tmp_path):
    return shutil.copytree(shop[0], tmp_path / "shop")


def test_own_types_are_explained_by_consent(tmp_path, capsys):
    table = customers()[["age", "income", "target"]].fillna(30)
    model = numbers_pipeline(Mute(), table[["age", "income"]], table["target"].to_numpy())
    home = tmp_path / "results/own/customers/model"
    dump_model(model, home / "model.skops", ["tests"])
    record = {
        "status": "ok",
        "message": "",
        "metrics": {"method": "Mute"},
        "parameters": {"score": "error", "trusted": ["tests"]},
    }
    (home / "refit.run.json").write_text(json.dumps(record))
    write_raw(table, tmp_path / "data/raw/customers.parquet")
    said = refused(capsys, "explain", "own", "-C", tmp_path)
    assert "strange.Mute; if you trust the code of tests: " in said, "what a file of results says is no consent"
    assert (
        "age has the largest effect that is shown"
        in done(capsys, "explain", "own", "-C", tmp_path, "--trust", "tests").out
    )


@pytest.mark.filterwarnings("error:.*of the target differ")
def test_classes_that_differ_in_capital_letters_are_explained_without_a_warning(tmp_path, capsys):
    table = customers().replace({"target": {"safe": "Risk"}})
    saved(tmp_path, table, RotastackClassifier(5, random_state=0), "shop", "customers")
    assert "age has the largest effect that is shown" in done(capsys, "explain", "shop", "-C", tmp_path).out


def test_a_page_says_what_matters(folder, capsys, monkeypatch):
    monkeypatch.setattr(explanation, "MOST_BARS", 3)
    out = done(capsys, "explain", "shop", "-C", folder).out.splitlines()
    assert re.match(r"age has the largest effect that is shown: .*\(out of bag\)\.$", out[0])
    page = (folder / "results/shop/customers/explain.html").read_text()
    assert [text for text in ("(the 3 largest of 4)", *out[:-1]) if text not in page] == []
    assert page.count("<svg") == 2
    content = json.loads((folder / "results/shop/customers/model/explanation.json").read_text())
    assert {x["column"] for x in content["importances"]} == {"age", "income", "since", "city"}
    assert sum(f["share"] for f in content["families"]) == pytest.approx(1)
    assert {f["name"] for f in content["families"] if f["rotated"]} == {"rotations"}
    shown = {d["column"]: d for d in content["dependence"]}
    assert [shown[name]["ordered"] for name in ("city", "age")] == [False, True]
    (risk,) = shown["age"]["curves"].values()
    assert np.all(np.abs(np.diff([risk[0], risk[-1]])) > 0.3)


def test_numbers_are_explained_too(folder, capsys):
    assert "R² falls from" in done(capsys, "explain", "prices", "--dataset", "houses", "-C", folder).out
    content = json.loads((folder / "results/prices/houses/model/explanation.json").read_text())
    age = next(d for d in content["dependence"] if d["column"] == "age")
    assert list(age["curves"]) == ["prediction"]
    assert age["curves"]["prediction"][-1] > age["curves"]["prediction"][0]


def test_a_table_that_is_gone_is_one_line(folder, capsys):
    (folder / "data/raw/customers.parquet").unlink()
    line = refused(capsys, "explain", "shop", "-C", folder)
    assert "customers.parquet: the training table of the model is missing" in line


def test_categories_that_two_thirds_of_the_rows_do_not_have():
    rng = np.random.default_rng(0)
    place = np.array(["a", "b", "c"] * 26 + [f"only here {i}" for i in range(12)])
    table = pd.DataFrame({"x": rng.normal(size=90), "place": rng.permutation(place)})
    y = np.where(table["x"] > 0, "yes", "no")
    dummies = list(range(1, TablePreprocessor().fit_transform(table).shape[1]))
    forest = RandomRotationForestClassifier(10, categorical_features=dummies, random_state=0)
    pipeline = Pipeline([("table", TablePreprocessor()), ("model", forest)]).fit(table, y)
    found = explain(pipeline, table, y, "error")
    assert (found["how"], found["importances"][0]["column"]) == ("held out", "x")


def test_no_partial_dependence_is_empty():
    """Numbers are read as the model reads them (durations in days), dates are text, and of many texts the most frequent are shown."""
    rng = np.random.default_rng(0)
    days, place = rng.integers(0, 400, 900), rng.integers(0, 300, 900)
    table = pd.DataFrame({"lasted": pd.to_timedelta(days, unit="D"), "place": [f"street {k}" for k in place]})
    table["day"] = pd.Timestamp("2020-01-01") + table["lasted"]
    table["rank"] = pd.Categorical.from_codes(days // 100, ["a", "b", "c", "d", "nobody's"])
    reader = TablePreprocessor(encoding="onehot")
    model = RandomForestRegressor(10, max_features=0.2, random_state=0)
    pipeline = Pipeline([("table", reader), ("regressor", model)]).fit(table, days + (place % 2) * 300.0)
    told = json.dumps(explain(pipeline, table, days + (place % 2) * 300.0, "rmse")["dependence"])
    found = {d["column"]: d for d in json.loads(told)}
    assert "2020-01-01" <= found["day"]["values"][0] < found["day"]["values"][-1] < "2021-03-01"
    assert 0 <= found["lasted"]["values"][0] < found["lasted"]["values"][-1] < 400
    assert np.ptp(found["lasted"]["curves"]["prediction"]) > 50
    assert sorted(found["rank"]["values"]) == ["a", "b", "c", "d"]
    assert len(found["place"]["values"]) == len(found["place"]["curves"]["prediction"]) == 12


def test_ordered_values_are_shown_in_their_order():
    """Also numbers, and categories of a frame that have an order; a value outside the order is no place."""
    rng = np.random.default_rng(0)
    places, orders = rng.integers(0, 3, (120, 3)), {"mood": ["low", "fair", "high"], "stars": ["3", "1", "2"]}
    moods = pd.Series([*orders["mood"], "don't know"])[np.where(rng.random(120) < 0.1, 3, places[:, 0])].to_list()
    grades = pd.Categorical.from_codes(places[:, 2], ["c", "b", "a"], ordered=True)
    table = pd.DataFrame({"mood": moods, "stars": np.array([3, 1, 2])[places[:, 1]], "grade": grades})
    found, _ = shown(table, places.sum(axis=1) * 1.0, RandomForestRegressor(30, random_state=0), kinds=orders)
    panels = {d["column"]: d for d in found["dependence"]}
    assert {name: panel["values"] for name, panel in panels.items()} == {
        "mood": ["low", "fair", "high"],
        "stars": [3, 1, 2],
        "grade": ["c", "b", "a"],
    }
    for panel in panels.values():
        assert (np.diff(panel["curves"]["prediction"]) > 0.5).all()


def test_the_first_column_in_words_is_one_that_surely_matters():
    sure = {"column": "x", "columns": 1, "loss": 0.01, "p": 0.001}
    unsure = {"column": "noisy", "columns": 1, "loss": 0.2, "p": 0.06}
    content = {"scoring": "accuracy", "score": 0.9, "how": "held out", "task": "classification"}
    tested = {"columns": 5, "rows": 40, "units": 40, "scores": [0.9, 0.6]}

    def said(*importances, **changed):
        return _importances_in_words({**content, "importances": importances, "tested": {**tested, **changed}}, 1)

    first, rest = said(sure, {**unsure, "loss": 0.005})
    assert re.match("x has the largest effect that is shown: .*0.900 to 0.890 .held out", first)
    assert " is shown to have an effect on the errors of the model (" in rest, (
        "not on the target: the column may stand in for another"
    )
    assert re.match("1 of 2 columns or sets .* over 40 held-out rows, corrected for 5 columns", rest)
    pair = {**sure, "column": "u and v together", "columns": 2}
    for words, told in {
        "u and v together have the largest effect that is shown": said(unsure, pair),
        ".* over 7 groups of held-out rows": said(unsure, sure, units=7)[1:],
        "None of 1 columns": said(unsure),
        ".*no worse .accuracy 0.600 against 0.600": said(sure, scores=[0.6, 0.6]),
    }.items():
        assert re.match(words, told[0])


def test_columns_that_correlate_are_one_set():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200))
    flag = (a > 0).astype(float)
    gaps = np.where(rng.random(200) < 0.1, np.nan, -b)
    numbers = np.column_stack([a, flag, 1 - flag, a**3, b, gaps, np.ones(200), rng.normal(size=200)])
    parts = {"a": [0], "flag": [1, 2], "cube": [3], "b": [4], "gaps": [5], "constant": [6], "alone": [7]}
    sets = together(numbers, {name: np.array(part) for name, part in parts.items()})
    assert sets == [["a", "flag", "cube"], ["b", "gaps"], ["constant"], ["alone"]]
    assert together(numbers, {}) == []
    chain = together(np.column_stack([a, a + b, b]), {name: np.array([k]) for k, name in enumerate("xyz")})
    assert sorted(map(len, chain)) == [1, 2], (
        "the first and the last are unrelated, though both go with the one between"
    )


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.9, 0.97])
def test_noise_that_correlates_is_rarely_named(correlation):
    """Four columns of noise, beside two that make the target. Each shuffled alone, one was named in 57 % of tables."""
    named, tables = 0, 40
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        noise = np.sqrt(correlation) * rng.normal(size=(200, 1)) + np.sqrt(1 - correlation) * rng.normal(size=(200, 4))
        real = rng.normal(size=(200, 2))
        X = pd.DataFrame(np.hstack([noise, real]), columns=[*(f"noise {k}" for k in range(4)), "u", "v"])
        y = real.sum(axis=1) + rng.normal(size=200)
        pipeline = Pipeline([("table", TablePreprocessor()), ("model", LinearRegression())]).fit(X, y)
        shown = [x for x in explain(pipeline, X, y, "rmse")["importances"] if x["p"] < 0.05 and x["loss"] > 0]
        named += any(x["column"].startswith("noise") for x in shown)
        assert {"u", "v"} <= {x["column"] for x in shown}
    assert named / tables <= 0.1


def noise(seed, task, n=90, p=6):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    return pd.DataFrame(rng.normal(size=(n, p)), columns=list("abcdef")), y if task == "numbers" else y > 0.5


def shown(table, y, model, divided_by=None, kinds=None):
    """Return the explanation of a model, and the columns that have an effect by their tests."""
    pipeline = Pipeline([("table", TablePreprocessor(kinds)), ("model", model)]).fit(table, y)
    found = explain(pipeline, table, y, "rmse" if y.dtype.kind == "f" else "log_loss", divided_by)
    return found, [x["column"] for x in found["importances"] if x["p"] < 0.05]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "model"), [("classes", LogisticRegression()), ("numbers", LinearRegression())])
def test_noise_is_not_said_to_matter(task, model):
    """Two deviations of the shufflings were passed by columns of most of such tables."""
    found = [shown(*noise(seed, task), model) for seed in range(12)]
    assert sum(bool(columns) for _, columns in found) <= 2
    assert sum(" has the largest effect that is shown" in e["words"][0] for e, _ in found) <= 1


@pytest.mark.parametrize("how", ["groups", "time", "copies"])
def test_rows_that_go_together_count_once(how):
    """Three rows with the same noise and the same target are one row; counted as three, noise would matter in most tables."""
    shared, alarms = np.repeat(np.arange(60), 3), 0
    for seed in range(6):
        table, y = noise(seed, "numbers", 60)
        table = table.iloc[shared].reset_index(drop=True).assign(unit=shared)
        if how == "copies":
            table = table.drop(columns="unit")
        divided_by, kinds = ({}, None) if how == "copies" else ({how: "unit"}, {"unit": "id"})
        found, columns = shown(table, y[shared], LinearRegression(), divided_by, kinds)
        assert (found["tested"]["rows"], found["tested"]["units"]) == (60, SPANS if how == "time" else 20)
        alarms += bool(columns)
    assert alarms <= 2


def test_the_page_names_no_share_of_rows_because_given_splits_have_any(tmp_path):
    table, y = noise(0, "numbers")
    table["part"] = np.where(np.arange(len(y)) < 80, -1, 0)
    found, _ = shown(table, y, LinearRegression(), {"split 1": "part"}, {"part": "id"})
    explanation.write_explanation(found, tmp_path / "e.json", tmp_path / "e.html")
    page = (tmp_path / "e.html").read_text()
    assert "lost on 10 rows" in page
    assert "Rows are held out: the method was trained again without them, and predicts them." in page


# ---------- many columns, slow models, rare classes


def numbers_pipeline(model, table, y):
    return Pipeline([("table", TablePreprocessor(encoding="onehot")), ("classifier", model)]).fit(table, y)


def test_of_many_columns_those_with_the_largest_share_are_shuffled(monkeypatch):
    monkeypatch.setattr(costs, "MOST_SHUFFLED", 4)
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 40))).add_prefix("g")
    y = np.where(table["g7"] + table["g8"] > 0, "yes", "no")
    pipeline = numbers_pipeline(RotastackClassifier(5, random_state=0), table, y)
    found = explain(pipeline, table, y, "error")
    largest = table.columns[np.argsort(-pipeline[-1].feature_importances_)[:4]]
    assert {x["column"] for x in found["importances"]} == set(largest) >= {"g7", "g8"}
    assert re.match("Of 40 columns, the 4 with the largest share", found["words"][0])
    assert found["tested"]["columns"] == 40, "Holm's correction counts all"
    linear = explain(numbers_pipeline(LogisticRegression(), table, y), table, y, "error")
    assert {x["column"] for x in linear["importances"]} >= {"g7", "g8"}, "by their correlations"


def test_slow_predictions_leave_time_for_few_columns():
    """A pool of rotations of 3,000 columns was taken for a tree: 811 seconds after an estimate of 65."""
    pool = PooledEnsembleClassifier(None, RandomRotationForestClassifier(100), None, 1)
    cost, members = _cost(pool)
    assert members == 100
    most, drawn, seconds = cost.explanation(members, 60, 3000)
    assert 5 < most < 60
    assert drawn == 1
    assert seconds < 60
    assert costs.USUAL_COST.explanation(100, 60, 3000)[:2] == (costs.MOST_SHUFFLED, costs.N_SHOWN)


def test_a_rare_class_keeps_its_test_rows_and_the_scores_its_share(monkeypatch):
    monkeypatch.setattr(explaining, "MOST_ROWS", 200)
    rng = np.random.default_rng(0)
    y = np.where(np.arange(3000) % 300 == 0, "rare", "common")
    table = pd.DataFrame({"tells": np.where(y == "rare", 3, 0) + rng.normal(size=3000), "noise": rng.normal(size=3000)})
    pipeline = numbers_pipeline(RandomForestClassifier(20, random_state=0), table, y)
    scores = ("error", "roc_auc", "average_precision", "f1", "log_loss", "balanced_accuracy")
    found = {score: explain(pipeline, table, y, score)["score"] for score in scores}
    assert found["error"] > 0.985, "without weights the 3 or 4 rare rows were 2 % of the sample"
    monkeypatch.setattr(explaining, "MOST_ROWS", 10_000)
    for score, sampled in found.items():
        assert sampled == pytest.approx(explain(pipeline, table, y, score)["score"], abs=0.25), score
    flagship = numbers_pipeline(RotastackClassifier(3, ("rotations",), random_state=0), table, y)
    monkeypatch.setattr(explaining, "MOST_ROWS", 200)
    out_of_bag = explain(flagship, table, y, "log_loss")
    assert (out_of_bag["how"], out_of_bag["rows"]) == ("out of bag", 200)
    assert out_of_bag["score"] < 0.05
