"""Rotated rows: simple against complex rotations (thesis, figures 2.3 to 2.5), and planes (2.6, 2.7)."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from numpy.typing import ArrayLike, NDArray

from rotastack.plots.style import METHOD_COLORS, new_figure

__all__ = ["plot_projections", "plot_rotated"]

_MAX_COORDINATES = 5  # 10 planes


def plot_rotated(
    X: ArrayLike,
    y: ArrayLike,
    rotations: ArrayLike,
    complexity: ArrayLike,
    n_best: int = 20,
    n_worst: int = 20,
) -> Figure:
    """Draw the rows under the least and the most complex rotations, each with its complexity.

    Parameters
    ----------
    X : array-like of shape (n_rows, 2)
    y : array-like of shape (n_rows,)
        Classes.
    rotations : array-like of shape (n_rotations, 2, 2)
        Applied as ``X @ rotation``.
    complexity : array-like of shape (n_rotations,)
        Of the base learner on each rotation; less is better. Ties keep the order given.
    n_best, n_worst : int, default=20
        Panels of each kind. With fewer rotations than their sum the worst are fewer, so that none
        is drawn twice.

    Returns
    -------
    matplotlib.figure.Figure
        One axes per panel: the best, then the worst, both by rising complexity.

    Raises
    ------
    ValueError
        Unequal numbers of rotations and complexities.

    Examples
    --------
    >>> import numpy as np
    >>> quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> figure = plot_rotated([[0, 1], [1, 0]], [0, 1], [quarter, np.eye(2)], [7, 3], 1, 1)
    >>> [axis.texts[0].get_text() for axis in figure.axes]
    ['3', '7']
    """
    rows, numbers = np.asarray(X, dtype=float), np.asarray(complexity)
    matrices = np.asarray(rotations, dtype=float)
    if len(matrices) != len(numbers):
        raise ValueError(f"{len(matrices)} rotations but {len(numbers)} complexities")
    order = np.argsort(numbers, kind="stable")
    best, rest = order[:n_best], order[n_best:]
    worst = rest[max(len(rest) - n_worst, 0) :]
    groups = {"least complex": best, "most complex": worst}
    groups = {name: group for name, group in groups.items() if len(group)}
    across = min(10, max(len(group) for group in groups.values()))
    down = [-(-len(group) // across) for group in groups.values()]
    colors = _class_colors(y)
    middle = (rows.min(axis=0) + rows.max(axis=0)) / 2
    # The rows stay within a circle, whatever the rotation: one scale, and corners free for numbers.
    radius = 1.06 * max(float(np.linalg.norm(rows - middle, axis=1).max()), 1e-9)
    figure = new_figure(0.92 * max(across, 3), 0.92 * sum(down) + 0.3 * len(groups))
    parts = figure.subfigures(len(groups), 1, height_ratios=[n + 0.33 for n in down], squeeze=False).ravel()
    for part, n_down, (name, group) in zip(parts, down, groups.items(), strict=True):
        part.suptitle(f"{len(group)} {name}", fontsize=9)
        for axis, k in zip(_square_axes(part, n_down, across, len(group)), group, strict=True):
            rotated, centre = rows @ matrices[k], middle @ matrices[k]
            _draw_rows(axis, rotated, colors, size=3)
            axis.set(
                xlim=(centre[0] - radius, centre[0] + radius), ylim=(centre[1] - radius, centre[1] + radius)
            )
            _write_in_corner(axis, f"{numbers[k]:.4g}")
    return figure


def plot_projections(rows: Sequence[tuple[str, ArrayLike, ArrayLike]]) -> Figure:
    """Draw rotated rows on all planes of two coordinates; one line of panels per entry.

    Parameters
    ----------
    rows : sequence of (str, array-like of shape (n_rows, p), array-like of shape (n_rows,))
        Label, rotated rows and their classes. Of more than 5 coordinates the first 5 are drawn.

    Returns
    -------
    matplotlib.figure.Figure
        One axes per entry and plane, with the numbers of its axes, from 1, in the corner: the one
        across, then the one upwards. The panels of an entry have one scale.

    Raises
    ------
    ValueError
        No entry, or rows with a single coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.random.default_rng(0).standard_normal((30, 3))
    >>> figure = plot_projections([("complexity 11", Z, Z[:, 0] > 0)])
    >>> [axis.texts[0].get_text() for axis in figure.axes]
    ['1, 2', '1, 3', '2, 3']
    """
    entries = [(label, np.asarray(Z, dtype=float)[:, :_MAX_COORDINATES], y) for label, Z, y in rows]
    if not entries or min(Z.shape[1] for _, Z, _ in entries) < 2:
        raise ValueError("needs at least one entry, with at least two coordinates each")
    planes = [list(combinations(range(Z.shape[1]), 2)) for _, Z, _ in entries]
    across = max(len(p) for p in planes)
    side = min(1.9, max(1.0, 7.2 / across))
    figure = new_figure(side * across + 0.9, side * len(entries) + 0.1)
    grid = figure.add_gridspec(len(entries), across)
    for i, (label, Z, y) in enumerate(entries):
        colors = _class_colors(y)
        low, high = Z.min(axis=0), Z.max(axis=0)
        half = 0.54 * max(float((high - low).max()), 1e-9)
        for j, (a, b) in enumerate(planes[i]):
            axis = figure.add_subplot(grid[i, j])
            _draw_rows(axis, Z[:, [a, b]], colors, size=4)
            middle = (low + high)[[a, b]] / 2
            axis.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
            _write_in_corner(axis, f"{a + 1}, {b + 1}")
            if j == 0:
                axis.set_ylabel(label, rotation=0, ha="right", va="center", fontsize=9)
    return figure


def _square_axes(figure: SubFigure, n_down: int, n_across: int, n: int) -> list[Axes]:
    grid = figure.add_gridspec(n_down, n_across)
    return [figure.add_subplot(grid[divmod(k, n_across)]) for k in range(n)]


def _class_colors(y: ArrayLike) -> list[str]:
    _, number = np.unique(np.asarray(y), return_inverse=True)
    return [METHOD_COLORS[k % len(METHOD_COLORS)] for k in number]


def _draw_rows(axis: Axes, rows: NDArray[np.float64], colors: list[str], size: float) -> None:
    axis.scatter(rows[:, 0], rows[:, 1], s=size, c=colors, linewidths=0, alpha=0.8, rasterized=True)
    axis.set_box_aspect(1)
    axis.set(xticks=[], yticks=[])
    for spine in axis.spines.values():
        spine.set(color="#bbbbbb", linewidth=0.6)


def _write_in_corner(axis: Axes, text: str) -> None:
    axis.text(
        0.04, 0.955, text, transform=axis.transAxes, ha="left", va="top", fontsize=7,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
    )  # fmt: skip
