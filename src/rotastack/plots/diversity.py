"""Accuracy of the members against their disagreement (figures 6 and 7 of the DRMF paper in one)."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from rotastack.plots.style import add_legend, figure_beside_legend, method_looks, plain_axis, sentence

__all__ = ["plot_diversity"]


def plot_diversity(points: Mapping[str, pd.DataFrame], title: str = "", methods: Sequence[str] | None = None) -> Figure:
    """Draw the members' mean accuracy against their mean disagreement, with small dots for repeats and large means.

    Parameters
    ----------
    points : mapping of str to DataFrame
        Method -> columns ``disagreement`` and ``accuracy``, a row for each repeat; rows with missing
        values are left out.
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
    learning. Knowledge-Based Systems, figures 6 and 7.

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.plots.diversity import plot_diversity
    >>> points = pd.DataFrame({"disagreement": [0.1, 0.3], "accuracy": [0.8, 0.9]})
    >>> figure = plot_diversity({"DRMF": points})
    >>> figure.axes[0].lines[-1].get_xdata()
    array([0.2])
    """
    complete = {m: p[["disagreement", "accuracy"]].dropna() for m, p in points.items()}
    complete = {m: p for m, p in complete.items() if len(p)}
    if not complete:
        return sentence("No method has two or more members.")
    looks = method_looks(points if methods is None else methods)
    figure = figure_beside_legend(5.4, 4.2, list(complete), title)
    axis = figure.subplots()
    for method, rows in complete.items():
        axis.plot(
            rows["disagreement"], rows["accuracy"], "o", color=looks[method].color, markersize=3.5,
            markeredgewidth=0, alpha=0.45,
        )  # fmt: skip
    handles = []
    for method, rows in complete.items():  # A second loop draws the means above all small dots.
        look, mean = looks[method], rows.mean()
        handles += axis.plot(
            mean[["disagreement"]], mean[["accuracy"]], look.marker, label=method, color=look.color,
            markersize=9, markeredgecolor="black", markeredgewidth=0.8,
        )  # fmt: skip
    axis.set_xlabel("mean disagreement of pairs of members")
    axis.set_ylabel("mean accuracy of a member")
    plain_axis(axis)
    add_legend(figure, handles)
    return figure
