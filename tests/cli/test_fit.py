"""``rotastack fit``: one model of one's own table."""

import numpy as np
import pandas as pd
import pytest
from tests.contents import contents

from rotastack.cli import main
from rotastack.workflow.tracking.model_files import load_model


@pytest.fixture
def table(here):
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
def test_the_seed_makes_the_model_whatever_the_threads(table, target, estimator, size):
    line = ["fit", "my table.csv", "--target", target, "--estimator", estimator, "--set", size]
    models = {}
    for name, options in {"one": ["3"], "threads": ["3", "--threads", "2"], "other": ["4"]}.items():
        assert main([*line, "--seed", *options, "--out", f"{name}.skops"]) == 0
        models[name] = contents(load_model(f"{name}.skops"))
    assert models["one"] == models["threads"]
    assert models["one"] != models["other"]


def test_the_model_predicts(table):
    assert main(["fit", "my table.csv", "--target", "y", "--set", "trees_per_family=3", "--out", "my model.skops"]) == 0
    assert main(["predict", "--model", "my model.skops", "my table.csv", "--output", "predicted.csv"]) == 0
    assert (pd.read_csv("predicted.csv")["prediction"] == table["y"]).mean() > 0.8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--estimator", "nothing"], "'nothing' is unknown"),
        (["--set", "trees"], "--set: 'trees' is not NAME=VALUE"),
        (["--set", "no_such=1"], "no_such"),
        (["--threads", "0"], "--threads must be at least 1"),
        (["--target", "nobody"], "nobody"),
        (["--out", "model"], "--out: model is not a file name"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(table, capsys, change, message):
    assert main(["fit", "my table.csv", "--target", "y", "--out", "model.skops", *change]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
