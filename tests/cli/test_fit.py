"""``rotastack fit``: one model, in one process or in parts."""

import fcntl
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.contents import contents

from rotastack.cli import main, studies
from rotastack.tracking.model_files import load_model


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    frame["k"] = rng.choice(list("xyz"), 200)
    frame["y"] = np.where(frame["a"] * frame["b"] + (frame["k"] == "x") > 0.3, "yes", "no")
    frame["z"] = frame["a"] + (frame["k"] == "x")
    frame.to_csv("my table.csv", index=False)
    return frame


@pytest.mark.parametrize(
    ("target", "estimator", "size"),
    [("y", "rotastack", "trees_per_family=4"), ("z", "rotastack", "trees_per_family=4"), ("y", "forest", "n_estimators=9")],
)  # fmt: skip
def test_parts_make_the_model_that_one_process_makes(table, target, estimator, size):
    line = ["fit", "my table.csv", "--target", target, "--estimator", estimator, "--set", size, "--seed", "3"]
    assert main([*line, "--out", "one.skops"]) == 0
    for part in ("1", "0", "all"):
        assert main([*line, "--out", "parts.skops", "--parts", "2", "--part", part]) == 0
    assert contents(load_model("one.skops")) == contents(load_model("parts.skops"))
    assert main([*line[:-1], "4", "--out", "other.skops"]) == 0
    assert contents(load_model("one.skops")) != contents(load_model("other.skops"))


@pytest.mark.workflow
def test_snakemake_runs_the_parts_and_the_model_predicts(table, capfd):
    line = ["fit", "my table.csv", "--target", "y", "--set", "trees_per_family=3"]
    assert main([*line, "--out", "my model.skops", "--parts", "2", "--cores", "2"]) == 0
    assert main([*line, "--out", "one.skops"]) == 0
    assert contents(load_model("my model.skops")) == contents(load_model("one.skops"))
    assert main(["predict", "--model", "my model.skops", "my table.csv", "--output", "predicted.csv"]) == 0
    assert (pd.read_csv("predicted.csv")["prediction"] == table["y"]).mean() > 0.8


@pytest.mark.workflow
@pytest.mark.slow
def test_parts_go_on_after_a_kill_and_beside_no_other_run(table, capfd):
    """Snakemake's own lock outlives a kill -9, and would ask for --unlock."""
    line = ["fit", "my table.csv", "--target", "y", "--set", "trees_per_family=3", "--out", "model.skops", "--parts", "2", "--cores", "1"]  # fmt: skip
    held = Path("results/.lock")
    held.parent.mkdir()
    with held.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert main(line) == 2
    assert "another run (process unknown) works in this directory" in capfd.readouterr().err
    locks = Path(".snakemake/locks")
    locks.mkdir(parents=True, exist_ok=True)
    for kind, file in (("input", "my table.csv"), ("output", "model.skops")):
        (locks / f"0.{kind}.lock").write_text(file)
    assert main(line) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--estimator", "nothing"], "'nothing' is unknown"),
        (["--set", "trees"], "--set: 'trees' is not NAME=VALUE"),
        (["--set", "no_such=1"], "no_such"),
        (["--parts", "1"], "--parts: must be a number from 2"),
        (["--threads", "0"], "--threads: must be a number from 1"),
        (["--target", "nobody"], "nobody"),
        (["--out", "model"], "--out: model is no name of a file"),
        (["--estimator", "sklearn.svm.SVC", "--parts", "2", "--part", "0"], "SVC is not fitted in parts"),
        (
            ["--parts", "2", "--out", "m{x}.skops"],
            "--out: with --parts the name of a file holds no braces, found m{x}.skops",
        ),
        (["--parts", "2", "--cores", "two"], "--cores: must be all or a number from 1, found 'two'"),
        (["--parts", "2", "--profile", "slrum"], "--profile: 'slrum' is no folder, nor a profile of ours"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(table, capsys, change, message):
    assert main(["fit", "my table.csv", "--target", "y", "--out", "model.skops", *change]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not list(Path().glob("*.parts/fit.json"))


def test_a_part_that_fails_is_a_failed_run(table, monkeypatch, capsys):
    """What was asked for makes sense: the exit code is Snakemake's 1, not the 2 of a mistake."""
    monkeypatch.setattr(studies, "call_snakemake", lambda *given, **more: 1)
    assert main(["fit", "my table.csv", "--target", "y", "--out", "model.skops", "--parts", "2"]) == 1
    assert "error: a part failed, see above and model.skops.parts/logs" in capsys.readouterr().err
