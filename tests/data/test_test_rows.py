"""A file of test rows beside a table: the same as one table with a column that names the split."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rotastack.cli import main
from rotastack.data.loading import source_files
from rotastack.data.tables import read_with_notes
from rotastack.workflow.run.steps.prepare import prepare
from rotastack.workflow.study.specs import PrepareSpec


@pytest.fixture
def files(here):
    """Files of training rows, of test rows with other columns first, and of both with the split; half of the marks are in each."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=90).round(3), "part": rng.choice(["a", "b"], 90)})
    table["y"] = np.where(table["x"] + rng.normal(size=90) > 0, "yes", "no")
    table.head(60).to_csv("train.csv", index=False)
    table.tail(30)[["y", "x", "part"]].to_csv("test.csv", index=False)
    table.assign(part_=["train"] * 60 + ["test"] * 30)[["x", "part", "y", "part_"]].to_csv("both.csv", index=False)


def test_the_rows_are_those_of_one_table_with_the_split(files):
    read, reading = read_with_notes("train.csv", "y", test="test.csv")
    pd.testing.assert_frame_equal(read, read_with_notes("both.csv", "y")[0])
    assert str(reading).startswith("90 rows x 3 columns of train.csv and test.csv")
    entry = {"name": "t", "sources": [{"file": {"path": "train.csv", "target": "y", "test": "test.csv"}}]}
    assert [path.name for path in source_files("t", entry)] == ["train.csv", "test.csv"]


def test_what_the_second_file_has_beyond_the_first_is_told(files):
    """Also what its own reading told, with its name; the column of the split is nobody's, so nobody dropped it."""
    lines = pd.read_csv("test.csv").assign(weather="wet").to_csv(index=False).splitlines()
    Path("test.csv").write_text("\n".join([*lines[:-1], lines[-1].rpartition(",")[0]]))
    read, reading = read_with_notes("train.csv", "y", test="test.csv")
    assert list(read) == ["x", "part", "y", "part_"]
    assert reading.notes == (
        "test.csv: column 'weather': 1 row has fewer fields than the header; missing fields are empty",
        "test.csv: columns that the training rows lack are ignored: weather",
    )
    spec = PrepareSpec(dataset="t", task="classification", divided_by={"split 1": "part_"})
    assert prepare(spec, read.rename(columns={"y": "target"})).warnings == []


def test_a_class_without_training_rows_is_no_matter_of_a_column(files, capsys):
    train = pd.read_csv("train.csv")
    train[train["y"] == "yes"].to_csv("train.csv", index=False)
    assert main(["run", "train.csv", "--target", "y", "--test", "test.csv", "--dry-run"]) == 2
    assert "train.csv: --test: split 1 of 1 has no training row of class 'no'" in capsys.readouterr().err


def test_a_study_of_two_files_tests_the_rows_of_the_second(files, capsys):
    assert main(["run", "train.csv", "--target", "y", "--test", "test.csv", "--dry-run"]) == 0
    assert "test      tested on the rows of test.csv\n" in capsys.readouterr().out, "the files have no column part_"


@pytest.mark.parametrize(
    ("test", "said"),
    [("no.csv", "no.csv: file not found"), ("lacks.csv", "lacks.csv: columns of the training rows are missing: part")],
)
def test_a_wrong_file_is_named(files, capsys, test, said):
    pd.read_csv("test.csv").drop(columns="part").to_csv("lacks.csv", index=False)
    assert main(["run", "train.csv", "--target", "y", "--test", test]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_the_model_is_said_to_have_the_rows_of_both_files(files, capsys):
    methods = ["--methods", "Random forest, Logistic regression", "--size", "small"]
    assert main(["run", "train.csv", "--target", "y", "--test", "test.csv", *methods]) == 0
    assert ", trained on all rows of train.csv and test.csv: results/train/train/model" in capsys.readouterr().out
