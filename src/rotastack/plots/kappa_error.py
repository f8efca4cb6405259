"""Kappa-error diagrams: a point for each pair of members (Margineantu and Dietterich)."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from rotastack.diagnostics.pairs import KappaError
from rotastack.plots.style import method_looks, new_figure, plain_axis, sentence

__all__ = ["plot_kappa_error"]

_COLUMNS = 3
_DENSE = 500  # Clouds of more points are paler.
_RASTERIZED = 2000  # More points are rasterized, which keeps SVG files small.


def plot_kappa_error(ensembles: Mapping[str, KappaError], title: str = "") -> Figure:
    """Draw the mean error of each pair of members against their kappa, a panel for each ensemble on common axes.

    The large white marker is the mean of the panel's points; small hollow markers are the means of other ensembles.

    Parameters
    ----------
    ensembles : mapping of str to KappaError
        Name -> points of all pairs, from :func:`rotastack.diagnostics.pairs.kappa_error`; missing values are
        left out.
    title : str

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Margineantu, D. and Dietterich, T. (1997). Pruning adaptive boosting. ICML.

    Examples
    --------
    >>> from rotastack.diagnostics.pairs import kappa_error
    >>> from rotastack.plots.kappa_error import plot_kappa_error
    >>> votes = [[0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 0]]
    >>> figure = plot_kappa_error({"three trees": kappa_error(votes, y=[0, 0, 1, 1])})
    >>> figure.axes[0].get_title()
    'three trees'
    """
    clouds = {}
    for name, pairs in ensembles.items():
        cloud = np.column_stack([pairs.kappa, pairs.error])
        clouds[name] = cloud[np.isfinite(cloud).all(axis=1)]
    if not any(map(len, clouds.values())):
        return sentence("No ensemble has two or more members.")
    looks = method_looks(clouds)
    columns = min(len(clouds), _COLUMNS)
    rows = -(-len(clouds) // columns)
    figure = new_figure(max(2.7 * columns + 0.6, 4.4), max(2.4 * rows + 0.7, 3.6), title)
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    large = sum(map(len, clouds.values())) > _RASTERIZED
    for axis, (name, cloud) in zip(panels, clouds.items(), strict=False):
        look = looks[name]
        axis.plot(
            *cloud.T, "o", color=look.color, markersize=2.5 if len(cloud) > 100 else 4, markeredgewidth=0, alpha=0.3 if len(cloud) > _DENSE else 0.7,
            rasterized=large,
        )  # fmt: skip
        axis.set_title(name)
        plain_axis(axis)
        if not len(cloud):
            axis.text(0.5, 0.5, "no pairs", transform=axis.transAxes, ha="center", va="center", fontsize=9)
            continue
        for other, points in clouds.items():
            if other != name and len(points):
                axis.plot(
                    *points.mean(axis=0), looks[other].marker, color="none", markersize=4,
                    markeredgecolor=looks[other].color, markeredgewidth=1,
                )  # fmt: skip
        axis.plot(
            *cloud.mean(axis=0), look.marker, color="white", markersize=9, markeredgecolor="black",
            markeredgewidth=1.2, zorder=3,
        )  # fmt: skip
    for axis in panels[len(clouds) :]:
        axis.remove()
    for place, axis in enumerate(panels[: len(clouds)]):
        if place + columns >= len(clouds):  # No panel is below this one.
            axis.set_xlabel("kappa of a pair of members")
            axis.tick_params(labelbottom=True)
        if place % columns == 0:
            axis.set_ylabel("mean error of the pair")
    return figure
