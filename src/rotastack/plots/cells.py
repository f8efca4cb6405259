"""Figures of the scores of methods over the cells of a data set: boxes, histograms and heat maps."""

from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from rotastack.plots.style import SCALE, new_figure

ORDERS = {
    "drawn": "in the order drawn",
    "by_rotation_group": "columns sorted by mean, best rotation group left",
    "by_fold_group": "rows sorted by mean, best fold group on top",
}
"""Order of a heat map's columns or rows -> its words; each method is sorted by its own means."""

FEWEST = 5  # values of a box
_BINS = 24  # over the range of all methods' scores


def plot_boxes(errors: Mapping[str, ArrayLike], title: str = "", score: str = "error") -> Figure:
    """Draw a box for each method's errors: quartiles, whiskers to 1.5 box lengths, and the mean as a dot.

    Without a method of five errors, whose quartiles say more than the errors, each error is a small dot.
    """
    figure = new_figure(7, 0.9 + 0.24 * len(errors))
    axes = figure.add_subplot()
    finite = [_finite(values) for values in errors.values()]
    places = np.arange(len(errors))
    few = max(map(len, finite), default=0) < FEWEST
    axes.boxplot(
        [[] for _ in finite] if few else finite,
        positions=places,
        orientation="horizontal",
        widths=0.6,
        patch_artist=True,
        boxprops={"facecolor": "#d7e5f2", "edgecolor": "#0072B2"},
        medianprops={"color": "#0072B2"},
        whiskerprops={"color": "#0072B2"},
        capprops={"color": "#0072B2"},
        flierprops={"marker": ".", "markersize": 3},
    )
    for place, values in zip(places, finite, strict=True):
        if len(values):
            if few:
                axes.plot(values, np.full(len(values), place), "o", color="#0072B2", markersize=2.5)
            axes.plot(values.mean(), place, "o", color="#D55E00", markersize=4)
    axes.set_yticks(places, list(errors))
    axes.invert_yaxis()
    axes.set_xlabel(f"{score} on test rows")
    axes.set_title(title, loc="left", fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    return figure


def plot_histograms(matrices: Mapping[str, pd.DataFrame], title: str, score: str = "error") -> Figure:
    """Draw a histogram of each method's errors over all cells, on one colour scale (thesis, figures 3.5 and 3.14)."""
    errors = {m: _finite(v) for m, v in matrices.items()}
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
        mean = f"{values.mean():{_decimals(pooled, 4)}}" if len(values) else "failed"
        axis.set_ylabel(f"{method}\n{mean}", rotation=0, ha="right", va="center", fontsize=9)
        axis.yaxis.set_major_locator(MaxNLocator(3, integer=True))
        axis.tick_params(labelsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel(f"{score} of a cell (black line: mean of the method)", fontsize=9)
    figure.suptitle(title, fontsize=11)
    return figure


def plot_heatmaps(
    matrices: Mapping[str, pd.DataFrame], title: str, order: str = "drawn", score: str = "error", higher: bool = False
) -> Figure:
    """Draw a heat map of each method's scores, all on one colour scale; lighter is better (thesis, figures 3.6 to 3.13).

    Rows are fold groups and columns are rotation groups, in one of ``ORDERS``; their means stand at the margins. A
    method with missing values is marked as failed.
    """
    finite = _finite(np.concatenate([m.to_numpy().ravel() for m in matrices.values()]))
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    norm = Normalize(low, high if high > low else low + 1e-9)
    rows, columns = next(iter(matrices.values())).shape
    small = max(rows, columns) <= 6
    n_across = min(len(matrices), 3 if small else 2)
    n_down = -(-len(matrices) // n_across)
    side = 1.5 + (0.62 if small else 0.24) * np.array([columns, rows])
    figure = new_figure(n_across * side[0] + 0.9, n_down * (side[1] - 0.2) + 0.6)
    axes = figure.subplots(n_down, n_across, squeeze=False).ravel()
    image: Any = None
    for axis, (method, matrix) in zip(axes, matrices.items(), strict=False):
        if order != "drawn":
            over = int(order == "by_fold_group")
            best = matrix.mean(axis=over).sort_values(ascending=not higher, kind="stable").index
            matrix = matrix.reindex(best, axis=1 - over)
        image = _heatmap(axis, method, matrix, norm, small, f"{SCALE}_r" if higher else SCALE)
    for axis in axes[len(matrices) :]:
        axis.set_visible(False)
    figure.colorbar(image, ax=list(axes), label=f"{score} (lighter is better)", shrink=0.8, pad=0.02)
    figure.suptitle(f"{title}: {ORDERS[order]}", fontsize=11)
    return figure


def _heatmap(axis, method, matrix, norm, small, scale):
    values = matrix.to_numpy()
    image = axis.imshow(values, cmap=scale, norm=norm, aspect="auto")
    size = 8 if small else 5.5
    mean = f"mean {np.mean(values):{_decimals(values, 4)}}" if np.isfinite(values).all() else "failed"
    axis.set_title(f"{method}  ({mean})", fontsize=9)
    rows = [f"{name}  {value:{_decimals(values, 3)}}" for name, value in matrix.mean(axis=1).items()]
    columns = [f"{name}\n{value:{_decimals(values, 3)}}" for name, value in matrix.mean().items()]
    axis.set_yticks(range(len(rows)), rows, fontsize=size)
    axis.set_xticks(range(len(columns)), columns, fontsize=size, rotation=0 if small else 90)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    if small:
        for i, j in np.ndindex(values.shape):
            dark = np.isfinite(values[i, j]) and norm(values[i, j]) > 0.65
            axis.text(
                j,
                i,
                f"{values[i, j]:{_decimals(values, 3)}}",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if dark else "black",
            )
    return image


def _decimals(values: ArrayLike, n: int) -> str:
    """Return the format of `n` decimals, or of `n` digits for scores that are all below a thousandth."""
    return f".{n}{'g' if 0 < np.abs(_finite(values)).max(initial=0) < 1e-3 else 'f'}"


def _finite(values: ArrayLike) -> np.ndarray:
    flat = np.asarray(values, dtype=float).ravel()
    return flat[np.isfinite(flat)]
