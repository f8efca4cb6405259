"""Partial dependence: the mean prediction after a column is set to one value in all rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rotastack.plots.style import add_legend, figure_beside_legend, method_looks, plain_axis, sentence

__all__ = ["plot_dependence"]

COLUMNS = 3


def plot_dependence(panels: Sequence[Mapping[str, Any]], y_label: str) -> Figure:
    """Draw the partial dependence on each column in a panel: lines for numbers, points for categories.

    Parameters
    ----------
    panels : sequence of mapping
        ``column``, ``values``, ``ordered`` (True for numbers, which are sorted), and ``curves`` (name -> mean
        predictions, one for each value).
    y_label : str

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> panel = {"column": "age", "values": [20.0, 60.0], "ordered": True, "curves": {"risk": [0.2, 0.7]}}
    >>> len(plot_dependence([panel], "probability").axes)
    1
    """
    if not panels:
        return sentence("No column has an importance beyond chance.")
    names = list(panels[0]["curves"])
    looks = method_looks(names)
    n_rows = -(-len(panels) // COLUMNS)
    n_columns = min(len(panels), COLUMNS)
    figure = figure_beside_legend(2.7 * n_columns, 2.4 * n_rows, names)
    axes = np.ravel(figure.subplots(n_rows, n_columns, sharey=True, squeeze=False))
    handles: list[Any] = []
    for axis, panel in zip(axes, panels, strict=False):
        places = panel["values"] if panel["ordered"] else range(len(panel["values"]))
        handles = [
            axis.plot(
                places, panel["curves"][name], color=looks[name].color, marker=None if panel["ordered"] else "o",
                linestyle=looks[name].dash if panel["ordered"] else "none", markersize=5, label=name,
            )[0]
            for name in names
        ]  # fmt: skip
        if not panel["ordered"]:
            labels = [str(v) if len(str(v)) <= 14 else f"{str(v)[:13]}…" for v in panel["values"]]
            axis.set_xticks(places, labels, rotation=45, ha="right")
            axis.margins(x=0.15)
        axis.set_title(panel["column"][:40])
        plain_axis(axis)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    figure.supylabel(y_label, fontsize=9)
    add_legend(figure, handles)
    return figure
