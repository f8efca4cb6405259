"""Permutation importances: the loss of a score after a column is shuffled."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from rotastack.plots.style import METHOD_COLORS, new_figure, plain_axis, sentence

__all__ = ["plot_importances"]


def plot_importances(
    columns: Sequence[str], losses: Sequence[float], deviations: Sequence[float], x_label: str
) -> Figure:
    """Draw a bar for the loss of each column, with its standard deviation over shufflings; the first is on top.

    Parameters
    ----------
    columns : sequence of str
    losses, deviations : sequence of float
    x_label : str

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> figure = plot_importances(["age", "city"], [0.2, 0.1], [0.01, 0.02], "accuracy lost")
    >>> figure.axes[0].get_xlabel()
    'accuracy lost'
    """
    if not len(columns):
        return sentence("The model uses no column.")
    figure = new_figure(7.0, 0.9 + 0.26 * len(columns))
    axis = figure.subplots()
    places = np.arange(len(columns))
    axis.barh(
        places, losses, xerr=deviations, height=0.65, color=METHOD_COLORS[0],
        error_kw={"ecolor": "#444444", "elinewidth": 1},
    )  # fmt: skip
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_yticks(places, [name if len(name) <= 40 else f"{name[:39]}…" for name in columns])
    axis.invert_yaxis()
    axis.set_xlabel(x_label)
    plain_axis(axis)
    return figure
