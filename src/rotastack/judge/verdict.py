"""What came out, in sentences: on one data set, over several, and in groups of methods."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import ceil, log2
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.judge.results import complete
from rotastack.judge.words import counted, listed, p_equal, printer
from rotastack.stats.comparison import compare
from rotastack.stats.metrics import BASELINE, NAMES, PRIMARY, higher_is_better
from rotastack.stats.resampled_t import CorrectedT, corrected_t
from rotastack.stats.wilcoxon import holm, wilcoxon_holm

__all__ = ["verdict_of_groups", "verdict_of_one", "verdict_over_datasets"]

FEW = 5
"""Splits below which a test can show little."""

_NAMED = 3
"""Data sets that a sentence names; of more only the one of the largest change."""


def verdict_of_one(
    cells: pd.DataFrame,
    task: str,
    control: str,
    *,
    score: str | None = None,
    baseline: Mapping[str, float] | None = None,
    log_loss: Mapping[str, float] | None = None,
    rotated: Sequence[str] = (),
    test_to_train: float | None = None,
    alpha: float = 0.05,
    failures: Mapping[str, str] | None = None,
    baseline_cells: Sequence[float] | None = None,
    never: Mapping[str, str] | None = None,
    doubts: Sequence[str] = (),
) -> dict[str, Any]:
    """Say which method is best on a data set, whether it is beyond chance that it beats the control, and what rotations do.

    Parameters
    ----------
    cells : DataFrame of shape (n_cells, n_methods)
        The main score; a method that failed has missing values.
    task : {"classification", "regression"}
    control : str
        The method that others are compared with.
    score : str, optional
        The main score; by default that of the task.
    baseline : mapping, optional
        Score -> its mean for always giving the same answer.
    log_loss : mapping, optional
        Method -> mean log loss: asked where no method makes fewer errors than the baseline.
    rotated : sequence of str
        Methods that look at rotated columns.
    test_to_train : float, optional
        Test rows for each training row of a split, for the corrected t test over splits; 0 where splits share no row.
        Without it, and with one split, no test is made.
    alpha : float
        Level of the test.
    failures : mapping, optional
        Method -> why it failed.
    baseline_cells : sequence of float, optional
        The baseline's score in each cell, for a test of the best method against it.
    never : mapping, optional
        Method -> a class that it never decides for rightly.
    doubts : sequence of str
        What makes the comparison doubtful: sentences that stand at the end.

    Returns
    -------
    dict
        ``best`` (None if all methods failed), ``means`` (method -> mean), ``p_value`` (None without a test), and
        ``sentences``.

    Examples
    --------
    >>> cells = pd.DataFrame({"Random forest": [0.25, 0.27, 0.26], "Rotastack": [0.20, 0.21, 0.21]})
    >>> found = verdict_of_one(
    ...     cells, "classification", "Random forest", baseline={"error": 0.46}, rotated=["Rotastack"], test_to_train=0.5
    ... )
    >>> print("\\n".join(found["sentences"]))
    Rotastack: error 20.7% against 26.0% for Random forest and 46.0% for always the largest class.
    The difference from Random forest is beyond chance (p = 0.0096, corrected t test over 3 splits, which can show little).
    So rotations help here.
    """
    score, constant = score or PRIMARY[task], BASELINE[task]
    higher = bool(higher_is_better(score))
    level = None if baseline is None else baseline.get(score)
    if level is not None and np.isnan(level):
        level = None
    means = cells.mean(skipna=False).dropna().sort_values(ascending=not higher, kind="stable")
    failed = [m for m in cells.columns if m not in means.index]
    if means.empty:
        sentences = ["All methods failed; the report says why."]
        return {"best": None, "means": {}, "p_value": None, "sentences": sentences}
    splits = _Splits(cells[list(means.index)], test_to_train, alpha)
    best, others = str(means.index[0]), [str(m) for m in means.index[1:]]
    rival = control if control in others else others[0] if others else None
    turned = _with_and_without(means.index, rotated)
    named = [best, *([rival] if rival else []), *others[:1], *(turned or ())]
    shown = printer(score, [*means[list(dict.fromkeys(named))], *([] if level is None else [level])])
    against = [f"{shown(means[rival])} for {rival}"] if rival else []
    if level is not None:
        against.append(f"{shown(level)} for {constant}")
    next_best = (
        f"; the next best of {len(means)} is {others[0]} ({shown(means[others[0]])})"
        if others and others[0] != rival
        else ""
    )
    sentences = [
        f"{best}: {NAMES[score]} {shown(means[best])}{' against ' * bool(against)}{' and '.join(against)}{next_best}."
    ]
    p_value = None
    if rival is not None:
        p_value, sentence = splits.difference(best, rival, control, score)
        sentences += [sentence] if sentence else []
    if turned is not None:
        sentences += splits.rotations(turned, means, p_value if set(turned) == {best, rival} else None, shown)
    if level is not None and (means[best] <= level if higher else means[best] >= level):
        sentences.append(_beside_baseline(constant, baseline or {}, log_loss or {}, score))
    elif baseline_cells is not None:
        sentences += splits.above_baseline(best, np.asarray(baseline_cells, dtype=float), constant)
    if never and best in never:
        sentences.append(
            f"{best} never decides for {never[best]} rightly: the report shows what thresholds would do, and model.threshold of the "
            "study keeps one."
        )
    if failed:
        reasons = [f"{m} ({failures[m]})" if failures and m in failures else m for m in failed]
        sentences.append(f"Failed: {', '.join(reasons)}; the others are compared.")
    sentences += doubts
    return {"best": best, "means": means.to_dict(), "p_value": p_value, "sentences": sentences}


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
        """Return the corrected t test of two methods; None where there is none."""
        if self.test_to_train is None or len(self.cells) < 2:
            return None
        return corrected_t(self.cells[first], self.cells[second], 1.0, self.test_to_train, alpha=self.alpha)

    @property
    def is_hopeless(self) -> bool:
        """Whether the test could hardly show any difference: two splits, or more rows to test than to train."""
        return len(self.cells) < 3 or (self.test_to_train or 0) > 1

    def difference(self, best: str, rival: str, control: str, score: str) -> tuple[float | None, str]:
        """Return the p-value of a difference, corrected for the number of comparisons with the control, and a sentence."""
        found = self.test(best, rival)
        if found is None:
            return None, ""
        n = len(self.cells)
        if np.isinf(found.statistic):
            return None, (
                f"The difference from {rival} is the same in all {n} splits, so that no test can tell it from chance."
            )
        if self.is_hopeless:
            edges = sorted(abs(found.difference) + sign * (found.interval[1] - found.difference) for sign in (-1, 1))
            shown = printer(score, [found.difference, *edges])
            why = "two splits" if n < 3 else f"{self.test_to_train:.3g} rows to test for each to train"
            return None, (
                f"The difference from {rival} is {shown(abs(found.difference))}, with a {1 - self.alpha:.0%} interval from "
                f"{shown(edges[0])} to {shown(edges[1])} in its favour; {why} are no ground for a test."
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
            f"The difference from {rival} is {_beyond(adjusted, self.alpha)} (p {p_equal(adjusted)}{picked or ','} "
            f"{'corrected' if self.test_to_train else 'paired'} t test over {n} splits{'' if self.test_to_train else ' that share no row'}{few})."
        )

    def above_baseline(self, best: str, level: NDArray[np.float64], constant: str) -> list[str]:
        """Say where it is not beyond chance that the best method is better than the baseline."""
        if self.test_to_train is None or self.is_hopeless or len(level) != len(self.cells):
            return []
        p = corrected_t(self.cells[best], level, 1.0, self.test_to_train, alpha=self.alpha).p
        if p < self.alpha:
            return []
        return [
            f"That {best} is better than {constant} is not beyond chance (p {p_equal(p)}): these columns may tell nothing."
        ]

    def rotations(
        self, pair: tuple[str, str], means: pd.Series, known: float | None, shown: Callable[[float], str]
    ) -> list[str]:
        """Compare the best method that rotates with the best that does not, if there are splits to test by.

        Both are picked from all methods: the p-value is multiplied by one less than their number. Where the two were compared
        already, their p-value is `known`.
        """
        turned, plain = pair
        found = self.test(turned, plain)
        if found is None or self.is_hopeless or np.isinf(found.statistic):
            return []
        p = min(1.0, found.p * (len(means) - 1)) if known is None else known
        what = _effect(p, self.alpha, list(means.index).index(turned) < list(means.index).index(plain))
        if known is not None:
            return [f"So rotations {what} here."]
        return [
            f"Rotations {what} here: the best method with them is {turned} ({shown(means[turned])}), "
            f"without them {plain} ({shown(means[plain])}; p {p_equal(p)} after correction for the choice of both)."
        ]


def _beside_baseline(constant: str, baseline: Mapping[str, float], log_loss: Mapping[str, float], score: str) -> str:
    """Say of what use methods are that are no better than the baseline."""
    least = min(log_loss, key=lambda m: log_loss[m], default=None)
    if score == "error" and least is not None and log_loss[least] < baseline.get("log_loss", -np.inf):
        return (
            f"No method makes fewer errors than {constant}, but the probabilities of {least} tell more than the classes' shares "
            f"(log loss {log_loss[least]:.3f} against {baseline['log_loss']:.3f})."
        )
    what = {"error": "makes fewer errors", "rmse": "is nearer"}.get(score, f"has a better {NAMES[score]}")
    return f"No method {what} than {constant}: of the target these columns tell little or nothing."


def _with_and_without(ordered: Iterable[str], rotated: Collection[str]) -> tuple[str, str] | None:
    """Return the first method on rotated columns and the first on others; None unless there are both."""
    kinds = [[str(m) for m in ordered if (m in rotated) is turned] for turned in (True, False)]
    return (kinds[0][0], kinds[1][0]) if all(kinds) else None


def _effect(p: float, alpha: float, better: bool) -> str:
    """Say what rotations do."""
    return "make no difference beyond chance" if p >= alpha else "help" if better else "do harm"


def _beyond(p: float, alpha: float) -> str:
    return "beyond chance" if p < alpha else "not beyond chance"


def verdict_over_datasets(
    result: Mapping[str, Any],
    score: str,
    control: str,
    alpha: float,
    *,
    rotated: Collection[str] = (),
    times: Mapping[str, pd.DataFrame] | None = None,
) -> list[str]:
    """Say which method is best, by how much and at what cost, whether that is beyond chance, and where rotations help.

    The best is the one of least average rank; where that is the control, it is set against the next one. Tests are
    Wilcoxon's of each method against the control, with Holm's correction, and Friedman's. What rotations do is read off the
    best ranked method that looks at rotated columns and the best ranked that does not.

    Parameters
    ----------
    result : mapping
        The comparison of the methods by one score, as :func:`~rotastack.judge.comparisons.compare_methods` gives it.
    score : str
        What the score is called.
    control : str
        The method that others are compared with.
    alpha : float
        Level of the tests.
    rotated : collection of str
        Methods that look at rotated columns; without any, rotations are not spoken of.
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
    >>> print(*verdict_over_datasets(found, "error", "RF", 0.05, rotated=["RRE"], times=times), sep="\\n")
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
    first.sort(key=lambda m: m != control)  # of methods that share the best rank the control counts as best
    sentences = [
        _best(result, means, ranks, first, score, control, times or {}),
        _chance(result, len(means), ranks, first[0], control, alpha),
        _rotations(means, ranks, rotated, bool(result["higher_is_better"]), alpha),
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
    """Name the best method, the one that it is set against, by how much it is better, and at what cost."""
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
    """Say whether the best method beats the control beyond chance, and whether any methods differ."""
    if n < 2 or "p_value" not in result:
        return "One data set tells nothing of others: no test is made."
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
        text = f"That {best} beats {control} is {_beyond(holm[best], alpha)} (p {p_equal(holm[best])}, {test})"
        needed = ceil(1 + log2(len(holm) / alpha))
        if holm[best] >= alpha and n < needed:
            text += f"; so many comparisons need {needed} data sets at least, even if all agree"
    if len(ranks) == 2:
        return f"{text}." if text else ""
    differ = "differ" if result["p_value"] < alpha else "do not differ beyond chance"
    friedman = f"as a whole the {len(ranks)} methods {differ} (Friedman's test, p {p_equal(result['p_value'])})"
    return f"{text}; {friedman}." if text else f"{friedman[0].upper()}{friedman[1:]}."


def _rotations(means: pd.DataFrame, ranks: pd.Series, rotated: Collection[str], higher: bool, alpha: float) -> str:
    """Say on which data sets the best method with rotations is better than the best without, and where not."""
    both = _with_and_without(ranks.index, rotated)
    if both is None:
        return ""
    turned, plain = both
    gaps = ((means[turned] - means[plain]) * (-1 if higher else 1)).round(12)
    change = 100 * (means[turned] - means[plain]) / means[plain].abs().replace(0, np.nan)
    helped, harmed = gaps.index[gaps < 0], gaps.index[gaps > 0]
    parts = []
    if len(helped):
        parts.append(f"help on {len(helped)} of {counted(len(means), 'data set')}{_where(change[helped])}")
    if len(harmed):
        of = "" if len(helped) else f" of {counted(len(means), 'data set')}"
        parts.append(f"do harm on {len(harmed)}{of}{_where(change[harmed])}")
    where = ", and ".join(parts) or "make no difference on any"
    if len(means) < 2:
        return f"Rotations ({turned} against {plain}) {where}."
    p = wilcoxon_holm(means[[turned, plain]], plain, higher).loc[turned, "p"]
    sizes = gaps[gaps != 0].abs().rank()
    what = _effect(p, alpha, sizes[helped].sum() > sizes[harmed].sum())
    pair = f"{turned} against {plain}{', these two alone' if len(ranks) > 2 else ''}"
    return f"Rotations {what} (p {p_equal(p)}, {pair}): they {where}."


def _change(means: pd.DataFrame, method: str, other: str, score: str) -> str:
    """Say by how much a method changes another's score on average."""
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
    """Name data sets and changes in percent, if these can be told; of many the largest."""
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
    """Say what came out in each group of methods: a sentence for each.

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
