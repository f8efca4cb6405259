"""Win rates of all pairs of methods, as a matrix of coloured squares."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rotastack.plots.style import add_note, new_figure, sentence, thinned

__all__ = ["plot_win_matrix"]

_SCALE = "RdBu"  # Blue wins; people who are blind to red or green can distinguish these colours.
_WRITTEN = 16  # With more methods, squares have no numbers.
_LABELS = 45  # More labels do not fit.
_SIDE = 8.0  # Largest side of a matrix, in inches.


def plot_win_matrix(shares: pd.DataFrame) -> Figure:
    """Draw the share of data sets on which the method of the row is better than the method of the column.

    Methods are sorted by their mean share against the others, the best on top and on the left. With more than 45
    methods some labels are left out, and a note gives the number of methods.

    Parameters
    ----------
    shares : DataFrame of shape (n_methods, n_methods)
        Shares from 0 to 1, from :func:`rotastack.stats.win_matrix`. A tie counts one half. NaN marks two methods
        that share no data set. The diagonal is not drawn.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.plots.win_matrix import plot_win_matrix
    >>> shares = pd.DataFrame([[0.5, 0.25], [0.75, 0.5]], ["RF", "RRE"], ["RF", "RRE"])
    >>> figure = plot_win_matrix(shares)
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['RRE', 'RF']
    """
    if len(shares) < 2:
        return sentence("A win-rate matrix needs two methods.")
    values = shares.to_numpy(dtype=float, copy=True)
    np.fill_diagonal(values, np.nan)
    compared = np.isfinite(values)
    means = np.where(compared, values, 0.0).sum(axis=1) / np.maximum(compared.sum(axis=1), 1)
    order = np.lexsort((np.arange(len(values)), -np.where(compared.any(axis=1), means, -1.0)))
    values, names = values[np.ix_(order, order)], [str(shares.index[k]) for k in order]
    n = len(names)
    labels = thinned(names, _LABELS)
    longest = 0.068 * max(len(text) for _, text in labels)
    side = min(0.46 * n, _SIDE)
    figure = new_figure(side + longest + 1.6, side + longest + 0.7)
    axis = figure.subplots()
    axis.set_facecolor("#eeeeee")  # This colour marks pairs without a share.
    image = axis.imshow(values, cmap=_SCALE, vmin=0.0, vmax=1.0, interpolation="nearest")
    places, texts = zip(*labels, strict=True)
    axis.set_yticks(places, texts, fontsize=8)
    axis.set_xticks(places, texts, fontsize=8, rotation=90)
    axis.tick_params(length=0 if n <= _LABELS else 2)
    for spine in axis.spines.values():
        spine.set_visible(False)
    if n <= _WRITTEN:
        for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
            strong = abs(values[i, j] - 0.5) > 0.3
            axis.text(
                j, i, f"{100 * values[i, j]:.0f}", ha="center", va="center", fontsize=8,
                color="white" if strong else "black",
            )  # fmt: skip
    bar = figure.colorbar(image, ax=axis, shrink=min(1.0, 3.0 / side), pad=0.02)
    bar.set_label("row beats column, share of data sets", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    if len(labels) < n:
        add_note(figure, f"{n} methods; one in {places[1]} is named.")
    return figure
