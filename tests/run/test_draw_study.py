"""Figures over data sets, from scores and tables."""

import numpy as np
import pandas as pd

from rotastack.base.documents import load_yaml
from rotastack.project import project_file
from rotastack.stats.resamples import bootstrap_ranks
from rotastack.stats.win_matrix import win_matrix
from rotastack.workflow.run.figures.study import draw_of_study
from rotastack.workflow.run.plan import OF_SEVERAL, Plan
from rotastack.workflow.study.specs import FiguresSpec
from rotastack.workflow.study.study import Study

ERRORS = pd.DataFrame(
    {"RF": [0.30, 0.20, 0.25, 0.40], "RRE": [0.28, 0.21, 0.20, 0.35], "CUT": [0.10, 0.10, 0.10, 0.10]},
    index=["u", "v", "w", "x"],
)
SECONDS = {"RF": 1.0, "RRE": 3.0, "CUT": 0.5}
SPEC = {
    "task": "classification", "score": "error", "axes": ["split"], "alpha": 0.05, "control": "RF", "methods": list(ERRORS),
    "optimistic": ["CUT"],
}  # fmt: skip


def drawn(tmp_path, errors=ERRORS, seconds=SECONDS, **spec):
    """Return the figures of a table of errors and seconds of training, by name."""
    rows = [
        {"dataset": d, "method": m, "split": "S-1", "error": e} for d, row in errors.iterrows() for m, e in row.items()
    ]
    times = [
        {"dataset": d, "method": m, "fit_seconds": (k + 1) * s, "predict_seconds": np.nan}
        for k, d in enumerate(errors.index)
        for m, s in seconds.items()
    ]
    pd.DataFrame(times).to_csv(tmp_path / "times.csv", index=False)
    told = FiguresSpec(**{**SPEC, **spec}), pd.DataFrame(rows), {"times": tmp_path / "times.csv"}
    return {name: draw_of_study(name, *told) for name in OF_SEVERAL}


def words(figure):
    return [text.get_text() for text in figure.texts]


def test_figures_show_what_the_statistics_say_of_the_methods_that_are_ranked(tmp_path):
    figures = drawn(tmp_path)
    fair = ERRORS[["RF", "RRE"]]
    ranks = bootstrap_ranks(fair, False)
    dots = figures["rank_intervals"].axes[0].lines[-1].get_xydata()
    np.testing.assert_allclose(dots[:, 0], ranks["average_rank"][["RRE", "RF"]])
    wins = np.ma.filled(figures["win_matrix"].axes[0].images[0].get_array(), 0)
    assert wins[0, 1] == win_matrix(fair, False).loc["RRE", "RF"] == 0.75
    points = figures["pareto"].axes[0]
    assert {t.get_text(): t.xy for t in points.texts} == {"RF": (1.0, 1.75), "RRE": (3.0, 1.25)}


def test_where_there_is_nothing_to_draw_a_sentence_says_so(tmp_path):
    too_few = "Ranks need at least two data sets without failed methods."
    assert all(words(f) == [too_few] for f in drawn(tmp_path, ERRORS[:1]).values())
    nan = ERRORS.assign(RF=np.nan, other=[0.1, 0.2, 0.3, 0.4])
    figures = drawn(tmp_path, nan, methods=list(nan))
    assert len(figures["rank_intervals"].axes[0].patches) == 0
    unknown = "Times are multiples of the training time of RF, which is unknown."
    assert words(drawn(tmp_path, seconds={})["pareto"]) == [unknown]
    assert words(drawn(tmp_path, seconds={"RRE": 1.0})["pareto"]) == [unknown]


def test_a_study_of_one_data_set_has_none_of_these_and_each_has_a_caption():
    content = load_yaml(project_file("config/studies/quickstart.yaml"))
    for datasets, expected in ((["iris"], set()), (["iris", "wine"], set(OF_SEVERAL))):
        plan = Plan(Study.from_mapping({**content, "datasets": datasets}, "s"), {})
        assert {name for name in OF_SEVERAL if f"study/{name}" in plan.figures} == expected
    assert [Plan.caption(f"study/{name}") for name in OF_SEVERAL] == [f"../report/{name}.rst" for name in OF_SEVERAL]


def test_the_figure_of_calibration_has_panels_for_the_best_methods_and_the_control(tmp_path):
    labels = [f"M{k}" for k in range(40)]
    errors = np.linspace(0.1, 0.4, 40)
    scores = pd.DataFrame({"dataset": "d", "method": labels, "split": "S-1", "error": errors})
    scores.assign(bin=1, rows=9, confidence=0.5, accuracy=0.5).to_csv(tmp_path / "calibration.csv", index=False)
    for methods, panels in ((labels, [*labels[:30], "M39"]), (labels[-3:], labels[-3:])):
        spec = FiguresSpec(**{**SPEC, "methods": methods, "control": "M39", "optimistic": []})
        given = scores[scores["method"].isin(methods)]
        figure = draw_of_study("calibration", spec, given, {"calibration": tmp_path / "calibration.csv"})
        assert [axis.get_title().partition(":")[0] for axis in figure.axes if axis.get_visible()] == panels
