"""What came out on one data set, in sentences."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rotastack.stats.metrics import BASELINE, NAMES, PRIMARY
from rotastack.stats.resampled_t import corrected_t

__all__ = ["verdict_of_one"]

FEW = 5
"""Splits below which a test can show little."""


def verdict_of_one(
    cells: pd.DataFrame,
    task: str,
    control: str,
    *,
    baseline: Mapping[str, float] | None = None,
    log_loss: Mapping[str, float] | None = None,
    rotated: Sequence[str] = (),
    test_to_train: float | None = None,
    alpha: float = 0.05,
) -> dict[str, Any]:
    """Say which method is best on a data set, whether it is beyond chance that it beats the control, and what rotations do.

    Parameters
    ----------
    cells : DataFrame of shape (n_cells, n_methods)
        The main score, of which less is better; a method that failed has missing values.
    task : {"classification", "regression"}
    control : str
        The method that others are compared with.
    baseline : mapping, optional
        Score -> its mean for always giving the same answer.
    log_loss : mapping, optional
        Method -> mean log loss: asked where no method makes fewer errors than the baseline.
    rotated : sequence of str
        Methods that look at rotated columns.
    test_to_train : float, optional
        Test rows for each training row of a split, for the corrected t test over splits; without it, and with one
        split, none is made.
    alpha : float
        Level of the test.

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
    score, constant = NAMES[PRIMARY[task]], BASELINE[task]
    level = None if baseline is None else baseline.get(PRIMARY[task])
    means = cells.mean(skipna=False).dropna().sort_values(kind="stable")
    failed = [m for m in cells.columns if m not in means.index]
    if means.empty:
        sentences = ["All methods failed; the report says why."]
        return {"best": None, "means": {}, "p_value": None, "sentences": sentences}

    def shown(value: float) -> str:
        return f"{value:.1%}" if task == "classification" else f"{value:.4g}" if value < 1e4 else f"{value:,.0f}"

    def p_of(first: str, second: str) -> float | None:
        if not test_to_train or len(cells) < 2:
            return None
        found = corrected_t(cells[first], cells[second], 1.0, test_to_train, alpha=alpha)
        return None if np.isinf(found.statistic) else float(found.p)

    best, others = str(means.index[0]), [str(m) for m in means.index[1:]]
    rival = control if control in others else others[0] if others else None
    against = [f"{shown(means[rival])} for {rival}"] if rival else []
    if level is not None:
        against.append(f"{shown(level)} for {constant}")
    next_best = (
        f"; the next best of {len(means)} is {others[0]} ({shown(means[others[0]])})"
        if others and others[0] != rival
        else ""
    )
    sentences = [
        f"{best}: {score} {shown(means[best])}{' against ' * bool(against)}{' and '.join(against)}{next_best}."
    ]
    p_value = None if rival is None else p_of(best, rival)
    if p_value is not None:
        few = ", which can show little" if len(cells) < FEW else ""
        sentences.append(
            f"The difference from {rival} is {_chance(p_value, alpha)} ({_p(p_value)}, corrected t test over {len(cells)} splits{few})."
        )
    elif rival is not None and test_to_train and len(cells) > 1:
        sentences.append(
            f"The difference from {rival} is the same in all {len(cells)} splits, so that no test can tell it from chance."
        )
    sentences += _of_rotations(means, rotated, {best, rival}, p_of, alpha, shown)
    if level is not None and means[best] >= level:
        sentences.append(_beside_baseline(constant, baseline or {}, log_loss or {}, task))
    if failed:
        sentences.append(f"Failed: {', '.join(failed)}; the report says why.")
    return {"best": best, "means": means.to_dict(), "p_value": p_value, "sentences": sentences}


def _of_rotations(
    means: pd.Series,
    rotated: Sequence[str],
    told: set[str | None],
    p_of: Callable[[str, str], float | None],
    alpha: float,
    shown: Callable[[float], str],
) -> list[str]:
    """Compare the best method that rotates with the best that does not, if there are both and splits to test by."""
    groups = [[str(m) for m in means.index if (m in rotated) is turned] for turned in (True, False)]
    if not all(groups):
        return []
    turned, plain = (group[0] for group in groups)
    p = p_of(turned, plain)
    if p is None:
        return []
    what = "make no difference beyond chance" if p >= alpha else "help" if means[turned] < means[plain] else "do harm"
    if {turned, plain} == told:
        return [f"So rotations {what} here."]
    return [
        f"Rotations {what} here: the best method with them is {turned} ({shown(means[turned])}), "
        f"without them {plain} ({shown(means[plain])}; {_p(p)})."
    ]


def _beside_baseline(constant: str, baseline: Mapping[str, float], log_loss: Mapping[str, float], task: str) -> str:
    """Say of what use methods are that err as much as the baseline."""
    least = min(log_loss, key=lambda m: log_loss[m], default=None)
    if least is not None and "log_loss" in baseline and log_loss[least] < baseline["log_loss"]:
        return (
            f"No method makes fewer errors than {constant}, but the probabilities of {least} tell more than the classes' shares "
            f"(log loss {log_loss[least]:.3f} against {baseline['log_loss']:.3f})."
        )
    what = "makes fewer errors" if task == "classification" else "is nearer"
    return f"No method {what} than {constant}: of the target these columns tell little or nothing."


def _chance(p: float, alpha: float) -> str:
    return "beyond chance" if p < alpha else "not beyond chance"


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
