"""Figures over data sets, from scores and tables, and figures of errors against a parameter."""

import json

import numpy as np
import pandas as pd

from rotastack.base.documents import load_yaml
from rotastack.data.artifacts import write_frame
from rotastack.files import write_text
from rotastack.project import project_file
from rotastack.stats.resamples import bootstrap_ranks
from rotastack.stats.win_matrix import win_matrix
from rotastack.workflow.judge.boards import board, board_of_group
from rotastack.workflow.judge.results import seconds_by_method
from rotastack.workflow.run.figures.study import FIGURES_OF_RANKS, draw_of_study, draw_sweep
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.plan import FIGURES_OF_STUDY, Plan
from rotastack.workflow.run.steps import draw
from rotastack.workflow.study.claims import Sweep
from rotastack.workflow.study.specs import FiguresSpec
from rotastack.workflow.study.study import Study

ERRORS = pd.DataFrame(
    {"RF": [0.30, 0.20, 0.25, 0.40], "RRE": [0.28, 0.21, 0.20, 0.35], "CUT": [0.10, 0.10, 0.10, 0.10]},
    index=["u", "v", "w", "x"],
)
SECONDS = {"RF": 1.0, "RRE": 3.0, "CUT": 0.5}
SPEC = {
    "task": "classification",
    "score": "error",
    "axes": ["split"],
    "alpha": 0.05,
    "control": "RF",
    "methods": list(ERRORS),
    "optimistic": ["CUT"],
}


def drawn(errors=ERRORS, seconds=SECONDS, **spec):
    """Return the figures of a table of errors and seconds of training, by name."""
    rows = [
        {"dataset": d, "method": m, "split": "S-1", "error": e} for d, row in errors.iterrows() for m, e in row.items()
    ]
    times = [
        {"dataset": d, "method": m, "fit_seconds": (k + 1) * s, "predict_seconds": np.nan}
        for k, d in enumerate(errors.index)
        for m, s in seconds.items()
    ]
    spec = FiguresSpec(**{**SPEC, **spec})
    table = errors.reindex(columns=spec.methods)
    seconds = seconds_by_method(pd.DataFrame(times)) if times else {}
    found = board(table, False, spec.control, 0.05, optimistic=spec.optimistic, seconds=seconds)
    return {name: draw_of_study(name, spec, pd.DataFrame(rows), {}, found) for name in FIGURES_OF_RANKS}


def test_figures_show_what_the_statistics_say_of_the_methods_that_are_ranked():
    figures = drawn()
    fair = ERRORS[["RF", "RRE"]]
    ranks = bootstrap_ranks(fair, False)
    dots = figures["rank_intervals"].axes[0].lines[-1].get_xydata()
    np.testing.assert_allclose(dots[:, 0], ranks["average_rank"][["RRE", "RF"]])
    wins = np.ma.filled(figures["win_matrix"].axes[0].images[0].get_array(), 0)
    assert wins[0, 1] == win_matrix(fair, False).loc["RRE", "RF"] == 0.75
    points = figures["pareto"].axes[0]
    assert {t.get_text(): t.xy for t in points.texts} == {"RF": (1.0, 1.75), "RRE": (3.0, 1.25)}


def test_where_there_is_nothing_to_draw_a_sentence_says_so():
    nan = ERRORS.assign(RF=np.nan, other=[0.1, 0.2, 0.3, 0.4])
    assert len(drawn(nan, methods=list(nan))["rank_intervals"].axes[0].patches) == 0
    unknown = {name: drawn(seconds=seconds)["pareto"] for name, seconds in {"all": {}, "RF": {"RRE": 1.0}}.items()}
    for figure in (*drawn(ERRORS[:1]).values(), *unknown.values()):
        assert len(figure.texts) == 1


def test_a_study_of_one_data_set_has_only_the_figure_of_calibration_and_each_has_a_caption():
    content = load_yaml(project_file("config/studies/quickstart.yaml"))
    for datasets, expected in ((["iris"], ["calibration"]), (["iris", "wine"], list(FIGURES_OF_STUDY))):
        plan = Plan(Study.from_mapping({**content, "datasets": datasets}, "s"), {})
        assert [key[6:] for key in plan.figures if key.startswith("study/")] == expected
    captions = [Plan.caption(f"study/{name}") for name in FIGURES_OF_STUDY]
    assert captions == [f"../report/{name}.rst" for name in FIGURES_OF_STUDY]


def test_the_figure_of_calibration_has_panels_for_the_best_methods_and_the_control(tmp_path):
    labels = [f"M{k}" for k in range(40)]
    errors = np.linspace(0.1, 0.4, 40)
    scores = pd.DataFrame({"dataset": "d", "method": labels, "split": "S-1", "error": errors})
    scores.assign(bin=1, rows=9, confidence=0.5, accuracy=0.5).to_csv(tmp_path / "calibration.csv", index=False)
    for methods, panels in ((labels, [*labels[:30], "M39"]), (["M39", "M38", "M37"], labels[-3:])):
        spec = FiguresSpec(**{**SPEC, "methods": methods, "control": "M39", "optimistic": []})
        given = scores[scores["method"].isin(methods)]
        figure = draw_of_study("calibration", spec, given, {"calibration": tmp_path / "calibration.csv"}, {})
        assert [axis.get_title().partition(":")[0] for axis in figure.axes if axis.get_visible()] == panels


# Errors against a parameter

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
            {
                "dataset": d,
                "method": m,
                "split": f"S-{r}",
                "error": e + s,
                "training_error": (training or {}).get(m, NAN),
            }
            for d, row in errors.items()
            for m, e in row.items()
            for r, s in enumerate((-0.01, 0.01))
        ]
    )


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
