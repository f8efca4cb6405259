"""Figures of errors against a parameter, from the scores of a study."""

import json

import numpy as np
import pandas as pd

from rotastack.data.artifacts import write_frame
from rotastack.files import write_text
from rotastack.workflow.judge.boards import board, board_of_group
from rotastack.workflow.run.figures.study import draw_sweep
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.steps import draw
from rotastack.workflow.study.specs import Sweep

NAN = float("nan")
SWEEP = {
    "title": "By members",
    "axis": "members",
    "values": [1, 10],
    "lines": {"machine": ["M1", "M10"], "level": ["L"]},
}


LINES = Sweep(**SWEEP)


def scores(errors, training=None):
    """Return two repeats of each error, dataset -> method -> error."""
    return pd.DataFrame(
        [
            {"dataset": d, "method": m, "split": f"S-{r}", "error": e + s,
             "training_error": (training or {}).get(m, NAN)}
            for d, row in errors.items() for m, e in row.items() for r, s in enumerate((-0.01, 0.01))
        ]
    )  # fmt: skip


def heights(axis):
    return {line.get_label(): list(np.round(line.get_ydata(), 9)) for line in axis.lines}


def test_means_over_data_sets_of_test_and_training_errors():
    errors = {"a": {"M1": 0.3, "M10": 0.2, "L": 0.4}, "b": {"M1": 0.1, "M10": 0.2, "L": 0.2}}
    left, right = draw_sweep(scores(errors, {"M1": 0.05, "M10": 0.1}), LINES).axes
    assert heights(left) == {"machine": [0.2, 0.2], "level": [0.3, 0.3]}
    assert heights(right) == {"machine": [0.05, 0.1]}
    assert list(left.lines[0].get_xdata()) == [1, 10]


def test_what_failed_is_left_out():
    errors = {"a": {"M1": 0.3, "M10": 0.2, "L": NAN}, "b": {"M1": NAN, "M10": 0.5, "L": NAN}}
    figure = draw_sweep(scores(errors), LINES)
    assert heights(figure.axes[0]) == {"machine": [0.3, 0.2]}
    assert "Left out, because a method failed: b (test rows)." in figure._supxlabel.get_text()


def test_the_step_writes_it(tmp_path):
    write_frame(
        tmp_path / "scores", scores({"a": {"M1": 0.3, "M10": 0.2, "L": 0.4}, "b": {"M1": 0.2, "M10": 0.1, "L": NAN}})
    )
    spec = {
        "task": "classification",
        "score": "error",
        "axes": ["split"],
        "datasets": [],
        "alpha": 0.05,
        "control": "L",
        "methods": ["M1", "M10", "L"],
        "shown": ["M10"],
        "optimistic": [],
        "groups": [{"name": "M", "parts": ["M"], "methods": {"one": ["M1"], "ten": ["M10"]}}],
        "sweeps": {"sweep-1": SWEEP},
    }
    curve = {"dataset": "a", "bin": [9], "rows": 5, "confidence": 0.95, "accuracy": 0.75}
    curves = pd.concat([pd.DataFrame({"method": m, **curve}) for m in ("M1", "M10")])
    curves.to_csv(tmp_path / "calibration.csv", index=False)
    names = ("critical_difference", "differences", "sweep-1", "ranks-M", "calibration")
    paths = [tmp_path / f"study/{name}.svg" for name in names]
    few = pd.DataFrame({"one": [0.3, 0.2], "ten": [0.2, 0.1]}, ["a", "b"])
    boards = {"error": board(few[:1], False, "L", 0.05) | {"groups": {"M": board_of_group(few, 0.05)}}}
    write_text(tmp_path / "comparison", json.dumps(boards))
    inputs = {name: [tmp_path / name] for name in ("scores", "comparison")} | {"tables": [tmp_path / "calibration.csv"]}
    draw.run(Job("draw", spec, inputs, {"figures": paths}))
    shown = ("two data sets", "M10", "By members", "2.00  one", "M10: calibration error 0.200")
    hidden = ("M10:", ">M1<", "M10:", "M10", "M1:")  # what failed on one of two data sets, or is not among those shown
    for path, word, other in zip(paths, shown, hidden, strict=True):
        assert word in (text := path.read_text())
        assert other not in text
