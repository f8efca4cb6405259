"""Average ranks of methods with their intervals, the best method on top."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rotastack.plots.style import METHOD_COLORS, add_note, new_figure, plain_axis, sentence, shortened, thinned

__all__ = ["plot_rank_intervals"]

_LABELS = 45  # More labels do not fit.
_HEIGHT = 9.0  # Largest height of a figure, in inches.


def plot_rank_intervals(ranks: pd.DataFrame, control: str | None = None) -> Figure:
    """Draw a dot and an interval for each method, the best on top.

    A grey band marks the interval of the control. With more than 45 methods some labels are left out, and a note
    gives the number of methods.

    Parameters
    ----------
    ranks : DataFrame of shape (n_methods, 3)
        ``average_rank``, ``lower`` and ``upper`` of each method, from :func:`rotastack.stats.bootstrap_ranks`.
    control : str, optional
        The method that the others are compared with.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.plots.rank_intervals import plot_rank_intervals
    >>> ranks = pd.DataFrame(
    ...     {"average_rank": [1.75, 1.25], "lower": [1.5, 1.0], "upper": [2.0, 1.5]}, index=["RF", "RRE"]
    ... )
    >>> figure = plot_rank_intervals(ranks, control="RF")
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['RRE', 'RF']
    """
    if len(ranks) < 2:
        return sentence("The figure of ranks needs two methods.")
    ordered = ranks.sort_values("average_rank", kind="stable")
    names, n = [str(name) for name in ordered.index], len(ordered)
    labels = thinned(names, _LABELS)
    figure = new_figure(6.4 + 0.06 * max(len(text) for _, text in labels), min(0.9 + 0.26 * n, _HEIGHT))
    axis = figure.subplots()
    places = np.arange(n)
    low, middle, high = (ordered[name].to_numpy(dtype=float) for name in ("lower", "average_rank", "upper"))
    if control in names:
        k = names.index(str(control))
        axis.axvspan(*np.nan_to_num([low[k], high[k]], nan=middle[k]), color="#dddddd", linewidth=0, zorder=0.5)
        axis.axvline(middle[k], color="#888888", linewidth=0.8, zorder=0.6)
    small = n > _LABELS
    axis.hlines(places, low, high, color=METHOD_COLORS[0], linewidth=0.8 if small else 1.6)
    axis.plot(middle, places, "o", color=METHOD_COLORS[0], markersize=2 if small else 5)
    axis.set_yticks(*zip(*labels, strict=True))
    axis.set_ylim(n - 0.4, -0.6)
    axis.set_xlabel("average rank (left is better)")
    plain_axis(axis)
    notes = []
    if control in names:
        notes.append(f"Grey: {shortened(str(control))} and its interval.")
    if len(labels) < n:
        notes.append(f"{n} methods; one in {labels[1][0]} is named.")
    if notes:
        add_note(figure, " ".join(notes))
    return figure
