"""Curves in panels: an error against a parameter, partial dependence on columns, calibration."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rotastack.plots.style import METHOD_COLORS, figure_beside_legend, finished, method_looks, new_figure, sentence
from rotastack.stats.calibration import calibration_error

Curve = tuple[ArrayLike, ArrayLike] | float
"""Places and heights, or the height of a horizontal line."""

_TICKS = 12  # With more ticks matplotlib chooses their places.
_CHARACTER = 0.02  # Width of a character of a tick's text, as a share of the axis.
_LABEL = 50  # Characters in a line of the label of an axis.
_MARKED = 20  # Curves of more points have no markers.


def plot_curves(
    panels: Mapping[str, Mapping[str, Curve]],
    x_label: str,
    y_label: str,
    *,
    log: bool = False,
    ticks: Sequence[float] = (),
    title: str = "",
) -> Figure:
    """Draw panels, by title, of curves, by label; a label has the same colour in all panels.

    Points with a NaN height are left out. With `log` the horizontal axis is logarithmic. The `ticks` of the horizontal
    axis are in increasing order.
    """
    labels = list(dict.fromkeys(label for curves in panels.values() for label in curves))
    looks = method_looks(labels)
    figure = figure_beside_legend(4.2 * max(len(panels), 1), 3.6, labels, title)
    handles: dict[str, Artist] = {}
    axes = figure.subplots(1, max(len(panels), 1), squeeze=False)[0]
    for axis, (name, curves) in zip(axes, panels.items(), strict=False):
        for label, curve in curves.items():
            look = looks[label]
            if isinstance(curve, tuple):
                x, y = (np.asarray(values, dtype=float) for values in curve)
                finite = np.isfinite(y)
                (handles[label],) = axis.plot(
                    x[finite],
                    y[finite],
                    label=label,
                    color=look.color,
                    linestyle=look.dash,
                    linewidth=1.5,
                    marker=look.marker if finite.sum() <= _MARKED else None,
                    markersize=4.5,
                )
            elif np.isfinite(curve):
                line = axis.axhline(curve, label=label, color=look.color, linewidth=1.3, dashes=(5, 2, 1, 2))
                handles.setdefault(label, line)
        if log:
            axis.set_xscale("log")
        if 0 < len(ticks) <= _TICKS:
            axis.set_xticks(ticks, _tick_texts(ticks, log))
            axis.minorticks_off()
        axis.set_title(name)
        axis.set_xlabel(textwrap.fill(x_label, _LABEL))
    axes[0].set_ylabel(y_label)
    return finished(figure, axes[: len(panels)], [handles[label] for label in labels if label in handles])


def _tick_texts(ticks: Sequence[float], log: bool) -> list[str]:
    """Return the texts of ticks in increasing order; a text is empty where it would touch the text before it."""
    places, texts, end = np.log(ticks) if log else np.asarray(ticks), [f"{value:g}" for value in ticks], -np.inf
    for k, place in enumerate(places):
        half = _CHARACTER * np.ptp(places) * (len(texts[k]) + 1) / 2
        if place - half < end:
            texts[k] = ""
        else:
            end = place + half
    return texts


def plot_dependence(panels: Sequence[Mapping[str, Any]], y_label: str) -> Figure:
    """Draw the partial dependence on each column in a panel: lines for numbers, points for categories.

    A panel has ``column``, ``values``, ``ordered`` (True for numbers, which are sorted), and ``curves``: name -> mean
    predictions, one for each value. The name of a single curve follows `y_label` on the axis.
    """
    if not panels:
        return sentence("No column is shown to have an effect.")
    names = list(panels[0]["curves"])
    looks = method_looks(names)
    rows, columns = -(-len(panels) // 3), min(len(panels), 3)
    several = names if len(names) > 1 else []
    figure = figure_beside_legend(2.7 * columns, 2.4 * rows, several)
    axes = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    handles: list[Any] = []
    for axis, panel in zip(axes, panels, strict=False):
        places = panel["values"] if panel["ordered"] else range(len(panel["values"]))
        handles = [
            axis.plot(
                places,
                panel["curves"][name],
                color=looks[name].color,
                marker=None if panel["ordered"] else "o",
                linestyle=looks[name].dash if panel["ordered"] else "none",
                markersize=5,
                label=name,
            )[0]
            for name in names
        ]
        if not panel["ordered"]:
            labels = [str(v) if len(str(v)) <= 14 else f"{str(v)[:13]}…" for v in panel["values"]]
            axis.set_xticks(places, labels, rotation=45, ha="right")
            axis.margins(x=0.15)
        axis.set_title(panel["column"][:40])
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    figure.supylabel(y_label if several else f"{y_label} {names[0][:40]}", fontsize=9)
    return finished(figure, axes[: len(panels)], handles if several else ())


def plot_calibration(curves: pd.DataFrame) -> Figure:
    """Draw the calibration curve of each method in a panel; all data sets have the same weight.

    `curves` has the columns ``dataset``, ``method``, and those of :func:`rotastack.stats.calibration.calibration_curve`.
    """
    parts = dict(list(curves.groupby("method", sort=False)))
    n = len(parts)
    rows = -(-n // 5)
    columns = -(-n // rows)
    figure = new_figure(2.1 * columns + 0.4, 2.2 * rows + 0.3)
    axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axis, (method, part) in zip(axes, parts.items(), strict=False):
        share = part["rows"] / part.groupby("dataset")["rows"].transform("sum")
        weighted = part[["confidence", "accuracy"]].mul(share, axis=0).assign(share=share)
        bins = weighted.groupby(part["bin"]).sum()
        errors = [calibration_error(curve) for _, curve in part.groupby("dataset", sort=False)]
        axis.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
        x, y = bins["confidence"] / bins["share"], bins["accuracy"] / bins["share"]
        axis.plot(x, y, color=METHOD_COLORS[0], linewidth=1.2)
        axis.scatter(x, y, s=6 + 160 * bins["share"] / len(errors), color=METHOD_COLORS[0], alpha=0.7, linewidth=0)
        axis.set_title(textwrap.fill(f"{method}: calibration error {np.mean(errors):.3f}", 30))
    for axis in axes[n:]:
        axis.set_visible(False)
    figure.supxlabel("probability of the predicted class; of two classes, of the rarer one", fontsize=9)
    figure.supylabel("share of rows of this class", fontsize=9)
    finished(figure, axes[:n])
    for axis in axes[n - columns : n]:  # These axes are the last of their columns.
        axis.tick_params(labelbottom=True)
    return figure
