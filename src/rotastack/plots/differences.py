"""Differences of the scores of methods to the scores of a control, data set by data set."""

import textwrap

import pandas as pd
from matplotlib.figure import Figure

from rotastack.plots.style import MARKERS, METHOD_COLORS, new_figure

__all__ = ["plot_differences"]

_WIDTH = 7.2


def plot_differences(
    means: pd.DataFrame, errors_of_mean: pd.DataFrame, control: str, score: str = "error", higher: bool = False
) -> Figure:
    """Draw each method's scores minus those of the control, in percentage points, with a line at 0.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_methods)
        Mean scores.
    errors_of_mean : DataFrame of shape (n_datasets, n_methods)
        Standard error, over cells, of the difference to the control. Bars are two standard errors long on each side;
        a missing value has no bar.
    control : str
        The method that the others are compared with.
    score : str
        Name of the scores.
    higher : bool, default=False
        Whether higher scores are better.
    """
    others = [m for m in means.columns if m != control]
    step = min(0.12, 0.84 / max(len(others), 1))  # All methods of a data set stay within its band.
    band = max(0.5, 0.085 * len(others))
    longest = max((len(m) for m in others), default=0)
    columns = max(1, min(len(others), 5, int(_WIDTH / (0.55 + 0.08 * longest))))
    text = f"{score} minus that of {control}, percentage points"
    left = f"({'right' if higher else 'left'} of the line is better)"
    lines = [f"{text} {left}"] if len(text) < 60 else [*textwrap.wrap(text, 90), left]
    height = band * len(means) + 0.95 + 0.15 * len(lines) + 0.2 * -(-len(others) // columns)
    figure = new_figure(_WIDTH, height)
    axis = figure.subplots()
    axis.axvline(0, color="black", linewidth=1)
    for k, method in enumerate(others):
        difference = 100 * (means[method] - means[control])
        y = [i + step * (k - (len(others) - 1) / 2) for i in range(len(means))]
        bars = 200 * errors_of_mean[method] if errors_of_mean[method].notna().any() else None
        axis.errorbar(
            difference, y, xerr=bars, fmt=MARKERS[(k + k // len(MARKERS)) % len(MARKERS)], markersize=5,
            color=METHOD_COLORS[k % len(METHOD_COLORS)], label=method, elinewidth=0.8, capsize=2,
        )  # fmt: skip
    values = {name: textwrap.fill(f"({control}: {score} {means.loc[name, control]:.3f})", 30) for name in means.index}
    labels = [f"{name}\n{value}" for name, value in values.items()]
    axis.set_yticks(range(len(means)), labels, fontsize=8)
    axis.set_ylim(len(means) - 0.5, -0.5)
    if len(others) > 4:
        for i in range(1, len(means)):
            axis.axhline(i - 0.5, color="#dddddd", linewidth=0.6)
    figure.supxlabel("\n".join(lines), fontsize=9)  # Long labels make the axis too narrow for this text.
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    figure.legend(loc="outside upper center", ncols=columns, fontsize=9, frameon=False)
    return figure
