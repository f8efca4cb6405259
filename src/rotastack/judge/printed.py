"""The tables of a finished study for print: leaderboard, scores by data set, tests, and all others."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.files import read_json
from rotastack.judge.leaderboard import Metric, board, board_table
from rotastack.judge.results import compared, in_units, read_table, seconds_by_method
from rotastack.judge.words import p_cell, score_cell
from rotastack.stats.metrics import BASELINE, METRICS, NAMES, OPTIMA, higher_is_better

__all__ = ["About", "Printed", "printed_tables"]


class About(NamedTuple):
    """Facts about a study that printing its tables needs.

    Attributes
    ----------
    name : str
    command : str
        Command that finishes the study.
    task : str
    score : str
        The score that methods are ranked by.
    cells : str
        Word for cells, such as ``splits``.
    control : str
    alpha : float
    methods, optimistic : sequence of str
        Methods in the study's order; methods that choose members by the test rows.
    """

    name: str
    command: str
    task: str
    score: str
    cells: str
    control: str
    alpha: float
    methods: Sequence[str]
    optimistic: Sequence[str]


class Printed(NamedTuple):
    """A table for print.

    Attributes
    ----------
    name : str
    values : DataFrame
        Unrounded values, for CSV.
    shown : DataFrame of str
    caption, note : str
    bold : DataFrame of bool or None
        Which cells of `shown` are bold.
    keys : int
        Number of first columns of `shown` that identify a row.
    """

    name: str
    values: pd.DataFrame
    shown: pd.DataFrame
    caption: str
    note: str = ""
    bold: pd.DataFrame | None = None
    keys: int = 1


_CAPTIONS = {
    "pairs": "Wins and ties of pairs of methods over the {cells} of each data set",
    "variance": "Components of the variance of the {score} over {cells}",
    "facts": "What is known of trees, votes and machines, means over {cells}",
    "claims": "Claims that the study tests over its data sets",
    "calibration": "Calibration: share of right decisions by confidence",
    "baseline": "Scores of {baseline} of the training rows",
    "control": "Data sets on which a method is better or worse than {control}, and its worst loss in % of the control's score",
    "times": "Seconds of a training and of predicting its test rows",
    "groups": "Groups of methods compared among themselves",
    "published": "Published cells and ours",
    "published_columns": "Published scores that stand beside the methods of the study",
    "published_ranks": "Average ranks with published methods among those of the study",
}
_WORDS = {"dataset": "data set", "own_rank": "without the published", "n_datasets": "data sets"}
_NOTES = {
    "published_ranks": "Published scores are of other splits, and mostly of other programs, than those of the study: "
    "no test of the study counts them."
}


def printed_tables(folder: Path, about: About) -> list[Printed]:
    """Return the tables of a finished study.

    Parameters
    ----------
    folder : Path
        Folder of the study's results.
    about : About

    Raises
    ------
    RotastackError
        The study is not finished.
    """
    paths = {path.stem: path for path in sorted((folder / "tables").glob("*.csv"))}
    wanted = [*METRICS[about.task], "baseline", "times", "variance"]
    if not all(name in paths for name in wanted) or not (folder / "statistics/comparison.json").is_file():
        raise RotastackError(f"study {about.name!r} is not finished: `{about.command}` makes its tables")
    tables = {name: read_table(path) for name, path in paths.items()}
    tables = {name: table for name, table in tables.items() if len(table.columns)}
    scores = {name: tables[name].set_index("dataset").copy() for name in METRICS[about.task] if name in tables}
    comparison = read_json(folder / "statistics/comparison.json")
    found = [_leaderboard(scores, tables, about), *_scores(scores, tables, about)]
    found += _tests(comparison[about.score], about)
    words = {
        "cells": about.cells, "score": NAMES[about.score], "baseline": BASELINE[about.task], "control": about.control,
    }  # fmt: skip
    printed = {table.name for table in found}
    for name, table in tables.items():
        if name not in printed and len(table):
            caption = _CAPTIONS.get(name, name.replace("_", " ")).format(**words)
            shown = pd.DataFrame({_WORDS.get(c, c.replace("_", " ")): _column(table[c]) for c in table})
            keys = next((k for k, c in enumerate(table) if pd.api.types.is_numeric_dtype(table[c])), 1)
            found.append(Printed(name, table, shown, caption, _NOTES.get(name, ""), None, max(keys, 1)))
    return found


def _leaderboard(scores: dict[str, pd.DataFrame], tables: dict[str, pd.DataFrame], about: About) -> Printed:
    primary = about.score
    units = in_units(primary, tables["baseline"].set_index("dataset"))
    means = compared(scores[primary], units)
    methods = [m for m in about.methods if m in means and m not in about.optimistic]
    seconds = seconds_by_method(tables.get("times", pd.DataFrame()))
    times = {kind: t.reindex(index=means.index, columns=means.columns) for kind, t in seconds.items()}
    control = about.control if about.control in methods else None
    higher = bool(higher_is_better(primary))
    metric = Metric(primary, NAMES[primary], higher, means, optimum=OPTIMA.get(primary, 0.0))
    found = board(metric, methods, control, alpha=about.alpha, times=times)
    values = board_table(found, means.columns)
    counts = ("wins", "ties", "losses")
    values = values.astype({c: "Int64" if c in counts else "float64" for c in values.columns.drop("method")})
    shown = pd.DataFrame(
        {
            "method": values["method"],
            "average rank": _with_interval(values, "average_rank", "{:.2f}"),
            "Elo": _with_interval(values, "elo", "{:.0f}"),
            "improvability in %": _with_interval(values, "improvability", "{:.1f}"),
            f"against {about.control}": [
                f"{r.wins:.0f}/{r.ties:.0f}/{r.losses:.0f}" if pd.notna(r.wins) else "--" for r in values.itertuples()
            ],
            "p (Holm)": values["p_holm"].map(_p),
            "training": values["fit_times"].map("{:.2f}".format).replace("nan", "--"),
            "predicting": values["predict_times"].map("{:.2f}".format).replace("nan", "--"),
        }
    )
    bold = pd.DataFrame(False, shown.index, shown.columns)
    for column, source, best in (
        ("average rank", "average_rank", "min"), ("Elo", "elo", "max"), ("improvability in %", "improvability", "min"),
    ):  # fmt: skip
        bold[column] = values[source].notna() & (values[source] == getattr(values[source], best)())
    n = len(found["datasets"])
    share = f"{100 * (1 - about.alpha):g} %"
    note = (
        f"By the mean {NAMES[primary]} over {about.cells} on the {n} data sets on which no method failed; {'more' if higher else 'less'} is better. "
        f"In brackets bootstrap intervals of {share} over data sets. Elo has mean 1000, ties are half a win. Improvability is "
        f"the share of the {_distance(primary)} that the best method of a data set does without. Against {about.control}: "
        "data sets won/tied/lost, and p of Wilcoxon's signed-rank test with Holm's correction. Training and predicting are "
        f"in times of {about.control}'s, at the median data set."
    )
    if units is not None:
        note += f" The {NAMES[primary]} is compared as a share of that of {BASELINE[about.task]}."
    if about.optimistic:
        note += f" Not ranked, as they choose members by the test rows: {', '.join(about.optimistic)}."
    return Printed("leaderboard", values, shown, "Leaderboard", note, bold)


def _distance(score: str) -> str:
    """Return the name of the quantity that improvability is a share of: a score, or its distance to 1."""
    return f"distance of the {NAMES[score]} to 1" if score in OPTIMA else NAMES[score]


def _with_interval(values: pd.DataFrame, name: str, form: str) -> list[str]:
    return [
        "--" if pd.isna(m) else f"{form.format(m)} [{form.format(a)}, {form.format(b)}]"
        for m, a, b in zip(values[name], values[f"{name}_lower"], values[f"{name}_upper"], strict=True)
    ]


def _scores(scores: dict[str, pd.DataFrame], tables: dict[str, pd.DataFrame], about: About) -> list[Printed]:
    """Return a table for each score: a row per data set, a column per method, and the best of each row bold."""
    primary, found = about.score, []
    variance = tables["variance"].pivot(index="dataset", columns="method", values="sd")
    for name, table in scores.items():
        better = METRICS[about.task][name]
        spread = variance.reindex(index=table.index, columns=table.columns) if name == primary else None
        shown = table.map(lambda v: score_cell(v, about.task))
        if spread is not None:
            brackets = spread.map(lambda v: "" if pd.isna(v) else f" ({score_cell(v, about.task)})")
            shown = shown + brackets.where(table.notna(), "")
        fair = table.drop(columns=about.optimistic, errors="ignore").round(12)
        bold = None
        note = f"Means over {about.cells}."
        if better is not None:
            best = fair.max(axis=1) if better else fair.min(axis=1)
            bold = fair.eq(best, axis=0).reindex(columns=table.columns, fill_value=False)
            note = f"Means over {about.cells}; {'more' if better else 'less'} is better, the best of each row is bold."
        if spread is not None:
            note += f" In brackets standard deviations over {about.cells}."
        if about.optimistic:
            note += f" Never the best, as they choose members by the test rows: {', '.join(about.optimistic)}."
        values = table.reset_index()
        if spread is not None:
            values = values.join(spread.reset_index(drop=True).add_suffix(" sd"))
        shown = shown.rename_axis("data set").rename_axis(None, axis=1).reset_index()
        if bold is not None:
            bold = bold.reset_index(drop=True)
        title = NAMES[name]
        caption = f"{title[0].upper()}{title[1:]} by data set"
        found.append(Printed(name, values, shown, caption, note, bold))
    return found


def _tests(comparison: dict[str, Any], about: About) -> list[Printed]:
    """Return tables of Friedman's test and of Nemenyi's test of all pairs; none if there are too few data sets."""
    if "p_value" not in comparison:
        return []
    k, n = len(comparison["average_ranks"]), comparison["n_datasets"]
    first, second = comparison["df"]
    rows = [
        ("methods", k, f"{k}"), ("data sets", n, f"{n}"),
        ("Friedman's chi-squared, corrected for ties", comparison["friedman_chi2"], f"{comparison['friedman_chi2']:.2f}"),
        (f"Iman and Davenport's F({first}, {second})", comparison["iman_davenport_f"], f"{comparison['iman_davenport_f']:.2f}"),
        ("p of F", comparison["p_value"], _p(comparison["p_value"])),
        (f"critical difference of average ranks, alpha = {about.alpha:g}", comparison["critical_difference"],
         f"{comparison['critical_difference']:.2f}"),
    ]  # fmt: skip
    values = pd.DataFrame([(what, value) for what, value, _ in rows], columns=["what", "value"])
    shown = pd.DataFrame([(what, text) for what, _, text in rows], columns=["what", "value"])
    score = NAMES[about.score]
    found = [Printed("tests", values, shown, f"Whether methods differ by {score} over data sets")]
    nemenyi = pd.DataFrame(comparison["nemenyi_p"]).T
    texts = nemenyi.map(_p)
    for m in nemenyi:
        texts.loc[m, m] = "--"
    bold = (nemenyi < about.alpha) & ~np.eye(len(nemenyi), dtype=bool)
    found.append(
        Printed(
            "nemenyi", nemenyi.rename_axis("method").reset_index(), texts.rename_axis("method").reset_index(),
            "p of Nemenyi's test for all pairs of methods", f"Bold: below {about.alpha:g}.", bold.reset_index(drop=True),
        )
    )  # fmt: skip
    return found


def _p(value: float | None) -> str:
    """Return a p-value without spaces, so that LaTeX can align it."""
    return "--" if value is None or pd.isna(value) else p_cell(value).replace(" ", "")


def _column(values: pd.Series) -> pd.Series:
    """Return a column of any table as texts; all numbers of the column have the same number of decimals."""
    if pd.api.types.is_bool_dtype(values) or set(values.dropna().map(type)) == {bool}:
        return values.map({True: "yes", False: "no"}).fillna("--")
    if not pd.api.types.is_numeric_dtype(values):
        return values.map(lambda v: "--" if pd.isna(v) else str(v)).astype(object)
    if values.name in ("p", "p_value") or str(values.name).startswith("p_"):
        return values.map(_p)
    known = values.dropna().abs()
    known = known[np.isfinite(known)]
    largest, smallest = known.max(), known[known > 0].min()
    if (known % 1 == 0).all():
        form = "{:.0f}"
    elif largest >= 1e5 or smallest < 1e-4:
        form = "{:.2e}"
    else:
        form = f"{{:.{max(1, 4 - len(str(int(largest))) + (largest < 1))}f}}"
    return values.map(lambda v: "--" if pd.isna(v) else form.format(v))
