"""Stacked bars: the parts of a total, a bar for each label."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rotastack.plots.style import add_legend, figure_beside_legend, method_looks, plain_axis

__all__ = ["plot_bars"]


def plot_bars(labels: Sequence[str], pieces: Mapping[str, ArrayLike], x_label: str) -> Figure:
    """Draw a stacked bar for each label, with the first label on top.

    Parameters
    ----------
    labels : sequence of str
    pieces : mapping of str to array-like of shape (n_labels,)
        Name of a piece -> its length in each bar, at least 0; NaN counts as 0.
    x_label : str

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> figure = plot_bars(["A", "B"], {"rotated": [1, 0], "as it is": [0.5, 2]}, "weight")
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['A', 'B']
    """
    looks = method_looks(list(pieces))
    figure = figure_beside_legend(5.5, 0.9 + 0.3 * len(labels), list(pieces))
    axis = figure.subplots()
    places = np.arange(len(labels))
    left = np.zeros(len(labels))
    handles: list[Any] = []
    for name, lengths in pieces.items():
        widths = np.nan_to_num(np.asarray(lengths, dtype=float))
        handles.append(axis.barh(places, widths, left=left, height=0.65, color=looks[name].color, label=name))
        left += widths
    axis.set_yticks(places, labels)
    axis.invert_yaxis()
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.set_xlabel(x_label)
    plain_axis(axis)
    add_legend(figure, handles)
    return figure
