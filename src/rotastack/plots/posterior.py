"""Posterior of the Bayesian signed-rank test, in a triangle with a corner for each of the three outcomes."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rotastack.plots.style import METHOD_COLORS, new_figure, plain_axis, sentence, shortened

__all__ = ["plot_posterior"]

_TOP = np.sqrt(3) / 2


def plot_posterior(draws: ArrayLike, first: str, second: str, rope: float, title: str = "") -> Figure:
    """Draw the weights of the three outcomes as points of a triangle, with a region for each outcome.

    In the region of an outcome, this outcome has the largest weight. Below each name stands the share of the draws in
    its region, the probability that :func:`rotastack.stats.bayesian_signed_rank` returns. Without a region of
    practical equivalence (`rope` is 0) the triangle shrinks to a line, and the figure is a histogram.

    Parameters
    ----------
    draws : array-like of shape (n_draws, 3)
        Weights of "the first is better", "practically equal", "the second is better", from
        :func:`rotastack.stats.signed_rank_draws`.
    first, second : str
        Names of the methods.
    rope : float
        Half the width of the region of practical equivalence.
    title : str

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18(77), figure 5.

    Examples
    --------
    >>> from rotastack.plots.posterior import plot_posterior
    >>> draws = [[0.2, 0.2, 0.6], [0.1, 0.5, 0.4], [0.3, 0.1, 0.6], [0.2, 0.1, 0.7]]
    >>> figure = plot_posterior(draws, "RF", "RRE", rope=0.01)
    >>> [text.get_text().replace("\\n", ": ") for text in figure.axes[0].texts]
    ['RF better: 0.000', 'equal within 0.01: 0.250', 'RRE better: 0.750']
    """
    theta = np.asarray(draws, dtype=float)
    theta = theta[np.isfinite(theta).all(axis=1)] if theta.ndim == 2 else theta.reshape(0, 3)
    if not len(theta):
        return sentence("No pair of methods has a posterior.")
    largest = theta == theta.max(axis=1, keepdims=True)
    shares = (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0)
    names = [f"{shortened(first)} better", f"equal within {rope:g}", f"{shortened(second)} better"]
    texts = [f"{name}\n{share:.3f}" for name, share in zip(names, shares, strict=True)]
    if rope == 0:
        return _line(theta, texts, second, title)
    figure = new_figure(6.2, 5.4, title)
    axis = figure.subplots()
    axis.set(xlim=(-0.12, 1.12), ylim=(-0.16, _TOP + 0.16), aspect="equal")
    axis.axis("off")
    x, y = theta[:, 2] + theta[:, 1] / 2, theta[:, 1] * _TOP
    axis.hexbin(x, y, gridsize=45, extent=(0, 1, 0, _TOP), mincnt=1, bins="log", cmap="Blues", linewidths=0.1)
    axis.plot([0, 1, 0.5, 0], [0, 0, _TOP, 0], color="black", linewidth=1.2)
    for end in ([0.5, 0.0], [0.25, _TOP / 2], [0.75, _TOP / 2]):  # The ends are the middles of the sides.
        axis.plot([0.5, end[0]], [_TOP / 3, end[1]], color=METHOD_COLORS[1], linewidth=1.0)
    axis.text(0, -0.03, texts[0], ha="center", va="top", fontsize=9)
    axis.text(0.5, _TOP + 0.03, texts[1], ha="center", va="bottom", fontsize=9)
    axis.text(1, -0.03, texts[2], ha="center", va="top", fontsize=9)
    return figure


def _line(theta: np.ndarray, texts: list[str], second: str, title: str) -> Figure:
    figure = new_figure(6.2, 3.2, title)
    axis = figure.subplots()
    axis.hist(theta[:, 2], bins=np.linspace(0, 1, 51).tolist(), color="#9ecae1")
    axis.axvline(0.5, color=METHOD_COLORS[1], linewidth=1.0)
    for place, text, side in ((0.02, texts[0], "left"), (0.98, texts[2], "right")):
        axis.text(place, 0.97, text, transform=axis.transAxes, ha=side, va="top", fontsize=9)
    axis.set_xlim(0, 1)
    axis.set_yticks([])
    axis.set_xlabel(f"weight of: {shortened(second)} is better")
    plain_axis(axis)
    return figure
