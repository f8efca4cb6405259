"""The tables of a finished study, for print and as LaTeX."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.files import read_json
from rotastack.stats.metrics import BASELINE, METRICS, NAMES, best_possible, higher_is_better
from rotastack.workflow.judge.leaderboard import Metric, board, board_table
from rotastack.workflow.judge.results import compared, in_units, read_csv, seconds_by_method
from rotastack.workflow.judge.words import capital, p_cell, score_cell
from rotastack.workflow.study.study import Study

__all__ = ["Printed", "document", "escaped", "latex_table", "printed_tables"]


class Printed(NamedTuple):
    """A table for print: values for CSV, texts, which of these are bold, and how many first columns identify a row."""

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
    "facts": "Facts of trees, votes and linear machines, means over {cells}",
    "claims": "Claims of the study, tested over its data sets",
    "calibration": "Calibration: share of right decisions by confidence",
    "baseline": "Scores of {baseline} of the training rows",
    "control": "Data sets on which a method is better or worse than {control}, and the method's largest loss in % of the control's score",
    "times": "Seconds of a training and of predicting its test rows",
    "groups": "Comparisons within groups of methods",
    "published": "Published cells and cells of the study",
    "published_columns": "Published scores beside the methods of the study",
    "published_ranks": "Average ranks of published methods and the methods of the study",
}
_WORDS = {"dataset": "data set", "own_rank": "without the published", "n_datasets": "data sets"}
_NOTES = {
    "published_ranks": "Published scores come from other splits, and mostly from other programs, than the scores of the study; "
    "no test of the study includes published scores."
}


def printed_tables(folder: Path, study: Study, command: str) -> list[Printed]:
    """Return the tables of a finished study, from the folder of its results; `command` finishes the study."""
    paths = {path.stem: path for path in sorted((folder / "tables").glob("*.csv"))}
    wanted = [*METRICS[study.task.name], "baseline", "times", "variance"]
    if not all(name in paths for name in wanted) or not (folder / "statistics/comparison.json").is_file():
        raise RotastackError(f"study {study.name!r} is not finished; run `{command}` first")
    tables = {name: read_csv(path) for name, path in paths.items()}
    tables = {name: table for name, table in tables.items() if len(table.columns)}
    scores = {name: tables[name].set_index("dataset").copy() for name in METRICS[study.task.name] if name in tables}
    comparison = read_json(folder / "statistics/comparison.json")
    found = [_leaderboard(scores, tables, study), *_scores(scores, tables, study)]
    found += _tests(comparison[study.score], study)
    words = {
        "cells": study.protocol.cells, "score": NAMES[study.score], "baseline": BASELINE[study.task.name], "control": study.control,
    }  # fmt: skip
    printed = {table.name for table in found}
    for name, table in tables.items():
        if name not in printed and len(table):
            caption = _CAPTIONS.get(name, name.replace("_", " ")).format(**words)
            shown = pd.DataFrame({_WORDS.get(c, c.replace("_", " ")): _column(table[c]) for c in table})
            keys = next((k for k, c in enumerate(table) if pd.api.types.is_numeric_dtype(table[c])), 1)
            found.append(Printed(name, table, shown, caption, _NOTES.get(name, ""), None, max(keys, 1)))
    return found


def _leaderboard(scores: dict[str, pd.DataFrame], tables: dict[str, pd.DataFrame], study: Study) -> Printed:
    primary = study.score
    units = in_units(primary, tables["baseline"].set_index("dataset"))
    means = compared(scores[primary], units)
    methods = [m for m in study.methods if m in means and m not in study.optimistic]
    seconds = seconds_by_method(tables.get("times", pd.DataFrame()))
    times = {kind: t.reindex(index=means.index, columns=means.columns) for kind, t in seconds.items()}
    control = study.control if study.control in methods else None
    higher = bool(higher_is_better(primary))
    metric = Metric(primary, NAMES[primary], higher, means, optimum=best_possible(primary))
    found = board(metric, methods, control, alpha=study.document.evaluation.alpha, times=times)
    values = board_table(found, means.columns)
    counts = ("wins", "ties", "losses")
    values = values.astype({c: "Int64" if c in counts else "float64" for c in values.columns.drop("method")})
    shown = pd.DataFrame(
        {
            "method": values["method"],
            "average rank": _with_interval(values, "average_rank", "{:.2f}"),
            "Elo": _with_interval(values, "elo", "{:.0f}"),
            "improvability in %": _with_interval(values, "improvability", "{:.1f}"),
            f"against {study.control}": [
                f"{r.wins:.0f}/{r.ties:.0f}/{r.losses:.0f}" if pd.notna(r.wins) else "--" for r in values.itertuples()
            ],
            "p (Holm)": values["p_holm"].map(_p),
            "training": values["fit_times"].map("{:.2f}".format).replace("nan", "--"),
            "predicting": values["predict_times"].map("{:.2f}".format).replace("nan", "--"),
        }
    )
    bold = pd.DataFrame(False, shown.index, shown.columns)
    bold["average rank"] = values["average_rank"] == values["average_rank"].min()
    bold["Elo"] = values["elo"] == values["elo"].max()
    bold["improvability in %"] = values["improvability"] == values["improvability"].min()
    n = len(found["datasets"])
    share = f"{100 * (1 - study.document.evaluation.alpha):g} %"
    distance = f"distance of the {NAMES[primary]} to 1" if higher else NAMES[primary]
    note = (
        f"{capital(study.document.evaluation.average)} {NAMES[primary]} over {study.protocol.cells}, on the {n} data sets without failed methods; {'higher' if higher else 'lower'} is better. "
        f"Brackets: bootstrap intervals of {share} over data sets. Elo: mean 1000, a tie counts half a win. Improvability: "
        f"the share of the {distance} that the best method of a data set saves. Against {study.control}: "
        "data sets won/tied/lost, and p of Wilcoxon's signed-rank test with Holm's correction. Training and predicting: "
        f"multiples of the time of {study.control}, median over data sets."
    )
    if units is not None:
        note += f" The {NAMES[primary]} is divided by the {NAMES[primary]} of {BASELINE[study.task.name]}."
    if study.optimistic:
        note += f" Not ranked, because they choose members by the test rows: {', '.join(study.optimistic)}."
    return Printed("leaderboard", values, shown, "Leaderboard", note, bold)


def _with_interval(values: pd.DataFrame, name: str, form: str) -> list[str]:
    return [
        "--" if pd.isna(m) else form.format(m) + ("" if pd.isna(a) else f" [{form.format(a)}, {form.format(b)}]")
        for m, a, b in zip(values[name], values[f"{name}_lower"], values[f"{name}_upper"], strict=True)
    ]


def _scores(scores: dict[str, pd.DataFrame], tables: dict[str, pd.DataFrame], study: Study) -> list[Printed]:
    """Return a table for each score: a row per data set, a column per method, and the best of each row bold."""
    found, task, cells = [], study.task.name, study.protocol.cells
    averages = f"{capital(study.document.evaluation.average)}s"
    deviations = tables["variance"].pivot(index="dataset", columns="method", values="sd")
    for name, table in scores.items():
        better, bold, note = METRICS[task][name], None, f"{averages} over {cells}."
        values, shown = table.reset_index(), table.map(lambda v: score_cell(v, task))
        if better is not None:
            fair = table.drop(columns=study.optimistic, errors="ignore").round(12)
            best = fair.max(axis=1) if better else fair.min(axis=1)
            bold = fair.eq(best, axis=0).reindex(columns=table.columns, fill_value=False).reset_index(drop=True)
            note = f"{averages} over {cells}; {'higher' if better else 'lower'} is better; bold: the best of each row."
        if name == study.score:
            spread = deviations.reindex(index=table.index, columns=table.columns)
            brackets = spread.map(lambda v: "" if pd.isna(v) else f" ({score_cell(v, task)})")
            shown = shown + brackets.where(table.notna(), "")
            values = values.join(spread.reset_index(drop=True).add_suffix(" sd"))
            note += f" Brackets: standard deviations over {cells}."
        if study.optimistic:
            note += f" Never bold, because they choose members by the test rows: {', '.join(study.optimistic)}."
        shown = shown.rename_axis("data set").rename_axis(None, axis=1).reset_index()
        found.append(Printed(name, values, shown, f"{capital(NAMES[name])} by data set", note, bold))
    return found


def _tests(comparison: dict[str, Any], study: Study) -> list[Printed]:
    """Return tables of Friedman's test and of Nemenyi's test of all pairs; none if there are too few data sets."""
    if "p_value" not in comparison:
        return []
    k, n = len(comparison["average_ranks"]), comparison["n_datasets"]
    first, second = comparison["df"]
    rows = [
        ("methods", k, f"{k}"), ("data sets", n, f"{n}"),
        ("Friedman's chi-squared, corrected for ties", comparison["friedman_chi2"], f"{comparison['friedman_chi2']:.2f}"),
        (f"Iman and Davenport's F({first}, {second})", comparison["iman_davenport_f"], f"{comparison['iman_davenport_f']:.2f}"),
        ("p of Friedman's test", comparison["p_value"], _p(comparison["p_value"])),
        (f"critical difference of average ranks, alpha = {study.document.evaluation.alpha:g}", comparison["critical_difference"],
         f"{comparison['critical_difference']:.2f}"),
    ]  # fmt: skip
    values = pd.DataFrame(rows, columns=["what", "value", "text"])
    shown = values[["what", "text"]].set_axis(["what", "value"], axis=1)
    alpha, nemenyi = study.document.evaluation.alpha, pd.DataFrame(comparison["nemenyi_p"]).T
    others = ~np.eye(len(nemenyi), dtype=bool)
    texts, bold = nemenyi.map(_p).where(others, "--"), (nemenyi < alpha) & others
    return [
        Printed("tests", values[["what", "value"]], shown, f"Tests of differences in {NAMES[study.score]} over data sets"),
        Printed(
            "nemenyi", nemenyi.rename_axis("method").reset_index(), texts.rename_axis("method").reset_index(),
            "p of Nemenyi's test for all pairs of methods", f"Bold: p below {alpha:g}.", bold.reset_index(drop=True),
        ),
    ]  # fmt: skip


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


_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "\n": " ", "±": r"\ensuremath{\pm}", "²": r"\ensuremath{^2}",
    "χ": r"\ensuremath{\chi}",
}  # fmt: skip
_COLUMNS = 8  # most columns beside the key columns; further columns go into another part
_ROWS = 45  # most rows on one page; longer tables continue on further pages


def escaped(text: str) -> str:
    """Return a text with LaTeX's special characters escaped."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def latex_table(
    shown: pd.DataFrame, caption: str, label: str, note: str = "", bold: pd.DataFrame | None = None, keys: int = 1
) -> str:
    """Return a table in LaTeX: many columns are divided into parts, many rows continue on further pages.

    The first `keys` columns identify a row and are repeated in each part; the note is printed below the table.
    """
    first, rest = list(shown.columns[:keys]), list(shown.columns[keys:])
    n_parts = max(1, -(-len(rest) // _COLUMNS))
    size = max(1, -(-len(rest) // n_parts))
    texts = []
    for number in range(n_parts):
        chosen = [*first, *rest[number * size : (number + 1) * size]]
        several = f" (part {number + 1} of {n_parts})" if n_parts > 1 else ""
        marked = None if bold is None else bold.reindex(columns=chosen, fill_value=False)
        own = f"{label}-{number + 1}" if number else label
        texts.append(_part(shown[chosen], f"{caption}{several}", own, note, marked, keys))
    return "\n".join(texts)


def _part(shown: pd.DataFrame, caption: str, label: str, note: str, bold: pd.DataFrame | None, keys: int) -> str:
    shown = shown.reset_index(drop=True)
    style = shown.style.hide(axis="index").format(escaped).format_index(escaped, axis="columns")
    if bold is not None:
        marks = pd.DataFrame(np.where(bold, "textbf:--rwrap;", ""), shown.index, shown.columns)
        style = style.apply(lambda _: marks, axis=None)
    is_long = len(shown) > _ROWS
    text = style.to_latex(
        hrules=True, caption=escaped(caption), label=label, column_format=_alignment(shown, keys),
        environment="longtable" if is_long else None, position_float=None if is_long else "centering",
    )  # fmt: skip
    if not note:
        return text
    below = rf"\par\smallskip\parbox{{0.95\textwidth}}{{\footnotesize {escaped(note)}}}" + "\n"
    end = r"\end{longtable}" if is_long else r"\end{table}"
    return text.replace(end, f"{end}\n{below}" if is_long else f"{below}{end}")


def _alignment(shown: pd.DataFrame, keys: int) -> str:
    """Return the alignment of the columns: l for words, and r for numbers, so that their digits line up."""
    number = re.compile(r"[<+-]?[\d.]+([eE][+-]?\d+)?( %)?( [(\[].*[)\]])?|\d+/\d+/\d+|--|")
    return "".join(
        "r" if k >= keys and all(number.fullmatch(str(v)) for v in shown.iloc[:, k]) else "l"
        for k in range(shown.shape[1])
    )


def document(title: str, files: Sequence[str]) -> str:
    """Return a LaTeX document that shows all tables and loads the packages that they need."""
    inputs = "\n".join(rf"\input{{{name}}}" + "\n\\clearpage" for name in files)
    return (
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage{booktabs}\n"
        "\\usepackage{longtable}\n\\usepackage[margin=1.5cm,landscape]{geometry}\n"
        f"\\title{{{escaped(title)}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n{inputs}\n\\end{{document}}\n"
    )
