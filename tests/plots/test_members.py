"""Members kept: lines over a parameter, points, and bars."""

import numpy as np
import pandas as pd

from rotastack.plots.members import plot_members

NAN = float("nan")


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def labelled(axis):
    """Label -> line, of the lines that the legend names."""
    return {line.get_label(): line for line in axis.lines if not line.get_label().startswith("_")}


def table(rows):
    return pd.DataFrame.from_dict(rows, orient="index", columns=["error", "members", "voters"])


def test_sizes_of_a_method_are_joined():
    figure = plot_members(
        table(
            {
                "RF T=200": [0.1, 200, 200],
                "RF T=50": [0.2, 50, 50],
                "QMM T=50": [0.3, 20, 50],
                "QMM T=200": [0.15, 40, 200],
                "DRMF": [0.12, 10, 100],
                "MDM T=100": [0.14, 25, 100],
                "tree": [0.25, NAN, NAN],
            }
        )
    )
    above, below = figure.axes
    assert legend(figure) == ["RF", "QMM", "DRMF", "MDM T=100", "tree"]
    lines, fractions = labelled(above), labelled(below)
    np.testing.assert_array_equal(lines["QMM"].get_xydata(), [[50, 0.3], [200, 0.15]])
    np.testing.assert_array_equal(lines["RF"].get_xydata(), [[50, 0.2], [200, 0.1]])
    np.testing.assert_array_equal(fractions["QMM"].get_xydata(), [[50, 0.4], [200, 0.2]])
    np.testing.assert_array_equal(fractions["RF"].get_ydata(), [1, 1])
    for name, point in {"DRMF": [100, 0.12], "MDM T=100": [100, 0.14]}.items():
        np.testing.assert_array_equal(lines[name].get_xydata(), [point])
        assert lines[name].get_linestyle() == "None"
    assert list(lines["tree"].get_ydata()) == [0.25, 0.25]  # all the way
    assert "tree" not in fractions
    assert below.get_ylim() == (0, 1)
    assert below.get_xlim()[0] == 0
    assert below.get_xlabel() == "members before pruning, T"
    assert above.get_shared_x_axes().joined(above, below)


def test_without_sizes_methods_are_sorted_by_the_members_kept():
    figure = plot_members(
        table({"all": [0.2, 100, 100], "tree": [0.4, NAN, NAN], "few": [0.1, 12.34, 100], "some": [0.3, 40, 90]})
    )
    left, right = figure.axes
    assert [text.get_text() for text in left.get_yticklabels()] == ["few", "some", "all", "tree"]
    bottom, top = left.get_ylim()
    assert bottom > top  # the first is on top
    voters, kept = ([bar.get_width() for bar in bars] for bars in left.containers)
    np.testing.assert_array_equal(voters, [100, 90, 100, NAN])
    np.testing.assert_array_equal(kept, [12.34, 40, 100, NAN])
    assert [text.get_text() for text in left.texts] == ["12.3 of 100", "40 of 90", "100", "no members"]
    assert list(right.lines[0].get_xdata()) == [0.1, 0.3, 0.2, 0.4]
    assert list(right.lines[0].get_ydata()) == [0, 1, 2, 3]
    assert right.get_xlabel() == "error on test rows"
    figure.draw_without_rendering()
    assert all(text.get_window_extent().x1 <= left.bbox.x1 for text in left.texts)


def test_other_parameters_have_panels_of_their_own():
    rows = {"A": [0.1, 5, 100], "A v=0.5": [0.2, 10, 100], "A v=0.05": [0.3, 20, 100], "C T=9": [0.1, 3, 9]}
    rows |= {"A T=50": [0.4, 5, 50], "B v=1": [0.5, 50, 100]}
    figure = plot_members(table(rows))
    by_t, by_v, kept_by_t, kept_by_v = figure.axes
    assert (kept_by_t.get_xlabel(), kept_by_v.get_xlabel()) == ("members before pruning, T", "v")
    np.testing.assert_array_equal(labelled(by_t)["A"].get_xydata(), [[50, 0.4], [100, 0.1]])
    np.testing.assert_array_equal(labelled(by_v)["A"].get_xydata(), [[0.05, 0.3], [0.5, 0.2]])  # v of A is unknown
    np.testing.assert_array_equal(labelled(kept_by_v)["A"].get_ydata(), [0.2, 0.1])
    assert legend(figure) == ["A", "C T=9", "B v=1"]
    assert list(labelled(by_v)["C T=9"].get_ydata()) == [0.1, 0.1]  # has no place on this axis
    np.testing.assert_array_equal(labelled(by_t)["C T=9"].get_xydata(), [[9, 0.1]])
    assert by_t.get_shared_y_axes().joined(by_t, by_v)


def test_many_other_methods_get_bars_below():
    rows = {"A T=20": [0.3, 2, 20], "A T=40": [0.2, 4, 40]} | {f"B{k}": [0.1, 10 - k, 50] for k in range(7)}
    figure = plot_members(table(rows), "title")
    above, below, left, right = figure.axes
    assert list(labelled(above)) == list(labelled(below)) == ["A"]
    assert [text.get_text() for text in left.get_yticklabels()] == [f"B{k}" for k in range(6, -1, -1)]
    assert len(right.lines[0].get_xdata()) == 7
    assert [t.get_text() for t in figure.subfigs[0].legends[0].get_texts()] == ["A"]
    figure.draw_without_rendering()
    assert below.get_tightbbox().y0 >= left.get_tightbbox().y1
    six = plot_members(table({name: row for name, row in rows.items() if name != "B0"}))
    assert len(six.axes) == 2
    assert legend(six) == ["A", *(f"B{k}" for k in range(1, 7))]


def test_without_members_there_is_a_sentence():
    for rows in ({"tree": [0.1, NAN, NAN]}, {"tree T=3": [0.1, NAN, NAN]}, {}):
        figure = plot_members(table(rows))
        assert [text.get_text() for text in figure.texts] == ["No method combines votes of members."]
        assert figure.axes == []
