"""Points on the sphere, coloured by how close the others are (thesis, figure 1.2)."""

from collections.abc import Mapping

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from rotastack.plots.style import SCALE, new_figure

__all__ = ["plot_spheres"]

_AZIMUTH, _ELEVATION = np.radians(35), np.radians(28)  # +x, +y and +z are all in front
_RIGHT = np.array([-np.sin(_AZIMUTH), np.cos(_AZIMUTH), 0.0])
_FRONT = np.array(
    [np.cos(_ELEVATION) * np.cos(_AZIMUTH), np.cos(_ELEVATION) * np.sin(_AZIMUTH), np.sin(_ELEVATION)]
)
_UP = np.cross(_FRONT, _RIGHT)

_BLOCK = 2_000_000  # distances held at a time: 16 MB


def plot_spheres(panels: Mapping[str, ArrayLike], by: str = "rank") -> Figure:
    """Draw the points on the front of a slightly tilted sphere; darker ones are closer to the others.

    Colours come from the sum of distances to all other points, those behind the sphere included.

    Parameters
    ----------
    panels : mapping of str to array-like of shape (n, 3)
        Title -> unit vectors.
    by : {"rank", "distance"}, default="rank"
        Colour by the rank of the sum within its panel, as in the thesis, or by the mean distance on
        one scale for all panels. Ranks use the whole scale in every panel, however small the
        differences: uniform points too get a dark side, by chance. The mean distance shows them
        evenly coloured.

    Returns
    -------
    matplotlib.figure.Figure
        One axes per panel, then the colour bar.

    Raises
    ------
    ValueError
        Points that are not unit vectors in three dimensions, or an unknown `by`.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.random.default_rng(0).standard_normal((100, 3))
    >>> points /= np.linalg.norm(points, axis=1, keepdims=True)
    >>> figure = plot_spheres({"uniform": points})
    >>> [axis.get_title() for axis in figure.axes][:1]
    ['uniform']
    """
    if by not in ("rank", "distance"):
        raise ValueError(f"by must be 'rank' or 'distance', got {by!r}")
    points = {title: np.asarray(rows, dtype=float) for title, rows in panels.items()}
    for title, rows in points.items():
        if rows.ndim != 2 or rows.shape[1] != 3 or not np.allclose((rows**2).sum(axis=1), 1, atol=1e-6):
            raise ValueError(f"panel {title!r}: expected unit vectors of shape (n, 3), got {rows.shape}")
    closeness = {title: -_distance_sums(rows) / max(len(rows) - 1, 1) for title, rows in points.items()}
    if by == "rank":
        closeness = {title: rankdata(values) / len(values) for title, values in closeness.items()}
    everything = np.concatenate(list(closeness.values()))
    low, high = (0.0, 1.0) if by == "rank" else (everything.min(), everything.max())
    colors = ScalarMappable(
        Normalize(low, high if high > low else low + 1e-9),
        ListedColormap(matplotlib.colormaps[SCALE](np.linspace(0.1, 1, 256))),
    )
    figure = new_figure(3.4 * len(points) + 0.2, 4.2)
    axes = figure.subplots(1, len(points), squeeze=False).ravel()
    for axis, (title, rows) in zip(axes, points.items(), strict=True):
        _draw_sphere(axis)
        front = rows @ _FRONT > 0
        axis.scatter(
            rows[front] @ _RIGHT, rows[front] @ _UP, c=colors.to_rgba(closeness[title][front]),
            s=np.clip(20000 / len(rows), 2.5, 20), linewidths=0, zorder=3, rasterized=len(rows) > 2000,
        )  # fmt: skip
        axis.set_title(title, fontsize=9)
    bar = figure.colorbar(colors, ax=list(axes), location="bottom", shrink=0.5, aspect=30, pad=0.02)
    bar.outline.set_visible(False)  # type: ignore[operator]
    if by == "rank":
        bar.set_ticks([low, high], labels=["far from the others", "close to the others"])
    else:
        bar.set_ticks([low, high], labels=[f"{-low:.3f} (far)", f"{-high:.3f} (close)"])
        bar.set_label("mean distance to the other points", fontsize=8)
    bar.ax.tick_params(labelsize=8, length=0)
    return figure


def _distance_sums(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum each row's distances to all others, a block of rows at a time."""
    step = max(1, _BLOCK // max(len(rows), 1))
    sums = [cdist(rows[i : i + step], rows).sum(axis=1) for i in range(0, len(rows), step)]
    return np.concatenate([np.empty(0), *sums])


def _draw_sphere(axis: Axes) -> None:
    """Draw a pale disc with the front halves of meridians and parallels, every 30 degrees."""
    axis.add_patch(Circle((0, 0), 1, facecolor="#f4f4f4", edgecolor="none", zorder=0))
    turn = np.linspace(0, 2 * np.pi, 181)
    lines = [
        np.stack([np.cos(a) * np.cos(turn), np.sin(a) * np.cos(turn), np.sin(turn)], axis=1)
        for a in np.radians(range(0, 180, 30))
    ]
    lines += [
        np.stack([np.cos(b) * np.cos(turn), np.cos(b) * np.sin(turn), np.full_like(turn, np.sin(b))], axis=1)
        for b in np.radians(range(-60, 90, 30))
    ]
    for line in lines:
        shown = np.where((line @ _FRONT > 0)[:, None], line, np.nan)
        axis.plot(shown @ _RIGHT, shown @ _UP, color="#d4d4d4", linewidth=0.6, zorder=1)
    axis.add_patch(Circle((0, 0), 1, facecolor="none", edgecolor="#777777", linewidth=0.8, zorder=4))
    axis.set(xlim=(-1.03, 1.03), ylim=(-1.03, 1.03), aspect="equal")
    axis.axis("off")
