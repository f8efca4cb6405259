"""The result over several data sets in sentences, for all methods and for groups of methods."""

from collections.abc import Mapping, Sequence
from math import ceil, log2
from typing import Any

import numpy as np
import pandas as pd

from rotastack.judge.results import complete
from rotastack.judge.words import counted, listed, p_equal
from rotastack.stats.comparison import compare
from rotastack.stats.metrics import NAMES
from rotastack.stats.wilcoxon import holm, wilcoxon_holm

__all__ = [
    "beyond",
    "claim_in_words",
    "clearest",
    "effect",
    "verdict_of_claims",
    "verdict_of_groups",
    "verdict_over_datasets",
]

_NAMED = 3
"""Most data sets that a sentence names; if there are more, it names only the one with the largest change."""


def effect(p: float, alpha: float, better: bool) -> str:
    """Return words for the effect of rotations."""
    return "make no difference beyond chance" if p >= alpha else "help" if better else "do harm"


def beyond(p: float, alpha: float) -> str:
    return "beyond chance" if p < alpha else "not beyond chance"


def clearest(p_values: Sequence[float]) -> tuple[list[tuple[int, float]], str, list[str]]:
    """Return what a verdict says of the p-values of pairs: number and Holm's p of the least ones, and words.

    The words are those for the correction, which one pair does not need, and a sentence on the other pairs.
    """
    tested = pd.Series(p_values, dtype=float)
    adjusted = holm(tested)[tested.sort_values(kind="stable").index]
    note = f", with Holm's correction for {len(adjusted)} pairs" if len(adjusted) > 1 else ""
    rest = adjusted.iloc[_NAMED:]
    others = [
        f"Of {counted(len(rest), 'more pair')} with and without rotations, the least p is {p:.2g}." for p in rest[:1]
    ]
    return [(int(str(k)), float(p)) for k, p in adjusted.iloc[:_NAMED].items()], note, others


def verdict_over_datasets(
    result: Mapping[str, Any],
    score: str,
    control: str,
    alpha: float,
    *,
    rotation_pairs: Sequence[Sequence[str]] = (),
    times: Mapping[str, pd.DataFrame] | None = None,
) -> list[str]:
    """Return sentences on the best method, its lead and cost, the tests, and the data sets where rotations help.

    The best method has the lowest average rank. If it is the control, it is compared with the next one. The tests are
    Wilcoxon's of each method against the control, with Holm's correction, and Friedman's. The effect of rotations is
    the difference between a method with and without them, with Holm's correction for several such pairs.

    Parameters
    ----------
    result : mapping
        The comparison of the methods by one score, as :func:`~rotastack.judge.comparisons.compare_methods` gives it.
    score : str
        Name of the score in the sentences.
    control : str
        The method that others are compared with.
    alpha : float
        Level of the tests.
    rotation_pairs : sequence of (str, str)
        A method with rotations and the same one without; without such pairs, no sentence is about rotations.
    times : mapping, optional
        Multiples of the control's times, as :func:`~rotastack.judge.results.relative_times` gives them.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from rotastack.judge.comparisons import compare_methods
    >>> errors = pd.DataFrame(
    ...     {"RF": [0.2, 0.1, 0.3, 0.2, 0.25, 0.4], "RRE": [0.1, 0.08, 0.31, 0.15, 0.2, 0.3]}, list("abcdef")
    ... )
    >>> found = compare_methods(errors, False, {"control": "RF", "alpha": 0.05, "optimistic": []})
    >>> times = {"fit": pd.DataFrame({"RRE": [1.5]}), "predict": pd.DataFrame({"RRE": [2.0]})}
    >>> print(*verdict_over_datasets(found, "error", "RF", 0.05, rotation_pairs=[["RRE", "RF"]], times=times), sep="\\n")
    RRE is best of 2 methods by average rank of the error over 6 data sets (1.17; RF has 1.83); it lowers the error of RF by 22.8 % on average (better on 5, worse on 1), for 1.5 times the training time and 2.0 times the prediction time.
    That RRE beats RF is not beyond chance (p = 0.062, Wilcoxon's signed-rank test).
    Rotations make no difference beyond chance (p = 0.062, RRE against RF): they help on 5 of 6 data sets, most on a (-50 %), and do harm on 1: c (+3 %).
    """
    if "average_ranks" not in result:
        return ["No data set has scores of all methods; see the notes."]
    ranks = pd.Series(result["average_ranks"]).sort_values(kind="stable")
    means = pd.DataFrame.from_dict(result["means"], orient="index").reindex(columns=ranks.index)
    means = complete(means.apply(pd.to_numeric)).round(12)
    if (means.nunique(axis=1) == 1).all():
        return [
            f"All {len(ranks)} methods have the same {score} on {counted(len(means), 'data set')}: nothing tells them apart."
        ]
    first = [str(m) for m in ranks.index[ranks <= ranks.iloc[0] + 1e-12]]
    first.sort(key=lambda m: m != control)  # if the control shares the best rank, it counts as best
    sentences = [
        _best(result, means, ranks, first, score, control, times or {}),
        _chance(result, len(means), ranks, first[0], control, alpha),
        *_rotations(means, rotation_pairs, bool(result["higher_is_better"]), alpha),
    ]
    return [sentence for sentence in sentences if sentence]


def _best(
    result: Mapping[str, Any],
    means: pd.DataFrame,
    ranks: pd.Series,
    first: Sequence[str],
    score: str,
    control: str,
    times: Mapping[str, pd.DataFrame],
) -> str:
    """Return a sentence on the best method: the method it is compared with, its lead, and its cost."""
    best, *others = first
    rival = control if best != control and control in ranks else str(next(m for m in ranks.index if m != best))
    if others:
        text = f"{best} and {listed(others)} share the best average rank of the {score} among {len(ranks)} methods"
    else:
        text = f"{best} is best of {len(ranks)} methods by average rank of the {score}"
    text += f" over {_data_sets(result, len(means))}"
    text += f" ({ranks[best]:.2f}" + (f"; {rival} has {ranks[rival]:.2f})" if rival not in first else ")")
    method, other = (rival, best) if best == control else (best, rival)
    change = _change(means, method, other, score)
    text += f"; {'it' if method == best else method} {change} ({_won(means, method, other, result)})"
    paid = {kind: ratios[method].median() for kind, ratios in times.items() if method in ratios}
    if other == control and np.isfinite(paid.get("fit", np.nan)):
        text += f", for {_times(paid['fit'])} the training time"
        if np.isfinite(paid.get("predict", np.nan)):
            text += f" and {_times(paid['predict'])} the prediction time"
    return text + "."


def _chance(result: Mapping[str, Any], n: int, ranks: pd.Series, best: str, control: str, alpha: float) -> str:
    """Return a sentence on whether the best method beats the control beyond chance, and whether methods differ."""
    if n < 2 or "p_value" not in result:
        return "No test: there is only one data set."
    holm = result.get("holm_p") or {}
    corrected = f" with Holm's correction for {len(holm)} comparisons" if len(holm) > 1 else ""
    test = f"Wilcoxon's signed-rank test{corrected}"
    if control not in ranks:
        text = ""
    elif best == control:
        worse = [m for m in ranks.index if holm.get(m, 1.0) < alpha]
        text = (
            f"That it beats {listed(worse)} is beyond chance ({test}, at {alpha:g})"
            if worse
            else f"That it beats any other is not beyond chance (least p {p_equal(min(holm.values()))}, {test})"
        )
    else:
        text = f"That {best} beats {control} is {beyond(holm[best], alpha)} (p {p_equal(holm[best])}, {test})"
        needed = ceil(1 + log2(len(holm) / alpha))
        if holm[best] >= alpha and n < needed:
            text += f"; so many comparisons need {needed} data sets at least, even if all agree"
    if len(ranks) == 2:
        return f"{text}." if text else ""
    differ = "differ" if result["p_value"] < alpha else "do not differ beyond chance"
    friedman = f"as a whole the {len(ranks)} methods {differ} (Friedman's test, p {p_equal(result['p_value'])})"
    return f"{text}; {friedman}." if text else f"{friedman[0].upper()}{friedman[1:]}."


def _rotations(means: pd.DataFrame, pairs: Sequence[Sequence[str]], higher: bool, alpha: float) -> list[str]:
    """Return sentences on where methods with rotations are better or worse than the same ones without."""
    pairs = [(turned, plain) for turned, plain in pairs if turned in means and plain in means]
    if len(means) < 2:
        return [
            f"Rotations ({pair[0]} against {pair[1]}) {_helped(means, pair, higher)[0]}." for pair in pairs[:_NAMED]
        ]
    tests = [wilcoxon_holm(means[[*pair]], pair[1], higher).loc[pair[0], "p"] for pair in pairs]
    shown, note, others = clearest(tests)
    found = [(pairs[k], p, *_helped(means, pairs[k], higher)) for k, p in shown]
    return [
        f"Rotations {effect(p, alpha, helps)} (p {p_equal(p)}, {turned} against {plain}{note}): they {where}."
        for (turned, plain), p, where, helps in found
    ] + others


def _helped(means: pd.DataFrame, pair: Sequence[str], higher: bool) -> tuple[str, bool]:
    """Return where a method with rotations is better or worse than the same one without, and if it is better by ranks."""
    turned, plain = pair
    gaps = ((means[turned] - means[plain]) * (-1 if higher else 1)).round(12)
    change = 100 * (means[turned] - means[plain]) / means[plain].abs().replace(0, np.nan)
    helped, harmed = gaps.index[gaps < 0], gaps.index[gaps > 0]
    parts = []
    if len(helped):
        parts.append(f"help on {len(helped)} of {counted(len(means), 'data set')}{_where(change[helped])}")
    if len(harmed):
        of = "" if len(helped) else f" of {counted(len(means), 'data set')}"
        parts.append(f"do harm on {len(harmed)}{of}{_where(change[harmed])}")
    sizes = gaps[gaps != 0].abs().rank()
    return ", and ".join(parts) or "make no difference on any", bool(sizes[helped].sum() > sizes[harmed].sum())


def _change(means: pd.DataFrame, method: str, other: str, score: str) -> str:
    """Return words for the average change of `score` from the method `other` to `method`."""
    gain = compare(means[[method, other]], True).improvement(other)[method]
    if not np.isfinite(gain):
        return f"is compared with {other}, whose {score} is 0 everywhere"
    if round(abs(gain), 1) == 0:
        return f"leaves the {score} of {other} as it is on average"
    return f"{'raises' if gain > 0 else 'lowers'} the {score} of {other} by {abs(gain):.1f} % on average"


def _won(means: pd.DataFrame, method: str, other: str, result: Mapping[str, Any]) -> str:
    test = wilcoxon_holm(means[[method, other]], other, result["higher_is_better"]).loc[method]
    counts = {"better": test["wins"], "equal": test["ties"], "worse": test["losses"]}
    return ", ".join(f"{word} on {count:.0f}" for word, count in counts.items() if count)


def _data_sets(result: Mapping[str, Any], n: int) -> str:
    total = len(result["means"])
    return counted(n, "data set") if n == total else f"the {n} of {total} data sets that have all of them"


def _where(change: pd.Series) -> str:
    """Return the names of data sets with their changes in percent; of many data sets, only the largest change."""
    known = change.dropna().sort_values(key=np.abs, ascending=False, kind="stable")
    if known.empty:
        return ""
    few = len(change) <= _NAMED
    named = ", ".join(f"{name} ({value:+.0f} %)" for name, value in (known if few else known.iloc[:1]).items())
    return f": {named}" if few else f", most on {named}"


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 0.95 else f"{ratio:.1f} times"


def verdict_of_groups(
    groups: Mapping[str, Mapping[str, Any]], score: str, alpha: float, titles: Mapping[str, str]
) -> list[str]:
    """Return the result in each group of methods, in words.

    Parameters
    ----------
    groups : mapping
        Group -> its comparison, as :func:`~rotastack.judge.comparisons.compare_group` gives it.
    score, alpha
        As for :func:`verdict_over_datasets`.
    titles : mapping
        Group -> its title.
    """
    return [_of_group(name, found, score, alpha, titles) for name, found in groups.items()]


def _of_group(name: str, found: Mapping[str, Any], score: str, alpha: float, titles: Mapping[str, str]) -> str:
    title = "All groups (a row is a data set in one group)" if name == "all" else titles[name] or name
    if "average_ranks" not in found:
        return f"{title}: no data set has scores of all methods; see the notes of the group."
    n = counted(found["n_rows"], "row" if name == "all" else "data set")
    ranks = pd.Series(found["average_ranks"]).sort_values(kind="stable")
    rank_of = "accuracy" if score == "error" else score
    order = ", ".join(f"{m} ({r:.2f})" for m, r in ranks.items())
    text = f"{title}: by average rank of the {rank_of} over {n} the order is {order}."
    if "p_value" not in found:
        return text
    p = f"p = {found['p_value']:.3g}"
    if found["p_value"] >= alpha:
        return f"{text} Friedman's test sees no difference between the methods ({p}): with {n} the order above may be chance."
    pairs = "; ".join(f"{a} and {b}" for a, b in found["different"]) or "none of the pairs"
    return f"{text} Friedman's test says that the methods differ ({p}); by Nemenyi's test these pairs do: {pairs}."


def claim_in_words(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim as a sentence, with its result."""
    quantity = NAMES.get(claim["what"], claim["what"].replace("_", " "))
    relation = "as that of" if claim["expect"] == "equal" else "than that of"
    result = f"{claim['difference']:+.4f} on average over {claim['n_datasets']} data sets"
    if claim["n_datasets"] == 1:
        result = f"{claim['difference']:+.4f}"
    elif claim["expect"] != "equal":
        result += f", {claim['expect']} on {claim['in_favour'] * claim['n_datasets']:.0f}"
        if claim["ties"] > 0:
            result += f" and the same on {claim['ties'] * claim['n_datasets']:.0f}"
    expect = "the same" if claim["expect"] == "equal" else claim["expect"]
    return {
        "text": f"{quantity} of {claim['of']} is {expect} {relation} {claim['than']}",
        "found": result,
        "p_holm": claim["p_holm"],
        "holds": "not tested"
        if pd.isna(claim["p_holm"])
        else "no sign against it" if claim["holds"] and claim["expect"] == "equal" else "yes" if claim["holds"] else "not shown",
    }  # fmt: skip


def verdict_of_claims(claims: pd.DataFrame) -> list[str]:
    """Return the study's claims and their results in words; of many claims, how many hold."""
    if len(claims) > _NAMED:
        return [f"Of the study's {len(claims)} claims {int(claims['holds'].sum())} hold; the report has the tests."]
    words = [(claim["p_holm"], claim_in_words(claim)) for claim in claims.to_dict("records")]
    return [
        f"{w['text'][0].upper()}{w['text'][1:]}: {w['holds']} ({w['found']}{'' if pd.isna(p) else f'; p {p_equal(p)}'})."
        for p, w in words
    ]
