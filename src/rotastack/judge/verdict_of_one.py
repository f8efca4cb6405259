"""The result on one data set in sentences: the best method, its test, the effect of rotations, and doubts."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.judge.results import TIE_BREAK, Choice, choose
from rotastack.judge.verdict import beyond, clearest, effect
from rotastack.judge.words import listed, p_equal, printer
from rotastack.stats.metrics import BASELINE, NAMES, OPTIMA, PRIMARY, higher_is_better
from rotastack.stats.resampled_t import CorrectedT, corrected_t
from rotastack.stats.wilcoxon import holm

__all__ = ["verdict_of_one"]

FEW = 5
"""Number of splits below which a test can show little."""

UNEVEN = 0.2
"""Share of rows below which a class of two is rare."""

FAR = 0.2
"""Share of the baseline's distance to the best possible score; a method that is nearer by this share has learnt something."""


def verdict_of_one(
    cells: pd.DataFrame,
    task: str,
    control: str,
    *,
    score: str | None = None,
    baseline: Mapping[str, float] | None = None,
    breaker: Mapping[str, float] | None = None,
    seconds: Mapping[str, float] | None = None,
    rotation_pairs: Sequence[Sequence[str]] = (),
    test_to_train: float | None = None,
    alpha: float = 0.05,
    failures: Mapping[str, str] | None = None,
    association: Mapping[str, float] | None = None,
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    doubts: Sequence[str] = (),
) -> dict[str, Any]:
    """Return sentences on the chosen method of a data set, its test against the control, and the effect of rotations.

    The chosen method is the one of :func:`~rotastack.judge.results.choose`.

    Parameters
    ----------
    cells : DataFrame of shape (n_cells, n_methods)
        The main score; NaN where a method failed.
    task : {"classification", "regression"}
    control : str
        The method that others are compared with.
    score : str, optional
        The main score; by default that of the task.
    baseline : mapping, optional
        Score -> its mean for the baseline, a constant prediction.
    breaker : mapping, optional
        Method -> mean log loss, of numbers mean RMSE: it decides among methods that tie.
    seconds : mapping, optional
        Method -> seconds of a training: they decide next.
    rotation_pairs : sequence of (str, str)
        A method with rotations and the same one without.
    test_to_train : float, optional
        Number of test rows per training row of a split, for the corrected t test over splits; 0 if splits share no row.
        Without this number, or with one split, there is no test.
    alpha : float
        Level of the test.
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
    score, constant = score or PRIMARY[task], BASELINE[task]
    higher = bool(higher_is_better(score))
    level = None if baseline is None else baseline.get(score)
    if level is not None and np.isnan(level):
        level = None
    means = cells.mean(skipna=False).dropna().sort_values(ascending=not higher, kind="stable")
    failed = [m for m in cells.columns if m not in means.index]
    choice = choose(cells, score, breaker or {}, seconds or {}, test_to_train, alpha)
    if choice is None:
        sentences = ["All methods failed; the report says why."]
        return {"best": None, "means": {}, "p_value": None, "sentences": sentences}
    splits = _Splits(cells[list(means.index)], test_to_train, alpha)
    best, others = choice.method, [str(m) for m in means.index if m != choice.method]
    rival = control if control in others else others[0] if others else None
    tied = [m for m in choice.tied if m != best]
    named = [best, *([rival] if rival else []), *others[:1], *tied]
    shown = printer(score, [*means[list(dict.fromkeys(named))], *([] if level is None else [level])])
    against = [f"{shown(means[rival])} for {rival}"] if rival else []
    if level is not None:
        against.append(f"{shown(level)} for {constant}")
    next_best = (
        f"; the next best of {len(means)} is {others[0]} ({shown(means[others[0]])})"
        if others and others[0] != rival and not tied
        else ""
    )
    sentences = [
        f"{best}: {NAMES[score]} {shown(means[best])}{' against ' * bool(against)}{' and '.join(against)}{next_best}."
    ]
    if tied:
        sentences.append(_ties(choice, {m: f"{m} ({shown(means[m])})" for m in tied}, TIE_BREAK[task], alpha))
    p_value = None
    if rival is not None:
        p_value, sentence = splits.difference(best, rival, control, score)
        sentences += [sentence] if sentence else []
        if len(cells) == 1:
            sentences.append("No test: there is only one split.")
    sentences += splits.rotations(rotation_pairs, means, score)
    if level is not None:
        sentences += _beside_baseline(
            means.iloc[0], baseline or {}, breaker or {}, score, task, association or {}, alpha
        )
    if thresholds and best in thresholds and (association or {}).get(best, 0.0) < alpha:
        sentences += _threshold(best, thresholds[best])
    if failed:
        reasons = [f"{m} ({failures[m]})" if failures and m in failures else m for m in failed]
        sentences.append(f"Failed: {', '.join(reasons)}; the others are compared.")
    sentences += doubts
    return {"best": best, "means": means.to_dict(), "p_value": p_value, "sentences": sentences}


def _ties(choice: Choice, others: Mapping[str, str], breaker: str, alpha: float) -> str:
    """Return a sentence on the methods that tie with the chosen one, and on the rule of the choice."""
    best = choice.tied[0]
    of = "" if best == choice.method else f" from {best}, the best mean,"
    why = (
        f"{1 - alpha:.0%} intervals of the differences{of} contain 0"
        if choice.tested
        else "the means are equal to four digits"
    )
    value = "" if np.isnan(choice.value) else f" ({printer(breaker, [choice.value])(choice.value)})"
    return (
        f"It ties with {listed(list(others.values()))}: {why}. "
        f"Of these, the one of least {NAMES[breaker]}{value} is chosen, then of shortest training."
    )


def _threshold(method: str, found: Mapping[str, Any]) -> list[str]:
    """Return a sentence that proposes a threshold, if a class is rare or the method seldom decides for it."""
    rows, others, decided, right, wrong = (found[k] for k in ("rows", "others", "decided", "right", "wrong"))
    if rows >= UNEVEN * (rows + others) and decided >= rows / 2:
        return []
    return [
        f"{method} predicts class {found['class']} for {decided:,} of {rows + others:,} held-out rows, and {rows:,} are of it. "
        f"From probability {found['threshold']:.4g} on it would find {right:,} of these, and be wrong for {wrong:,} of the "
        f"{others:,} others (the best balanced accuracy on these rows, {(right / rows + 1 - wrong / others) / 2:.0%}): "
        f"model.threshold: {found['threshold']:.4g} in the study's file sets it."
    ]


class _Splits(NamedTuple):
    """Scores over the splits of a data set, and the test of their differences.

    Attributes
    ----------
    cells : DataFrame of shape (n_splits, n_methods)
    test_to_train : float or None
    alpha : float
    """

    cells: pd.DataFrame
    test_to_train: float | None
    alpha: float

    def test(self, first: str, second: str) -> CorrectedT | None:
        """Return the corrected t test of two methods; None with one split or without `test_to_train`."""
        if self.test_to_train is None or len(self.cells) < 2:
            return None
        return corrected_t(self.cells[first], self.cells[second], 1.0, self.test_to_train, alpha=self.alpha)

    @property
    def is_hopeless(self) -> bool:
        """Whether the test could hardly show any difference: two splits, or more test rows than training rows."""
        return len(self.cells) < 3 or (self.test_to_train or 0) > 1

    def difference(self, best: str, rival: str, control: str, score: str) -> tuple[float | None, str]:
        """Return the p-value of a difference, after Holm's correction over comparisons, and a sentence."""
        found = self.test(best, rival)
        if found is None:
            return None, ""
        n = len(self.cells)
        if np.isinf(found.statistic):
            return None, (f"The difference from {rival} is the same in all {n} splits, so no test is possible.")
        if self.is_hopeless:
            edges = sorted(abs(found.difference) + sign * (found.interval[1] - found.difference) for sign in (-1, 1))
            shown = printer(score, [found.difference, *edges])
            why = "only two splits" if n < 3 else f"{self.test_to_train:.3g} rows to test for each to train"
            return None, (
                f"The difference from {rival} is {shown(abs(found.difference))}, with a {1 - self.alpha:.0%} interval from "
                f"{shown(edges[0])} to {shown(edges[1])} in its favour; no test: {why}."
            )
        tests = {m: self.test(m, control) for m in self.cells if m != control} if control in self.cells else {}
        p = {m: t.p for m, t in tests.items() if t is not None and np.isfinite(t.statistic)}
        method = rival if best == control else best
        adjusted, picked = found.p, ""
        if len(p) > 1 and method in p:
            adjusted = float(holm(pd.Series(p))[method])
            picked = f" after Holm's correction for {len(p)} comparisons, as the best is picked from {len(p) + 1};"
        few = ", which can show little" if n < FEW else ""
        return adjusted, (
            f"The difference from {rival} is {beyond(adjusted, self.alpha)} (p {p_equal(adjusted)}{picked or ','} "
            f"{'corrected' if self.test_to_train else 'paired'} t test over {n} splits{'' if self.test_to_train else ' that share no row'}{few})."
        )

    def rotations(self, pairs: Sequence[Sequence[str]], means: pd.Series, score: str) -> list[str]:
        """Return sentences on methods with rotations against the same ones without, where a test is possible."""
        known = [(first, second) for first, second in pairs if first in means and second in means]
        tests = [(pair, found) for pair in known if (found := self.test(*pair)) and np.isfinite(found.statistic)]
        if self.is_hopeless or not tests:
            return []
        shown, note, others = clearest([found.p for _, found in tests])
        sentences = []
        for k, p in shown:
            (turned, plain), found = tests[k]
            helps = (found.difference > 0) == bool(higher_is_better(score))
            text = printer(score, [means[turned], means[plain]])
            sentences.append(
                f"Rotations {effect(p, self.alpha, helps)} here: {turned} has {text(means[turned])}, the same without them, "
                f"{plain}, {text(means[plain])} (p {p_equal(p)}{note})."
            )
        return sentences + others


def _beside_baseline(
    mean: float, baseline: Mapping[str, float], log_loss: Mapping[str, float], score: str, task: str,
    association: Mapping[str, float], alpha: float,
) -> list[str]:  # fmt: skip
    """Return a sentence if no method is better than the baseline, or no method's outputs go with the target.

    Whether the columns hold information is judged by the rows, not by the few splits, and by all methods.
    """
    optimum, level = OPTIMA.get(score, 0.0), baseline[score]
    gain = (mean - level) / (optimum - level) if level != optimum else 0.0
    goes, p = min(association.items(), key=lambda item: item[1], default=("", 0.0))
    doubt = "the columns may hold no information about the target"
    if gain > 0:
        if p < alpha or gain >= FAR:
            return []
        return [
            f"No method's outputs for held-out rows go with the target beyond chance (permuted rows, least p {p_equal(p)}): {doubt}."
        ]
    least = min(log_loss, key=lambda m: log_loss[m], default=None)
    what = {"error": "makes fewer errors", "rmse": "is nearer"}.get(score, f"has a better {NAMES[score]}")
    text = f"No method {what} than {BASELINE[task]}"
    if score == "error" and least is not None and log_loss[least] < baseline.get("log_loss", -np.inf):
        text += (
            f", but the probabilities of {least} tell more than the classes' shares "
            f"(log loss {log_loss[least]:.3f} against {baseline['log_loss']:.3f})"
        )
    elif goes and p * len(association) < alpha / 5:  # p is too small, see association_p
        text += f", but the outputs of {goes} for held-out rows go with the target (permuted rows, p {p_equal(p)})"
    elif p >= alpha:
        text += f", nor do its outputs for held-out rows go with the target beyond chance (permuted rows, least p {p_equal(p)}): {doubt}"
    return [f"{text}."]
