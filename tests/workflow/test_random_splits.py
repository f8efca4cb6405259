"""A study on random splits, from the raw table to the report and the published page."""

import html

import numpy as np
import pandas as pd
import pytest

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


@pytest.mark.slow
def test_everything_is_made(once):
    root = once("splits", lambda project: project.make(study=NAME, size="small"), STUDY).folder / "results/splits-small"
    scores = pd.read_parquet(root / "scores.parquet")
    assert scores["error"].notna().groupby([scores["dataset"], scores["method"]]).sum().eq(4).all()
    assert set(scores["dataset"]) == {"iris", "iris-noise-2", "tic-tac-toe"}
    nodes = scores.groupby("method")["n_nodes"].mean()
    assert nodes["BST"] <= nodes["RRE"]
    assert np.isnan(nodes["KNN-5"])
    for name, method in {"mean_correlation": "RF", "training_error": "ExRM"}.items():
        assert set(scores["method"][scores[name].notna()]) == {method}
    pairs = pd.read_csv(root / "tables/pairs.csv")
    assert len(pairs) == 6
    np.testing.assert_allclose(pairs[["wins_first", "ties", "wins_second"]].sum(axis=1), 1)
    curves = pd.read_csv(root / "tables/calibration.csv")
    tested = curves[curves["dataset"] == "tic-tac-toe"].groupby("method")["rows"].sum()
    splits = pd.read_parquet(root / "tic-tac-toe/folds.parquet")
    assert tested.to_dict() == dict.fromkeys(scores["method"], (splits == 0).to_numpy().sum())
    report = html.unescape((root / "report.html").read_text())
    for words in ("from one to many", 'href="published.html"', "at most 3.01 dB", "skipped: data set 'fourclass'"):
        assert words in report
    assert set(pd.read_csv(root / "tables/published.csv")["method"]) == {"KNN-5", "RRE", "EXP", "BST"}
    assert {path.parent.name for path in root.glob("*/explain.html")} == {"iris", "tic-tac-toe"}
