"""A study on random splits, from the raw table to the report and the published page."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.workflow.project import Project

pytestmark = pytest.mark.workflow

NAME = "config/studies/splits.yaml"
STUDY = """
name: splits
title: Random splits
seed: 3
missing: skip
published: rotation_noise
datasets: [iris, {name: iris-noise-2, like: iris, noise_columns: 2}, tic-tac-toe, fourclass]
protocol: {kind: holdout, repeats: 200, train: 0.7}
blocks: {splits: 4}
pools:
  knn: {estimator: nearest_neighbors}
  rf: {scaling: null, diversity: true, estimator: forest, parameters: {n_estimators: 8}}
  rr_et: {estimator: random_rotation_forest, parameters: {tree: extra, n_estimators: 8}}
  exrm: {scaling: symmetric, training_error: true, estimator: exrm, parameters: {n_estimators: 3}}
  weighted:
    estimator: regularized_rotation_forest
    parameters: {n_estimators: 400, n_rotations: 4, micro_forest_size: 2, weightings: [equal, exp, best]}
methods:
  KNN-5: {pool: knn, combiner: {kind: vote}}
  RF: {pool: rf, combiner: {kind: vote}}
  RR-ET: {pool: rr_et, combiner: {kind: vote}}
  RRE: {pool: weighted, combiner: {kind: member, member: equal}}
  EXP: {pool: weighted, combiner: {kind: member, member: exp}}
  BST: {pool: weighted, combiner: {kind: member, member: best}}
  ExRM: {pool: exrm, combiner: {kind: vote}}
evaluation:
  control: RF
  pairs: [[RF, EXP], [RRE, BST]]
  sweeps: [{title: Neighbours or trees, axis: trees, values: [1, 8], log: true, lines: {from one to many: [KNN-5, RF], machine: [ExRM]}}]
model: {refit: EXP, explain: true}
sizes:
  small: {protocol: {repeats: 4}, pools: {"*": {parameters: {n_estimators: 16}}}}
"""


@pytest.fixture(scope="session")
def done(once):
    return once("splits", lambda project: project.make(study=NAME, size="small"), STUDY)


@pytest.fixture
def copy(done, tmp_path):
    return Project.copy(tmp_path / "copy", done)


@pytest.mark.slow
def test_everything_is_made(done):
    root = done.folder / "results/splits-small"
    scores = pd.read_parquet(root / "scores.parquet")
    assert scores.groupby(["dataset", "method"]).size().eq(4).all()
    assert set(scores["dataset"]) == {"iris", "iris-noise-2", "tic-tac-toe"}
    assert scores["error"].notna().all()
    iris = scores[scores["dataset"] == "iris"].groupby("method")["error"].mean()
    assert (iris < 0.12).all()
    nodes = scores.groupby("method")["n_nodes"].mean()
    assert nodes["BST"] <= nodes["RRE"]
    assert np.isnan(nodes["KNN-5"])
    assert scores.loc[scores["method"] == "RF", "mean_correlation"].notna().all()
    assert scores["training_error"].notna().groupby(scores["method"]).mean().to_dict() == {
        m: float(m == "ExRM") for m in scores["method"]
    }
    assert {p.name for p in (root / "figures/study").glob("sweep-*")} == {"sweep-1.svg", "sweep-1.png"}
    pairs = pd.read_csv(root / "tables/pairs.csv")
    assert len(pairs) == 6
    np.testing.assert_allclose(pairs[["wins_first", "ties", "wins_second"]].sum(axis=1), 1)
    times = pd.read_csv(root / "tables/times.csv")
    assert len(times) == 3 * 7
    assert (times[["fit_seconds", "predict_seconds"]] > 0).all(axis=None)
    curves = pd.read_csv(root / "tables/calibration.csv")
    tested = curves[curves["dataset"] == "tic-tac-toe"].groupby("method")["rows"].sum()
    splits = pd.read_parquet(root / "tic-tac-toe/folds.parquet")
    assert splits.shape == (958, 4)
    assert tested.to_dict() == dict.fromkeys(scores["method"], (splits == 0).to_numpy().sum())


@pytest.mark.slow
def test_the_report_and_the_published_page(done):
    report = next(done.folder.glob("results/*/report.html")).read_text()
    assert 'href="published.html"' in report
    assert "from one to many" in report.split('id="sweeps"')[1]
    assert "signal-to-noise ratio of at most 3.01 dB" in report
    assert "skipped: data set &#39;fourclass&#39;" in report or "skipped: data set 'fourclass'" in report
    against = report.split("Against RF</h2>")[1].split("</table>")[0]
    assert against.count("<tr>") == 2 + 6
    assert "worst loss" in against
    time = report.split('id="time"')[1]
    assert "<td>RF</td><td>1.00</td><td>1.00</td><td>1.00</td><td>1.00</td>" in time
    page = next(done.folder.glob("results/*/published.html")).read_text()
    assert "iris-noise-2" in page
    assert "iris-noise-128" in page.split("not in this run:")[1].split("</p>")[0]
    assert "LDA" in page.split("not in this study:")[1].split("</p>")[0]
    table = pd.read_csv(done.folder / "results/splits-small/tables/published.csv")
    assert set(table["method"]) == {"KNN-5", "RRE", "EXP", "BST"}
    assert table["agrees"].isin([True, False]).all()


@pytest.mark.slow
def test_numbers_stand_under_their_methods(done):
    """The study's methods are not in alphabetical order."""
    page = next(done.folder.glob("results/*/report.html")).read_text()
    table = page.split('<table id="board-scores" class="sorted">')[1].split("</table>")[0]
    table = re.sub(r"<small>.*?</small>", "", table)  # the deviations
    header, *rows = re.findall(r"<tr>(.*?)</tr>", table, re.S)
    *methods, constant = re.findall(r'<th scope="col">(.*?)</th>', header)[1:]
    assert constant == "predicting the majority class"
    assert methods == ["KNN-5", "RF", "RR-ET", "RRE", "EXP", "BST", "ExRM"]
    errors = pd.read_csv(done.folder / "results/splits-small/tables/error.csv").set_index("dataset")
    baseline = pd.read_csv(done.folder / "results/splits-small/tables/baseline.csv").set_index("dataset")
    assert len(rows) == len(errors)
    for row in rows:
        name, *cells = re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)
        *shown, of_baseline = (float(re.split("[ <]", cell)[0]) for cell in cells)
        assert of_baseline == pytest.approx(baseline.loc[name, "error"], abs=6e-5)
        np.testing.assert_allclose(shown, errors.loc[name, methods], atol=6e-5)
        best = re.search(r'<td class="best">(.*?)</td>', row)[1]
        assert float(re.split("[ <]", best)[0]) == min(shown)


@pytest.mark.slow
def test_the_report_says_what_models_look_at(done):
    page = (done.folder / "results/splits-small/report.html").read_text()
    folders = [p.parent for p in (done.folder / "results/splits-small").glob("*/explain.html")]
    assert {f.name for f in folders} == {"iris", "tic-tac-toe"}  # no models of noise columns
    for folder in folders:
        words = json.loads((folder / "model/explanation.json").read_text())["words"]
        assert words[0] in page
        assert words[0] in (folder / "explain.html").read_text()
        assert f'href="{folder.name}/explain.html"' in page
    assert page.count("What the model looks at") == 2
