"""Critical-difference diagram (Demsar, 2006, figure 1)."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from rotastack.plots.style import default_style, new_figure, shortened
from rotastack.stats.comparison import Comparison, cliques


@default_style
def plot_critical_difference(comparison: Comparison, alpha: float = 0.05, *, ax: Any = None) -> Figure:
    """Draw average ranks on an axis, bars that join methods that do not differ, and the critical difference.

    Parameters
    ----------
    comparison : Comparison
        From :func:`rotastack.stats.compare`.
    alpha : float
        Level of Nemenyi's test.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on, whose figure is returned; by default those of a new figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.plots.critical_difference import plot_critical_difference
    >>> from rotastack.stats import compare
    >>> errors = pd.DataFrame({"RF": [0.05, 0.20, 0.12, 0.3], "RRE": [0.04, 0.22, 0.10, 0.2], "GB": 0.5})
    >>> figure = plot_critical_difference(compare(errors, higher_is_better=False))
    >>> [text.get_text() for text in figure.axes[0].texts][-3:]
    ['RRE  1.25', 'RF  1.75', '3.00  GB']
    """
    return draw_ranks(
        comparison.average_ranks, comparison.nemenyi_p, comparison.critical_difference(alpha), alpha, ax=ax
    )


def draw_ranks(ranks: pd.Series, nemenyi_p: pd.DataFrame, cd: float, alpha: float, *, ax: Any = None) -> Figure:
    """Draw the diagram of average ranks, p-values of pairs and a critical difference, all of Nemenyi's test."""
    ranks = ranks.sort_values(kind="stable")
    k = len(ranks)
    half = -(-k // 2)
    groups = cliques(ranks, nemenyi_p < alpha)
    figure = new_figure(7.2, 1.5 + 0.3 * half + 0.16 * len(groups)) if ax is None else ax.figure
    axis = figure.subplots() if ax is None else ax
    base = -0.35 - 0.18 * len(groups)
    axis.set(xlim=(0.2, k + 0.8), ylim=(base - 0.34 * half, 1.0))
    axis.axis("off")
    axis.plot([1, k], [0, 0], color="black", linewidth=1.2)
    for tick in range(1, k + 1):
        axis.plot([tick, tick], [0, 0.1], color="black", linewidth=1)
        axis.text(tick, 0.16, str(tick), ha="center", va="bottom", fontsize=9)
    _bar_of_cd(axis, cd, k, alpha)
    for i, (method, rank) in enumerate(ranks.items()):
        left = i < half
        level = base - 0.32 * (i if left else k - 1 - i)
        edge = 0.75 if left else k + 0.25
        axis.plot([rank, rank, edge], [0, level, level], color="#444444", linewidth=0.9)
        name = shortened(str(method))
        text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        axis.text(
            edge + (-0.05 if left else 0.05),
            level,
            text,
            ha="right" if left else "left",
            va="center",
            fontsize=9,
            parse_math=False,
        )
    for i, group in enumerate(groups):
        x = [ranks[m] for m in group]
        axis.plot(
            [min(x) - 0.05, max(x) + 0.05],
            [-0.18 - 0.18 * i] * 2,
            color="#B22222",
            linewidth=3.2,
            solid_capstyle="round",
        )
    return figure


def _bar_of_cd(axis, cd: float, k: int, alpha: float) -> None:
    shown = min(cd, k - 1)
    axis.plot([1, 1 + shown], [0.62, 0.62], color="black", linewidth=1.4)
    for end in (1, 1 + shown):
        axis.plot([end, end], [0.57, 0.67], color="black", linewidth=1.4)
    beyond = "" if cd <= k - 1 else ", longer than the axis: no significant difference is possible"
    axis.text(1 + shown / 2, 0.72, f"CD = {cd:.2f} (alpha = {alpha:g}{beyond})", ha="center", va="bottom", fontsize=9)
