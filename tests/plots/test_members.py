"""Members kept: lines over a parameter, points, and bars."""

import numpy as np
import pandas as pd

from rotastack.plots.members import plot_members

NAN = float("nan")


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def points(axis):
    """Label -> points of the lines that the legend names."""
    lines = {line.get_label(): line.get_xydata().tolist() for line in axis.lines}
    return {label: line for label, line in lines.items() if not label.startswith("_")}


def table(rows):
    return pd.DataFrame.from_dict(rows, orient="index", columns=["error", "members", "voters"])


def test_sizes_of_a_method_are_joined():
    rows = {
        "RF T=200": [0.1, 200, 200],
        "RF T=50": [0.2, 50, 50],
        "QMM T=50": [0.3, 20, 50],
        "QMM T=200": [0.15, 40, 200],
        "DRMF": [0.12, 10, 100],
        "MDM T=100": [0.14, 25, 100],
        "tree": [0.25, NAN, NAN],
    }
    figure = plot_members(table(rows))
    above, below = figure.axes
    assert legend(figure) == ["RF", "QMM", "DRMF", "MDM T=100", "tree"]
    errors, fractions = points(above), points(below)
    assert [error for _, error in errors.pop("tree")] == [0.25, 0.25]  # all the way
    alone = {"DRMF": [[100, 0.12]], "MDM T=100": [[100, 0.14]]}
    assert errors == {"QMM": [[50, 0.3], [200, 0.15]], "RF": [[50, 0.2], [200, 0.1]], **alone}
    assert (below.get_ylim(), below.get_xlim()[0]) == ((0, 1), 0)
    assert {name: [share for _, share in line] for name, line in fractions.items()} == {
        "RF": [1, 1],
        "QMM": [0.4, 0.2],
        "DRMF": [0.1],
        "MDM T=100": [0.25],
    }


def test_without_sizes_methods_are_sorted_by_the_members_kept():
    rows = {"all": [0.2, 100, 100], "tree": [0.4, NAN, NAN], "few": [0.1, 12.34, 100], "some": [0.3, 40, 90]}
    left, right = plot_members(table(rows)).axes
    assert [text.get_text() for text in left.get_yticklabels()] == ["few", "some", "all", "tree"]
    voters, kept = ([bar.get_width() for bar in bars] for bars in left.containers)
    np.testing.assert_array_equal([voters, kept], [[100, 90, 100, NAN], [12.34, 40, 100, NAN]])
    assert [text.get_text() for text in left.texts] == ["12.3 of 100", "40 of 90", "100", "no members"]
    assert right.lines[0].get_xydata().tolist() == [[0.1, 0], [0.3, 1], [0.2, 2], [0.4, 3]]


def test_other_parameters_have_panels_of_their_own():
    rows = {"A": [0.1, 5, 100], "A v=0.5": [0.2, 10, 100], "A v=0.05": [0.3, 20, 100], "C T=9": [0.1, 3, 9]}
    figure = plot_members(table(rows | {"A T=50": [0.4, 5, 50], "B v=1": [0.5, 50, 100]}))
    by_t, by_v, _, kept_by_v = map(points, figure.axes)
    assert by_t["A"] == [[50, 0.4], [100, 0.1]]
    assert by_v["A"] == [[0.05, 0.3], [0.5, 0.2]]  # v of A is unknown
    assert [share for _, share in kept_by_v["A"]] == [0.2, 0.1]
    assert legend(figure) == ["A", "C T=9", "B v=1"]
    assert [error for _, error in by_v["C T=9"]] == [0.1, 0.1]  # has no place on this axis


def test_many_other_methods_get_bars_below():
    rows = {"A T=20": [0.3, 2, 20], "A T=40": [0.2, 4, 40]} | {f"B{k}": [0.1, 10 - k, 50] for k in range(7)}
    figure = plot_members(table(rows), "title")
    above, below, left, _ = figure.axes
    assert list(points(above)) == list(points(below)) == legend(figure.subfigs[0]) == ["A"]
    assert [text.get_text() for text in left.get_yticklabels()] == [f"B{k}" for k in range(6, -1, -1)]
    figure.draw_without_rendering()
    assert below.get_tightbbox().y0 >= left.get_tightbbox().y1
    six = plot_members(table({name: row for name, row in rows.items() if name != "B0"}))
    assert legend(six) == ["A", *(f"B{k}" for k in range(1, 7))]
