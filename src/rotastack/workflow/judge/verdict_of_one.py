"""The verdict on one data set in sentences, by its splits and its held-out rows; ``sentences.py`` has the templates."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.stats.metrics import BASELINE, NAMES, best_possible, higher_is_better
from rotastack.stats.resampled_t import CorrectedT, corrected_t
from rotastack.stats.wilcoxon import holm
from rotastack.workflow.judge import sentences as say
from rotastack.workflow.judge.intervals import coverage_in_words
from rotastack.workflow.judge.results import TIE_BREAK, choose
from rotastack.workflow.judge.verdict import Pairs, rotations
from rotastack.workflow.judge.words import listed, p_equal, printer
from rotastack.workflow.study.specs import SummarySpec

__all__ = ["verdict_of_one"]

FEW = 5
"""Number of splits below which a test can show little."""
UNEVEN = 0.2
"""Share of rows below which a class of two is rare."""
FAR = 0.2
"""Share of the baseline's distance to the best possible score; a method that is nearer by this share has learnt something."""


def verdict_of_one(scores: pd.DataFrame, spec: SummarySpec, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``best`` method of a data set by `choose`, the ``means``, the ``p_value`` and the verdict's ``sentences``.

    `scores` has a row for each method and cell, and `record` is that of the scoring step. ``best`` is None if all methods
    failed, and ``p_value`` without a test.
    """
    task, score, control, alpha = spec.task, spec.score, spec.control, spec.alpha
    found, test_to_train = record["metrics"], spec.test_to_train.get(record["dataset"])
    cells = scores.pivot_table(index=spec.axes, columns="method", values=score, sort=False, dropna=False)
    cells = cells[[m for m in spec.methods if m in cells and m not in spec.optimistic]]
    breaker = scores[scores["method"].isin(cells.columns)].groupby("method")[TIE_BREAK[task]].mean().dropna().to_dict()
    association = {m: p for m, p in found.get("association_p", {}).items() if m in cells}
    level = found["baseline"].get(score, np.nan)
    levels = [] if np.isnan(level) else [level]
    means = cells.mean(skipna=False).dropna().sort_values(ascending=not higher_is_better(score), kind="stable")
    choice = choose(cells, score, breaker, found.get("fit_processor_seconds", {}), test_to_train, alpha)
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
    sentences += splits.rotations(spec.rotation_pairs)
    if levels:
        sentences += _beside_baseline(means.iloc[0], found["baseline"], breaker, score, task, association, alpha)
    if association.get(best, 0.0) < alpha and spec.threshold is None:
        sentences += _threshold(best, found.get("thresholds", {}).get(best))
    why = {m: reason.rpartition("Error: ")[2] for m, reason in found.get("failures", {}).items()}
    lacking = [m for m in cells.columns if m not in means.index]
    if score == "pinball" and (bare := [m for m in lacking if m not in why]):
        sentences.append(say.WITHOUT_INTERVALS.format(methods=", ".join(bare)))
        lacking = [m for m in lacking if m in why]
    if lacking:
        sentences.append(say.FAILED.format(methods=", ".join(f"{m} ({why[m]})" if m in why else m for m in lacking)))
    tested = found.get("intervals", {}).get(best)
    sentences += [] if tested is None else [f"{best}: {coverage_in_words(tested)}"]
    sentences += found.get("suspicions", [])
    return {"best": best, "means": means.to_dict(), "p_value": p_value, "sentences": sentences}


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

    def rotations(self, pairs: Pairs) -> list[str]:
        """Return sentences on methods with rotations against the same ones without, where a test is possible."""
        p_values, gaps = [], []
        for turned, plain in pairs:
            found = self.test(turned, plain) if turned in self.cells and plain in self.cells else None
            if found and np.isfinite(found.statistic):
                p_values.append(found.p)
                means = self.cells[turned].mean(), self.cells[plain].mean()
                score, score_plain = map(printer(self.score, means), means)
                helps = (found.difference > 0) == bool(higher_is_better(self.score))
                gaps.append(
                    {"turned": turned, "plain": plain, "score": score, "score_plain": score_plain, "helps": helps}
                )
        return rotations(say.ROTATIONS_HERE, p_values, gaps, self.alpha) if gaps and not self.is_hopeless else []


def _beside_baseline(
    mean: float, baseline: Mapping[str, float], log_loss: Mapping[str, float], score: str, task: str,
    association: Mapping[str, float], alpha: float,
) -> list[str]:  # fmt: skip
    """Return a sentence if no method is better than the baseline, or no method's outputs for rows go with the target."""
    best, level = best_possible(score), baseline[score]
    gain = (mean - level) / (best - level) if level != best else 0.0
    goes, p = min(association.items(), key=lambda item: item[1], default=("", 0.0))
    doubt = say.DOUBT.format(p=p_equal(p))
    if gain > 0:
        return [] if p < alpha or gain >= FAR else [say.NO_RELATION.format(doubt=doubt)]
    least = min(log_loss, key=lambda m: log_loss[m], default=None)
    rest = ""
    if score == "error" and least is not None and log_loss[least] < baseline.get("log_loss", -np.inf):
        rest = say.LOSS_IS_LESS.format(method=least, loss=log_loss[least], level=baseline["log_loss"])
    elif goes and p * len(association) < alpha / 5:  # p is too small, see association_p
        rest = say.ROWS_TELL.format(method=goes, p=p_equal(p))
    elif p >= alpha:
        rest = say.NOR.format(doubt=doubt)
    what = {"error": "makes fewer errors", "rmse": "is nearer"}.get(score, f"has a better {NAMES[score]}")
    return [say.NOT_BETTER.format(what=what, baseline=BASELINE[task], rest=rest)]


def _threshold(method: str, found: Mapping[str, Any] | None) -> list[str]:
    """Return a sentence that proposes a threshold, if a class is rare or the method seldom decides for it."""
    if not found:
        return []
    rows, others = found["rows"], found["others"]
    if rows >= UNEVEN * (rows + others) and found["decided"] >= rows / 2:
        return []
    accuracy = (found["right"] / rows + 1 - found["wrong"] / others) / 2
    return [say.THRESHOLD.format(method=method, total=rows + others, accuracy=accuracy, **found)]
