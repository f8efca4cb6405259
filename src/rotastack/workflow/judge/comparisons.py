"""Comparisons of a study's methods over its data sets, as mappings for JSON."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.stats.comparison import Comparison, compare
from rotastack.stats.metrics import higher_is_better
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.results import compared, complete

MANY = 100  # wrong rows that the control needs for a ratio of errors to be meaningful


def compare_over_datasets(
    means: pd.DataFrame, higher: bool | None, control: str, alpha: float, *, optimistic: Sequence[str] = (),
    left_out: Iterable[str] = (), wrong: pd.Series | None = None, units: pd.Series | None = None,
) -> dict:  # fmt: skip
    """Compare methods on the data sets for which all of them have a score; `left_out` data sets have means only.

    `higher` is None for a score without a better direction, which gets no ranks. By data set, `wrong` is the number of rows
    that the control classifies wrongly, and `units` the divisor of the scores. ``scores`` are the scores that are compared,
    of which all ranks, counts, tests and changes are.
    """
    shown = means if units is not None else means.round(12)
    result = {"means": shown.astype(object).where(shown.notna(), None).to_dict("index"), "notes": [],
              "higher_is_better": higher, "in_units": units is not None, "n_datasets": int(shown.notna().all(axis=1).sum())}  # fmt: skip
    if higher is None:
        return result
    scores = compared(means, units).drop(index=list(left_out))
    ranked = complete(scores, optimistic)
    result["n_datasets"], result["notes"] = len(ranked), _left_out(scores, ranked, optimistic)
    if len(ranked) < 1 or ranked.shape[1] < 2:
        return result
    comparison, notes = compare(ranked, higher), result["notes"]
    result["scores"] = comparison.scores.to_dict("index")
    if control not in ranked:
        notes.append(f"the control {control} has no score on any data set, so no method is compared with it")
    result["average_ranks"] = comparison.average_ranks.to_dict()
    result["wins"] = comparison.wins.to_dict("index")
    if control in ranked:
        result["improvement"] = comparison.improvement(control).to_dict()
        result["effect"] = wilcoxon_holm(comparison.scores, control, higher)["effect"].to_dict()
        if wrong is not None:
            result["against_control"] = _against(comparison, control, wrong)
    try:
        result |= {
            "friedman_chi2": comparison.friedman_chi2,
            "iman_davenport_f": comparison.iman_davenport_f,
            "df": comparison.df,
            "p_value": comparison.p_value,
            "critical_difference": comparison.critical_difference(alpha),
            "nemenyi_p": comparison.nemenyi_p.to_dict("index"),
            "holm_p": comparison.holm_p(control).to_dict() if control in ranked else {},
        }
    except RotastackError as error:
        notes.append(str(error))
    return result


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


def _against(comparison: Comparison, control: str, wrong: pd.Series) -> list[dict]:
    """Return wins and losses of each method against the control, and its worst loss, also where few errors are no noise."""
    counted = compare(comparison.scores[wrong.reindex(comparison.scores.index) >= MANY], comparison.higher_is_better)
    tests = wilcoxon_holm(comparison.scores, control, comparison.higher_is_better)
    worst, worst_counted = comparison.worst_loss(control), counted.worst_loss(control)
    return [
        {
            "method": m, "better": int(test["wins"]), "equal": int(test["ties"]), "worse": int(test["losses"]),
            "worst_loss": _or_none(worst["loss"][m]), "on": worst["on"][m],
            "worst_loss_counted": _or_none(worst_counted["loss"][m]), "on_counted": worst_counted["on"][m],
            "n_counted": len(counted.scores),
        }
        for m, test in tests.iterrows()
    ]  # fmt: skip


def _or_none(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def compare_group(scores: pd.DataFrame, alpha: float, score: str = "error") -> dict:
    """Compare the methods of a group with its first one by a score; the error is turned into accuracy.

    The parts of a data set, in rows named "data set, part", depend on each other: each method has the mean of its ranks
    in them, and these means are what the tests over data sets compare.
    """
    control = scores.columns[0]
    scores = 1 - scores.round(12) if score == "error" else scores.round(12)
    higher = score == "error" or bool(higher_is_better(score))
    tested, tested_higher = scores, higher
    datasets = pd.Index([str(row).rpartition(", ")[0] or row for row in scores.index])
    if datasets.has_duplicates:
        ranks = complete(scores.set_axis(datasets)).rank(axis=1, ascending=not higher)
        tested, tested_higher = ranks.groupby(level=0, sort=False).mean(), False
    found = compare_over_datasets(tested, tested_higher, control, alpha)
    n_rows = found["n_datasets"] if "average_ranks" in found else 0
    kept = {
        key: value
        for key, value in found.items()
        if key not in ("means", "scores", "higher_is_better", "in_units", "n_datasets")
    }
    result = {"methods": list(scores.columns), "control": control, "n_rows": n_rows, **kept}
    if "improvement" in result:
        whole = compare(complete(scores), higher)
        result |= {"improvement": whole.improvement(control).to_dict(), "better": whole.better(control).to_dict()}
    if "nemenyi_p" in result:
        ranked = sorted(result["average_ranks"], key=result["average_ranks"].__getitem__)
        result["different"] = [
            [a, b] for i, a in enumerate(ranked) for b in ranked[i + 1 :] if result["nemenyi_p"][a][b] < alpha
        ]
    return result
