"""Horizontal bars: the parts of totals, and permutation importances."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rotastack.plots.style import METHOD_COLORS, figure_beside_legend, finished, method_looks, new_figure, sentence


def plot_bars(labels: Sequence[str], pieces: Mapping[str, ArrayLike], x_label: str) -> Figure:
    """Draw a stacked bar for each label, the first on top; each piece has a length, at least 0, in each bar."""
    looks = method_looks(list(pieces))
    figure = figure_beside_legend(5.5, 0.9 + 0.3 * len(labels), list(pieces))
    axis = figure.subplots()
    left = np.zeros(len(labels))
    handles: list[Any] = []
    for name, lengths in pieces.items():
        widths = np.nan_to_num(np.asarray(lengths, dtype=float))
        handles.append(
            axis.barh(np.arange(len(labels)), widths, left=left, height=0.65, color=looks[name].color, label=name)
        )
        left += widths
    _name_bars(axis, labels, x_label)
    return finished(figure, [axis], handles)


def plot_importances(
    columns: Sequence[str], losses: Sequence[float], deviations: Sequence[float], x_label: str
) -> Figure:
    """Draw the loss of a score after each column is shuffled, and its standard deviation; the first is on top."""
    if not len(columns):
        return sentence("The model uses no column.")
    figure = new_figure(7.0, 0.9 + 0.26 * len(columns))
    axis = figure.subplots()
    axis.barh(
        np.arange(len(columns)),
        losses,
        xerr=deviations,
        height=0.65,
        color=METHOD_COLORS[0],
        error_kw={"ecolor": "#444444", "elinewidth": 1},
    )
    axis.axvline(0, color="#444444", linewidth=0.8)
    _name_bars(axis, [name if len(name) <= 40 else f"{name[:39]}…" for name in columns], x_label)
    return finished(figure, [axis])


def _name_bars(axis: Axes, labels: Sequence[str], x_label: str) -> None:
    axis.set_yticks(np.arange(len(labels)), labels)
    axis.invert_yaxis()
    axis.set_xlabel(x_label)
