"""The verdict in sentences, over several data sets and on one; ``sentences.py`` has the templates."""

from collections.abc import Mapping, Sequence
from math import ceil, log2
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.stats.comparison import compare
from rotastack.stats.metrics import BASELINE, NAMES, PRIMARY, higher_is_better
from rotastack.stats.resampled_t import CorrectedT, corrected_t
from rotastack.stats.wilcoxon import holm, wilcoxon_holm
from rotastack.workflow.judge import sentences as say
from rotastack.workflow.judge.held_out_rows import beside_baseline, threshold
from rotastack.workflow.judge.results import TIE_BREAK, choose, complete
from rotastack.workflow.judge.words import capital, counted, listed, p_equal, printer

__all__ = ["verdict_of_one", "verdict_over_datasets"]

Pairs = Sequence[Sequence[str]]

NAMED = 3
"""Most data sets that a sentence names; if there are more, it names only the one with the largest change."""
FEW = 5
"""Number of splits below which a test can show little."""


def verdict_over_datasets(
    result: Mapping[str, Any], score: str, control: str, alpha: float, *, rotation_pairs: Pairs = (),
    times: Mapping[str, pd.DataFrame] | None = None,
) -> list[str]:  # fmt: skip
    """Return sentences on the best method, its lead and cost, the tests, and the data sets where rotations help.

    The best method has the lowest average rank. If it is the control, it is compared with the next one. The tests are
    Wilcoxon's of each method against the control, with Holm's correction, and Friedman's. The effect of rotations is
    the difference between a method with and without them, with Holm's correction for several such pairs.

    Parameters
    ----------
    result : mapping
        The comparison of the methods by one score, as :func:`~rotastack.workflow.judge.comparisons.compare_methods` gives it.
    score : str
        Name of the score in the sentences.
    control : str
        The method that others are compared with.
    alpha : float
        Level of the tests.
    rotation_pairs : sequence of (str, str)
        A method with rotations and the same one without; without such pairs, no sentence is about rotations.
    times : mapping, optional
        Multiples of the control's times, as :func:`~rotastack.workflow.judge.results.relative_times` gives them.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from rotastack.workflow.judge.comparisons import compare_methods
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
        return [say.NO_DATASET]
    ranks = pd.Series(result["average_ranks"]).sort_values(kind="stable")
    means = pd.DataFrame.from_dict(result["means"], orient="index").reindex(columns=ranks.index)
    means = complete(means.apply(pd.to_numeric)).round(12)
    if (means.nunique(axis=1) == 1).all():
        return [say.EQUAL.format(n_methods=len(ranks), score=score, datasets=counted(len(means), "data set"))]
    first = [str(m) for m in ranks.index[ranks <= ranks.iloc[0] + 1e-12]]
    first.sort(key=lambda m: m != control)  # if the control shares the best rank, it counts as best
    return [
        _best(result, means, ranks, first, score, control, times or {}),
        *_tests(result, len(means), ranks, first[0], control, alpha),
        *_rotations_over_datasets(means, rotation_pairs, bool(result["higher_is_better"]), alpha),
    ]


def _best(
    result: Mapping[str, Any], means: pd.DataFrame, ranks: pd.Series, first: Sequence[str], score: str, control: str,
    times: Mapping[str, pd.DataFrame],
) -> str:  # fmt: skip
    """Return a sentence on the best method: the method it is compared with, its lead, and its cost."""
    best, *others = first
    rival = control if best != control and control in ranks else str(next(m for m in ranks.index if m != best))
    method, other = (rival, best) if best == control else (best, rival)
    paid = {kind: ratios[method].median() for kind, ratios in times.items() if method in ratios}
    cost = say.FIT_COST.format(fit=_times(paid["fit"])) if np.isfinite(paid.get("fit", np.nan)) else ""
    if cost and np.isfinite(paid.get("predict", np.nan)):
        cost += say.PREDICT_COST.format(predict=_times(paid["predict"]))
    total, n = len(result["means"]), len(means)
    return (say.SHARED if others else say.BEST).format(
        best=best, others=listed(others) if others else "", n_methods=len(ranks), score=score,
        datasets=counted(n, "data set") if n == total else say.WITH_ALL.format(n=n, total=total),
        rank=ranks[best], rival="" if rival in first else say.RIVAL_RANK.format(rival=rival, rank=ranks[rival]),
        method="it" if method == best else method, change=_change(means, method, other, score),
        counts=_won(means, method, other, result["higher_is_better"]), cost=cost if other == control else "",
    )  # fmt: skip


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 0.95 else f"{ratio:.1f} times"


def _change(means: pd.DataFrame, method: str, other: str, score: str) -> str:
    """Return words for the average change of `score` from the method `other` to `method`."""
    gain = compare(means[[method, other]], True).improvement(other)[method]
    text = say.AVERAGE if np.isfinite(gain) else say.FROM_ZERO
    if np.isfinite(gain) and round(abs(gain), 1) == 0:
        text = say.NO_CHANGE
    return text.format(raises="raises" if gain > 0 else "lowers", score=score, other=other, percent=abs(gain))


def _won(means: pd.DataFrame, method: str, other: str, higher: bool) -> str:
    test = wilcoxon_holm(means[[method, other]], other, higher).loc[method]
    counts = {"better": test["wins"], "equal": test["ties"], "worse": test["losses"]}
    return ", ".join(f"{word} on {count:.0f}" for word, count in counts.items() if count)


def _tests(result: Mapping[str, Any], n: int, ranks: pd.Series, best: str, control: str, alpha: float) -> list[str]:
    """Return a sentence on whether the best method beats the control beyond chance, and whether methods differ."""
    if n < 2 or "p_value" not in result:
        return [say.ONE_DATASET]
    adjusted, parts = result.get("holm_p") or {}, []
    correction = say.CORRECTION.format(n=len(adjusted)) if len(adjusted) > 1 else ""
    test = say.WILCOXON.format(correction=correction)
    if control in ranks and best == control:
        worse = [m for m in ranks.index if adjusted.get(m, 1.0) < alpha]
        least = p_equal(min(adjusted.values()))
        text = say.BEATS_THESE if worse else say.BEATS_NONE
        parts.append(text.format(worse=listed(worse) if worse else "", p=least, test=test, alpha=alpha))
    elif control in ranks:
        p, needed = adjusted[best], ceil(1 + log2(len(adjusted) / alpha))
        text = say.BEATS_CONTROL.format(
            best=best, control=control, chance=say.CHANCE[p < alpha], p=p_equal(p), test=test
        )
        parts.append(text + (say.TOO_FEW.format(needed=needed) if p >= alpha and n < needed else ""))
    if len(ranks) > 2:
        p = result["p_value"]
        parts.append(say.FRIEDMAN.format(n_methods=len(ranks), differ=say.DIFFER[p < alpha], p=p_equal(p)))
    return [capital(f"{'; '.join(parts)}.")] if parts else []


def _rotations(template: str, p_values: Sequence[float], gaps: Sequence[dict[str, Any]], alpha: float) -> list[str]:
    """Return sentences on the pairs of least p-values with and without rotations, and one on the other pairs.

    For each pair `gaps` has whether rotations ``helps``, and what else stands in the template.
    """
    tested = pd.Series(p_values, dtype=float)
    adjusted = holm(tested)[tested.sort_values(kind="stable").index]
    correction = say.PAIRS_CORRECTION.format(n=len(adjusted)) if len(adjusted) > 1 else ""
    found = []
    for k, p in adjusted.iloc[:NAMED].items():
        effect = "make no difference beyond chance" if p >= alpha else "help" if gaps[k]["helps"] else "do harm"
        found.append(template.format(effect=effect, p=p_equal(p), correction=correction, **gaps[k]))
    rest = adjusted.iloc[NAMED:]
    return found + [say.MORE_PAIRS.format(pairs=counted(len(rest), "more pair"), p=p) for p in rest[:1]]


def _rotations_over_datasets(means: pd.DataFrame, pairs: Pairs, higher: bool, alpha: float) -> list[str]:
    """Return sentences on where methods with rotations are better or worse than the same ones without."""
    pairs = [pair for pair in pairs if pair[0] in means and pair[1] in means]
    gaps = [_helped(means, pair, higher) for pair in pairs]
    if len(means) < 2:
        return [say.ROTATIONS_UNTESTED.format(**of_pair) for of_pair in gaps[:NAMED]]
    p_values = [wilcoxon_holm(means[[*pair]], pair[1], higher).loc[pair[0], "p"] for pair in pairs]
    return _rotations(say.ROTATIONS, p_values, gaps, alpha)


def _helped(means: pd.DataFrame, pair: Sequence[str], higher: bool) -> dict[str, Any]:
    """Return where a method with rotations is better or worse than the same one without, and if it is better by ranks."""
    turned, plain = pair
    gaps = ((means[turned] - means[plain]) * (-1 if higher else 1)).round(12)
    change = 100 * (means[turned] - means[plain]) / means[plain].abs().replace(0, np.nan)
    helped, harmed, datasets = gaps.index[gaps < 0], gaps.index[gaps > 0], counted(len(means), "data set")
    parts = []
    if len(helped):
        parts.append(say.HELP.format(n=len(helped), datasets=datasets, where=_where(change[helped])))
    if len(harmed):
        of = "" if len(helped) else f" of {datasets}"
        parts.append(say.HARM.format(n=len(harmed), of=of, where=_where(change[harmed])))
    where, sizes = ", and ".join(parts) or "make no difference on any", gaps[gaps != 0].abs().rank()
    return {"turned": turned, "plain": plain, "where": where, "helps": sizes[helped].sum() > sizes[harmed].sum()}


def _where(change: pd.Series) -> str:
    """Return the names of data sets with their changes in percent; of many data sets, only the largest change."""
    few, known = len(change) <= NAMED, change.dropna().sort_values(key=np.abs, ascending=False, kind="stable")
    named = ", ".join(f"{name} ({value:+.0f} %)" for name, value in (known if few else known.iloc[:1]).items())
    return "" if known.empty else f": {named}" if few else f", most on {named}"


def verdict_of_one(
    cells: pd.DataFrame, task: str, control: str, *, score: str | None = None, baseline: Mapping[str, float] | None = None,
    breaker: Mapping[str, float] | None = None, seconds: Mapping[str, float] | None = None, rotation_pairs: Pairs = (),
    test_to_train: float | None = None, alpha: float = 0.05, failures: Mapping[str, str] | None = None,
    association: Mapping[str, float] | None = None, thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    doubts: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """Return sentences on the chosen method of a data set, its test against the control, and the effect of rotations.

    The chosen method is the one of :func:`~rotastack.workflow.judge.results.choose`.

    Parameters
    ----------
    cells : DataFrame of shape (n_cells, n_methods)
        The main score; NaN where a method failed.
    task : {"classification", "regression"}
    control, alpha, rotation_pairs
        As for :func:`verdict_over_datasets`.
    score : str, optional
        The main score; by default that of the task.
    baseline : mapping, optional
        Score -> its mean for the baseline, a constant prediction.
    breaker, seconds, test_to_train
        As for :func:`~rotastack.workflow.judge.results.choose`. Without `test_to_train`, or with one split, there is no test; it is
        0 if splits share no row.
    failures : mapping, optional
        Method -> why it failed.
    association : mapping, optional
        Method -> p-value of its outputs for held-out rows and the target being independent.
    thresholds : mapping, optional
        Method -> the rarer of two ``class``es, a ``threshold``, and counts of rows, from the scoring step.
    doubts : sequence of str
        Sentences on reasons to doubt the comparison, added at the end.

    Returns
    -------
    dict
        ``best`` (None if all methods failed), ``means`` (method -> mean), ``p_value`` (None without a test), and
        ``sentences``.

    Examples
    --------
    >>> cells = pd.DataFrame({"Random forest": [0.25, 0.27, 0.26], "Random rotations": [0.20, 0.21, 0.21]})
    >>> found = verdict_of_one(
    ...     cells, "classification", "Random forest", baseline={"error": 0.46}, test_to_train=0.5,
    ...     rotation_pairs=[["Random rotations", "Random forest"]],
    ... )
    >>> print("\\n".join(found["sentences"]))
    Random rotations: error 20.7% against 26.0% for Random forest and 46.0% for always the largest class.
    The difference from Random forest is beyond chance (p = 0.0096, corrected t test over 3 splits, which can show little).
    Rotations help here: Random rotations has 20.7%, the same without them, Random forest, 26.0% (p = 0.0096).
    """
    score, breaker = score or PRIMARY[task], breaker or {}
    levels = [v for v in [(baseline or {}).get(score, np.nan)] if not np.isnan(v)]
    means = cells.mean(skipna=False).dropna().sort_values(ascending=not higher_is_better(score), kind="stable")
    choice = choose(cells, score, breaker, seconds or {}, test_to_train, alpha)
    if choice is None:
        return {"best": None, "means": {}, "p_value": None, "sentences": [say.ALL_FAILED]}
    splits = _Splits(cells[list(means.index)], test_to_train, alpha, score)
    best, others = choice.method, [str(m) for m in means.index if m != choice.method]
    rival = control if control in others else others[0] if others else None
    tied = [m for m in choice.tied if m != best]
    named = [best, *([rival] if rival else []), *others[:1], *tied]
    shown = printer(score, [*means[list(dict.fromkeys(named))], *levels])
    against = [f"{shown(means[rival])} for {rival}"] if rival else []
    against += [f"{shown(level)} for {BASELINE[task]}" for level in levels]
    next_best = ""
    if others and others[0] != rival and not tied:
        next_best = say.NEXT_BEST.format(n=len(means), method=others[0], value=shown(means[others[0]]))
    sentences = [
        say.SCORES.format(
            best=best, score=NAMES[score], value=shown(means[best]), next_best=next_best,
            against=f" against {' and '.join(against)}" if against else "",
        )
    ]  # fmt: skip
    if tied:
        of = "" if best == choice.tied[0] else f" from {choice.tied[0]}, the best mean,"
        least, value = TIE_BREAK[task], choice.value
        sentences.append(
            say.TIES.format(
                tied=listed([f"{m} ({shown(means[m])})" for m in tied]), breaker=NAMES[least],
                why=say.INTERVALS.format(level=1 - alpha, of=of) if choice.tested else say.EQUAL_MEANS,
                value="" if np.isnan(value) else f" ({printer(least, [value])(value)})",
            )
        )  # fmt: skip
    p_value = None
    if rival is not None:
        p_value, text = splits.difference(best, rival, control)
        sentences += [text] if text else [say.ONE_SPLIT] if len(cells) == 1 else []
    sentences += splits.rotations(rotation_pairs, means)
    if levels:
        sentences += beside_baseline(means.iloc[0], baseline or {}, breaker, score, task, association or {}, alpha)
    if (association or {}).get(best, 0.0) < alpha:
        sentences += threshold(best, (thresholds or {}).get(best))
    if failed := [m for m in cells.columns if m not in means.index]:
        reasons = [f"{m} ({failures[m]})" if failures and m in failures else m for m in failed]
        sentences.append(say.FAILED.format(methods=", ".join(reasons)))
    return {"best": best, "means": means.to_dict(), "p_value": p_value, "sentences": [*sentences, *doubts]}


class _Splits(NamedTuple):
    """Scores over the splits of a data set, and the test of their differences."""

    cells: pd.DataFrame
    test_to_train: float | None
    alpha: float
    score: str

    def test(self, first: str, second: str) -> CorrectedT | None:
        """Return the corrected t test of two methods; None with one split or without `test_to_train`."""
        if self.test_to_train is None or len(self.cells) < 2:
            return None
        return corrected_t(self.cells[first], self.cells[second], 1.0, self.test_to_train, alpha=self.alpha)

    @property
    def is_hopeless(self) -> bool:
        """Whether the test could hardly show any difference: two splits, or more test rows than training rows."""
        return len(self.cells) < 3 or (self.test_to_train or 0) > 1

    def difference(self, best: str, rival: str, control: str) -> tuple[float | None, str]:
        """Return the p-value of a difference, after Holm's correction over comparisons, and a sentence."""
        found, n = self.test(best, rival), len(self.cells)
        if found is None:
            return None, ""
        if np.isinf(found.statistic):
            return None, say.SAME_IN_ALL.format(rival=rival, n=n)
        if self.is_hopeless:
            edges = sorted(abs(found.difference) + sign * (found.interval[1] - found.difference) for sign in (-1, 1))
            shown = printer(self.score, [found.difference, *edges])
            value, low, high = (shown(v) for v in (abs(found.difference), *edges))
            why = "only two splits" if n < 3 else f"{self.test_to_train:.3g} rows to test for each to train"
            return None, say.UNTESTED.format(
                rival=rival, value=value, level=1 - self.alpha, low=low, high=high, why=why
            )
        tests = {m: self.test(m, control) for m in self.cells if m != control} if control in self.cells else {}
        p = {m: t.p for m, t in tests.items() if t is not None and np.isfinite(t.statistic)}
        method, adjusted, picked = rival if best == control else best, found.p, ","
        if len(p) > 1 and method in p:
            adjusted = float(holm(pd.Series(p))[method])
            picked = say.PICKED.format(n=len(p), n_methods=len(p) + 1)
        return adjusted, say.TESTED.format(
            rival=rival, chance=say.CHANCE[adjusted < self.alpha], p=p_equal(adjusted), picked=picked, n=n,
            test=f"{'corrected' if self.test_to_train else 'paired'} t test",
            shared="" if self.test_to_train else " that share no row", few=", which can show little" if n < FEW else "",
        )  # fmt: skip

    def rotations(self, pairs: Pairs, means: pd.Series) -> list[str]:
        """Return sentences on methods with rotations against the same ones without, where a test is possible."""
        p_values, gaps = [], []
        for turned, plain in pairs:
            found = self.test(turned, plain) if turned in means and plain in means else None
            if found and np.isfinite(found.statistic):
                p_values.append(found.p)
                score, score_plain = map(
                    printer(self.score, [means[turned], means[plain]]), [means[turned], means[plain]]
                )
                helps = (found.difference > 0) == bool(higher_is_better(self.score))
                gaps.append(
                    {"turned": turned, "plain": plain, "score": score, "score_plain": score_plain, "helps": helps}
                )
        return _rotations(say.ROTATIONS_HERE, p_values, gaps, self.alpha) if gaps and not self.is_hopeless else []
