"""Published results: cell by cell beside those of a study, and as further methods in ranks that no test of the study uses."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rotastack.base.documents import load_yaml
from rotastack.stats.bayesian import bayesian_table
from rotastack.stats.pairs import compare_pair
from rotastack.workflow.judge.boards import board
from rotastack.workflow.judge.results import ROPE, axes_of, compared, complete
from rotastack.workflow.study.published_tables import column_label, scores_of

COMPARED = (
    "table",
    "dataset",
    "method",
    "metric",
    "published",
    "ours",
    "standard_error",
    "repeats",
    "difference",
    "agrees",
    "reason",
    "note",
)
CHANCE = 2.0  # standard errors of a difference that count as chance


def compare_with_published(
    scores: pd.DataFrame,
    cells: pd.DataFrame,
    reasons: list[dict[str, Any]],
    whole: Collection[str] = (),
    average: str = "mean",
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Return published cells beside the study's own, and the published data sets and methods that the study lacks.

    `average` says what the cells are, and our numbers beside them: means or medians. Means over all data sets are compared
    only if the study has the data sets in `whole`, those of the source's means.
    """
    single = cells[cells["dataset"] != "all"]  # "all" is no data set, but the mean over data sets
    absent = {
        "data sets": [d for d in dict.fromkeys(single["dataset"]) if d not in set(scores["dataset"])],
        "methods": [m for m in dict.fromkeys(single["method"]) if m not in set(scores["method"])],
    }
    by_cell: dict[Any, pd.DataFrame] = dict(iter(scores.groupby(["dataset", "method"], sort=False)))
    if whole and set(whole) == set(scores["dataset"]):
        axes = axes_of(scores)
        for name, part in scores.groupby("method", sort=False):
            by_cell["all", name] = part.groupby(axes, as_index=False).mean(numeric_only=True)
    printed = {(c.table, c.dataset, c.method): float(c.value) for c in cells.itertuples() if c.metric == "error_sd"}
    rows = []
    for cell in cells.itertuples():
        part = by_cell.get((cell.dataset, cell.method))
        if part is None or cell.metric == "rank":
            continue
        other = by_cell.get((cell.dataset, getattr(cell, "against", None))) if cell.dataset != "all" else None
        ours, sd, n = _ours(cell, part, other, average)
        if not np.isfinite(ours):
            continue
        value, error = float(cell.value), sd / np.sqrt(n)
        digits = len(cell.value.partition(".")[2])
        if cell.metric in ("wins", "ties"):  # both are shares, so they have the variance of the pooled share
            both = (n * ours + cell.repeats * value) / (n + cell.repeats)
            sd = np.sqrt(both * (1 - both))
        theirs = printed.get((cell.table, cell.dataset, cell.method), sd) if cell.metric == "error" else sd
        allowed = CHANCE * np.sqrt(sd**2 / n + theirs**2 / cell.repeats) + 0.5 * 10.0**-digits
        agrees = bool(abs(ours - value) <= allowed) if np.isfinite(allowed) else None
        rows.append(
            {
                "table": cell.table,
                "dataset": cell.dataset,
                "method": cell.method,
                "metric": cell.metric,
                "published": value,
                "ours": ours,
                "standard_error": error,
                "repeats": n,
                "difference": ours - value,
                "agrees": agrees,
                "reason": _reason(cell, reasons) if agrees is False else "",
                "note": cell.note if isinstance(cell.note, str) else "",
            }
        )
    return pd.DataFrame(rows, columns=list(COMPARED)), absent


def _ours(cell, part, other, average: str) -> tuple[float, float, int]:
    """Return the study's value for a cell, its standard deviation over repeats, and their number.

    A median gets the deviation at which the mean of as many normal scores would vary as much.
    """
    if cell.metric == "error_sd":
        spread = part["error"].std() if part["error"].count() > 2 else np.nan
        return spread, spread / np.sqrt(2), part["error"].count()  # for normal errors, to first order
    if cell.metric in part:
        values = part[cell.metric].dropna()
        wider = np.sqrt(np.pi / 2) if average == "median" else 1.0
        return values.agg(average), wider * values.std(), len(values)
    if other is None or cell.metric not in ("wins", "ties", "size_ratio"):
        return np.nan, np.nan, 0
    both = part.merge(other, on=axes_of(part), suffixes=("", "_other"))
    if cell.metric == "size_ratio":
        ratio = (both["median_nodes"] / both["median_nodes_other"]).dropna()
        return ratio.mean(), ratio.std(), len(ratio)
    pair = compare_pair(both["error"], both["error_other"], higher_is_better=False)
    share = pair.wins_first if cell.metric == "wins" else pair.ties
    return share, np.sqrt(share * (1 - share)), pair.n


def _reason(cell, reasons: list[dict[str, Any]]) -> str:
    """Return the first of the written reasons that fits a cell."""
    keys = ("dataset", "method", "metric", "table")
    fits = (r["why"] for r in reasons if all(getattr(cell, k) in r[f"{k}s"] for k in keys if f"{k}s" in r))
    return next(fits, "not explained")


COLUMNS = ("dataset", "method", "of", "score", "sd", "repeats", "reason", "table", "source", "protocol")
RANKS = (
    "method",
    "published",
    "average_rank",
    "lower",
    "upper",
    "own_rank",
    "n_datasets",
    "p_holm",
    "better",
    "equal",
    "worse",
)
N_SAMPLES = 10_000
"""Samples of the posterior of each pair of methods."""
MOST_RANKS = 60
"""Most methods for which the report has ranks of all."""
BEST = 20
"""Number of methods, the best by average rank, whose tests against the control are shown."""


def published_columns(
    own: Sequence[str],
    metric: str,
    columns: Sequence[Mapping[str, Any]],
    files: Sequence[Path],
    names: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the published scores that a study sets beside its own: a row per data set and published method.

    `own` are the study's data sets, `columns` its ``evaluation.published_columns``, `files` those of the published
    tables, and `names` maps a data set's name in a source to that in the study. In the result ``method`` is the label
    with brackets and ``of`` the name without.
    """
    by_name = {path.name: path for path in files}
    parts = [pd.DataFrame(columns=list(COLUMNS))]
    for column in columns:
        about = by_name.get(f"{column['table']}.yaml")
        known = {} if about is None else load_yaml(about)
        path = by_name.get(known.get("mirror", f"{column['table']}.csv"))
        if path is None:
            continue
        cells = pd.DataFrame(scores_of(path, metric, known))
        cells["dataset"] = cells["dataset"].map(lambda name: (names or {}).get(name, name))
        wanted = column["methods"] or list(dict.fromkeys(cells["method"]))
        cells = cells[cells["dataset"].isin(own) & cells["method"].isin(wanted)]
        if not len(cells):
            continue
        part = pd.DataFrame(
            {
                "dataset": cells["dataset"],
                "method": [column_label(m, column["as"]) for m in cells["method"]],
                "of": cells["method"],
                "score": cells["value"].astype(float),
                "sd": pd.to_numeric(cells["sd"]),
                "repeats": cells["repeats"].astype(int),
                "reason": "",
                "table": cells["table"],
                "source": known.get("source", column["table"]),
                "protocol": column["protocol"],
            }
        )
        if column.get("failed") == "mean":
            part = _filled(part)
        families = {method: family for family, methods in known.get("families", {}).items() for method in methods}
        if families:
            part["family"] = part["of"].map(families)
        place = {"dataset": own.index, "of": wanted.index}
        part = part.sort_values(["dataset", "of"], key=lambda column: column.map(place[column.name]), kind="stable")
        parts.append(part[[*COLUMNS, *(["family"] if families else [])]])
    return parts[0] if len(parts) == 1 else pd.concat(parts[1:], ignore_index=True)


def _filled(part: pd.DataFrame) -> pd.DataFrame:
    """Return a table's scores, with the mean of the other methods on a data set where a method failed."""
    means = part.groupby("dataset")["score"].mean()
    every = pd.MultiIndex.from_product([means.index, part["of"].unique()], names=["dataset", "of"])
    rows = part.set_index(["dataset", "of"]).reindex(every).reset_index()
    failed = rows["score"].isna()
    same = rows.groupby("of")[["method", "repeats", "table", "source", "protocol"]].transform("first")
    rows = rows.fillna({name: same[name] for name in same})
    rows["score"] = rows["score"].fillna(rows["dataset"].map(means))
    rows.loc[failed, "reason"] = "it failed: this is the mean of the others"
    return rows.astype({"repeats": int})


def ranks_beside_published(
    means: pd.DataFrame,
    columns: pd.DataFrame,
    optimistic: Sequence[str],
    alpha: float,
    units: pd.Series | None = None,
    higher: bool = False,
    control: str | None = None,
) -> pd.DataFrame:
    """Return average ranks of a study's methods and published ones, on the data sets that all of them have.

    `columns` are of :func:`published_columns`; ``own_rank`` is among the study's methods alone. The best twenty also have
    ``p_holm`` of Wilcoxon's test against the control, with a correction for all methods, and the probabilities by the Bayesian signed-rank test, with a rope
    of a point, that they are ``better``, ``equal`` or ``worse``. There are no rows if all share fewer than two data sets.
    """
    nothing = pd.DataFrame(columns=list(RANKS))
    if not len(columns):
        return nothing
    theirs = columns.pivot(index="dataset", columns="method", values="score")[list(dict.fromkeys(columns["method"]))]
    own = complete(means, optimistic)
    both = compared(own.join(theirs.reindex(own.index)), units).dropna()
    if len(both) < 2 or not own.shape[1]:
        return nothing
    found = board(both, higher, str(control), alpha)
    ranks = (
        pd.DataFrame(
            {
                "average_rank": found["ranks"]["mean"],
                "lower": found["ranks"]["lower"],
                "upper": found["ranks"]["upper"],
                "published": both.columns.isin(theirs.columns),
                "own_rank": both[own.columns].rank(axis=1, ascending=not higher).mean(),
                "n_datasets": len(both),
            },
            index=both.columns,
        )
        .loc[found["methods"]]
        .rename_axis("method")
    )
    if "tests" in found:
        best = [method for method in ranks.index if method != control][:BEST]
        # The best are picked by the same scores, so that the correction counts all methods.
        ranks["p_holm"] = pd.Series({m: found["tests"][m]["p_holm"] for m in best})
        ranks = ranks.join(bayesian_table(both[[control, *best]], control, higher, ROPE, n_samples=N_SAMPLES))
    return ranks.reset_index().reindex(columns=list(RANKS))


def on_page(columns: pd.DataFrame, ranks: pd.DataFrame) -> dict[str, Any]:
    """Return the report's content on published columns: protocols and ranks; empty without columns."""
    if not len(columns):
        return {}
    protocols = [
        {"methods": list(dict.fromkeys(part["method"])), "source": source, "protocol": protocol}
        for (source, protocol), part in columns.groupby(["source", "protocol"], sort=False)
    ]
    first = ranks["p_holm"].notna() | ~ranks["published"].astype(bool) | (len(ranks) <= MOST_RANKS)
    n_tested, n_more = int(ranks["p_holm"].notna().sum()), int((~first).sum())
    return {"protocols": protocols, "ranks": ranks[first].to_dict("records"), "n_more": n_more, "n_tested": n_tested}
