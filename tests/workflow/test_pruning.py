"""A study that prunes ensembles, from the raw table to report, figures and model; and the jobs that rerun."""

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow

NAME = "config/studies/pruned.yaml"

STUDY = """
name: pruned
title: Pruned ensembles
seed: 5
datasets: [iris, wdbc]
protocol: {kind: crossval, folds: 3}
blocks: {splits: 3}
pools:
  j48: {estimator: c45}
  double: {estimator: double_rotation_forest, parameters: {n_estimators: 12, bootstrap: true}}
  boosting: {estimator: adaboost_m1, parameters: {n_estimators: 12, estimator: {class: tree_stump}}, noise: {labels: 0.1}}
methods:
  J48: {pool: j48, combiner: {kind: vote}}
  DRSF: {pool: double, combiner: {kind: prune, pruner: none}}
  DRMF: {pool: double, combiner: {kind: prune, pruner: margin}}
  DRMF T=6: {pool: double, combiner: {kind: prune, pruner: margin, first: 6}}
  Kappa test: {pool: double, combiner: {kind: prune, pruner: kappa, parameters: {n_select: null}, selection: test}}
  QMM: {pool: boosting, combiner: {kind: prune, pruner: qmm, parameters: {v: 0.5}}}
evaluation:
  control: DRSF
  shown: [DRSF, DRMF, QMM]
  groups:
    all-members: {title: All members, methods: {first: J48, second: DRSF}}
    chosen: {methods: {first: QMM, second: DRMF}}
  claims: [{what: members, of: DRMF, than: DRSF, expect: lower}]
model: {refit: DRMF}
"""


@pytest.mark.slow
def test_everything_is_made(once):
    root = once("pruned", lambda project: project.make(study=NAME), STUDY).folder / "results/pruned"
    scores = pd.read_parquet(root / "scores.parquet")
    assert scores["error"].notna().groupby([scores["dataset"], scores["method"]]).sum().eq(3).all()
    means = scores.groupby("method")[["error", "members", "voters", "fallback"]].mean()
    assert means.loc["DRMF", "members"] < 12 == means.loc["DRSF", "members"]
    assert means.loc["DRMF T=6", "voters"] == 6
    assert means["error"].max() < 0.2
    assert pd.read_csv(root / "tables/claims.csv")["in_favour"].tolist() == [1.0]
    groups = pd.read_csv(root / "tables/groups.csv")
    assert groups["group"].tolist() == ["all-members"] * 2 + ["chosen"] * 2 + ["all"] * 2
    assert groups["rows"].tolist() == [2] * 6  # data sets, also of the groups together
    report = (root / "report.html").read_text()
    assert "members of DRMF is lower than that of DRSF" in report
    assert "Kappa test: left out of the ranks" in report
