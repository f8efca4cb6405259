"""Error of a growing vote in a pruner's order, and accuracy of the ordered members (DRMF paper, figures 1, 2)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from rotastack.plots.style import add_legend, figure_beside_legend, method_looks, plain_axis, sentence

__all__ = ["OrderedVotes", "plot_ordered_curves"]

_DOTTED = 4  # The dots of more methods could not be distinguished.


class OrderedVotes(NamedTuple):
    """The curves of a method that puts its members in order.

    Attributes
    ----------
    error : Series
        Error of the vote of the first members; the index is the number of members.
    kept : float
        Number of members that the method keeps; NaN if unknown.
    accuracy : Series or None
        Accuracy of each member alone; the index is its rank.
    """

    error: pd.Series
    kept: float = float("nan")
    accuracy: pd.Series | None = None


def plot_ordered_curves(
    votes: Mapping[str, OrderedVotes], title: str = "", methods: Sequence[str] | None = None
) -> Figure:
    """Draw the error against the number of members (logarithmic), with a marker at the number each method keeps.

    If a method has the members' accuracies, a second panel draws their running mean over a tenth of the ranks
    against rank. With up to four such methods each member is also a dot.

    Parameters
    ----------
    votes : mapping of str to OrderedVotes
        Method -> its curves.
    title : str
    methods : sequence of str, optional
        All methods of the data set, in order, which gives a method the same look in all figures; by default the
        methods drawn.

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, figures 1 and 2.

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.plots.ordered_curves import OrderedVotes, plot_ordered_curves
    >>> error = pd.Series([0.3, 0.2, 0.25], index=[1, 2, 3])
    >>> figure = plot_ordered_curves({"DRMF": OrderedVotes(error, kept=2)})
    >>> figure.axes[0].get_xlabel()
    'members that vote (marker: kept)'
    """
    if not votes:
        return sentence("No method orders its members.")
    looks = method_looks(votes if methods is None else methods)
    ranked = {m: v.accuracy.dropna() for m, v in votes.items() if v.accuracy is not None}
    ranked = {m: a for m, a in ranked.items() if len(a)}
    figure = figure_beside_legend(8.6 if ranked else 5.4, 3.8, list(votes), title)
    panels = figure.subplots(1, 2 if ranked else 1, squeeze=False).ravel()
    handles = []
    for method, (error, kept, _) in votes.items():
        look, error = looks[method], error.dropna()
        handles += panels[0].plot(
            error.index, error, label=method, color=look.color, linestyle=look.dash, linewidth=1.2,
            marker=look.marker, markevery=[],
        )  # fmt: skip
        if np.isfinite(kept) and len(error):
            panels[0].plot(
                kept, np.interp(kept, error.index, error), marker=look.marker, color=look.color,
                markersize=7, markeredgecolor="black", markeredgewidth=0.8, linestyle="none", zorder=3,
            )  # fmt: skip
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
        panels[1].set_xlabel("rank of the member by weight")
        panels[1].set_ylabel("accuracy of the member on test rows")
    for axis in panels:
        plain_axis(axis)
    add_legend(figure, handles)
    return figure
