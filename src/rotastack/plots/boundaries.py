"""Decision regions of several classifiers in the plane (thesis, figures 1.1 and 3.1)."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray

from rotastack.plots.style import METHOD_COLORS, new_figure

__all__ = ["plot_boundaries"]

_TINT = 0.78  # share of white in the colour of a region


def plot_boundaries(
    panels: Mapping[str, ArrayLike],
    X: ArrayLike,
    y: ArrayLike,
    edges: tuple[float, float, float, float],
    optimal: ArrayLike | None = None,
    n_columns: int = 2,
) -> Figure:
    """Draw the regions that classifiers decide on, the training rows and the optimal boundary.

    Parameters
    ----------
    panels : mapping of str to array-like of shape (n_y, n_x)
        Title -> decided class numbers on a regular grid, ``[i, j]`` at the i-th of n_y equidistant
        points from y_min to y_max and the j-th of n_x from x_min to x_max, ends included.
    X : array-like of shape (n_rows, 2)
        Training rows, drawn as small circles.
    y : array-like of shape (n_rows,)
        Their class numbers, from 0.
    edges : tuple of float
        ``(x_min, x_max, y_min, y_max)``.
    optimal : array-like of shape (n_y, n_x), optional
        On the same edges, the posterior of class 1 (floats; the boundary is where it is .5) or the
        best class numbers (integers). The boundary is drawn dashed, in every panel.
    n_columns : int, default=2
        Panels side by side.

    Returns
    -------
    matplotlib.figure.Figure
        One axes per panel, in the order given.

    Examples
    --------
    >>> import numpy as np
    >>> x1, x2 = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 50))
    >>> panels = {"a tree": (x2 > 0.5).astype(int), "a line": (x2 > x1).astype(int)}
    >>> figure = plot_boundaries(panels, [[0.2, 0.9], [0.8, 0.1]], [1, 0], (0, 1, 0, 1))
    >>> [axis.get_title() for axis in figure.axes]
    ['a tree', 'a line']
    """
    decided = {title: np.asarray(numbers).astype(int) for title, numbers in panels.items()}
    rows, label = np.asarray(X, dtype=float), np.asarray(y).astype(int)
    best = None if optimal is None else np.asarray(optimal)
    n_classes = 1 + max(int(np.max(numbers, initial=0)) for numbers in [*decided.values(), label])
    colors = [METHOD_COLORS[k % len(METHOD_COLORS)] for k in range(n_classes)]
    tints = ListedColormap([_TINT + (1 - _TINT) * np.array(to_rgb(color)) for color in colors])
    shape = float(np.clip((edges[3] - edges[2]) / (edges[1] - edges[0]), 0.5, 2))
    across = min(n_columns, len(decided))
    down = -(-len(decided) // across)
    figure = new_figure(3.3 * across + 0.2, (3.0 * shape + 0.5) * down + 0.4)
    axes = figure.subplots(down, across, squeeze=False).ravel()
    for axis in axes[len(decided) :]:
        axis.remove()
    for axis, (title, numbers) in zip(axes, decided.items(), strict=False):
        step_x, step_y = _steps(numbers, edges)
        extent = (edges[0] - step_x / 2, edges[1] + step_x / 2, edges[2] - step_y / 2, edges[3] + step_y / 2)
        axis.imshow(
            numbers, cmap=tints, vmin=-0.5, vmax=n_classes - 0.5, extent=extent,
            origin="lower", aspect="auto", interpolation="nearest",
        )  # fmt: skip
        _draw_boundary(axis, numbers, edges, colors="#777777", linewidths=0.8, linestyles="solid")
        axis.scatter(
            rows[:, 0], rows[:, 1], s=np.clip(4000 / max(len(rows), 1), 5, 18), c=[colors[k] for k in label],
            edgecolors="white", linewidths=0.4, zorder=3,
        )  # fmt: skip
        if best is not None:
            _draw_boundary(axis, best, edges, colors="black", linewidths=1.3, linestyles="dashed", zorder=4)
        axis.set(xlim=edges[:2], ylim=edges[2:])
        axis.set_box_aspect(shape)
        axis.set_title(title, fontsize=9)
        axis.tick_params(labelsize=8, color="#777777")
        for spine in axis.spines.values():
            spine.set(color="#777777", linewidth=0.6)
    handles = [
        Line2D([], [], color=color, marker="o", markersize=4.5, linestyle="", label=f"class {k}")
        for k, color in enumerate(colors)
    ]
    if best is not None:
        handles.append(Line2D([], [], color="black", linewidth=1.3, linestyle="dashed", label="optimal"))
    figure.legend(
        handles=handles, loc="outside upper center", ncols=min(len(handles), 5), fontsize=9, frameon=False
    )
    return figure


def _steps(grid: NDArray, edges: tuple[float, float, float, float]) -> tuple[float, float]:
    n_y, n_x = grid.shape
    return (edges[1] - edges[0]) / max(n_x - 1, 1), (edges[3] - edges[2]) / max(n_y - 1, 1)


def _draw_boundary(axis: Axes, grid: NDArray, edges: tuple[float, float, float, float], **line) -> None:
    """Draw where a posterior is .5, or class numbers change; each border once, so that dashes stay dashes."""
    n_y, n_x = grid.shape
    x, y = np.linspace(edges[0], edges[1], n_x), np.linspace(edges[2], edges[3], n_y)
    if grid.dtype.kind == "f":
        sides = [grid] if grid.min() < 0.5 < grid.max() else []
    else:  # each class against those after it, in turn
        numbers = grid.astype(int)
        sides = [np.where(numbers < k, np.nan, numbers == k) for k in np.unique(numbers)[:-1]]
    for side in sides:
        axis.contour(x, y, side, levels=[0.5], **line)
