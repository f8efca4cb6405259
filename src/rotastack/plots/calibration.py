"""Calibration curves: the share of right decisions against their probability, a panel for each method."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rotastack.plots.style import METHOD_COLORS, new_figure, plain_axis
from rotastack.stats.calibration import calibration_error

__all__ = ["plot_calibration"]

_COLUMNS = 5


def plot_calibration(curves: pd.DataFrame) -> Figure:
    """Draw the calibration curve of each method; all data sets have the same weight.

    Parameters
    ----------
    curves : DataFrame
        ``dataset``, ``method``, and the columns of :func:`rotastack.stats.calibration.calibration_curve`.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> curve = {"bin": [8, 9], "rows": [2, 6], "confidence": [0.9, 1.0], "accuracy": [0.8, 0.9]}
    >>> figure = plot_calibration(pd.DataFrame({"dataset": "iris", "method": "RF", **curve}))
    >>> figure.axes[0].get_title()
    'RF: calibration error 0.100'
    """
    parts = dict(list(curves.groupby("method", sort=False)))
    n = len(parts)
    lines = -(-n // _COLUMNS)
    columns = -(-n // lines)
    figure = new_figure(2.1 * columns + 0.4, 2.2 * lines + 0.3)
    axes = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axis, (method, part) in zip(axes.flat, parts.items(), strict=False):
        share = part["rows"] / part.groupby("dataset")["rows"].transform("sum")
        bins = (
            pd.DataFrame({"confidence": share * part["confidence"], "accuracy": share * part["accuracy"]})
            .assign(share=share)
            .groupby(part["bin"])
            .sum()
        )
        errors = [calibration_error(curve) for _, curve in part.groupby("dataset", sort=False)]
        axis.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
        x, y = bins["confidence"] / bins["share"], bins["accuracy"] / bins["share"]
        axis.plot(x, y, color=METHOD_COLORS[0], linewidth=1.2)
        axis.scatter(x, y, s=6 + 160 * bins["share"] / len(errors), color=METHOD_COLORS[0], alpha=0.7, linewidth=0)
        title = textwrap.fill(f"{method}: calibration error {np.mean(errors):.3f}", 30)
        axis.set_title(title)
        plain_axis(axis)
    for axis in axes.flat[n:]:
        axis.set_visible(False)
    for axis in axes.flat[n - columns : n]:  # These axes are the last of their columns.
        axis.tick_params(labelbottom=True)
    figure.supxlabel("probability of the decision", fontsize=9)
    figure.supylabel("share of right decisions", fontsize=9)
    return figure
