"""The tables of a finished study as CSV, and the tables of a paper as LaTeX: scores, ranks and tests."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.files import read_json
from rotastack.stats.metrics import BASELINE, METRICS, NAMES
from rotastack.workflow.judge.results import best_of_each, read_csv
from rotastack.workflow.judge.words import capital, p_cell, score_cell
from rotastack.workflow.study.study import Study

_ROWS = 45  # most rows on one page; longer tables continue on further pages


class Printed(NamedTuple):
    """A table of a study: its name, its values for CSV, and its text in LaTeX if it is a table of a paper."""

    name: str
    values: pd.DataFrame
    latex: str | None = None


def printed_tables(folder: Path, study: Study, command: str) -> list[Printed]:
    """Return the tables of a finished study, from the folder of its results; `command` finishes the study."""
    paths = {path.stem: path for path in sorted((folder / "tables").glob("*.csv"))}
    wanted = [*METRICS[study.task.name], "baseline", "times", "variance"]
    if not all(name in paths for name in wanted) or not (folder / "statistics/comparison.json").is_file():
        raise RotastackError(f"study {study.name!r} is not finished; run `{command}` first")
    tables = {name: read_csv(path) for name, path in paths.items()}
    tables = {name: table for name, table in tables.items() if len(table.columns)}
    board = read_json(folder / "statistics/comparison.json")[study.score]
    found = [_leaderboard(board, study), _scores(tables, board, study), *_tests(board, study)]
    printed = {table.name for table in found}
    scores = set(METRICS[study.task.name])
    return found + [Printed(n, t) for n, t in tables.items() if n not in printed and (len(t) or n in scores)]


def _leaderboard(board: dict[str, Any], study: Study) -> Printed:
    """Return the leaderboard."""
    primary, alpha = study.score, study.document.evaluation.alpha
    columns = {
        f"{title}{end}": board.get(part, {}).get(key)
        for part, title in (("ranks", "average_rank"), ("elo", "elo"), ("improvability", "improvability"))
        for key, end in (("mean", ""), ("lower", "_lower"), ("upper", "_upper"))
    }
    for name in ("wins", "ties", "losses", "p", "p_holm"):
        columns[name] = {m: test[name] for m, test in board.get("tests", {}).items()}
    for kind in ("fit", "predict"):
        columns[f"{kind}_times"] = {m: of.get(study.control) for m, of in board["times"].get(kind, {}).items()}
    values = pd.DataFrame(
        {name: pd.Series(numbers, board["methods"], dtype=float) for name, numbers in columns.items()}
    )
    values = values.astype(dict.fromkeys(("wins", "ties", "losses"), "Int64")).rename_axis("method").reset_index()
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
    unit = f" divided by that of {BASELINE[primary]}" if board["in_units"] else ""
    caption = (
        f"Ranks by {study.document.evaluation.average} {NAMES[primary]}{unit}, on the {board['n_datasets']} data sets without failed methods. "
        f"Brackets: bootstrap intervals of {100 * (1 - alpha):g} % over data sets. Against the control: data sets won/tied/lost, and p of Wilcoxon's "
        "signed-rank test with Holm's correction. Training and predicting: multiples of the control's time, median over data sets."
    )
    if study.optimistic:
        caption += " Methods that choose members by the test rows are not ranked."
    return Printed("leaderboard", values, _latex(shown, caption, f"tab:{study.name}-leaderboard", bold))


def _with_interval(values: pd.DataFrame, name: str, form: str) -> list[str]:
    return [
        "--" if pd.isna(m) else form.format(m) + ("" if pd.isna(a) else f" [{form.format(a)}, {form.format(b)}]")
        for m, a, b in zip(values[name], values[f"{name}_lower"], values[f"{name}_upper"], strict=True)
    ]


def _scores(tables: dict[str, pd.DataFrame], board: dict[str, Any], study: Study) -> Printed:
    """Return the score of the study: a row per data set, a column per method, and the best of each row bold."""
    table, task = tables[study.score].set_index("dataset"), study.task.name
    deviations = tables["variance"].pivot(index="dataset", columns="method", values="sd")
    spread = deviations.reindex(index=table.index, columns=table.columns)
    brackets = spread.map(lambda v: "" if pd.isna(v) else f" ({score_cell(v, task)})").where(table.notna(), "")
    shown = table.map(lambda v: score_cell(v, task)) + brackets
    higher = board["higher_is_better"]
    bold = best_of_each(table, study.optimistic, higher).reset_index(drop=True)
    cells = study.protocol.cells
    caption = (
        f"{capital(NAMES[study.score])} by data set, {study.document.evaluation.average}s over {cells}; "
        f"{'higher' if higher else 'lower'} is better; bold: the best of each row. Brackets: standard deviations over {cells}."
    )
    if study.optimistic:
        caption += " Methods that choose members by the test rows are never bold."
    shown = shown.rename_axis("data set").rename_axis(None, axis=1).reset_index()
    values = table.reset_index().join(spread.reset_index(drop=True).add_suffix(" sd"))
    return Printed(study.score, values, _latex(shown, caption, f"tab:{study.name}-{study.score}", bold))


def _tests(board: dict[str, Any], study: Study) -> list[Printed]:
    """Return Friedman's test, and p-values of Nemenyi's test of all pairs; none if there are too few data sets."""
    if "p_value" not in board:
        return []
    first, second = board["df"]
    rows = [
        ("methods", len(board["methods"]), "{:.0f}"),
        ("data sets", board["n_datasets"], "{:.0f}"),
        ("Friedman's chi-squared, corrected for ties", board["friedman_chi2"], "{:.2f}"),
        (f"Iman and Davenport's F({first}, {second})", board["iman_davenport_f"], "{:.2f}"),
        ("p of Friedman's test", board["p_value"], None),
        (
            f"critical difference of average ranks, alpha = {study.document.evaluation.alpha:g}",
            board["critical_difference"],
            "{:.2f}",
        ),
    ]
    values = pd.DataFrame([row[:2] for row in rows], columns=["what", "value"])
    shown = values.assign(value=[_p(value) if form is None else form.format(value) for _, value, form in rows])
    caption = f"Tests of differences in {NAMES[study.score]} over data sets"
    nemenyi = pd.DataFrame(board["nemenyi_p"]).T.rename_axis("method").reset_index()
    return [Printed("tests", values, _latex(shown, caption, f"tab:{study.name}-tests")), Printed("nemenyi", nemenyi)]


def _p(value: float | None) -> str:
    """Return a p-value without spaces, so that LaTeX can align it."""
    return "--" if value is None or pd.isna(value) else p_cell(value).replace(" ", "")


def _latex(shown: pd.DataFrame, caption: str, label: str, bold: pd.DataFrame | None = None) -> str:
    """Return a table in LaTeX, by pandas; the caption has no special character but %."""
    style = shown.style.hide(axis="index").format(escape="latex").format_index(escape="latex", axis="columns")
    if bold is not None:
        marked = bold.reindex(columns=shown.columns, fill_value=False)
        marks = pd.DataFrame(np.where(marked, "textbf:--rwrap;", ""), shown.index, shown.columns)
        style = style.apply(lambda _: marks, axis=None)
    is_long = len(shown) > _ROWS
    return style.to_latex(
        hrules=True,
        caption=caption.replace("%", r"\%"),
        label=label,
        column_format="l" + "r" * (shown.shape[1] - 1),
        environment="longtable" if is_long else None,
        position_float=None if is_long else "centering",
    )
