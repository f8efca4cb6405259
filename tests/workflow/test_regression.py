"""A regression study, from the raw table to the report."""

import json

import numpy as np
import pandas as pd
import pytest

from rotastack.data import load_dataset
from rotastack.workflow.tracking.model_files import load_model

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

STUDY = """
name: numbers
seed: 1
task: regression
datasets: [diabetes, friedman-1-small]
protocol: {rotation_groups: 2, fold_groups: 2, folds: 3, rotations: 3}
blocks: {rotation_groups: 2, fold_groups: 2}
pools:
  forest: {estimator: forest, parameters: {n_estimators: 20}}
  rotated: {view: rotation, estimator: forest, parameters: {n_estimators: 10}}
  rotastack: {estimator: rotastack, parameters: {trees_per_family: 6}}
methods:
  RF: {pool: forest, combiner: {kind: vote}}
  RR-RF: {pool: rotated, combiner: {kind: vote}}
  S-RR-RF: {pool: rotated, combiner: {kind: stacking, estimator: linear}}
  Rotastack: {pool: rotastack, combiner: {kind: vote}}
evaluation:
  groups: {trees: {methods: {plain: RF, rotated: RR-RF}}}
"""


@pytest.fixture(scope="module")
def numbers(once):
    name = "config/studies/numbers.yaml"
    return once("numbers", lambda project: project.make(study=name), STUDY).folder / "results/numbers"


def test_methods_beat_the_mean_and_are_ranked_by_rmse(numbers):
    rmse = pd.read_csv(numbers / "tables/rmse.csv", index_col="dataset")
    baseline = pd.read_csv(numbers / "tables/baseline.csv", index_col="dataset")
    assert rmse.lt(baseline["rmse"], axis=0).all(axis=None)
    assert baseline["r2"].between(-0.1, 0).all()
    comparison = json.loads((numbers / "statistics/comparison.json").read_text())
    expected = rmse.rank(axis=1).mean().to_dict()
    assert comparison["rmse"]["average_ranks"] == expected
    assert "average_ranks" not in comparison["interval_coverage"]
    assert comparison["rmse"]["groups"]["trees"]["control"] == "plain"


def test_each_row_is_predicted_by_what_has_not_seen_its_fold(numbers):
    scores = pd.read_parquet(numbers / "scores.parquet")
    assert len(scores) == 2 * 4 * 4
    assert scores.groupby("method")["interval_coverage"].mean().dropna().index.tolist() == ["Rotastack"]
    assert scores["interval_coverage"].dropna().between(0.8, 1).all()


def test_the_report_speaks_of_numbers(numbers):
    page = (numbers / "report.html").read_text()
    assert "trees: by average rank of the RMSE over 2 data sets" in page
    assert "always the mean" in page
    assert "target: mean 152.1, standard deviation 77.09, from 25 to 346." in page
    for word in ("Calibration", "log loss", "Brier", ">Errors<", "failed"):
        assert word not in page, word


def test_the_model_predicts_numbers(numbers):
    record = json.loads((numbers / "diabetes/model/refit.run.json").read_text())
    assert record["status"] == "ok", record["message"]
    X, y = load_dataset("diabetes")
    predicted = load_model(numbers / "diabetes/model/model.skops").predict(X)
    assert np.sqrt(np.mean((predicted - y) ** 2)) == pytest.approx(record["metrics"]["training_rmse"])
    rmse = pd.read_csv(numbers / "tables/rmse.csv", index_col="dataset").loc["diabetes"]
    assert record["metrics"]["cross_validated_rmse"] == pytest.approx(rmse.min())
    (receipt,) = numbers.glob("tracking.json")
    assert "diabetes" in json.loads(receipt.read_text())["datasets"]
