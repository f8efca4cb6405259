"""Curves in panels side by side: an error against a parameter, an objective against iterations, ..."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rotastack.plots.style import add_legend, figure_beside_legend, method_looks, plain_axis

__all__ = ["Curve", "plot_curves"]

Curve = tuple[ArrayLike, ArrayLike] | float
"""Places and heights, or the height of a horizontal line."""

_TICKS = 12  # With more ticks matplotlib chooses their places.
_LABEL = 50  # Characters in a line of the label of an axis.
_MARKED = 20  # Curves of more points have no markers.


def plot_curves(
    panels: Mapping[str, Mapping[str, Curve]],
    x_label: str,
    y_label: str,
    *,
    log: Sequence[str] = (),
    ticks: Sequence[float] = (),
    title: str = "",
) -> Figure:
    """Draw panels of curves; a label has the same colour in all panels, and each panel has its own scale.

    Parameters
    ----------
    panels : mapping of str to mapping of str to Curve
        Title of a panel -> label -> places and heights; a single number is a horizontal line.
        Points with a NaN height are left out.
    x_label, y_label : str
    log : sequence of {"x", "y"}
        Logarithmic axes.
    ticks : sequence of float
        Labelled places on the horizontal axis; by default, or if more than 12, matplotlib chooses them.
    title : str

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> figure = plot_curves({"": {"A": ([1, 2, 3], [0.3, 0.2, 0.2]), "B": 0.25}}, "members", "error")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['A', 'B']
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
                    x[finite], y[finite], label=label, color=look.color, linestyle=look.dash, linewidth=1.5,
                    marker=look.marker if finite.sum() <= _MARKED else None, markersize=4.5,
                )  # fmt: skip
            elif np.isfinite(curve):
                line = axis.axhline(curve, label=label, color=look.color, linewidth=1.3, dashes=(5, 2, 1, 2))
                handles.setdefault(label, line)
        if "x" in log:
            axis.set_xscale("log")
        if "y" in log:
            axis.set_yscale("log")
        if 0 < len(ticks) <= _TICKS:
            axis.set_xticks(ticks, [f"{value:g}" for value in ticks])
            axis.minorticks_off()
        axis.set_title(name)
        axis.set_xlabel(textwrap.fill(x_label, _LABEL))
        plain_axis(axis)
    axes[0].set_ylabel(y_label)
    add_legend(figure, [handles[label] for label in labels if label in handles])
    return figure
