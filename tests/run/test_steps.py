"""Steps in corners that the workflow's tests do not reach, and scores of methods with other splits than others."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.metrics import balanced_accuracy_score, confusion_matrix
from tests.run.running import combiner_slice, pool_slice

from rotastack.data.artifacts import Prepared, write_frame
from rotastack.data.loading import fetch_table
from rotastack.data.raw import read_raw, write_raw
from rotastack.files import write_text
from rotastack.stats import corrected_t
from rotastack.workflow.judge.verdict_of_one import verdict_of_one
from rotastack.workflow.run.folds import TEST, TRAIN
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.steps import prepare, refit, score, summarize
from rotastack.workflow.run.steps.score import score_all
from rotastack.workflow.study.specs import MethodSpec, PrepareSpec, RefitSpec, ScoringSpec, SummarySpec

SPEC = {
    "task": "classification",
    "score": "error",
    "axes": ["rotation_group", "fold_group"],
    "alpha": 0.05,
    "control": "A",
    "methods": ["A", "B", "C"],
    "optimistic": [],
}


ROWS = {"unit": "rows", "times": 1, "widening": dict.fromkeys("ABC", 1.0), "fewest": dict.fromkeys("ABC", 2)}
"""Facts on the influences of rows."""


def summarized(tmp_path, errors, cells=1, n_rows=10, published=(), **changes):
    """Summarize a table dataset -> method -> error, in `cells` x `cells` cells with `n_rows` test rows in all."""
    inputs = {"scores": [], "calibration": [], "records": [], "rows": []}
    for name, row in errors.items():
        rows = [
            {
                "dataset": name,
                "method": m,
                "rotation_group": f"RG-{r}",
                "fold_group": f"FG-{f}",
                "error": e,
                **dict.fromkeys(("balanced_accuracy", "roc_auc", "average_precision", "f1"), 1 - e),
                "log_loss": e,
                "clipped_log_loss": e,
                "brier": e,
            }
            for m, e in row.items()
            for r in range(cells)
            for f in range(cells)
        ]
        curves = [
            {"dataset": name, "method": m, "bin": 9, "rows": n_rows, "confidence": 1.0, "accuracy": 1 - e}
            for m, e in row.items()
            if e == e
        ]
        for kind, paths in inputs.items():
            paths.append(tmp_path / f"{name}.{kind}")
        write_frame(inputs["scores"][-1], pd.DataFrame(rows))
        write_frame(inputs["calibration"][-1], pd.DataFrame(curves))
        write_frame(inputs["rows"][-1], pd.DataFrame({m: [0.01, -0.01] for m in row}), ROWS)
        metrics = {"fit_processor_seconds": {}, "predict_processor_seconds": {}, "baseline": {"error": 0.5}}
        write_text(inputs["records"][-1], json.dumps({"dataset": name, "metrics": metrics}))
    inputs["published"] = list(published)
    outputs = {n: [tmp_path / n] for n in ("scores", "comparison", "verdict", "variance", "record")}
    outputs["tables"] = [tmp_path / f"{name}.csv" for name in summarize.TABLES]
    summarize.run(Job("summarize", SPEC | changes, inputs, outputs, {"study": "s"}))
    return json.loads((tmp_path / "comparison").read_text())["error"], pd.read_parquet(tmp_path / "variance")


def results(spec, rows):
    """Return the results of a study on splits, before comparisons."""
    nothing = pd.DataFrame()
    spec = SummarySpec(**{**SPEC, "axes": ["split"], **spec})
    return summarize.StudyResults(spec, pd.DataFrame(rows), nothing, nothing, nothing, {}, [], nothing)


def test_one_data_set_and_one_cell(tmp_path):
    result, variance = summarized(tmp_path, {"x": {"A": 0.1, "B": 0.2, "C": 0.3}})
    assert result["ranks"]["mean"] == {"A": 1, "B": 2, "C": 3}
    assert "p_value" not in result
    assert variance["verdict"].str.contains("at least 2 fold groups").all()


def test_the_worst_loss_against_the_control_is_named_and_few_errors_do_not_count(tmp_path):
    errors = {
        "few": {"A": 0.01, "B": 0.03, "C": 0.01},
        "none": {"A": 0.0, "B": 0.1, "C": 0.0},
        "many": {"A": 0.2, "B": 0.1, "C": 0.25},
    }
    result, _ = summarized(tmp_path, errors, n_rows=1000)
    assert result["worst_losses"]["B"] == {
        "worst_loss": pytest.approx(200),
        "on": "few",
        "worst_loss_counted": pytest.approx(-50),
        "on_counted": "many",
        "n_counted": 1,
    }
    table = pd.read_csv(tmp_path / "control.csv").set_index(["score", "method"])
    told = {("error", "B"): [1, 0, 2, "few", 200], ("error", "C"): [0, 2, 1, "many", 25]}
    told[("balanced_accuracy", "B")] = [1, 0, 2, "none", 10]  # 1 -> .9
    for place, values in told.items():
        assert table.loc[place, ["better", "equal", "worse", "on"]].tolist() == values[:4]
        assert table.loc[place, "worst_loss"] == pytest.approx(values[4])


@pytest.mark.parametrize(
    ("failed", "on", "n_datasets", "note"),
    [
        ("C", "xyz", 3, "C: left out of the ranks, because the method has no score on any data set"),
        ("C", "y", 2, "y: left out of the ranks, because of methods without a score: C"),
        ("A", "xyz", 3, "the control A has no score on any data set"),
    ],
)
def test_what_failed_is_left_out_and_the_others_are_compared(tmp_path, failed, on, n_datasets, note):
    table = {d: {"A": 0.1, "B": 0.2, "C": 0.3} | ({failed: float("nan")} if d in on else {}) for d in "xyz"}
    result, _ = summarized(tmp_path, table, cells=2)
    assert result["n_datasets"] == n_datasets
    assert list(result["ranks"]["mean"]) == [m for m in "ABC" if m != failed or on == "y"]
    assert any(note in said for said in result["notes"])


def test_claims_are_tested_over_data_sets():
    rows = [
        {"dataset": f"d{k}", "method": m, "split": 0, "error": e + 0.01 * k, "members": n}
        for k in range(8)
        for m, e, n in (("A", 0.1, 9), ("B", 0.2, 9), ("C", 0.1, 5))
    ]
    claims = [
        {"what": "error", "of": "A", "than": "B", "expect": "lower"},
        {"what": "error", "of": "A", "than": "B", "expect": "higher"},
        {"what": "error", "of": "A", "than": "C", "expect": "equal"},
        {"what": "members", "of": "A", "than": "C", "expect": "higher"},
        {"what": "height", "of": "A", "than": "C", "expect": "higher"},
    ]
    found = summarize.TABLES["claims"](results({"claims": claims}, rows))
    assert found["holds"].tolist() == [True, False, True, True, False]  # nobody measured the height
    np.testing.assert_array_equal(found[["in_favour", "n_datasets"]].T, [[1, 0, 0, 1, np.nan], [8] * 4 + [0]])
    np.testing.assert_allclose(found["difference"], [-0.1, -0.1, 0.0, 4.0, np.nan])
    np.testing.assert_allclose(found["p_value"], [1 / 128, 1 / 128, 1.0, 1 / 128, np.nan])
    np.testing.assert_allclose(found["p_holm"], [3 / 128, 3 / 128, 1.0, 3 / 128, np.nan])  # equality is not corrected


def test_within_a_data_set_claims_and_pairs_are_tested_by_the_corrected_t_test():
    errors = {
        "A": [0.10, 0.12, 0.11, 0.13, 0.12],
        "B": [0.14, 0.13, 0.15, 0.16, 0.14],
        "C": [0.14, 0.13, 0.15, 0.16, np.nan],
    }
    rows = [
        {"dataset": "d", "method": m, "split": i, "error": e}
        for m, values in errors.items()
        for i, e in enumerate(values)
    ]
    claims = [{"what": "error", "of": "A", "than": "B", "expect": "lower"}]
    spec = {"pairs": [["A", "B"], ["A", "C"]], "claims": claims, "test_to_train": {"d": 0.25}}
    known = results(spec, rows)
    expected = corrected_t(errors["A"], errors["B"], 4, 1).p
    assert summarize.TABLES["claims"](known)["p_value"].tolist() == [pytest.approx(expected)]
    fewer = corrected_t(errors["A"][:4], errors["C"][:4], 4, 1).p
    assert summarize.TABLES["pairs"](known)["p_value"].tolist() == [pytest.approx(expected), pytest.approx(fewer)]
    nested = results({**spec, "test_to_train": {"d": None}}, rows)
    assert summarize.TABLES["pairs"](nested)["p_value"].isna().all()


def test_claims_compare_the_splits_that_both_methods_have():
    rows = [{"dataset": "d", "method": "A", "split": i, "error": 0.1 if i < 5 else 0.9} for i in range(20)]
    rows += [{"dataset": "d", "method": "B", "split": i, "error": 0.2 + 0.001 * i} for i in range(5)]
    rows += [{"dataset": "left", "method": m, "split": 0, "error": e} for m, e in (("A", 0.9), ("B", 0.1))]
    rows += [{"dataset": "d", "method": "C", "split": 0, "error": np.inf}]
    claims = [{"what": "error", "of": "A", "than": "B", "expect": expect} for expect in ("lower", "higher", "equal")]
    spec = {"claims": claims, "left_out": {"left": "why"}, "pairs": [["A", "C"]]}
    spec["test_to_train"] = {"d": 0.25, "left": 0.25}
    known = results(spec, rows)
    found = summarize.TABLES["claims"](known)
    assert (found["holds"].tolist(), found["n_datasets"].tolist()) == ([True, False, False], [1, 1, 1])
    assert np.isnan(summarize.TABLES["pairs"](known)["p_value"].iloc[0])


def test_the_model_is_never_a_method_that_chose_by_test_rows_and_ties_go_to_the_least_log_loss():
    scores = pd.DataFrame(
        {"method": [*"ABC"], "split": "S-1", "error": [0.2, 0.2, 0.1], "clipped_log_loss": [0.5, 0.4, 0.1]}
    )
    method = MethodSpec(pool=pool_slice("forest"), combiner=combiner_slice({"kind": "vote"}))
    known = {"axes": ["split"], "rotations": 1, "folds": 5, "methods": {"A": method, "B": method}}
    spec = RefitSpec(task="classification", score="error", seed=0, dataset="d", refit="best", **known)
    influences = pd.DataFrame({m: [0.1, -0.1] for m in "ABC"})
    assert refit.chosen(spec, scores, {"fit_processor_seconds": {}}, influences, ROWS) == "B"


def test_the_proposed_threshold_has_the_best_balanced_accuracy_of_all():
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.06).astype(int)
    positive = np.clip(0.06 + 0.03 * y + rng.normal(0, 0.02, 500), 0, 0.4).round(4)
    data = SimpleNamespace(classes=["no", "yes"], n_classes=2)
    decided = score._decided("A", np.tile(y, 2), np.tile(np.column_stack([1 - positive, positive]), (2, 1)), data)
    found = score._threshold(decided[0], 1, 2.0)
    best = max(balanced_accuracy_score(y, positive >= t) for t in decided[0]["curves"][1]["threshold"])
    assert balanced_accuracy_score(y, positive >= found["threshold"]) == pytest.approx(best)
    [[tn, fp], [fn, tp]] = confusion_matrix(y, positive >= found["threshold"])
    assert found == {
        "threshold": found["threshold"],
        "rows": tp + fn,
        "others": tn + fp,
        "decided": 0,
        "right": tp,
        "wrong": fp,
    }


def test_missing_cells_are_those_of_the_raw_columns(tmp_path):
    n, rng = 60, np.random.default_rng(0)
    raw = pd.DataFrame({"a": rng.normal(size=n), "city": ["A", "B", "C"] * 20, "target": ["x", "y"] * 30})
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    raw.insert(1, "joined", days.strftime("%Y-%m-%d"))
    raw.loc[:4, "a"], raw.loc[:2, "joined"], raw.loc[:6, "city"] = np.nan, None, None
    write_raw(raw, tmp_path / "raw")
    metrics = prepare.prepare(PrepareSpec(dataset="d", task="classification"), read_raw(tmp_path / "raw")).metrics
    counted = ("numeric_columns", "categorical_columns", "date_columns", "date_numbers", "missing_cells")
    assert [metrics[name] for name in counted] == [1, 1, 1, 3, 5 + 3 + 7]


def test_notes_on_the_reading_of_a_file_reach_the_record_of_its_preparation(tmp_path):
    table = pd.DataFrame({"a": np.arange(60) % 17, "y": ["u", "v", None] * 20}, dtype=object)
    table.loc[:1, "a"] = "see below"
    table.to_csv(tmp_path / "t.csv", index=False)
    source = {"file": {"path": str(tmp_path / "t.csv"), "target": "y"}}
    write_raw(fetch_table("t", {"name": "t", "sources": [source]}), tmp_path / "raw")
    made = prepare.prepare(PrepareSpec(dataset="t", task="classification"), read_raw(tmp_path / "raw"))
    assert made.warnings == [
        "column 'a': 2 of 60 values are not numbers (such as 'see below'); these values become missing",
        "20 rows without a target are left out",
    ]


# Scores do not depend on the order of the methods

N = 60


def outputs_of(method, y, folds):
    """Return the outputs of a method on its splits."""
    rng = np.random.default_rng(ord(method))
    rows = np.stack([np.flatnonzero(column == TEST) for _, column in folds.items()])
    wrong = rng.random(rows.shape) < {"A": 0.2, "B": 0.4, "C": 0.35}[method]
    chance = np.where(wrong, 1 - y[rows], y[rows]) * 0.8 + 0.1
    return xr.Dataset(
        {
            "proba": (("split", "row", "class"), np.stack([1 - chance, chance], axis=-1)),
            "rows": (("split", "row"), rows),
        },
        coords={"split": list(folds), "class": ["n", "y"]},
        attrs={"status": "ok", "method": method},
    )


@pytest.mark.parametrize("score", ["error", "balanced_accuracy"])
@pytest.mark.parametrize("splits", [{"A": 8, "B": 2, "C": 8}, {"A": 1, "B": 3, "C": 2}])
def test_methods_with_different_numbers_of_splits_are_compared_in_any_order(splits, score):
    rng = np.random.default_rng(0)
    y = (np.arange(N) % 4 == 0).astype(int)
    folds = pd.DataFrame({f"S-{k}": rng.permutation(np.repeat([TEST, TRAIN], [20, 40])) for k in range(8)})
    table = Prepared(
        pd.DataFrame({"a": rng.normal(size=N), "target": y}), {"task": "classification", "classes": ["n", "y"]}
    )
    spec = ScoringSpec(dataset="d", score=score, protocol="splits", axes=["split"], pools=["p"], methods=[*splits])
    found = []
    for order in ("ABC", "CBA", "BAC"):
        arrays = [outputs_of(m, y, folds.iloc[:, : splits[m]]) for m in order]
        scored = score_all(spec, table, folds, arrays, {"prepare": {}, "pools": {"p": []}, "methods": []})
        of_units, about = scored.rows
        judged = SummarySpec(
            task="classification",
            score=score,
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
        assert about["fewest"]["B"] == (tested.sum() if score == "error" else tested[y == 1].sum())
        assert of_units["B"].notna().sum() == tested.sum() * times["B"]
        assert len(of_units) % about["times"] == 0
        assert about["widening"] == pytest.approx({m: 20 * k / times[m] / N for m, k in splits.items()})
    assert found[0] == found[1] == found[2]
