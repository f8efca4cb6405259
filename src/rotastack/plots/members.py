"""Members kept and error of the vote, by size of the ensemble (QMM paper, figures 3, 5 to 10) and by method."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure, FigureBase
from matplotlib.ticker import MaxNLocator

from rotastack.plots.style import (
    METHOD_COLORS,
    Look,
    add_legend,
    figure_beside_legend,
    method_looks,
    new_figure,
    plain_axis,
    sentence,
    split_label,
)

_POINTS = 6  # More methods outside the lines get bars instead of points.


def plot_members(table: pd.DataFrame, title: str = "", methods: Sequence[str] = ()) -> Figure:
    """Draw the error of each method and the number of members that it keeps (Martinez, 2022, figures 3 and 5 to 10).

    For methods with labels that end in `` T=<number>``, the upper panel draws the error and the lower panel the
    fraction of members kept, both against the number of members before pruning. A line joins methods that differ
    in T only. Any other parameter, such as `` v=<number>``, gets two panels against its values. Up to six other
    methods are points, or horizontal lines if they have no place on the axis. More than six other methods, and all
    methods if no parameter varies, get a bar each, with the error beside the bar.

    The table has, by method, the mean ``error``, the number of ``members`` that vote, and the number of ``voters``, the
    members before pruning; the last two are NaN for a method that does not vote by members.
    """
    table = table[["error", "members", "voters"]].astype(float)
    if not np.isfinite(table["members"]).any():
        return sentence("No method combines votes of members.")
    table["fraction"] = table["members"] / table["voters"]
    looks = method_looks(methods or table.index)
    joined = _joined(table)
    drawn = {method for lines in joined.values() for line in lines.values() for method in line.index}
    singles = table.loc[[method for method in table.index if method not in drawn]]
    if not joined:
        figure = new_figure(*_size_of_bars(table), title)
        _bars(figure, table)
        return figure
    beside = singles if len(singles) <= _POINTS else singles.iloc[:0]
    names = dict.fromkeys([name for lines in joined.values() for name in lines])
    figure = figure_beside_legend(max(6.0, 4.0 * len(joined)), 5.2, [*names, *beside.index], title)
    if len(beside) == len(singles):
        _lines(figure, joined, singles, looks)
        return figure
    (width, height), (bars_width, bars_height) = figure.get_size_inches(), _size_of_bars(singles)
    figure.set_size_inches(max(width, bars_width), height + bars_height)
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=[height, bars_height]).ravel()
    _lines(above, joined, beside, looks)
    _bars(below, singles)
    return figure


def _joined(table: pd.DataFrame) -> dict[str, dict[str, pd.DataFrame]]:
    """Return parameter -> family -> rows of its methods (at least two), sorted by ``place`` on the axis."""
    split = {method: split_label(str(method)) for method in table.index}
    lines: dict[str, dict[str, pd.DataFrame]] = {}
    parameters = {label.parameter for label in split.values()} - {""}
    for parameter in sorted(parameters, key=lambda name: (name != "T", name)):
        places = pd.Series({m: label.value for m, label in split.items() if label.parameter == parameter})
        families = {split[m].family for m in places.index}
        if parameter == "T":  # The true number of members before pruning replaces T, and also places labels without T.
            plain = {m for m, label in split.items() if not label.parameter and label.family in families}
            voters = table["voters"][[m for m in table.index if m in plain or m in places.index]]
            places = voters.fillna(places).dropna()
        for family in dict.fromkeys(label.family for label in split.values()):
            chosen = [m for m in table.index if m in places.index and split[m].family == family]
            if len(chosen) > 1:
                rows = table.loc[chosen].assign(place=places[chosen])
                lines.setdefault(parameter, {})[family] = rows.sort_values("place", kind="stable")
    return lines


def _lines(
    figure: FigureBase,
    joined: Mapping[str, Mapping[str, pd.DataFrame]],
    singles: pd.DataFrame,
    looks: Mapping[str, Look],
) -> None:
    panels = figure.subplots(2, len(joined), sharex="col", sharey="row", squeeze=False, height_ratios=[3, 2])
    handles: dict[str, Artist] = {}
    for (parameter, lines), (above, below) in zip(joined.items(), panels.T, strict=True):
        for family, rows in lines.items():
            look = _family_look(family, looks)
            for axis, column in ((below, "fraction"), (above, "error")):
                (handles[family],) = axis.plot(
                    rows["place"],
                    rows[column],
                    label=family,
                    color=look.color,
                    marker=look.marker,
                    markersize=5,
                    linestyle=look.dash,
                    linewidth=1.4,
                    clip_on=False,
                )
        for method, row in singles.iterrows():
            name, look = str(method), looks[str(method)]
            if parameter == "T" and np.isfinite(row["voters"]):
                for axis, column in ((below, "fraction"), (above, "error")):
                    (handles[name],) = axis.plot(
                        [row["voters"]],
                        [row[column]],
                        look.marker,
                        label=name,
                        color=look.color,
                        markersize=6,
                        markeredgecolor="black",
                        markeredgewidth=0.6,
                        clip_on=False,
                    )
            else:
                line = above.axhline(row["error"], label=name, color=look.color, linewidth=1.2, dashes=(5, 2, 1, 2))
                handles.setdefault(name, line)
        below.set_xlabel("members before pruning, T" if parameter == "T" else parameter)
        if parameter == "T":
            below.set_xlim(left=0)
        whole = all((rows["place"] % 1 == 0).all() for rows in lines.values())
        below.xaxis.set_major_locator(MaxNLocator(6, integer=whole))
        below.set_ylim(0, 1)
    panels[0, 0].set_ylabel("error on test rows")
    panels[1, 0].set_ylabel("fraction of members kept")
    figure.align_ylabels()
    for axis in panels.ravel():
        plain_axis(axis)
    add_legend(figure, list(handles.values()))


def _family_look(family: str, looks: Mapping[str, Look]) -> Look:
    """Return the look of the method of the family with the full colour; the other methods are paler."""
    siblings = [look for method, look in looks.items() if split_label(method).family == family]
    return min(siblings, key=lambda look: sum(bytes.fromhex(look.color[1:])))


def _size_of_bars(table: pd.DataFrame) -> tuple[float, float]:
    return 6.8 + 0.065 * max(len(str(method)) for method in table.index), 1.2 + 0.26 * len(table)


def _bars(figure: FigureBase, table: pd.DataFrame) -> None:
    table = table.sort_values("members", kind="stable", na_position="last")
    places = np.arange(len(table))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    left.barh(places, table["voters"], height=0.7, color="#dddddd")
    left.barh(places, table["members"], height=0.7, color=METHOD_COLORS[0])
    ends = table[["members", "voters"]].max(axis=1).fillna(0)
    for place, (kept, voters, end) in enumerate(zip(table["members"], table["voters"], ends, strict=True)):
        left.annotate(
            _counts(kept, voters), (end, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8
        )
    left.set_xlim(0, 1.35 * max(ends.max(), 1))
    left.set_yticks(places, table.index)
    left.set_ylim(len(table) - 0.4, -0.6)
    left.set_xlabel("members (dark: kept, light: before pruning)")
    right.plot(table["error"], places, "o", color=METHOD_COLORS[1], markersize=5)
    right.set_xlabel("error on test rows")
    for axis in (left, right):
        plain_axis(axis)
    left.grid(axis="y", visible=False)
    right.tick_params(axis="y", length=0)


def _counts(kept: float, voters: float) -> str:
    if not np.isfinite(kept):
        return "no members"
    text = f"{round(kept, 1):g}"
    return f"{text} of {round(voters, 1):g}" if np.isfinite(voters) and voters != kept else text
