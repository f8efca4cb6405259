"""What ``rotastack run TABLE`` says before it trains anything, and what it refuses in one line."""

import json
import re
import shlex
from contextlib import chdir

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import done, refused
from tests.own_tables import churn, genes, sales, visits

from rotastack.cli import main
from rotastack.cli.commands import _parser
from rotastack.workflow.run.launch import plan_of
from rotastack.workflow.run.own_table import OwnTable
from rotastack.workflow.use import own_study
from rotastack.workflow.use.study_file import write_study


@pytest.fixture(scope="module")
def all_tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    visited, customers = visits(60)[0], churn(200)[0]
    few = pd.DataFrame({"a": np.arange(30) % 7, "b": np.arange(30) ** 2 % 11, "label": np.resize(["x", "y"], 30)})
    for name, table in {
        "churn": churn(400)[0],
        "visits": visited,
        "sales": sales(200)[0],
        "holes": visited.assign(patient_id=visited["patient_id"].where(visited.index > 2)),
        "empty": customers.assign(churned=np.nan),
        "once": customers.assign(part=np.where(customers["churned"] == "yes", "test", "train")),
        "fixed": customers.assign(part=np.resize(["train", "test", "train"], 200)),
        "folds": customers.assign(fold=np.resize([1, 2, 3, 4], 200)),
        "few": few,
        "short": few.head(12),
        "many": pd.DataFrame({"a": np.arange(5000) % 7, "label": [f"n{i % 1200}" for i in range(5000)]}),
    }.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    (folder / "ragged.csv").write_text("a,b,c\n" + "1,2,x\n" * 30 + "4,5,6,7,8\n")
    (folder / "locked.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    (folder / "damaged.xlsx").write_bytes(b"PK\x03\x04" + bytes(50))
    study = {
        "name": "s",
        "datasets": ["iris"],
        "pools": {"p": {"estimator": "forest"}},
        "methods": {m: {"pool": "p", "combiner": {"kind": "vote"}} for m in "AB"},
    }
    numbers = {**study, "task": "regression", "datasets": ["diabetes"]}
    studies = {
        "score": {**study, "evaluation": {"score": "rmse"}},
        "threshold": {**study, "model": {"threshold": 1.5}},
        "number": {**numbers, "model": {"threshold": 0.5}},
        "spans": {**study, "protocol": {"kind": "crossval", "time": "a", "repeats": 3}},
        "test": {**study, "protocol": {"kind": "holdout", "train": 100, "test": 60}},
    }
    for name, content in studies.items():
        (folder / f"{name}.yaml").write_text(json.dumps(content))
    return folder


@pytest.fixture
def tables(all_tables):
    """The folder of all tables, as the working directory."""
    with chdir(all_tables):
        yield all_tables


WRONG = [
    (["few.csv", "--target", "lable"], "did you mean 'label'"),
    (["few.csv"], "--target COLUMN is missing; columns: a, b, label"),
    (["few.csv", "--target", "label", "--size", "large"], "small, medium, full"),
    (["few.csv", "--target", "label", "--task", "regression"], "is not a number"),
    (["few.csv", "--target", "label", "--cores", "0"], "--cores"),
    (["short.csv", "--target", "label"], "at least 20 are needed"),
    (["many.csv", "--target", "label"], "1200 classes"),
    (
        ["churn.csv", "--target", "churned", "--score", "rmse"],
        "--score: 'rmse' is not a score of a classification; allowed: error, ",
    ),
    (
        ["visits.csv", "--target", "outcome", "--groups", "patient"],
        "--groups: column 'patient' not found; did you mean 'patient_id'",
    ),
    (
        ["holes.csv", "--target", "outcome", "--groups", "patient_id"],
        "--groups: column 'patient_id' is empty in 3 rows",
    ),
    (
        ["churn.csv", "--target", "churned", "--groups", "plan"],
        "--groups: column 'plan' has 3 different values; at least 10 are needed",
    ),
    (["churn.csv", "--target", "churned", "--time-column", "plan"], ", neither a number nor a date"),
    (
        ["sales.csv", "--target", "sold", "--time-column", "day", "--groups", "day"],
        "--time-column: column 'day' is the column of --groups",
    ),
    (
        ["visits.csv", "--target", "outcome", "--groups", "patient_id", "--split-column", "lab_1"],
        "--groups and --split-column exclude",
    ),
    (
        ["churn.csv", "--target", "churned", "--split-column", "plan"],
        "churn.csv: --split-column: column 'plan' holds '",
    ),
    (
        ["churn.csv", "--target", "churned", "--split-column", "churned"],
        "--split-column: column 'churned' is the target",
    ),
    (
        ["once.csv", "--target", "churned", "--split-column", "part"],
        "--split-column: split 1 of 1 has no training row of class 'yes'",
    ),
    (["churn.csv", "--target", "churned", "--memory", "lots"], "'lots' is not a size of memory; examples: 500M, 8G"),
    (["churn.csv", "--target", "churned", "--time", "10"], "'10' is not a duration; examples: 90s, 10m, 2h"),
    (["churn.csv", "--target", "churned", "--memory", "5M"], "5 MB of memory are available; two methods need "),
    (["empty.csv", "--target", "churned"], "target 'churned' is missing in all rows"),
    (
        ["ragged.csv", "--target", "c"],
        "ragged.csv: cannot be read: line 32 has 5 fields, the header has 3; name each column, or put quotes around a field with ','",
    ),
    (
        ["locked.xlsx", "--target", "a"],
        "locked.xlsx: cannot be read: the file has a password, or its format is older than Excel 2007",
    ),
    (["damaged.xlsx", "--target", "a"], "damaged.xlsx: cannot be read: the file is damaged, or not an Excel file"),
    (["score.yaml", "--score", "error"], "--score is an option for tables, and score.yaml is a study"),
    (["score.yaml", "--methods", "Ridge"], "--methods is an option for tables"),
    (
        ["churn.csv", "--target", "churned", "--methods", "forest"],
        "--methods: 'forest' is not a method; did you mean 'Random forest'; methods: Rotastack, ",
    ),
    (["churn.csv", "--target", "churned", "--methods", "Rotastack"], "--methods: 'Rotastack' leaves 1 of "),
    (["churn.csv", "--target", "churned", "--methods", "ridge"], "--methods: 'ridge' is not a method"),
    (["score.yaml"], "evaluation.score: 'rmse' is not a score of a classification"),
    (["threshold.yaml"], "model.threshold"),
    (["number.yaml"], "model.threshold is for classification; the study's task is regression"),
    (["spans.yaml"], "protocol.repeats must be 1 with protocol.time"),
    (["test.yaml"], "protocol.test: iris has 150 rows; 100 training rows and 60 test rows are requested"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=lambda v: " ".join(v[:4]) if isinstance(v, list) else "")
def test_what_is_wrong_is_one_line_that_names_it(tables, capsys, arguments, said):
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
    lines = done(capsys, "run", *arguments, "--dry-run", "--cores", "2").out.splitlines()
    return {line[:10].strip(): line[10:] for line in lines}, lines


TOLD = {
    "churn.csv --target churned": {"score": "ROC AUC, because class 'yes' is "},
    "churn.csv --target churned --score neg_log_loss": {"score": "log loss, --score; default roc_auc, because "},
    "sales.csv --target sold --score pinball": {"score": "; only methods that predict intervals are ranked"},
    "visits.csv --target outcome": {
        "score": "error, because no class is rare",
        "check": ", and test rows are from new",
    },
    "visits.csv --target outcome --groups patient_id": {"test": "4 times, rows of one patient_id together"},
    "sales.csv --target sold --time-column day": {"test": "5 spans of day, each tested after training on earlier"},
    "folds.csv --target churned --split-column fold": {"test": "the 4 splits of column fold"},
    "fixed.csv --target churned --split-column part": {"test": "the training and test rows of column part"},
    "sales.csv --target sold --methods ridge,rotastack": {"methods": "Rotastack 100, Ridge ("},
    "churn.csv --target churned --methods 'all but extra trees' --score auc": {
        "methods": "Rotastack 100, Random forest 300, Random rotations 300, ",
        "score": "ROC AUC, --score",
    },
    "churn.csv --target churned --memory 500M": {"memory": "0.5 GB are available"},
}


@pytest.mark.parametrize("arguments", TOLD)
def test_the_plan_says_what_was_chosen_and_why(tables, capsys, arguments):
    told, _ = looked_at(capsys, *shlex.split(arguments))
    assert {key: words in told[key] for key, words in TOLD[arguments].items()} == dict.fromkeys(TOLD[arguments], True)
    assert "check" not in told or not re.search("--groups|--time|--split", arguments)


def test_a_method_whose_package_is_missing_says_how_to_install(tables, capsys, monkeypatch):
    monkeypatch.setattr(own_study, "find_spec", lambda name: None if name == "lightgbm" else True)
    line = refused(capsys, "run", "churn.csv", "--target", "churned", "--methods", "rotastack, lightgbm", "--dry-run")
    assert line.endswith("lightgbm is not installed; run: pip install 'rotastack[bench]'")
    told, _ = looked_at(capsys, "churn.csv", "--target", "churned", "--methods", "all but LightGBM, XGBoost, CatBoost")
    assert "LightGBM" not in told["methods"]


@pytest.mark.slow
def test_copies_are_kept_together_where_rows_are_drawn(tables, capsys):
    table, _ = visits(60)
    twice = pd.concat([table, table.head(50)], ignore_index=True).assign(fold=np.resize([1, 2, 3], len(table) + 50))
    twice.to_csv("twice.csv", index=False)
    for options, test, note in (
        ([], "4 times, copies of a row together", "copies of an earlier row. They stay together"),
        (["--groups", "patient_id"], "rows of one patient_id together, copies of a row together", ""),
        (["--split-column", "fold"], "the 3 splits of column fold", "copies into training and test"),
    ):
        told, lines = looked_at(capsys, "twice.csv", "--target", "outcome", *options)
        assert told["test"].endswith(test)
        assert note in "\n".join(lines)


@pytest.mark.slow
def test_methods_that_do_not_fit_into_memory_are_left_out(here, capsys):
    table, target = churn(40_000)
    table.to_csv("many.csv", index=False)
    told, lines = looked_at(
        capsys, "many.csv", "--target", target, "--size", "full", "--time", "9h", "--memory", "1.5G"
    )
    left_out = [line[10:].split(" needs ")[0] for line in lines if line.startswith("left out")]
    assert left_out
    assert not any(method in told["methods"].split(" (")[0] for method in left_out)


@pytest.mark.slow
def test_rows_without_a_target_are_counted_and_wide_tables_are_quiet(here, capsys, recwarn):
    table, target = churn(300)
    table.loc[:6, target] = None
    table.to_csv("t.csv", index=False)
    told, _ = looked_at(capsys, "t.csv", "--target", target)
    assert told["note"] == "7 rows without a target are left out"
    genes(40, 200)[0].to_csv("wide.csv", index=False)
    looked_at(capsys, "wide.csv", "--target", "tissue")
    assert not [w for w in recwarn if issubclass(w.category, pd.errors.PerformanceWarning)]


@pytest.mark.parametrize("name", ["few", "folds"])
def test_the_study_in_memory_has_the_keys_of_its_file(all_tables, here, name):
    """Snakemake reads the file, and the command does not; else each command would run all jobs again."""
    target = {"few": ["--target", "label"], "folds": ["--target", "churned", "--split-column", "fold"]}[name]
    table = all_tables / f"{name}.csv"
    own = OwnTable(
        _parser().parse_args(["run", str(table), *target, "--kind", f"{'a' if name == 'few' else 'age'}=numeric"]), 1
    )
    write_study(own.content, own.file)
    read, kept = plan_of(str(own.file.path)), plan_of(str(own.file.path), None, own.study)
    assert [job.key for job in kept.jobs.all()] == [job.key for job in read.jobs.all()]
    assert (kept.where, kept.size, kept.study_files) == (read.where, read.size, read.study_files)
