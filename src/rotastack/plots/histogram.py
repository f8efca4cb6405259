"""Histograms of the errors in result matrices (thesis, figures 3.5 and 3.14)."""

from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from rotastack.plots.style import SCALE, new_figure

__all__ = ["plot_histograms"]

_BINS = 24  # over the range of all methods' errors


def plot_histograms(matrices: Mapping[str, pd.DataFrame], title: str, score: str = "error") -> Figure:
    """Draw a histogram of each method's errors over all cells, all on one axis and one colour scale.

    Parameters
    ----------
    matrices : mapping of str to DataFrame
        Method -> errors over fold groups and rotation groups.
    title : str
    score : str
        Name of the errors.
    """
    errors = {m: v.to_numpy().ravel() for m, v in matrices.items()}
    errors = {m: v[np.isfinite(v)] for m, v in errors.items()}
    pooled = np.concatenate(list(errors.values()))
    low, high = (pooled.min(), pooled.max()) if len(pooled) else (0.0, 1.0)
    if low == high:
        low, high = low - 0.005, high + 0.005
    edges = np.linspace(low, high, _BINS + 1)
    colors = matplotlib.colormaps[SCALE](Normalize(low, high)((edges[:-1] + edges[1:]) / 2))
    figure = new_figure(6.4, 0.85 * len(errors) + 1.2)
    axes = figure.subplots(len(errors), 1, sharex=True, sharey=True, squeeze=False).ravel()
    for axis, (method, values) in zip(axes, errors.items(), strict=True):
        counts, _ = np.histogram(values, edges)
        axis.bar(edges[:-1], counts, np.diff(edges), align="edge", color=colors, edgecolor="#555555", linewidth=0.4)
        if len(values):
            axis.axvline(values.mean(), color="black", linewidth=1.2)
        mean = f"{values.mean():.4f}" if len(values) else "failed"
        axis.set_ylabel(f"{method}\n{mean}", rotation=0, ha="right", va="center", fontsize=9)
        axis.yaxis.set_major_locator(MaxNLocator(3, integer=True))
        axis.tick_params(labelsize=8)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[-1].set_xlabel(f"{score} of a cell (black line: mean of the method)", fontsize=9)
    figure.suptitle(title, fontsize=11)
    return figure
