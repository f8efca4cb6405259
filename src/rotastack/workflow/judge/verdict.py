"""The verdict in sentences: over data sets, in groups of methods, and on claims; ``sentences.py`` has the templates."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
import pandas as pd

from rotastack.errors import counted
from rotastack.stats.metrics import NAMES
from rotastack.stats.missing import gaps, tolerance
from rotastack.stats.wilcoxon import holm, signed_rank_p
from rotastack.workflow.judge import sentences as say
from rotastack.workflow.judge.words import capital, listed, p_equal, short_message

Pairs = Sequence[Sequence[str]]
"""Pairs of a method with rotations and the same one without."""

NAMED = 3
"""Most data sets, pairs and claims that have a name or a sentence each; of more, the largest or their number is told."""


def verdict_over_datasets(
    found: Mapping[str, Any], score: str, control: str, alpha: float, rotation_pairs: Pairs = ()
) -> list[str]:
    """Return sentences on the best method, its lead and cost, the tests, and the data sets where rotations help.

    `found` is the board of the score. If the best method by average rank is the control, it is compared with the next one.
    """
    if "scores" not in found:
        return [say.NO_DATASET]
    ranks = pd.Series(found["ranks"]["mean"])[found["methods"]]
    means = pd.DataFrame.from_dict(found["scores"], orient="index").reindex(columns=ranks.index)
    if (means.nunique(axis=1) == 1).all():
        return [say.EQUAL.format(n_methods=len(ranks), score=score, datasets=counted(len(means), "data set"))]
    first = [str(m) for m in ranks.index[ranks <= ranks.iloc[0] + 1e-12]]
    first.sort(key=lambda m: m != control)  # if the control shares the best rank, it counts as best
    return [
        _best(found, means, ranks, first, score, control),
        *_tests(found, ranks, first[0], control, alpha),
        *_rotations_over_datasets(means, rotation_pairs, bool(found["higher_is_better"]), alpha),
    ]


def _best(
    found: Mapping[str, Any], means: pd.DataFrame, ranks: pd.Series, first: Sequence[str], score: str, control: str
) -> str:
    """Return a sentence on the best method: the method it is compared with, its lead, and its cost."""
    best, *others = first
    rival = control if best != control and control in ranks else str(next(m for m in ranks.index if m != best))
    method, other = (rival, best) if best == control else (best, rival)
    paid = {kind: of_kind[method].get(control) for kind, of_kind in found["times"].items()}
    cost = say.FIT_COST.format(fit=_times(paid["fit"])) if paid.get("fit") is not None else ""
    if cost and paid.get("predict") is not None:
        cost += say.PREDICT_COST.format(predict=_times(paid["predict"]))
    total, n = len(found["means"]), len(means)
    better, worse = found["wins"][method][other], found["wins"][other][method]
    counts = {"better": better, "equal": n - better - worse, "worse": worse}
    return (say.SHARED if others else say.BEST).format(
        best=best,
        others=listed(others) if others else "",
        n_methods=len(ranks),
        score=score,
        datasets=counted(n, "data set") if n == total else say.WITH_ALL.format(n=n, total=total),
        rank=ranks[best],
        rival="" if rival in first else say.RIVAL_RANK.format(rival=rival, rank=ranks[rival]),
        method="it" if method == best else method,
        change=_change(means, method, other, score, found),
        counts=", ".join(f"{word} on {count}" for word, count in counts.items() if count),
        cost=cost if other == control else "",
    )


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 0.95 else f"{ratio:.1f} times"


def _change(means: pd.DataFrame, method: str, other: str, score: str, found: Mapping[str, Any]) -> str:
    """Return words for the average change of `score` from the method `other` to `method`.

    A loss above 0 changes by percent, the geometric mean of ratios; any other score by the mean difference.
    """
    if not found["higher_is_better"] and (means[[method, other]] > 0).all(axis=None):
        gain = 100 * float(np.expm1(np.log(means[method] / means[other]).mean()))
        amount = "" if abs(gain) < 0.05 else say.PERCENT.format(percent=abs(gain))
    else:
        gain = float(gaps(means[method], means[other]).mean())
        unit = say.OF_BASELINE if found["in_units"] else ""
        amount = say.DIFFERENCE.format(difference=abs(gain), unit=unit) if abs(gain) > tolerance(means) else ""
    text = say.AVERAGE if amount else say.NO_CHANGE
    return text.format(higher="higher" if gain > 0 else "lower", score=score, other=other, amount=amount)


def _tests(found: Mapping[str, Any], ranks: pd.Series, best: str, control: str, alpha: float) -> list[str]:
    """Return a sentence on whether the best method beats the control, and whether methods differ."""
    if "p_value" not in found:
        return [say.ONE_DATASET]
    tests, n, parts = found.get("tests", {}), found["n_datasets"], []
    adjusted, effect = ({m: test[name] for m, test in tests.items()} for name in ("p_holm", "effect"))
    correction = say.CORRECTION.format(n=len(adjusted)) if len(adjusted) > 1 else ""
    test = say.WILCOXON.format(correction=correction)
    if control in ranks and best == control:
        shown = [m for m in ranks.index if adjusted.get(m, 1.0) < alpha]
        worse, better = [m for m in shown if effect[m] < 0], [m for m in shown if effect[m] > 0]
        least = p_equal(min(p if effect[m] < 0 else 1.0 for m, p in adjusted.items()))
        text = say.BEATS_THESE if worse else say.BEATS_NONE
        parts.append(text.format(worse=listed(worse) if worse else "", p=least, test=test, alpha=alpha))
        parts += [say.BEATEN.format(better=listed(better), control=control)] if better else []
    elif control in ranks:
        p, needed = adjusted[best], next(n for n in count(1) if len(adjusted) * 2.0 ** (1 - n) < alpha)
        beaten = p < alpha and effect[best] < 0
        winner, loser = (control, best) if beaten else (best, control)
        text = say.BEATS_CONTROL.format(
            winner=winner,
            loser=loser,
            shown=say.SHOWN[p < alpha],
            p=p_equal(p),
            test=test,
            although=say.ALTHOUGH.format(best=best) if beaten else "",
        )
        parts.append(text + (say.TOO_FEW.format(needed=needed) if p >= alpha and n < needed else ""))
    if len(ranks) > 2:
        p = found["p_value"]
        parts.append(say.FRIEDMAN.format(n_methods=len(ranks), shown=say.SHOWN[p < alpha], p=p_equal(p)))
    return [capital(f"{'; '.join(parts)}.")] if parts else []


def rotations(template: str, p_values: Sequence[float], gaps: Sequence[dict[str, Any]], alpha: float) -> list[str]:
    """Return sentences on the pairs of least p-values with and without rotations, and one on the other pairs.

    For each pair `gaps` has whether rotations ``helps``, and what else stands in the template.
    """
    tested = pd.Series(p_values, dtype=float)
    adjusted = holm(tested)[tested.sort_values(kind="stable").index]
    correction = say.PAIRS_CORRECTION.format(n=len(adjusted)) if len(adjusted) > 1 else ""
    found = []
    for k, p in adjusted.iloc[:NAMED].items():
        effect = "none" if p >= alpha else "help" if gaps[k]["helps"] else "harm"
        found.append(template.format(effect=say.EFFECTS[effect], p=p_equal(p), correction=correction, **gaps[k]))
    rest = adjusted.iloc[NAMED:]
    return found + [say.MORE_PAIRS.format(pairs=counted(len(rest), "more pair"), p=p) for p in rest[:1]]


def _rotations_over_datasets(means: pd.DataFrame, pairs: Pairs, higher: bool, alpha: float) -> list[str]:
    """Return sentences on where methods with rotations are better or worse than the same ones without."""
    pairs = [pair for pair in pairs if pair[0] in means and pair[1] in means]
    helped = [_helped(means, pair, higher) for pair in pairs]
    if len(means) < 2:
        more = [say.MORE_UNTESTED.format(n=len(helped) - NAMED)] if len(helped) > NAMED else []
        return [say.ROTATIONS_UNTESTED.format(**of_pair) for of_pair in helped[:NAMED]] + more
    p_values = [signed_rank_p(gaps(means[turned], means[plain])) for turned, plain in pairs]
    return rotations(say.ROTATIONS, p_values, helped, alpha)


def _helped(means: pd.DataFrame, pair: Sequence[str], higher: bool) -> dict[str, Any]:
    """Return where a method with rotations is better or worse than the same one without, and if it is better by ranks."""
    turned, plain = pair
    worse = pd.Series(gaps(means[turned], means[plain]) * (-1 if higher else 1), means.index)
    change = 100 * (means[turned] - means[plain]) / means[plain].abs().replace(0, np.nan)
    helped, harmed, datasets = means.index[worse < 0], means.index[worse > 0], counted(len(means), "data set")
    parts = []
    if len(helped):
        parts.append(say.HELP.format(n=len(helped), datasets=datasets, where=_where(change[helped])))
    if len(harmed):
        of = "" if len(helped) else f" of {datasets}"
        parts.append(say.HARM.format(n=len(harmed), of=of, where=_where(change[harmed])))
    where, sizes = ", and ".join(parts) or "make no difference on any", worse[worse != 0].abs().rank()
    return {"turned": turned, "plain": plain, "where": where, "helps": sizes[helped].sum() > sizes[harmed].sum()}


def _where(change: pd.Series) -> str:
    """Return the names of data sets with their changes in percent; of many data sets, only the largest change."""
    few, known = len(change) <= NAMED, change.dropna().sort_values(key=np.abs, ascending=False, kind="stable")
    named = ", ".join(f"{name} ({value:+.0f} %)" for name, value in (known if few else known.iloc[:1]).items())
    return "" if known.empty else f": {named}" if few else f", most on {named}"


def verdict_of_groups(
    groups: Mapping[str, Mapping[str, Any]], score: str, alpha: float, titles: Mapping[str, str]
) -> list[str]:
    """Return the result in each group of methods: group -> its board."""
    return [_of_group(name, found, score, alpha, titles) for name, found in groups.items()]


def _of_group(name: str, found: Mapping[str, Any], score: str, alpha: float, titles: Mapping[str, str]) -> str:
    title = say.ALL_GROUPS if name == "all" else titles[name] or name
    if "scores" not in found:
        return say.GROUP_WITHOUT_DATA.format(title=title)
    n = counted(found["n_rows"], "data set")
    order = ", ".join(f"{m} ({found['ranks']['mean'][m]:.2f})" for m in found["methods"])
    text = say.ORDER.format(title=title, score="accuracy" if score == "error" else score, n=n, order=order)
    if "p_value" not in found:
        return text
    if found["p_value"] >= alpha:
        return text + say.NO_DIFFERENCE.format(p=found["p_value"], n=n)
    pairs = "; ".join(f"{a} and {b}" for a, b in found["different"]) or "none"
    return text + say.DIFFERENCES.format(p=found["p_value"], pairs=pairs)


def claim_in_words(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim as a sentence, with its result."""
    n, expect = claim["n_datasets"], claim["expect"]
    found = f"{claim['difference']:+.4f}" if n else say.CLAIM_WITHOUT_SCORES
    if n > 1:
        found += f" on average over {n} data sets"
        if expect != "equal":
            found += f", {expect} on {claim['in_favour'] * n:.0f}"
            found += f" and the same on {claim['ties'] * n:.0f}" if claim["ties"] > 0 else ""
    no_sign = "no sign against it" if claim["could_tell"] else "too few data sets for a sign against it"
    holds = (no_sign if expect == "equal" else "yes") if claim["holds"] else "not shown"
    return {
        "text": say.CLAIM.format(
            quantity=NAMES.get(claim["what"], claim["what"].replace("_", " ")),
            of=claim["of"],
            than=claim["than"],
            expected="the same as" if expect == "equal" else f"{expect} than",
        ),
        "found": found,
        "p_holm": claim["p_holm"],
        "holds": "not tested" if pd.isna(claim["p_holm"]) else holds,
    }


def verdict_of_claims(claims: pd.DataFrame) -> list[str]:
    """Return the study's claims and their results in words; of many claims, how many hold."""
    if len(claims) > NAMED:
        equal, holds, parts = claims["expect"] == "equal", claims["holds"], []
        if n := int((~equal).sum()):
            parts.append(say.OF_DIFFERENCE.format(n=n, hold=int(holds[~equal].sum())))
        if n := int(equal.sum()):
            few = int((equal & holds & ~claims["could_tell"]).sum())
            few_to_tell = say.FEW_TO_TELL.format(n=few) if few else ""
            parts.append(say.OF_EQUALITY.format(n=n, hold=int(holds[equal].sum()), few=few_to_tell))
        return [say.MANY_CLAIMS.format(counts="; ".join(parts))]
    words = [claim_in_words(claim) for claim in claims.to_dict("records")]
    tested = ["" if pd.isna(w["p_holm"]) else f"; p {p_equal(w['p_holm'])}" for w in words]
    return [
        say.CLAIM_RESULT.format_map(w | {"text": capital(w["text"]), "p": p})
        for w, p in zip(words, tested, strict=True)
    ]


def failures(messages: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return a sentence on each method that failed, with its first message: data set -> method -> message."""
    failed: dict[str, list[str]] = {}
    for dataset, of_methods in messages.items():
        for method in of_methods:
            failed.setdefault(method, []).append(dataset)
    return [
        say.FAILED_ON.format(
            method=method,
            where=f"all {len(on)} data sets" if 1 < len(on) == len(messages) else listed(on),
            message=short_message(messages[on[0]][method]),
        )
        for method, on in failed.items()
    ]
