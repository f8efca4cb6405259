"""Weights of the members of an ensemble by rank (thesis, figure 2.1)."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rotastack.plots.style import DASHES, METHOD_COLORS, new_figure

__all__ = ["plot_weights"]


def plot_weights(weights: Mapping[str, ArrayLike]) -> Figure:
    """Draw weight against rank, one line per weighting.

    Parameters
    ----------
    weights : mapping of str to array-like of shape (n_ranks,)
        Label -> weight of the first rank, the second and so on. Lengths may differ.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> figure = plot_weights({"equal": [0.25] * 4, "linear": [0.4, 0.3, 0.2, 0.1]})
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['equal', 'linear']
    """
    values = {label: np.asarray(w, dtype=float) for label, w in weights.items()}
    longest = max(len(w) for w in values.values())
    figure = new_figure(6.4, 3.8)
    axis = figure.subplots()
    for k, (label, w) in enumerate(values.items()):
        axis.plot(
            np.arange(1, len(w) + 1), w, label=label, linewidth=1.6, solid_capstyle="round",
            color=METHOD_COLORS[k % len(METHOD_COLORS)],
            linestyle=DASHES[k // len(METHOD_COLORS) % len(DASHES)],
        )  # fmt: skip
    axis.set_xlim(1, max(longest, 2))
    axis.set_ylim(bottom=min(0.0, *(float(w.min()) for w in values.values())))
    axis.set_xlabel("rank", fontsize=9)
    axis.set_ylabel("weight", fontsize=9)
    axis.tick_params(labelsize=8)
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    figure.legend(loc="outside upper center", ncols=min(len(values), 5), fontsize=9, frameon=False)
    return figure
