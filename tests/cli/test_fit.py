"""``rotastack fit``: one model of one's own table."""

import io
import sys

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import done, refused
from tests.contents import contents
from tests.quick import first

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
    first(
        1,
        [
            ("y", "rotastack", "trees_per_family=4"),
            ("z", "rotastack", "trees_per_family=4"),
            ("y", "forest", "n_estimators=9"),
        ],
    ),
)
def test_the_seed_makes_the_model_whatever_the_threads(table, target, estimator, size):
    line = ["fit", "my table.csv", "--target", target, "--estimator", estimator, "--set", size]
    models = {}
    for name, options in {"one": ["3"], "threads": ["3", "--threads", "2"], "other": ["4"]}.items():
        assert main([*line, "--seed", *options, "--out", f"{name}.skops"]) == 0
        models[name] = contents(load_model(f"{name}.skops"))
    assert models["one"] == models["threads"]
    assert models["one"] != models["other"]


def test_own_classes_are_fitted_and_predict_by_consent(table, here, capsys, monkeypatch):
    """The module lies in the folder of the run, and is found from elsewhere by the folder's name."""
    code = "from sklearn.linear_model import LogisticRegression\n\n\nclass Logit(LogisticRegression):\n    pass\n"
    (here / "own_of_fit.py").write_text(code)
    monkeypatch.setattr(sys, "path", [*sys.path])  # the commands add to it
    line = ["fit", "my table.csv", "--target", "y", "--estimator", "own_of_fit.Logit", "--out", "own.skops"]
    assert "own_of_fit.Logit; if you trust" in refused(capsys, *line)
    assert not (here / "own.skops").exists()
    assert main([*line, "--trust", "own_of_fit"]) == 0
    for name in (str(here), "own_of_fit"):
        sys.path[:] = [p for p in sys.path if p != name]
        sys.modules.pop(name, None)
    (here / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    predict = ["predict", "--model", "../own.skops", "../my table.csv", "--output", "p.csv"]
    for options in ([], ["-C", ".."]):
        assert "own_of_fit.Logit; if you trust the code of own_of_fit:" in refused(capsys, *predict, *options)
    assert "own_of_fit" not in sys.modules, "without consent no file of the folder has run"
    assert main([*predict, "-C", "..", "--trust", "own_of_fit"]) == 0
    assert set(pd.read_csv("p.csv")["prediction"]) == {"yes", "no"}


def test_xgboost_takes_classes_of_any_text(table):
    pytest.importorskip("xgboost", reason="the extra `boosting` is not installed")
    assert main(["fit", "my table.csv", "--target", "y", "--out", "model.skops", "--estimator", "boosted"]) == 0
    rows = pd.read_csv("my table.csv")
    assert (load_model("model.skops").predict(rows.drop(columns="y")) == rows["y"]).mean() > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--estimator", "nothing"], "'nothing' is unknown"),
        (["--set", "trees"], "--set: 'trees' is not NAME=VALUE"),
        (["--set", "no_such=1"], "no_such"),
        (["--threads", "0"], "--threads must be at least 1"),
        (["--target", "nobody"], "nobody"),
        (["--out", "model"], "--out: model is not a file name"),
        (
            ["--estimator", "sklearn.naive_bayes.MultinomialNB"],
            "--estimator sklearn.naive_bayes.MultinomialNB: Negative values",
        ),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(table, capsys, change, message):
    assert message in refused(capsys, "fit", "my table.csv", "--target", "y", "--out", "model.skops", *change)


@pytest.mark.parametrize(("level", "step", "digit"), [(101325, 0.05, 1e-6), (1_700_000_000, 500, 1e-2)])
def test_predictions_far_from_0_keep_their_digits(here, capsys, level, step, digit):
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    rows.assign(y=level + step * rows["a"]).to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", "--target", "y", "--out", "m.skops", "--set", "trees_per_family=1"]) == 0
    line = ["predict", "--model", "m.skops", "t.csv", "--intervals"]
    done(capsys, *line, "--output", "p.parquet")
    written, shown = pd.read_parquet("p.parquet"), pd.read_csv(io.StringIO(done(capsys, *line).out))
    numbers = written[["prediction", "lower", "upper"]]
    np.testing.assert_array_equal(written["prediction"], load_model("m.skops").predict(rows))
    np.testing.assert_allclose(shown[numbers.columns], numbers, rtol=0, atol=digit)
    assert (shown["prediction"] != written["prediction"]).any()
