"""Decisions for a class: recall and precision, by threshold too, and their curves."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rotastack.plots.curves import plot_curves
from rotastack.plots.style import METHOD_COLORS, new_figure

Rates = dict[str, float | int | None]

_THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def shares(confusion: list[list[int]]) -> dict[str, list[float | None]]:
    """Return recall and precision of each class; None for a class without rows, or one that is never predicted."""
    counts = np.array(confusion)
    sums = {"recall": counts.sum(axis=1), "precision": counts.sum(axis=0)}
    return {
        name: [float(right / n) if n else None for right, n in zip(np.diag(counts), total, strict=True)]
        for name, total in sums.items()
    }


def by_threshold(curves: Sequence[Mapping[str, Any]], more: Iterable[float] = ()) -> list[dict[str, Any]]:
    """Return the decisions for a class at even thresholds, the share of its rows and `more`: the rates of each curve.

    A curve has the counts of :func:`rotastack.stats.calibration.threshold_counts`, ``positives`` and ``negatives``.
    """
    share = curves[0]["positives"] / (curves[0]["positives"] + curves[0]["negatives"])
    thresholds = {*_THRESHOLDS, *more, max(0.01, round(share, 2))}
    return [{"threshold": t, "rates": [_rates(curve, t) for curve in curves]} for t in sorted(thresholds)]


def _rates(curve: Mapping[str, Any], threshold: float) -> Rates:
    """Return the decisions at a threshold: their number, recall, precision and the share of other rows (``fall``).

    They are None between two thresholds of the curve, where the numbers of rows are not known.
    """
    number = sum(t >= threshold for t in curve["threshold"])
    if 0 < number < len(curve["threshold"]) and threshold not in curve["threshold"]:
        return dict.fromkeys(["decided", "recall", "precision", "fall"])
    right, wrong = (curve[name][number - 1] if number else 0 for name in ("right", "wrong"))
    parts = {
        "recall": (right, curve["positives"]),
        "precision": (right, right + wrong),
        "fall": (wrong, curve["negatives"]),
    }
    return {"decided": right + wrong, **{name: part / n if n else None for name, (part, n) in parts.items()}}


def draw_decisions(curves: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Draw the ROC curves and the precision-recall curves of methods, by name, for one class."""
    roc, precision = {}, {}
    for name, curve in curves.items():
        right, wrong = np.array([curve["right"], curve["wrong"]], dtype=float)
        recall = right / max(curve["positives"], 1)  # a rare class may have no test row
        roc[name] = np.r_[0, wrong / max(curve["negatives"], 1), 1], np.r_[0, recall, 1]
        precision[name] = recall, right / (right + wrong)
    figure = plot_curves({"recall against false positive rate": roc, "precision against recall": precision}, "", "")
    for axis in figure.axes:
        axis.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return figure


def draw_predictions(pairs: Sequence[Sequence[float]]) -> Figure:
    """Draw predictions of held-out rows against targets, and residuals against predictions, from pairs of both."""
    target, predicted = np.array(pairs).T
    figure = new_figure(8.4, 3.6)
    for axis, x, y, line, labels in zip(
        figure.subplots(1, 2),
        (target, predicted),
        (predicted, target - predicted),
        ([target.min(), target.max()], [0, 0]),
        (("target", "prediction"), ("prediction", "target less prediction")),
        strict=True,
    ):
        axis.plot([x.min(), x.max()], line, color="#999999", linewidth=0.8)
        axis.scatter(x, y, s=9, color=METHOD_COLORS[0], alpha=0.4, linewidth=0)
        axis.set(xlabel=labels[0], ylabel=labels[1])
    return figure
