"""Heat maps of result matrices (thesis, figures 3.6 to 3.13)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from rotastack.plots.style import SCALE, new_figure

__all__ = ["ORDERS", "plot_heatmaps"]

ORDERS = {
    "drawn": "in the order drawn",
    "by_rotation_group": "columns sorted by mean, best rotation group left",
    "by_fold_group": "rows sorted by mean, best fold group on top",
}


def plot_heatmaps(
    matrices: Mapping[str, pd.DataFrame], title: str, order: str = "drawn", score: str = "error", higher: bool = False
) -> Figure:
    """Draw a heat map for each method, all on one colour scale; lighter is better.

    Parameters
    ----------
    matrices : mapping of str to DataFrame
        Method -> scores, with fold groups as rows and rotation groups as columns. A method with missing values
        is marked as failed.
    title : str
    order : {"drawn", "by_rotation_group", "by_fold_group"}
        Order of the columns or rows; each method is sorted by its own means, which stand at the margins.
    score : str
        Name of the scores.
    higher : bool, default=False
        Whether higher scores are better.
    """
    finite = np.concatenate([m.to_numpy().ravel() for m in matrices.values()])
    finite = finite[np.isfinite(finite)]
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
        image = _one(axis, method, _sorted(matrix, order, higher), norm, small, f"{SCALE}_r" if higher else SCALE)
    for axis in axes[len(matrices) :]:
        axis.set_visible(False)
    figure.colorbar(image, ax=list(axes), label=f"{score} (lighter is better)", shrink=0.8, pad=0.02)
    figure.suptitle(f"{title}: {ORDERS[order]}", fontsize=11)
    return figure


def _sorted(matrix: pd.DataFrame, order: str, higher: bool) -> pd.DataFrame:
    if order == "by_rotation_group":
        return matrix[matrix.mean().sort_values(ascending=not higher, kind="stable").index]
    if order == "by_fold_group":
        return matrix.loc[matrix.mean(axis=1).sort_values(ascending=not higher, kind="stable").index]
    return matrix


def _one(axis, method, matrix, norm, small, scale):
    values = matrix.to_numpy()
    image = axis.imshow(values, cmap=scale, norm=norm, aspect="auto")
    size = 8 if small else 5.5
    mean = f"mean {np.mean(values):.4f}" if np.isfinite(values).all() else "failed"
    axis.set_title(f"{method}  ({mean})", fontsize=9)
    rows = [f"{name}  {value:.3f}" for name, value in matrix.mean(axis=1).items()]
    columns = [f"{name}\n{value:.3f}" for name, value in matrix.mean().items()]
    axis.set_yticks(range(len(rows)), rows, fontsize=size)
    axis.set_xticks(range(len(columns)), columns, fontsize=size, rotation=0 if small else 90)
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
    if small:
        for i, j in np.ndindex(values.shape):
            dark = np.isfinite(values[i, j]) and norm(values[i, j]) > 0.65
            axis.text(
                j, i, f"{values[i, j]:.3f}", ha="center", va="center", fontsize=8, color="white" if dark else "black"
            )
    return image
