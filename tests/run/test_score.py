"""Scores do not depend on the order of the methods."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from rotastack.data.artifacts import Prepared
from rotastack.workflow.judge.verdict_of_one import verdict_of_one
from rotastack.workflow.run.splits.folds import TEST, TRAIN
from rotastack.workflow.run.steps.score import score_all
from rotastack.workflow.study.specs import ScoringSpec, SummarySpec

N = 60


def outputs_of(method, y, folds):
    """Return the outputs of a method on its splits."""
    rng = np.random.default_rng(ord(method))
    rows = np.stack([np.flatnonzero(column == TEST) for _, column in folds.items()])
    wrong = rng.random(rows.shape) < {"A": 0.2, "B": 0.4, "C": 0.35}[method]
    chance = np.where(wrong, 1 - y[rows], y[rows]) * 0.8 + 0.1
    return xr.Dataset(
        {"proba": (("split", "row", "class"), np.stack([1 - chance, chance], axis=-1)), "rows": (("split", "row"), rows)},
        coords={"split": list(folds), "class": ["n", "y"]}, attrs={"status": "ok", "method": method},
    )  # fmt: skip


@pytest.mark.parametrize("splits", [{"A": 8, "B": 2, "C": 8}, {"A": 1, "B": 3, "C": 2}])
def test_methods_with_different_numbers_of_splits_are_compared_in_any_order(splits):
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    folds = pd.DataFrame({f"S-{k}": rng.permutation(np.repeat([TEST, TRAIN], [20, 40])) for k in range(8)})
    table = Prepared(
        pd.DataFrame({"a": rng.normal(size=N), "target": y}), {"task": "classification", "classes": ["n", "y"]}
    )
    spec = ScoringSpec(dataset="d", score="error", protocol="splits", axes=["split"], pools=["p"], methods=[*splits])
    found = []
    for order in ("ABC", "CBA", "BAC"):
        arrays = [outputs_of(m, y, folds.iloc[:, : splits[m]]) for m in order]
        records = {"prepare": {}, "pools": {"p": []}, "methods": []}
        scored = score_all(spec, table, folds, arrays, records)
        of_units, about = scored.rows
        judged = SummarySpec(
            task="classification",
            score="error",
            control="A",
            alpha=0.05,
            axes=["split"],
            methods=[*order],
            test_to_train={"d": 0.5},
        )
        verdict = verdict_of_one(scored.scores, judged, {"dataset": "d", "metrics": scored.metrics}, *scored.rows)
        found.append((verdict, {m: of_units[m].dropna().tolist() for m in "ABC"}, about))
        assert {m: int(k) for m, k in scored.scores["method"].value_counts().items()} == splits
        assert set(verdict["means"]) == {*"ABC"}
        tested = folds.iloc[:, : splits["B"]].eq(TEST).any(axis=1)
        times = {m: folds.iloc[:, :k].eq(TEST).sum(axis=1).max() for m, k in splits.items()}
        assert about["times"] == max(times.values())
        assert of_units["B"].notna().sum() == tested.sum() * times["B"]
        assert len(of_units) % about["times"] == 0
        assert about["widening"] == pytest.approx({m: 20 * k / times[m] / N for m, k in splits.items()})
    assert found[0] == found[1] == found[2]
