"""The verdict on one data set in sentences, by its held-out rows; ``sentences.py`` has the templates."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rotastack.stats.metrics import BASELINE, IN_UNITS, NAMES, best_possible, higher_is_better
from rotastack.stats.resampled_t import corrected_t
from rotastack.stats.wilcoxon import holm
from rotastack.workflow.judge import sentences as say
from rotastack.workflow.judge.intervals import coverage_in_words
from rotastack.workflow.judge.results import ROPE, TIE_BREAK, Choice, cells_and_tests, choose
from rotastack.workflow.judge.verdict import rotations
from rotastack.workflow.judge.words import listed, p_equal, printer, short_message
from rotastack.workflow.study.specs import SummarySpec

UNEVEN = 0.2
"""Share of rows below which a class of two is rare."""
MANY = 200
"""Rows from which on ten of them should not make half of the squared errors; of normal errors ten of 200 make 28 %."""
FAR = 0.2
"""Share of the baseline's distance to the best possible score; a method that is nearer by this share has learnt something."""


def verdict_of_one(
    scores: pd.DataFrame,
    spec: SummarySpec,
    record: Mapping[str, Any],
    influences: pd.DataFrame,
    about: Mapping[str, Any],
    options: Mapping[str, str] = say.OPTIONS,
) -> dict[str, Any]:
    """Return the verdict's ``sentences`` on a data set, the ``best`` method by the score, the ``means`` and the ``p_value``.

    `scores` has a row for each method and cell, `record` is that of the scoring step, and `influences` with the facts `about`
    them are of its output ``rows``. `options` has the words for options in sentences. ``best`` is None if all methods failed, and ``p_value`` without a test. Sentences that change what
    a number means come first.
    """
    return _Verdict(scores, spec, record["metrics"], influences, about, options).content()


class _Verdict:
    """The scores of a data set's methods, and the sentences on them."""

    def __init__(
        self,
        scores: pd.DataFrame,
        spec: SummarySpec,
        found: Mapping[str, Any],
        influences: pd.DataFrame,
        about: Mapping[str, Any],
        options: Mapping[str, str],
    ):
        self.spec, self.found, self.score, self.options = spec, found, spec.score, options
        self.cells, self.test = cells_and_tests(scores, spec, influences, about, spec.optimistic)
        self.means = self.test.means
        of_cells = scores[scores["method"].isin(self.cells.columns)]
        self.breaker = of_cells.groupby("method")[TIE_BREAK[spec.task]].mean().dropna().to_dict()
        self.level = found["baseline"].get(self.score, np.nan)
        self.repeated = about["times"] > 1
        self.test_to_train = next(iter(spec.test_to_train.values()), None)

    def content(self) -> dict[str, Any]:
        """Return the verdict."""
        before, after = self.found.get("suspicions", []), [*self._lacking(), *self.found.get("forecasts", [])]
        choice = choose(self.means, self.breaker, self.found.get("fit_processor_seconds", {}), self.test)
        if choice is None:
            return {
                "best": None,
                "means": {},
                "p_value": None,
                "sentences": [*before, say.ALL_FAILED.format_map(self.options)],
            }
        best, control = str(self.means.index[0]), self.spec.control
        rival = control if control in self.means and control != best else next(iter(self.means.index[1:]), None)
        covered = self.found.get("intervals", {}).get(choice.method)
        after = [*([] if covered is None else [f"{choice.method}: {coverage_in_words(covered)}"]), *after]
        rows, share, absolute = self.found.get("ten_rows", {}).get(best, (0, 0.0, 0.0))
        if self.score in ("rmse", "r2") and rows >= MANY and share > 0.5:
            words = {"rows": rows, "share": share, "absolute": absolute, "best": best, "score": NAMES[self.score]}
            words["option"] = self.options["score"].format("mae")
            before = [*before, say.TEN_ROWS.format(**words)]
        p_value, tested = (None, []) if rival is None else self._difference(best, rival)
        sentences = [
            *before,
            self._headline(best, rival, choice),
            *self._alike(best, choice),
            *tested,
            *self._rotations(),
            *self._beside_baseline(),
            *self._threshold(choice.method),
            *after,
        ]
        return {"best": best, "means": self.means.to_dict(), "p_value": p_value, "sentences": sentences}

    def _named(self, methods: list[str]) -> str:
        """Return methods with their scores, as a list in a sentence."""
        return listed([f"{m} ({self._shown(self.means[m])})" for m in methods], 3)

    def _shown(self, value: float) -> str:
        """Return a score with enough digits to distinguish the methods' means and the baseline's."""
        return printer(self.score, [*self.means, *([] if np.isnan(self.level) else [self.level])])(value)

    def _headline(self, best: str, rival: str | None, choice: Choice) -> str:
        """Return the score of the best method beside others, and the method that becomes the model if another one does."""
        against = [] if rival is None else [f"{self._shown(self.means[rival])} for {rival}"]
        against += [] if np.isnan(self.level) else [f"{self._shown(self.level)} for {BASELINE[self.score]}"]
        text = say.SCORES.format(
            best=best,
            score=NAMES[self.score],
            value=self._shown(self.means[best]),
            against=f" against {' and '.join(against)}" if against else "",
        )
        if choice.method == best or not self.spec.chooses:
            return text
        breaker, loss = TIE_BREAK[self.spec.task], choice.value
        return f"{text} " + say.CHOSEN.format(
            chosen=choice.method,
            value=self._shown(self.means[choice.method]),
            breaker=NAMES[breaker],
            loss="" if np.isnan(loss) else f" ({printer(breaker, [loss])(loss)})",
            fastest=", and trains fastest of those with this value" * choice.fastest,
        )

    def _alike(self, best: str, choice: Choice) -> list[str]:
        """Return sentences on the methods next to the best that are equal in practice, and on those that cannot be told apart."""
        tests = {str(m): self.test(str(m), best) for m in self.means.index[1:]}
        margin = ROPE * self.level if self.score in IN_UNITS else ROPE
        ties = [
            m
            for m in choice.alike[1:]
            if self.test.unseen(m, best) <= ROPE and (t := tests[m]) and max(map(abs, t.interval)) <= margin
        ]
        alike = [m for m in choice.alike[1:] if m not in ties and not ((t := tests[m]) and t.p < self.spec.alpha)]
        further = [m for m, t in tests.items() if m not in choice.alike and t and t.p >= self.spec.alpha]
        sentences = []
        if ties:
            shown = f"{ROPE:.0%} of the baseline's" if self.score in IN_UNITS else printer(self.score, [margin])(margin)
            level = 100 * (1 - self.spec.alpha)
            sentences = [say.TIES.format(best=best, ties=self._named(ties), level=level, margin=shown)]
        if alike:
            text = self._named(alike)
            if further:
                text = say.FURTHER.format(alike=text, further=self._named(further), unit=self.test.unit)
            sentences.append(say.ALIKE.format(units=self.test.units, best=best, alike=text))
        return sentences

    def _difference(self, best: str, rival: str) -> tuple[float | None, list[str]]:
        """Return the p-value of a difference, after Holm's correction over comparisons, and a sentence."""
        control = self.spec.control if self.spec.control in self.means else best
        others = [str(m) for m in self.means.index if m != control]
        method = rival if best == control else best
        tests = {m: self.test(m, control) for m in others}
        if tests[method] is None:
            return None, [say.NO_TEST.format(unit=self.test.unit)]
        adjusted, n = float(holm(pd.Series({m: t.p if t else 1.0 for m, t in tests.items()}))[method]), len(others)
        beside = ""
        if self.repeated and self.test_to_train is not None and self.cells.notna().sum().min() > 1:
            pairs = {m: self.cells[[m, control]].dropna() for m in others}
            p = {m: corrected_t(both[m], both[control], 1.0, self.test_to_train).p for m, both in pairs.items()}
            beside = say.BESIDE.format(n=len(pairs[method]), p=p_equal(holm(pd.Series(p))[method]))
        picked = say.PICKED.format(n=n, n_methods=n + 1) if n > 1 else ""
        return adjusted, [
            say.TESTED.format(
                rival=rival,
                shown=say.SHOWN[adjusted < self.spec.alpha],
                p=p_equal(adjusted),
                picked=picked,
                units=self.test.units,
                beside=beside,
            )
        ]

    def _rotations(self) -> list[str]:
        """Return sentences on methods with rotations against the same ones without, where a test is possible.

        Where no method beats the baseline, rotations help nobody.
        """
        p_values, gaps = [], []
        if self._gain <= 0:
            return []
        for turned, plain in self.spec.rotation_pairs:
            if {turned, plain} <= {*self.means.index} and (found := self.test(turned, plain)):
                p_values.append(found.p)
                score, score_plain = (self._shown(self.means[m]) for m in (turned, plain))
                helps = (found.difference > 0) == bool(higher_is_better(self.score))
                gaps.append(
                    {"turned": turned, "plain": plain, "score": score, "score_plain": score_plain, "helps": helps}
                )
        return rotations(say.ROTATIONS_HERE, p_values, gaps, self.spec.alpha) if gaps else []

    def _beside_baseline(self) -> list[str]:
        """Return a sentence if no method is better than the baseline, or no method's outputs for rows go with the target."""
        if np.isnan(self.level):
            return []
        alpha, gain, association = self.spec.alpha, self._gain, self._association
        goes, p = min(association.items(), key=lambda item: item[1], default=("", 0.0))
        unrelated = [say.NO_RELATION.format(p=p_equal(p))] if p >= alpha and gain < FAR else []
        if gain > 0:
            return unrelated
        told = goes and p * len(association) < alpha
        rest = say.ROWS_TELL.format(method=goes, p=p_equal(p)) if told else ""
        what = "makes fewer errors" if self.score == "error" else f"has a better {NAMES[self.score]}"
        return [say.NOT_BETTER.format(what=what, baseline=BASELINE[self.score], rest=rest), *unrelated]

    @property
    def _gain(self) -> float:
        """The share of the baseline's distance to the best possible score by which the best method is nearer; NaN if unknown."""
        best = best_possible(self.score)
        return float((self.means.iloc[0] - self.level) / (best - self.level)) if self.level != best else 0.0

    @property
    def _association(self) -> dict[str, float]:
        """The p-values of `association_p` of the compared methods."""
        return {m: p for m, p in self.found.get("association_p", {}).items() if m in self.cells}

    def _threshold(self, method: str) -> list[str]:
        """Return a sentence that proposes a threshold, if a class is rare or the method seldom decides for it."""
        found = self.found.get("thresholds", {}).get(method)
        if not found or self.spec.threshold is not None or self._association.get(method, 0.0) >= self.spec.alpha:
            return []
        rows, others = found["rows"], found["others"]
        if rows >= UNEVEN * (rows + others) and found["decided"] >= rows / 2:
            return []
        accuracy = (found["right"] / rows + 1 - found["wrong"] / others) / 2
        option = self.options["threshold"].format(f"{found['threshold']:.4g}")
        return [say.THRESHOLD.format(method=method, total=rows + others, accuracy=accuracy, option=option, **found)]

    def _lacking(self) -> list[str]:
        """Return sentences on the methods without a score."""
        why = {m: short_message(reason) for m, reason in self.found.get("failures", {}).items()}
        lacking, sentences = [m for m in self.cells.columns if m not in self.means.index], []
        if self.score == "pinball" and (bare := [m for m in lacking if m not in why]):
            sentences = [say.WITHOUT_INTERVALS.format(methods=", ".join(bare))]
            lacking = [m for m in lacking if m in why]
        if lacking:
            methods = ", ".join(f"{m} ({why[m]})" if m in why else m for m in lacking)
            sentences.append(say.FAILED.format(methods=methods))
        return sentences
