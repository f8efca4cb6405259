"""Boards: who wins among methods over data sets, by one score; ``summarize`` writes boards, and all results are read from them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from rotastack.errors import RotastackError
from rotastack.stats.comparison import Comparison, compare
from rotastack.stats.elo import elo
from rotastack.stats.improvability import improvability
from rotastack.stats.metrics import higher_is_better
from rotastack.stats.resamples import bootstrap_means, bootstrap_ranks
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.results import compared, complete

MANY = 100
"""Wrong rows that the control needs for a ratio of errors to be meaningful."""

MOST_CONTROLS = 40
"""With more ranked methods, times are multiples of the study's control alone."""


def board(
    means: pd.DataFrame,
    higher: bool | None,
    control: str,
    alpha: float,
    *,
    optimistic: Sequence[str] = (),
    left_out: Iterable[str] = (),
    units: pd.Series | None = None,
    optimum: float | None = None,
    wrong: pd.Series | None = None,
    seconds: Mapping[str, pd.DataFrame] | None = None,
) -> dict[str, Any]:
    """Return the board of a score: scores, ranks, wins and tests of the methods, on the data sets that have scores of all of them.

    `means` has a row for each data set and a column for each method. `higher` is None for a score without a better
    direction, whose board has means alone, as the data sets `left_out` have. By data set, `units` are the divisors of the
    scores, and `wrong` is the number of rows that the control classifies wrongly. Only with the `optimum` of the score are
    there Elo ratings and improvability. `seconds` are those of :func:`seconds_by_method`.

    The board is a mapping for JSON. ``scores`` and all statistics of methods are there with two ranked methods or more,
    ``tests`` and ``improvement`` if the control is among them, and Friedman's and Nemenyi's tests from two data sets on.
    ``wins`` counts the data sets on which the first method is better than the second. ``times`` are medians of multiples
    of the time of each of the ``controls``, and ``longest`` has the largest multiples of the first one's.
    """
    shown = means if units is not None else means.round(12)
    found: dict[str, Any] = {
        "means": plain(shown),
        "notes": [],
        "higher_is_better": higher,
        "in_units": units is not None,
        "n_datasets": int(shown.notna().all(axis=1).sum()),
    }
    if higher is None:
        return found
    scores = compared(means, units).drop(index=list(left_out))
    ranked = complete(scores, optimistic)
    fair = [m for m in scores if m not in optimistic]
    controls = [control, *(m for m in fair if m != control and len(fair) <= MOST_CONTROLS)] if control in means else []
    known = {kind: of_kind.reindex(scores.index, columns=list(scores)) for kind, of_kind in (seconds or {}).items()}
    ratios = {k: {c: s.div(s[c].where(s[c] > 0), axis=0) for c in controls} for k, s in known.items()}
    medians = {k: pd.DataFrame({c: of.median() for c, of in by.items()}, list(scores)) for k, by in ratios.items()}
    longest = pd.DataFrame({k: by[control].max() for k, by in ratios.items() if by})
    found |= {
        "n_datasets": len(ranked),
        "notes": _left_out(scores, ranked, optimistic),
        "methods": list(ranked),
        "failed": [m for m in fair if m not in ranked],
        "left_out": list(scores.index.difference(ranked.index, sort=False)),
        "controls": controls,
        "times": {k: plain(table) for k, table in medians.items()},
        "longest": plain(longest.T),
    }
    if len(ranked) < 1 or ranked.shape[1] < 2:
        return found
    comparison = compare(ranked, higher)
    ranks, values = bootstrap_ranks(comparison.scores, higher, alpha=alpha), comparison.scores * (1 if higher else -1)
    found |= {
        "methods": list(ranks["average_rank"].sort_values(kind="stable").index),
        "scores": comparison.scores.to_dict("index"),
        "ranks": plain(ranks.rename(columns={"average_rank": "mean"}).T),
        "wins": {m: values.lt(values[m], axis=0).sum().to_dict() for m in values},
    }
    if optimum is not None:
        gaps = improvability(comparison.scores, higher, optimum=optimum)
        found["elo"] = plain(elo(comparison.scores, higher, alpha=alpha).rename(columns={"elo": "mean"}).T)
        found["improvability"] = plain(bootstrap_means(gaps, alpha=alpha).T)
    if control in ranked:
        found["improvement"] = comparison.improvement(control).to_dict()
        found["tests"] = wilcoxon_holm(comparison.scores, control, higher).to_dict("index")
        if wrong is not None:
            found["worst_losses"] = plain(_worst_losses(comparison, control, wrong).drop(control))
    else:
        found["notes"].append(f"the control {control} has no score on any data set, so no method is compared with it")
    try:
        found |= {
            "friedman_chi2": comparison.friedman_chi2,
            "iman_davenport_f": comparison.iman_davenport_f,
            "df": comparison.df,
            "p_value": comparison.p_value,
            "critical_difference": comparison.critical_difference(alpha),
            "nemenyi_p": comparison.nemenyi_p.to_dict("index"),
        }
    except RotastackError as error:
        found["notes"].append(str(error))
    return found


def _left_out(scores: pd.DataFrame, ranked: pd.DataFrame, optimistic: Sequence[str]) -> list[str]:
    """Return notes on the methods and data sets that are not ranked, and why."""
    absent = [m for m in scores if scores[m].isna().all()]
    reasons = dict.fromkeys(absent, "has no score on any data set")
    reasons |= {m: "chooses members by the test rows" for m in optimistic if m in scores and m not in absent}
    notes = [f"{m}: left out of the ranks, because the method {reason}" for m, reason in reasons.items()]
    known = scores[ranked.columns]
    return notes + [
        f"{name}: left out of the ranks, because of methods without a score: {', '.join(known.columns[row.isna()])}"
        for name, row in known.iterrows()
        if row.isna().any()
    ]


def _worst_losses(comparison: Comparison, control: str, wrong: pd.Series) -> pd.DataFrame:
    """Return the worst loss of each method against the control, and the worst where few errors are no noise."""
    counted = compare(comparison.scores[wrong.reindex(comparison.scores.index) >= MANY], comparison.higher_is_better)
    worst = comparison.worst_loss(control).join(counted.worst_loss(control).add_suffix("_counted"))
    return worst.rename(columns=lambda name: name.replace("loss", "worst_loss")).assign(n_counted=len(counted.scores))


def plain(table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return a table as a mapping of rows, with None for what is missing."""
    return table.astype(object).where(table.notna(), None).to_dict("index")


def board_of_group(scores: pd.DataFrame, alpha: float, score: str = "error") -> dict[str, Any]:
    """Return the board of a group of methods, whose control is the first one; the error is turned into accuracy.

    The parts of a data set, in rows named "data set, part", depend on each other: each method has the mean of its ranks
    in them, and the board is of these means, but for the improvement. ``different`` are the pairs of methods that differ
    by Nemenyi's test, the better one first.
    """
    control = scores.columns[0]
    scores = 1 - scores.round(12) if score == "error" else scores.round(12)
    higher = score == "error" or bool(higher_is_better(score))
    ranked, ranked_higher = scores, higher
    datasets = pd.Index([str(row).rpartition(", ")[0] or row for row in scores.index])
    if datasets.has_duplicates:
        ranks = complete(scores.set_axis(datasets)).rank(axis=1, ascending=not higher)
        ranked, ranked_higher = ranks.groupby(level=0, sort=False).mean(), False
    found = {**board(ranked, ranked_higher, control, alpha), "labels": list(scores), "control": control}
    found["n_rows"] = found["n_datasets"] if "scores" in found else 0
    if "improvement" in found:
        found["improvement"] = compare(complete(scores), higher).improvement(control).to_dict()
    if "p_value" in found:
        p, order = found["nemenyi_p"], found["methods"]
        found["different"] = [[a, b] for i, a in enumerate(order) for b in order[i + 1 :] if p[a][b] < alpha]
    return found
