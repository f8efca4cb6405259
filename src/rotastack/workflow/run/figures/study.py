"""The figures over all data sets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rotastack.plots.critical_difference import draw_ranks
from rotastack.plots.curves import Curve, plot_calibration, plot_curves
from rotastack.plots.methods import plot_differences, plot_pareto, plot_rank_intervals, plot_win_matrix
from rotastack.plots.style import add_note, sentence
from rotastack.stats.metrics import IN_UNITS, NAMES, higher_is_better
from rotastack.workflow.judge.results import by_method, complete, in_units, mean_scores
from rotastack.workflow.study.claims import Sweep
from rotastack.workflow.study.names import ranks_name
from rotastack.workflow.study.specs import FiguresSpec

FEW = 5  # the fewest cells for a standard error
MOST_PANELS = 30  # of more methods, the best and the control have a panel


def names_of_study(spec: FiguresSpec) -> set[str]:
    """Return the names of a study's possible figures over all data sets."""
    return {
        *FIGURES,
        *FIGURES_OF_RANKS,
        "critical_difference",
        *spec.sweeps,
        *(ranks_name(group["name"]) for group in spec.groups),
    }


def draw_of_study(
    name: str, spec: FiguresSpec, scores: pd.DataFrame, tables: dict[str, Path], board: Mapping[str, Any]
) -> Figure:
    """Return a figure over all data sets: one of ``FIGURES``, a rank diagram of a group, or a sweep.

    A score in units of the target is drawn as a multiple of the baseline's score, because data sets have different units.
    """
    primary = spec.score
    score = NAMES[primary]
    scores = scores[~scores["dataset"].isin(list(spec.left_out))]
    if primary in IN_UNITS:
        units = in_units(primary, pd.read_csv(tables["baseline"]).set_index("dataset"))
        scores = scores.assign(**{primary: scores[primary] / scores["dataset"].map(units)})
        score = f"{score} as a share of the baseline's"
    if name in spec.sweeps:
        return draw_sweep(scores, spec.sweeps[name], primary, score, spec.average)
    if name in FIGURES:
        means = mean_scores(scores, primary, spec.methods, spec.average).round(12)
        shown = [m for m in means if m in (spec.shown or spec.methods) or m == spec.control]
        return FIGURES[name](spec, scores, means[shown], score, tables)
    found = {ranks_name(group): of_group for group, of_group in board.get("groups", {}).items()}.get(name, board)
    if "p_value" not in found:
        return sentence("Ranks need at least two data sets without failed methods.")
    if name in FIGURES_OF_RANKS:
        return FIGURES_OF_RANKS[name](board, spec.control)
    nemenyi = pd.DataFrame.from_dict(found["nemenyi_p"], orient="index")
    return draw_ranks(pd.Series(found["ranks"]["mean"]), nemenyi, found["critical_difference"], spec.alpha)


def _differences(
    spec: FiguresSpec, scores: pd.DataFrame, means: pd.DataFrame, score: str, tables: Mapping[str, Path]
) -> Figure:
    """Draw the scores minus the control's, by data set, with standard errors over cells from ``FEW`` cells on."""
    cells = scores.pivot_table(
        index=["dataset", *spec.axes], columns="method", values=spec.score, sort=False, dropna=False
    )
    paired = cells.sub(cells[spec.control], axis=0).groupby("dataset", sort=False)
    errors = (paired.std(ddof=1) / np.sqrt(paired.count())).where(paired.count() >= FEW)
    return plot_differences(means, errors, spec.control, score, bool(higher_is_better(spec.score)))


def _calibration(
    spec: FiguresSpec, scores: pd.DataFrame, means: pd.DataFrame, score: str, tables: Mapping[str, Path]
) -> Figure:
    """Draw shares of right decisions against confidence, over all data sets."""
    ranks = means.rank(axis=1, ascending=not higher_is_better(spec.score)).mean()
    shown = dict.fromkeys([*ranks.sort_values(kind="stable").index[:MOST_PANELS], spec.control])
    curves = pd.read_csv(tables["calibration"])
    curves = curves[curves["method"].isin(shown)]
    if not len(curves):
        return sentence("No calibration curve: all methods failed.")
    order = pd.Categorical(curves["method"], [*shown])
    return plot_calibration(curves.assign(order=order).sort_values("order", kind="stable"))


def _rank_intervals(board: Mapping[str, Any], control: str) -> Figure:
    """Draw the average ranks, with their intervals over resampled data sets."""
    return plot_rank_intervals(pd.DataFrame(board["ranks"]).rename(columns={"mean": "average_rank"}), control)


def _win_matrix(board: Mapping[str, Any], control: str) -> Figure:
    """Draw how often each method beats each other method."""
    wins, n = pd.DataFrame.from_dict(board["wins"], orient="index"), board["n_datasets"]
    return plot_win_matrix((n + wins - wins.T) / (2 * n))


def _pareto(board: Mapping[str, Any], control: str) -> Figure:
    """Draw the average ranks against the time of a training."""
    ranks = board["ranks"]["mean"]
    times = {m: of_method.get(control) for m, of_method in board["times"].get("fit", {}).items()}
    if times.get(control) is None:
        return sentence(f"Times are multiples of the training time of {control}, which is unknown.")
    points = pd.DataFrame({"time": pd.Series(times).reindex(ranks), "quality": ranks})
    return plot_pareto(points, control, x_label=f"training time, multiple of {control}'s")


def draw_sweep(
    scores: pd.DataFrame, sweep: Sweep, primary: str = "error", score: str = "error", average: str = "mean"
) -> Figure:
    """Return a figure of mean errors against a parameter, on test rows and, if known, on training rows.

    Means are over the data sets on which no method of the figure failed. A method that failed on all data sets leaves
    a gap.
    """
    methods = list(dict.fromkeys(m for line in sweep.lines.values() for m in line))
    panels: dict[str, dict[str, Curve]] = {}
    noted = []
    for column, title in ((primary, "test rows"), ("training_error", "training rows")):
        if column not in scores or scores.loc[scores["method"].isin(methods), column].isna().all():
            continue
        table = by_method(scores, column, average).reindex(columns=methods)
        ranked = complete(table)
        means = ranked.mean().reindex(methods)
        noted += [f"{name} ({title})" for name in table.index.difference(ranked.index, sort=False)]
        over = ranked.index[0] if len(ranked) == 1 else f"mean of {len(ranked)} data sets"
        panels[f"{title}, {over}"] = {
            label: float(means[line[0]]) if len(line) == 1 else (sweep.values, means[line].to_numpy())
            for label, line in sweep.lines.items()
        }
    figure = plot_curves(panels, sweep.axis, score, log=bool(sweep.log), ticks=sweep.values, title=sweep.title)
    if noted:
        add_note(figure, f"Left out, because a method failed: {', '.join(noted)}.")
    return figure


FIGURES = {"differences": _differences, "calibration": _calibration}
"""Name of a figure -> the function that draws it."""
FIGURES_OF_RANKS = {"rank_intervals": _rank_intervals, "win_matrix": _win_matrix, "pareto": _pareto}
"""Name of a figure that needs two ranked methods on two data sets -> the function that draws it; others are rank diagrams."""
