"""Sentences on what held-out rows show: whether the columns hold information, and a threshold for a rare class."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rotastack.stats.metrics import BASELINE, NAMES, OPTIMA
from rotastack.workflow.judge import sentences as say
from rotastack.workflow.judge.words import p_equal

__all__ = ["beside_baseline", "threshold"]

UNEVEN = 0.2
"""Share of rows below which a class of two is rare."""
FAR = 0.2
"""Share of the baseline's distance to the best possible score; a method that is nearer by this share has learnt something."""


def beside_baseline(
    mean: float, baseline: Mapping[str, float], log_loss: Mapping[str, float], score: str, task: str,
    association: Mapping[str, float], alpha: float,
) -> list[str]:  # fmt: skip
    """Return a sentence if no method is better than the baseline, or no method's outputs go with the target.

    Whether the columns hold information is judged by the rows, not by the few splits, and by all methods.
    """
    optimum, level = OPTIMA.get(score, 0.0), baseline[score]
    gain = (mean - level) / (optimum - level) if level != optimum else 0.0
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


def threshold(method: str, found: Mapping[str, Any] | None) -> list[str]:
    """Return a sentence that proposes a threshold, if a class is rare or the method seldom decides for it."""
    if not found:
        return []
    rows, others = found["rows"], found["others"]
    if rows >= UNEVEN * (rows + others) and found["decided"] >= rows / 2:
        return []
    accuracy = (found["right"] / rows + 1 - found["wrong"] / others) / 2
    return [say.THRESHOLD.format(method=method, total=rows + others, accuracy=accuracy, **found)]
