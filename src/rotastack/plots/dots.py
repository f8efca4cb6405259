"""Numbers of several kinds for the same things, a line for each thing."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rotastack.plots.style import add_legend, figure_beside_legend, method_looks, plain_axis

__all__ = ["plot_dots"]


def plot_dots(
    labels: Sequence[str], kinds: Mapping[str, ArrayLike], x_label: str, *, log: bool = False
) -> Figure:
    """Draw a dot for each label and kind; the first label is on top.

    Parameters
    ----------
    labels : sequence of str
    kinds : mapping of str to array-like of shape (n_labels,)
        Name of a kind -> its numbers; NaN is left out.
    x_label : str
    log : bool

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> figure = plot_dots(["A", "B"], {"here": [1, 2], "printed": [10, 30]}, "seconds", log=True)
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['A', 'B']
    """
    looks = method_looks(list(kinds))
    figure = figure_beside_legend(5.5, 0.9 + 0.27 * len(labels), list(kinds))
    axis = figure.subplots()
    places = np.arange(len(labels))
    handles = []
    for kind, numbers in kinds.items():
        (line,) = axis.plot(
            np.asarray(numbers, dtype=float), places, label=kind, color=looks[kind].color,
            marker=looks[kind].marker, linestyle="none", markersize=5.5,
        )  # fmt: skip
        handles.append(line)
    axis.set_yticks(places, labels)
    axis.invert_yaxis()
    axis.grid(axis="y", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    if log:
        axis.set_xscale("log")
    axis.set_xlabel(x_label, fontsize=9)
    plain_axis(axis)
    add_legend(figure, handles)
    return figure
