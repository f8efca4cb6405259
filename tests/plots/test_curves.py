from itertools import pairwise

import numpy as np
import pytest

from rotastack.plots.curves import plot_curves, plot_dependence


def test_curves_have_one_look_in_all_panels():
    panels = {"test": {"A": ([1, 2], [0.3, 0.2]), "B": 0.25}, "training": {"B": 0.1, "C": ([1, 2], [0.1, 0.0])}}
    figure = plot_curves(panels, "x", "error", title="T")
    left, right = figure.axes
    of_left, of_right = ({line.get_label(): line for line in axis.lines} for axis in (left, right))
    assert of_left["B"].get_color() == of_right["B"].get_color()
    assert len({line.get_color() for line in [*left.lines, *right.lines]}) == 3
    np.testing.assert_array_equal([of_left[m].get_ydata() for m in "AB"], [[0.3, 0.2], [0.25, 0.25]])
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("ticks", "log", "n_shown"), [([0.01, 0.05, 0.1, 0.15, 0.25, 0.4, 0.5, 0.75, 1], False, 7), ([1, 3, 10], True, 3)]
)
def test_texts_of_ticks_do_not_touch(ticks, log, n_shown):
    figure = plot_curves({"": {"A": (ticks, ticks)}}, "v", "error", ticks=ticks, log=log)
    figure.draw_without_rendering()
    (axis,) = figure.axes
    boxes = [tick.get_window_extent() for tick in axis.get_xticklabels() if tick.get_text()]
    assert (len(boxes), axis.get_xscale(), axis.get_yscale()) == (n_shown, "log" if log else "linear", "linear")
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_a_single_curve_of_dependence_has_its_name_on_the_axis_and_several_have_a_legend():
    panel = {"column": "debt", "values": [1.0, 2.0], "ordered": True}
    for names, label in ((["yes"], "mean probability of class yes"), (["a", "b"], "mean probability of class")):
        figure = plot_dependence(
            [{**panel, "curves": {name: [0.1, 0.2] for name in names}}], "mean probability of class"
        )
        assert figure.get_supylabel() == label
        assert [t.get_text() for legend in figure.legends for t in legend.get_texts()] == names * (len(names) > 1)
