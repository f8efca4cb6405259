"""Cumulative distributions of margins (figure 5 of the DRMF paper, figures 1 and 4 of the QMM paper)."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from rotastack.plots.style import add_legend, figure_beside_legend, method_looks, plain_axis, sentence

__all__ = ["plot_margin_distributions"]


def plot_margin_distributions(
    distributions: Mapping[str, pd.DataFrame], title: str = "", methods: Sequence[str] | None = None
) -> Figure:
    """Draw the cumulative distribution of the margins of rows, a panel for each part and a line for each method.

    Parameters
    ----------
    distributions : mapping of str to DataFrame
        Method -> share of the rows with at most the margin in the index (from -1 to 1). Columns are parts of the
        rows, for example ``training`` and ``test``.
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
    learning. Knowledge-Based Systems, figure 5.

    Martinez, W. (2022). Ensemble pruning via margin maximization, figures 1 and 4.

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.plots.margin_distributions import plot_margin_distributions
    >>> shares = pd.DataFrame({"training": [0.0, 0.1, 1.0], "test": [0.1, 0.3, 1.0]}, index=[-1, 0, 1])
    >>> figure = plot_margin_distributions({"RF": shares})
    >>> [axis.get_title() for axis in figure.axes]
    ['training rows', 'test rows']
    """
    parts = list(dict.fromkeys(part for shares in distributions.values() for part in shares.columns))
    if not parts:
        return sentence("No method has margins: no method votes by members.")
    looks = method_looks(distributions if methods is None else methods)
    figure = figure_beside_legend(3.6 * len(parts), 3.6, list(distributions), title)
    panels = figure.subplots(1, len(parts), sharex=True, sharey=True, squeeze=False).ravel()
    handles = {}
    for axis, part in zip(panels, parts, strict=True):
        axis.axvline(0, color="black", linewidth=0.8)
        for method, shares in distributions.items():
            if part in shares:
                look = looks[method]
                (handles[method],) = axis.plot(
                    shares.index, shares[part], label=method, color=look.color, linestyle=look.dash,
                    linewidth=1.5, drawstyle="steps-post",
                )  # fmt: skip
        axis.set_title(f"{part} rows")
        axis.set_xlabel("margin (left of the line: wrong)")
        plain_axis(axis)
    panels[0].set_xlim(-1.02, 1.02)
    panels[0].set_xticks([-1, -0.5, 0, 0.5, 1])
    panels[0].set_ylim(0, 1.02)
    panels[0].set_ylabel("share of rows with at most that margin")
    add_legend(figure, list(handles.values()))
    return figure
