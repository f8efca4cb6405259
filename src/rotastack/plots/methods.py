"""Figures of methods over data sets: differences from a control, ranks with intervals, win rates, quality against time."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rotastack.plots.style import (
    MARKERS,
    METHOD_COLORS,
    add_note,
    finished,
    new_figure,
    plain_axis,
    sentence,
    shortened,
    thinned,
)

_WIDTH = 7.2
_LABELS = 45  # More labels of methods do not fit on an axis.
_WRITTEN = 16  # With more methods, squares have no numbers.
_NAMED = 12  # With more methods only the front and the control are named.


def plot_differences(
    means: pd.DataFrame, errors_of_mean: pd.DataFrame, control: str, score: str = "error", higher: bool = False
) -> Figure:
    """Draw each method's scores minus those of the control, in percentage points, with a line at 0.

    Rows are data sets and columns methods. The second table has the standard errors, over cells, of the differences:
    bars are two of them long on each side; a missing value has no bar.
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
            difference,
            y,
            xerr=bars,
            fmt=MARKERS[(k + k // len(MARKERS)) % len(MARKERS)],
            markersize=5,
            color=METHOD_COLORS[k % len(METHOD_COLORS)],
            label=method,
            elinewidth=0.8,
            capsize=2,
        )
    values = {name: textwrap.fill(f"({control}: {score} {means.loc[name, control]:.3f})", 30) for name in means.index}
    axis.set_yticks(range(len(means)), [f"{name}\n{value}" for name, value in values.items()], fontsize=8)
    axis.set_ylim(len(means) - 0.5, -0.5)
    if len(others) > 4:
        for i in range(1, len(means)):
            axis.axhline(i - 0.5, color="#dddddd", linewidth=0.6)
    figure.supxlabel("\n".join(lines), fontsize=9)  # Long labels make the axis too narrow for this text.
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.spines[["top", "right", "left"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=columns, fontsize=9, frameon=False)
    return figure


def plot_rank_intervals(ranks: pd.DataFrame, control: str | None = None) -> Figure:
    """Draw the ``average_rank`` of each method as a dot with its interval (``lower``, ``upper``), the best on top.

    A grey band marks the interval of the control. Of many methods some labels are left out.
    """
    if len(ranks) < 2:
        return sentence("The figure of ranks needs two methods.")
    ordered = ranks.sort_values("average_rank", kind="stable")
    names, n = [str(name) for name in ordered.index], len(ordered)
    labels = thinned(names, _LABELS)
    figure = new_figure(6.4 + 0.06 * max(len(text) for _, text in labels), min(0.9 + 0.26 * n, 9.0))
    axis = figure.subplots()
    places = np.arange(n)
    low, middle, high = (ordered[name].to_numpy(dtype=float) for name in ("lower", "average_rank", "upper"))
    notes = []
    if control in names:
        k = names.index(str(control))
        axis.axvspan(*np.nan_to_num([low[k], high[k]], nan=middle[k]), color="#dddddd", linewidth=0, zorder=0.5)
        axis.axvline(middle[k], color="#888888", linewidth=0.8, zorder=0.6)
        notes.append(f"Grey: {shortened(str(control))} and its interval.")
    small = n > _LABELS
    axis.hlines(places, low, high, color=METHOD_COLORS[0], linewidth=0.8 if small else 1.6)
    axis.plot(middle, places, "o", color=METHOD_COLORS[0], markersize=2 if small else 5)
    axis.set_yticks(*zip(*labels, strict=True))
    axis.set_ylim(n - 0.4, -0.6)
    axis.set_xlabel("average rank (left is better)")
    if small:
        notes.append(_some_named(n, labels))
    if notes:
        add_note(figure, " ".join(notes))
    return finished(figure, [axis])


def plot_win_matrix(shares: pd.DataFrame) -> Figure:
    """Draw the share of data sets on which the method of the row is better than the method of the column.

    Shares are those of :func:`rotastack.stats.win_matrix`. Methods are sorted by their mean share against the others,
    the best on top and on the left; of many methods some labels are left out.
    """
    if len(shares) < 2:
        return sentence("A win-rate matrix needs two methods.")
    values = shares.to_numpy(dtype=float, copy=True)
    np.fill_diagonal(values, np.nan)
    means = pd.DataFrame(values).mean(axis=1).fillna(-1.0)
    order = means.sort_values(ascending=False, kind="stable").index.to_numpy()
    values, names = values[np.ix_(order, order)], [str(shares.index[k]) for k in order]
    n, labels = len(names), thinned(names, _LABELS)
    longest = 0.068 * max(len(text) for _, text in labels)
    side = min(0.46 * n, 8.0)
    figure = new_figure(side + longest + 1.6, side + longest + 0.7)
    axis = figure.subplots()
    axis.set_facecolor("#eeeeee")  # This colour marks pairs without a share.
    # Blue wins; people who are blind to red or green can distinguish these colours.
    image = axis.imshow(values, cmap="RdBu", vmin=0.0, vmax=1.0, interpolation="nearest")
    places, texts = zip(*labels, strict=True)
    axis.set_yticks(places, texts, fontsize=8)
    axis.set_xticks(places, texts, fontsize=8, rotation=90)
    axis.tick_params(length=0 if n <= _LABELS else 2)
    axis.spines[:].set_visible(False)
    if n <= _WRITTEN:
        for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
            color = "white" if abs(values[i, j] - 0.5) > 0.3 else "black"
            axis.text(j, i, f"{100 * values[i, j]:.0f}", ha="center", va="center", fontsize=8, color=color)
    bar = figure.colorbar(image, ax=axis, shrink=min(1.0, 3.0 / side), pad=0.02)
    bar.set_label("row beats column, share of data sets", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    if n > _LABELS:
        add_note(figure, _some_named(n, labels))
    return figure


def _some_named(n: int, labels: list[tuple[int, str]]) -> str:
    return f"{n} methods; one in {labels[1][0]} is named."


def pareto_front(points: pd.DataFrame) -> list[str]:
    """Return the methods on the Pareto front of two columns, in which lower is better, sorted by the first column.

    A method is on the front if no other method is at least as good in both columns and better in one.
    """
    complete = points.dropna().astype(float)
    values = complete.to_numpy()
    no_worse, better = (values[:, None] <= values).all(axis=2), (values[:, None] < values).any(axis=2)
    front = complete[~(no_worse & better).any(axis=0)].sort_values(list(points.columns), kind="stable")
    return [str(name) for name in front.index]


def plot_pareto(points: pd.DataFrame, control: str | None = None, x_label: str = "time") -> Figure:
    """Draw the ``quality`` of methods against their ``time``, on a logarithmic axis, and the Pareto front.

    The control is a square. With more than 12 methods, only those on the front and the control are named; names that
    would overlap are left out.
    """
    complete = points[["time", "quality"]].astype(float).dropna()
    complete = complete[complete["time"] > 0]
    if len(complete) < 2:
        return sentence("The figure of quality against time needs two methods with known times.")
    front = pareto_front(complete)
    figure = new_figure(_WIDTH, 4.6)
    axis = figure.subplots()
    axis.set_xscale("log")
    on, off = complete.loc[front], complete.drop(index=front)
    axis.plot(on["time"], on["quality"], color=METHOD_COLORS[1], linewidth=1.4, drawstyle="steps-post", zorder=1.5)
    size = 6 if len(complete) < _LABELS else 3.5
    for part, color in ((off, "#888888"), (on, METHOD_COLORS[1])):
        others = part.drop(index=[control], errors="ignore")
        axis.plot(others["time"], others["quality"], "o", color=color, markersize=size)
    named = front
    if control in complete.index:
        color = METHOD_COLORS[1] if control in front else "#888888"
        axis.plot(*complete.loc[control], "s", color=color, markersize=8, markeredgecolor="black")
        named = [*front, control]
    axis.margins(0.08, 0.1)
    axis.set_xlabel(f"{x_label} (left is better)")
    axis.set_ylabel("average rank (lower is better)")
    axis.xaxis.set_major_formatter("{x:g}")
    plain_axis(axis)
    if len(complete) <= _NAMED:
        named = [*named, *complete.index]
    unnamed = len(complete) - _write_names(axis, complete.loc[list(dict.fromkeys(named))])
    notes = ["Line: methods that no other method beats on both axes."]
    if len(complete) < len(points):
        notes.append(f"Left out: {len(points) - len(complete)} methods without time or rank.")
    if unnamed:
        notes.append(f"{unnamed} of {len(complete)} methods are drawn without names.")
    add_note(figure, " ".join(notes))
    return figure


def _write_names(axis: Axes, points: pd.DataFrame) -> int:
    """Write names beside points, unless they overlap earlier names, and return the number of names written."""
    low, high = axis.get_xlim()
    width, height = np.log(high / low), abs(np.subtract(*axis.get_ylim()))
    boxes: list[tuple[float, float, float, float]] = []
    for name, row in points.iterrows():
        text = shortened(str(name))
        x = float(np.log(row["time"] / low)) / width
        y = (row["quality"] - min(axis.get_ylim())) / height
        wide, tall = 0.0105 * len(text) + 0.02, 0.045  # These are shares of the axes, for letters of 8 points.
        to_left = x + wide > 1.0
        for up in (0.022, -0.022 - tall):
            left = x - wide if to_left else x
            box = (left, left + wide, y + up, y + up + tall)
            if all(box[0] >= b[1] or box[1] <= b[0] or box[2] >= b[3] or box[3] <= b[2] for b in boxes):
                boxes.append(box)
                axis.annotate(
                    text,
                    (row["time"], row["quality"]),
                    xytext=(-5 if to_left else 5, 4 if up > 0 else -4),
                    textcoords="offset points",
                    ha="right" if to_left else "left",
                    va="bottom" if up > 0 else "top",
                    fontsize=8,
                    bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.3},
                )
                break
    return len(boxes)
