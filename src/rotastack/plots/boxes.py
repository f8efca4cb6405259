"""Box plots: the errors of all methods over repeats."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rotastack.plots.style import new_figure

__all__ = ["plot_boxes"]


def plot_boxes(errors: Mapping[str, ArrayLike], title: str = "", score: str = "error") -> Figure:
    """Draw a box for each method: quartiles, whiskers to 1.5 box lengths, and the mean as a dot.

    Parameters
    ----------
    errors : mapping of str to array-like of shape (n_repeats,)
        Method -> its errors; missing values are left out.
    title : str
    score : str
        Name of the errors.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from rotastack.plots.boxes import plot_boxes
    >>> figure = plot_boxes({"RF": [0.1, 0.2, 0.15], "RR-RF": [0.1, 0.12, 0.11]})
    >>> [t.get_text() for t in figure.axes[0].get_yticklabels()]
    ['RF', 'RR-RF']
    """
    names = list(errors)
    figure = new_figure(7, 0.9 + 0.24 * len(names))
    axes = figure.add_subplot()
    finite = [np.asarray(errors[name], dtype=float) for name in names]
    finite = [values[np.isfinite(values)] for values in finite]
    places = np.arange(len(names))
    axes.boxplot(
        finite, positions=places, orientation="horizontal", widths=0.6, patch_artist=True,
        boxprops={"facecolor": "#d7e5f2", "edgecolor": "#0072B2"}, medianprops={"color": "#0072B2"},
        whiskerprops={"color": "#0072B2"}, capprops={"color": "#0072B2"}, flierprops={"marker": ".", "markersize": 3},
    )  # fmt: skip
    for place, values in zip(places, finite, strict=True):
        if len(values):
            axes.plot(values.mean(), place, "o", color="#D55E00", markersize=4)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set_xlabel(f"{score} on test rows")
    axes.set_title(title, loc="left", fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    return figure
