"""Figures of ensembles from which members are selected: margins, orders, diversity, and pairs of members.

`methods` are all methods of the data set, in order, which gives a method the same look in all figures.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from rotastack.diagnostics.pairs import KappaError
from rotastack.plots.style import figure_beside_legend, finished, method_looks, new_figure, plain_axis, sentence

_DOTTED = 4  # The dots of more methods could not be distinguished.
_DENSE = 500  # Clouds of more points are paler.
_RASTERIZED = 2000  # More points are rasterized, which keeps SVG files small.


def plot_margin_distributions(
    distributions: Mapping[str, pd.DataFrame], title: str = "", methods: Sequence[str] = ()
) -> Figure:
    """Draw the cumulative distribution of each method's margins (Hu et al., 2014, figure 5; Martinez, 2022, figures 1, 4).

    A table has the share of rows with at most the margin in its index (from -1 to 1), and a column for each part of the
    rows, such as ``training`` and ``test``; each part has a panel.
    """
    parts = list(dict.fromkeys(part for shares in distributions.values() for part in shares.columns))
    if not parts:
        return sentence("No method has margins, because none combines votes of members.")
    looks = method_looks(methods or distributions)
    figure = figure_beside_legend(3.6 * len(parts), 3.6, list(distributions), title)
    panels = figure.subplots(1, len(parts), sharex=True, sharey=True, squeeze=False).ravel()
    handles = {}
    for axis, part in zip(panels, parts, strict=True):
        axis.axvline(0, color="black", linewidth=0.8)
        for method, shares in distributions.items():
            if part in shares:
                look = looks[method]
                (handles[method],) = axis.plot(
                    shares.index,
                    shares[part],
                    label=method,
                    color=look.color,
                    linestyle=look.dash,
                    linewidth=1.5,
                    drawstyle="steps-post",
                )
        axis.set_title(f"{part} rows")
        axis.set_xlabel("margin (left of the line: wrong)")
    panels[0].set(xlim=(-1.02, 1.02), xticks=[-1, -0.5, 0, 0.5, 1], ylim=(0, 1.02))
    panels[0].set_ylabel("share of rows with at most that margin")
    return finished(figure, panels, list(handles.values()))


class OrderedVotes(NamedTuple):
    """The curves of a method that puts its members in order.

    They are the error of the vote of the first members, by their number; the number of members that the method keeps
    (NaN if unknown); and the accuracy of each member alone, by its rank.
    """

    error: pd.Series
    kept: float = float("nan")
    accuracy: pd.Series | None = None


def plot_ordered_curves(votes: Mapping[str, OrderedVotes], title: str = "", methods: Sequence[str] = ()) -> Figure:
    """Draw the error against the number of members, with a marker at the number kept (Hu et al., 2014, figures 1, 2).

    If a method has the members' accuracies, a second panel draws their running mean over a tenth of the ranks
    against rank. With up to four such methods each member is also a dot.
    """
    if not votes:
        return sentence("No method orders its members.")
    looks = method_looks(methods or votes)
    ranked = {m: v.accuracy.dropna() for m, v in votes.items() if v.accuracy is not None and v.accuracy.notna().any()}
    figure = figure_beside_legend(8.6 if ranked else 5.4, 3.8, list(votes), title)
    panels = figure.subplots(1, 2 if ranked else 1, squeeze=False).ravel()
    handles: list[Any] = []
    for method, (error, kept, _) in votes.items():
        look, error = looks[method], error.dropna()
        handles += panels[0].plot(
            error.index,
            error,
            label=method,
            color=look.color,
            linestyle=look.dash,
            linewidth=1.2,
            marker=look.marker,
            markevery=[],
        )
        if np.isfinite(kept) and len(error):
            panels[0].plot(
                kept,
                np.interp(kept, error.index, error),
                marker=look.marker,
                color=look.color,
                markersize=7,
                markeredgecolor="black",
                markeredgewidth=0.8,
                linestyle="none",
                zorder=3,
            )
    panels[0].set_xlabel("members that vote (marker: kept)")
    panels[0].set_xscale("log")
    panels[0].xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panels[0].xaxis.set_minor_locator(NullLocator())
    panels[0].xaxis.set_major_formatter(lambda size, _: f"{size:g}")
    panels[0].set_ylabel("error on test rows")
    for method, accuracy in ranked.items():
        look, width = looks[method], max(len(accuracy) // 10, 1)
        if len(ranked) <= _DOTTED:
            panels[1].plot(accuracy.index, accuracy, ".", color=look.color, markersize=2.5, alpha=0.5)
        smooth = accuracy.rolling(width, center=True, min_periods=1).mean()
        panels[1].plot(smooth.index, smooth, color=look.color, linestyle=look.dash, linewidth=1.4)
    if ranked:
        panels[1].set_xlim(left=0)
        panels[1].set(xlabel="rank of the member by weight", ylabel="accuracy of the member on test rows")
    return finished(figure, panels, handles)


def plot_diversity(points: Mapping[str, pd.DataFrame], title: str = "", methods: Sequence[str] = ()) -> Figure:
    """Draw the members' mean accuracy against their mean disagreement (Hu et al., 2014, figures 6 and 7 in one).

    A table has the columns ``disagreement`` and ``accuracy``, and a row for each repeat, which is a small dot; large
    markers are means.
    """
    complete = {m: p[["disagreement", "accuracy"]].dropna() for m, p in points.items()}
    complete = {m: p for m, p in complete.items() if len(p)}
    if not complete:
        return sentence("No method has two or more members.")
    looks = method_looks(methods or points)
    figure = figure_beside_legend(5.4, 4.2, list(complete), title)
    axis = figure.subplots()
    for method, rows in complete.items():
        axis.plot(*rows.to_numpy().T, "o", color=looks[method].color, markersize=3.5, markeredgewidth=0, alpha=0.45)
    handles: list[Any] = []
    for method, rows in complete.items():  # A second loop draws the means above all small dots.
        handles += axis.plot(
            *rows.mean().to_numpy()[:, None],
            looks[method].marker,
            label=method,
            color=looks[method].color,
            markersize=9,
            markeredgecolor="black",
            markeredgewidth=0.8,
        )
    axis.set(xlabel="mean disagreement of pairs of members", ylabel="mean accuracy of a member")
    return finished(figure, [axis], handles)


def plot_kappa_error(ensembles: Mapping[str, KappaError], title: str = "") -> Figure:
    """Draw the mean error of each pair of members against their kappa (Margineantu and Dietterich, 1997).

    Each ensemble has a panel, all on common axes. The large white marker is the mean of the panel's points; small hollow
    markers are the means of other ensembles.
    """
    clouds = {}
    for name, pairs in ensembles.items():
        cloud = np.column_stack([pairs.kappa, pairs.error])
        clouds[name] = cloud[np.isfinite(cloud).all(axis=1)]
    total = sum(map(len, clouds.values()))
    if not total:
        return sentence("No ensemble has two or more members.")
    looks = method_looks(clouds)
    columns = min(len(clouds), 3)
    rows = -(-len(clouds) // columns)
    figure = new_figure(max(2.7 * columns + 0.6, 4.4), max(2.4 * rows + 0.7, 3.6), title)
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for place, (axis, (name, cloud)) in enumerate(zip(panels, clouds.items(), strict=False)):
        look = looks[name]
        axis.plot(
            *cloud.T,
            "o",
            color=look.color,
            markersize=2.5 if len(cloud) > 100 else 4,
            markeredgewidth=0,
            alpha=0.3 if len(cloud) > _DENSE else 0.7,
            rasterized=total > _RASTERIZED,
        )
        axis.set_title(name)
        plain_axis(axis)
        if place + columns >= len(clouds):  # No panel is below this one.
            axis.set_xlabel("kappa of a pair of members")
            axis.tick_params(labelbottom=True)
        if place % columns == 0:
            axis.set_ylabel("mean error of the pair")
        if not len(cloud):
            axis.text(0.5, 0.5, "no pairs", transform=axis.transAxes, ha="center", va="center", fontsize=9)
            continue
        for other, points in clouds.items():
            if other != name and len(points):
                axis.plot(
                    *points.mean(axis=0),
                    looks[other].marker,
                    color="none",
                    markersize=4,
                    markeredgecolor=looks[other].color,
                    markeredgewidth=1,
                )
        axis.plot(
            *cloud.mean(axis=0),
            look.marker,
            color="white",
            markersize=9,
            markeredgecolor="black",
            markeredgewidth=1.2,
            zorder=3,
        )
    for axis in panels[len(clouds) :]:
        axis.remove()
    return figure
