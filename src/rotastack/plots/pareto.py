"""Quality against time, with the Pareto front of the methods."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rotastack.plots.style import METHOD_COLORS, add_note, new_figure, plain_axis, sentence, shortened

__all__ = ["pareto_front", "plot_pareto"]

_NAMED = 12  # With more methods only the front and the control are named.
_WIDTH, _HEIGHT = 7.2, 4.6
_CROWD = 45  # From this number of methods on, dots are small.


def pareto_front(points: pd.DataFrame) -> list[str]:
    """Return the methods on the Pareto front, sorted by the first column.

    A method is on the front if no other method is at least as good in both columns and better in one.

    Parameters
    ----------
    points : DataFrame of shape (n_methods, 2)
        Lower is better in both columns. Methods with a missing value are not on the front.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.plots.pareto import pareto_front
    >>> points = pd.DataFrame({"time": [1, 2, 3], "rank": [2.5, 2.75, 1]}, index=["A", "B", "C"])
    >>> pareto_front(points)
    ['A', 'C']
    """
    complete = points.dropna()
    first, second = (complete.iloc[:, k].to_numpy(dtype=float) for k in (0, 1))
    front: list[int] = []
    for k in np.lexsort((second, first)):
        if front and second[k] > second[front[-1]]:
            continue
        if front and second[k] == second[front[-1]] and first[k] > first[front[-1]]:
            continue
        front.append(k)
    return [str(complete.index[k]) for k in front]


def plot_pareto(points: pd.DataFrame, control: str | None = None, x_label: str = "time") -> Figure:
    """Draw the quality of methods against their time, on a logarithmic axis, and the Pareto front.

    With more than 12 methods, only those on the front and the control are named. Names that would overlap
    are left out, and a note gives the number of methods without a name.

    Parameters
    ----------
    points : DataFrame of shape (n_methods, 2)
        ``time``, above 0, and ``quality``, where lower is better; methods with a missing value are left out.
    control : str, optional
        Method drawn as a square.
    x_label : str

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.plots.pareto import plot_pareto
    >>> points = pd.DataFrame({"time": [1.0, 1.5, 9.0], "quality": [2.0, 2.8, 1.2]}, index=["RF", "XGB", "RRE"])
    >>> figure = plot_pareto(points, control="RF")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['RF', 'RRE', 'XGB']
    """
    complete = points[["time", "quality"]].astype(float).dropna()
    complete = complete[complete["time"] > 0]
    if len(complete) < 2:
        return sentence("The figure of quality against time needs two methods with known times.")
    front = pareto_front(complete)
    figure = new_figure(_WIDTH, _HEIGHT)
    axis = figure.subplots()
    axis.set_xscale("log")
    on, off = complete.loc[front], complete.drop(index=front)
    axis.plot(on["time"], on["quality"], color=METHOD_COLORS[1], linewidth=1.4, drawstyle="steps-post", zorder=1.5)
    size = 6 if len(complete) < _CROWD else 3.5
    for part, color in ((off, "#888888"), (on, METHOD_COLORS[1])):
        others = part.drop(index=[control], errors="ignore")
        axis.plot(others["time"], others["quality"], "o", color=color, markersize=size)
    if control in complete.index:
        axis.plot(
            *complete.loc[control], "s", color=METHOD_COLORS[1] if control in front else "#888888",
            markersize=8, markeredgecolor="black",
        )  # fmt: skip
    axis.margins(0.08, 0.1)
    axis.set_xlabel(f"{x_label} (left is better)")
    axis.set_ylabel("average rank (down is better)")
    axis.xaxis.set_major_formatter("{x:g}")
    plain_axis(axis)
    named = list(dict.fromkeys([*front, *([control] if control in complete.index else [])]))
    if len(complete) <= _NAMED:
        named += [name for name in complete.index if name not in named]
    unnamed = len(complete) - _write_names(axis, complete.loc[named])
    notes = ["Line: methods that no other method beats in both axes."]
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
    written = 0
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
                    text, (row["time"], row["quality"]), xytext=(-5 if to_left else 5, 4 if up > 0 else -4),
                    textcoords="offset points", ha="right" if to_left else "left",
                    va="bottom" if up > 0 else "top", fontsize=8,
                    bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.3},
                )  # fmt: skip
                written += 1
                break
    return written
