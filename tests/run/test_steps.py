"""Steps in corners that the workflow's tests do not reach."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix
from tests.run.running import combiner_slice, pool_slice

from rotastack.data.artifacts import write_frame
from rotastack.data.raw import read_raw, write_raw
from rotastack.files import write_text
from rotastack.stats import corrected_t
from rotastack.workflow.judge.comparisons import compare_methods
from rotastack.workflow.judge.pages import page_environment
from rotastack.workflow.run.figures import study
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.steps import prepare, refit, report, score, summarize
from rotastack.workflow.study.specs import MethodSpec, PrepareSpec, RefitSpec, SummarySpec

SPEC = {
    "task": "classification",
    "score": "error",
    "axes": ["rotation_group", "fold_group"],
    "alpha": 0.05,
    "control": "A",
    "methods": ["A", "B", "C"],
    "optimistic": [],
}


def summarized(tmp_path, errors, cells=1, n_rows=10, seconds=None, published=(), **changes):
    """Summarize a table dataset -> method -> error, in `cells` x `cells` cells with `n_rows` test rows in all."""
    inputs = {"scores": [], "calibration": [], "records": []}
    for name, row in errors.items():
        rows = [
            {"dataset": name, "method": m, "rotation_group": f"RG-{r}", "fold_group": f"FG-{f}",
             "error": e, **dict.fromkeys(("balanced_accuracy", "roc_auc", "average_precision", "f1"), 1 - e), "log_loss": e, "brier": e}
            for m, e in row.items() for r in range(cells) for f in range(cells)
        ]  # fmt: skip
        curves = [
            {"dataset": name, "method": m, "bin": 9, "rows": n_rows, "confidence": 1.0, "accuracy": 1 - e}
            for m, e in row.items()
            if e == e
        ]
        costs = {f"{kind}_processor_seconds": (seconds or {}).get(name, {}) for kind in ("fit", "predict")}
        for kind, paths in inputs.items():
            paths.append(tmp_path / f"{name}.{kind}")
        write_frame(inputs["scores"][-1], pd.DataFrame(rows))
        write_frame(inputs["calibration"][-1], pd.DataFrame(curves))
        write_text(
            inputs["records"][-1], json.dumps({"dataset": name, "metrics": {**costs, "baseline": {"error": 0.5}}})
        )
    inputs["published"] = list(published)
    outputs = {n: [tmp_path / n] for n in ("scores", "comparison", "verdict", "variance", "record")}
    outputs["tables"] = [tmp_path / f"{name}.csv" for name in summarize.TABLES]
    summarize.run(Job("summarize", SPEC | changes, inputs, outputs, {"study": "s"}))
    return json.loads((tmp_path / "comparison").read_text())["error"], pd.read_parquet(tmp_path / "variance")


def results(spec, rows):
    """Return the results of a study on splits, before comparisons."""
    nothing = pd.DataFrame()
    spec = SummarySpec(**{**SPEC, "axes": ["split"], **spec})
    return summarize.StudyResults(spec, pd.DataFrame(rows), nothing, nothing, {}, [], nothing)


def test_one_data_set_and_one_cell(tmp_path):
    result, variance = summarized(tmp_path, {"x": {"A": 0.1, "B": 0.2, "C": 0.3}})
    assert result["average_ranks"] == {"A": 1, "B": 2, "C": 3}
    assert "p_value" not in result
    assert "at least 2 data sets" in result["notes"][0]
    assert variance["verdict"].str.contains("at least 2 fold groups").all()


def test_the_worst_loss_against_the_control_is_named_and_few_errors_do_not_count(tmp_path):
    errors = {
        "few": {"A": 0.01, "B": 0.03, "C": 0.01},
        "none": {"A": 0.0, "B": 0.1, "C": 0.0},
        "many": {"A": 0.2, "B": 0.1, "C": 0.25},
    }
    result, _ = summarized(tmp_path, errors, n_rows=1000)
    b, c = result["against_control"]
    assert b == {
        "method": "B", "better": 1, "equal": 0, "worse": 2, "worst_loss": pytest.approx(200), "on": "few",
        "worst_loss_counted": pytest.approx(-50), "on_counted": "many", "n_counted": 1,
    }  # fmt: skip
    assert (c["better"], c["equal"], c["worse"], c["on"]) == (0, 2, 1, "many")
    table = pd.read_csv(tmp_path / "control.csv").set_index(["score", "method"])
    assert table.loc[("error", "C"), "worst_loss"] == pytest.approx(25)
    assert table.loc[("balanced_accuracy", "B"), "worst_loss"] == pytest.approx(10)  # none: 1 -> .9
    assert table.loc[("balanced_accuracy", "B"), "on"] == "none"


def test_without_many_wrong_rows_there_is_no_worst_loss_that_counts(tmp_path):
    result, _ = summarized(tmp_path, {"x": {"A": 0.1, "B": 0.2, "C": 0.3}})
    row = result["against_control"][0]
    assert row["worst_loss"] == pytest.approx(100)
    assert (row["worst_loss_counted"], row["on_counted"], row["n_counted"]) == (None, None, 0)
    percent = page_environment().filters["percent"]
    assert percent(row["worst_loss"], row["on"]) == "+100.0 % (x)"
    assert percent(row["worst_loss_counted"], row["on_counted"]) == "-"


def test_times_are_told_as_ratios_to_the_control(tmp_path):
    errors = {d: {"A": 0.1, "B": 0.2, "C": 0.3} for d in "xyz"}
    seconds = {"x": {"A": 1, "B": 2}, "y": {"A": 2, "B": 1}, "z": {"A": 1, "B": 4}}
    summarized(tmp_path, errors, seconds=seconds)
    table = pd.read_csv(tmp_path / "times.csv")
    assert len(table) == 6
    a, b = report._times(table, "A", ["A", "B", "C"])
    assert a == {"method": "A", "fit": 1, "fit_most": 1, "predict": 1, "predict_most": 1}
    assert b == {"method": "B", "fit": 2, "fit_most": 4, "predict": 2, "predict_most": 4}
    assert report._times(pd.DataFrame(), "A", ["A", "B"]) == []


def test_a_method_that_failed_everywhere_leaves_the_others_compared(tmp_path):
    nan = float("nan")
    result, _ = summarized(tmp_path, {d: {"A": 0.1, "B": 0.2, "C": nan} for d in "xyz"}, cells=2)
    assert result["average_ranks"] == {"A": 1, "B": 2}
    assert result["n_datasets"] == 3
    assert result["notes"] == ["C: left out of the ranks, because the method failed on every data set"]


def test_a_method_that_failed_once_leaves_that_data_set_out(tmp_path):
    table = {d: {"A": 0.1, "B": 0.2, "C": 0.3} for d in "xyz"}
    table["y"]["C"] = float("nan")
    result, _ = summarized(tmp_path, table)
    assert result["n_datasets"] == 2
    assert "y: left out of the ranks, because C failed" in result["notes"]


def test_a_failed_control_is_said(tmp_path):
    result, _ = summarized(tmp_path, {d: {"A": float("nan"), "B": 0.2, "C": 0.3} for d in "xyz"})
    assert result["average_ranks"] == {"B": 1, "C": 2}
    assert any("the control A failed on every data set" in n for n in result["notes"])


def test_equal_means_are_ties_in_whatever_order_they_were_summed(tmp_path):
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 30, 9) / 150
    frame = []
    for m, values in {"A": cells, "B": rng.permutation(cells), "C": cells[::-1]}.items():
        frame += [
            {"dataset": "x", "method": m, "rotation_group": f"RG-{i % 3}", "fold_group": f"FG-{i // 3}", "error": e,
             **dict.fromkeys(("balanced_accuracy", "roc_auc", "average_precision", "f1"), 0.5), "log_loss": 1.0, "brier": 1.0}
            for i, e in enumerate(values)
        ]  # fmt: skip
    means = pd.DataFrame(frame).pivot_table(index="dataset", columns="method", values="error")
    assert compare_methods(means, False, "A", 0.05)["average_ranks"] == {"A": 2, "B": 2, "C": 2}


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
    known = results({"claims": claims}, rows)
    found = summarize.TABLES["claims"](known)
    assert found["holds"].tolist() == [True, False, True, True]  # nobody measured the height
    assert found["in_favour"].tolist() == [1.0, 0.0, 0.0, 1.0]
    assert found["n_datasets"].tolist() == [8] * 4
    np.testing.assert_allclose(found["difference"], [-0.1, -0.1, 0.0, 4.0])
    np.testing.assert_allclose(found["p_value"], [1 / 128, 1 / 128, 1.0, 1 / 128])
    np.testing.assert_allclose(found["p_holm"], [3 / 128, 3 / 128, 1.0, 3 / 128])  # equality is not corrected


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
    assert found["holds"].tolist() == [True, False, False]
    assert found["n_datasets"].tolist() == [1, 1, 1]
    assert np.isnan(summarize.TABLES["pairs"](known)["p_value"].iloc[0])
    untested = results({**spec, "test_to_train": {"d": None}}, rows)
    assert not summarize.TABLES["claims"](untested)["holds"].any()


def test_methods_that_choose_by_test_rows_are_shown_but_not_ranked():
    means = pd.DataFrame({"A": [0.2, 0.3], "B": [0.1, 0.1], "C": [0.3, 0.4]}, index=["x", "y"])
    result = compare_methods(means, False, "A", 0.05, optimistic=["B"])
    assert result["average_ranks"] == {"A": 1, "C": 2}
    assert result["means"]["x"]["B"] == 0.1
    assert "B: left out of the ranks, because the method chooses members by the test rows" in result["notes"]


def test_the_model_is_never_a_method_that_chose_by_test_rows_and_ties_go_to_the_least_log_loss():
    scores = pd.DataFrame({"method": [*"ABC"], "split": "S-1", "error": [0.2, 0.2, 0.1], "log_loss": [0.5, 0.4, 0.1]})
    method = MethodSpec(pool=pool_slice("forest"), combiner=combiner_slice({"kind": "vote"}))
    known = {
        "axes": ["split"],
        "rotations": 1,
        "folds": 5,
        "test_to_train": 0.25,
        "methods": {"A": method, "B": method},
    }
    spec = RefitSpec(task="classification", score="error", seed=0, dataset="d", refit="best", **known)
    assert refit._chosen(spec, scores, {"metrics": {"fit_processor_seconds": {}}}) == "B"


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


FACTS_OF_FOREST = "dataset,method,n_nodes,oob_error,margin_mean,iterations\nd,RF,9,4,,\nd,ET,9,,,\n"


def test_the_report_explains_the_facts_that_it_shows(tmp_path):
    (tmp_path / "facts.csv").write_text(FACTS_OF_FOREST)
    classes, numbers = (report._facts(pd.read_csv(tmp_path / "facts.csv"), t) for t in ("classification", "regression"))
    assert list(classes[0]) == ["dataset", "method", "n_nodes", "oob_error"]
    assert numbers[0]["oob_RMSE"] == 2, "the root of a mean squared error"
    kinds = report._kinds(list(numbers[0]), "splits")
    assert list(kinds) == ["Trees"]
    assert "RMSE" in kinds["Trees"]
    assert "Chebyshev" not in kinds["Trees"]
    everything = [name for names in report.FACTS.values() for name in names]
    assert "share of folds with an unsolved" in report._kinds(everything, "folds")["votes"]


def test_the_configuration_is_shown_without_what_has_no_effect():
    study = {
        "task": "regression", "title": "", "datasets": [{"name": "d", "classes": {}}], "cells": "splits",
        "protocol": {"rotations": 8, "repeats": 2}, "pools": {"p": {"view": None, "training_error": False}},
        "methods": {"RF": {"pool": "p", "combiner": {"kind": "vote", "voting": "soft"}}},
    }  # fmt: skip
    shown = {
        "task": "regression", "datasets": [{"name": "d"}], "protocol": {"repeats": 2},
        "pools": {"p": {"training_error": False}}, "methods": {"RF": {"pool": "p", "combiner": {"kind": "vote"}}},
    }  # fmt: skip
    assert report._shown(study) == shown
    rotated = report._shown(
        {**study, "task": "classification", "score": "error", "pools": {"p": {"view": {"class": "rotation"}}}}
    )
    assert rotated["protocol"]["rotations"] == 8
    assert rotated["methods"]["RF"]["combiner"]["voting"] == "soft"


def test_captions_speak_of_the_study_s_task_and_protocol():
    text = report._caption("differences", "classification", "error", "folds")
    assert "five or more folds" in text
    assert "cells" not in text
    assert "RMSE" in report._caption("boxes", "regression", "rmse", "cells")
    text = report._caption("differences", "classification", "roc_auc", "folds")
    assert "Mean ROC AUC of each method minus" in text
    assert re.search(r"two standard\s+errors of the difference", text)
    assert "expected\ncalibration error" in report._caption("calibration_one", "classification", "roc_auc", "folds")


def test_missing_cells_are_those_of_the_raw_columns(tmp_path):
    n, rng = 60, np.random.default_rng(0)
    raw = pd.DataFrame({"a": rng.normal(size=n), "city": ["A", "B", "C"] * 20, "target": ["x", "y"] * 30})
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    raw.insert(1, "joined", days.strftime("%Y-%m-%d"))
    raw.loc[:4, "a"], raw.loc[:2, "joined"], raw.loc[:6, "city"] = np.nan, None, None
    write_raw(raw, tmp_path / "raw")
    metrics = prepare.prepare(PrepareSpec(dataset="d", task="classification"), read_raw(tmp_path / "raw")).metrics
    assert metrics["missing_cells"] == 5 + 3 + 7
    assert (metrics["numeric_columns"], metrics["categorical_columns"]) == (1, 1)
    assert (metrics["date_columns"], metrics["date_numbers"]) == (1, 3)


@pytest.mark.parametrize(("cells", "bars"), [(4, False), (5, True)])
def test_few_cells_have_no_standard_error(cells, bars):
    rows = [
        {"dataset": "d", "method": m, "split": s, "error": e * s}
        for m, e in (("A", 0.1), ("B", 0.2))
        for s in range(cells)
    ]
    found = study._standard_errors(pd.DataFrame(rows), "error", "A", ["split"])
    assert found.notna().all(axis=None) == bars
