"""What ``rotastack run TABLE`` says before it trains anything, and what it refuses in one line."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.own_tables import churn, genes, sales, visits

from rotastack.cli import main

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, (table, _) in {"churn": churn(400), "visits": visits(60), "sales": sales(200)}.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    table, _ = visits(60)
    table.assign(patient_id=table["patient_id"].where(table.index > 2)).to_csv(folder / "holes.csv", index=False)
    churn(200)[0].assign(churned=np.nan).to_csv(folder / "empty.csv", index=False)
    table, _ = churn(200)
    table.assign(part=np.where(table["churned"] == "yes", "test", "train")).to_csv(folder / "once.csv", index=False)
    table.assign(part=np.resize(["train", "test", "train"], 200)).to_csv(folder / "fixed.csv", index=False)
    table.assign(fold=np.resize([1, 2, 3, 4], 200)).to_csv(folder / "folds.csv", index=False)
    (folder / "ragged.csv").write_text("a,b,c\n" + "1,2,x\n" * 30 + "4,5,6,7,8\n")
    (folder / "locked.xlsx").write_bytes(OLE)
    (folder / "damaged.xlsx").write_bytes(b"PK\x03\x04" + bytes(50))
    study = {"name": "s", "datasets": ["iris"], "pools": {"p": {"estimator": "forest"}},
             "methods": {m: {"pool": "p", "combiner": {"kind": "vote"}} for m in "AB"}}  # fmt: skip
    numbers = {**study, "task": "regression", "datasets": ["diabetes"]}
    studies = {
        "score": {**study, "evaluation": {"score": "rmse"}}, "threshold": {**study, "model": {"threshold": 1.5}},
        "number": {**numbers, "model": {"threshold": 0.5}}, "spans": {**study, "protocol": {"kind": "crossval", "time": "a", "repeats": 3}},
        "test": {**study, "protocol": {"kind": "holdout", "train": 100, "test": 60}},
    }  # fmt: skip
    for name, content in studies.items():
        (folder / f"{name}.yaml").write_text(json.dumps(content))
    return folder


WRONG = [
    (["churn.csv", "--target", "churned", "--score", "rmse"], "--score: 'rmse' is no score of a classification; there are error, "),
    (["sales.csv", "--target", "sold", "--score", "roc_auc"], "--score: 'roc_auc' is no score of a regression; there are rmse, mae"),
    (["churn.csv", "--target", "churned", "--score", "interval_coverage"], "is no score of a classification"),
    (["visits.csv", "--target", "outcome", "--groups", "patient"], "--groups: there is no column 'patient'; did you mean 'patient_id'"),
    (["visits.csv", "--target", "outcome", "--groups", "outcome"], "--groups: 'outcome' is the target"),
    (["holes.csv", "--target", "outcome", "--groups", "patient_id"], "--groups: column 'patient_id' is empty in 3 rows"),
    (["churn.csv", "--target", "churned", "--groups", "plan"], "--groups: column 'plan' has 3 different values; 10 are the least"),
    (["churn.csv", "--target", "churned", "--time-column", "plan"], ", neither a number nor a date"),
    (["sales.csv", "--target", "sold", "--time-column", "date"], "--time-column: there is no column 'date'"),
    (["sales.csv", "--target", "sold", "--time-column", "day", "--groups", "day"], "not allowed with argument"),
    (["churn.csv", "--target", "churned", "--split-column", "plan"], "churn.csv: --split-column: column 'plan' holds '"),
    (["churn.csv", "--target", "churned", "--split-column", "part"], "churn.csv: --split-column: there is no column 'part'"),
    (["churn.csv", "--target", "churned", "--split-column", "churned"], "--split-column: 'churned' is the target"),
    (["once.csv", "--target", "churned", "--split-column", "part"], "--split-column: split 1 of 1 has no row of class 'yes' to train on"),
    (["once.csv", "--target", "churned", "--split-column", "part", "--groups", "part"], "not allowed with argument"),
    (["score.yaml", "--split-column", "a"], "--split-column goes with a table"),
    (["churn.csv", "--target", "churned", "--memory", "lots"], "'lots' is no size; such as 500M or 8G is"),
    (["churn.csv", "--target", "churned", "--memory", "0G"], "'0G' is no size"),
    (["churn.csv", "--target", "churned", "--memory", "5M"], "5 MB of memory are too few; two methods take "),
    (["empty.csv", "--target", "churned"], "the target 'churned' is missing in all rows"),
    (["ragged.csv", "--target", "c"], "ragged.csv: cannot be read: line 32 has 5 fields, where the header has 3; is there a ','"),
    (["locked.xlsx", "--target", "a"], "locked.xlsx: cannot be read: it is locked by a password, or of an Excel before 2007"),
    (["damaged.xlsx", "--target", "a"], "damaged.xlsx: cannot be read: it is damaged, or no Excel file"),
    (["score.yaml", "--score", "error"], "--score goes with a table, and score.yaml is a study"),
    (["score.yaml", "--groups", "a"], "--groups goes with a table"),
    (["score.yaml", "--time-column", "a"], "--time-column goes with a table"),
    (["score.yaml", "--memory", "8G"], "--memory goes with a table"),
    (["score.yaml"], "evaluation.score: 'rmse' is no score of a classification"),
    (["threshold.yaml"], "model.threshold"),
    (["number.yaml"], "model.threshold: a regression decides for no class"),
    (["spans.yaml"], "protocol.repeats: there is one order of time; it must be 1"),
    (["test.yaml"], "protocol.test: iris has 150 rows; 100 are trained on, and 60 tested"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=lambda v: " ".join(v[:4]) if isinstance(v, list) else "")
def test_what_is_wrong_is_one_line_that_names_it(tables, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tables)
    try:
        code = main(["run", *arguments, "--dry-run"])
    except SystemExit as error:  # of argparse
        code = error.code
    err = capsys.readouterr().err
    assert code != 0
    assert "Traceback" not in err
    assert said in err
    assert len(err.strip().splitlines()[-1]) < 400
    assert not (tables / "studies").exists()


def looked_at(capsys, *arguments):
    assert main(["run", *arguments, "--dry-run", "--cores", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    return {line[:10].strip(): line[10:] for line in lines}, lines


def test_the_score_fits_the_table_and_says_why(tables, monkeypatch, capsys):
    monkeypatch.chdir(tables)
    told, _ = looked_at(capsys, "churn.csv", "--target", "churned")
    assert told["score"].startswith("ROC AUC, as 'yes' is ")
    assert "(--score takes error, balanced_accuracy, " in told["score"]
    told, _ = looked_at(capsys, "churn.csv", "--target", "churned", "--score", "neg_log_loss")
    assert told["score"].startswith("log loss, --score; else it would be roc_auc, as ")
    told, _ = looked_at(capsys, "visits.csv", "--target", "outcome")
    assert told["score"].startswith("error, as no class is rare")
    assert told["look at"].endswith("so that new groups are what is predicted.")


def test_groups_and_time_divide_the_rows(tables, monkeypatch, capsys):
    monkeypatch.chdir(tables)
    told, lines = looked_at(capsys, "visits.csv", "--target", "outcome", "--groups", "patient_id")
    assert told["test"] == "5-fold cross-validation, 4 times, rows of the same patient_id together"
    assert not any(line.startswith(("look at", "dropped")) for line in lines)
    told, lines = looked_at(capsys, "sales.csv", "--target", "sold", "--time-column", "day")
    assert told["test"] == "5 spans of day in turn, each after training on what came before"
    told, lines = looked_at(capsys, "fixed.csv", "--target", "churned", "--split-column", "part")
    assert told["test"] == "the training and test rows of column part"
    assert not any("part" in line for line in lines if line.startswith(("columns", "dropped")))
    told, _ = looked_at(capsys, "folds.csv", "--target", "churned", "--split-column", "fold")
    assert told["test"] == "the 4 splits of column fold"


def test_methods_that_do_not_fit_into_memory_are_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, target = churn(40_000)
    table.to_csv("many.csv", index=False)
    told, lines = looked_at(
        capsys, "many.csv", "--target", target, "--size", "full", "--time", "9h", "--memory", "1.5G"
    )
    left_out = [line for line in lines if line.startswith("left out")]
    assert left_out
    assert all("and there are 1.5 (--memory)" in line for line in left_out)
    assert not any(line[10:].split(":")[0] in told["methods"].split(" (")[0] for line in left_out)


def test_rows_without_a_target_are_counted_and_wide_tables_are_quiet(tmp_path, monkeypatch, capsys, recwarn):
    monkeypatch.chdir(tmp_path)
    table, target = churn(300)
    table.loc[:6, target] = None
    table.to_csv("t.csv", index=False)
    told, _ = looked_at(capsys, "t.csv", "--target", target)
    assert told["note"] == "7 rows without a target are left out"
    assert " no: " in told["target"]
    genes(40, 600)[0].to_csv("wide.csv", index=False)
    looked_at(capsys, "wide.csv", "--target", "tissue")
    assert not [w for w in recwarn if issubclass(w.category, pd.errors.PerformanceWarning)]
