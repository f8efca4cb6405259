"""Dots of several kinds beside each other."""

import numpy as np

from rotastack.plots.dots import plot_dots


def test_dots_stand_where_the_numbers_are():
    figure = plot_dots(["A", "B", "C"], {"here": [1, 2, 3], "printed": [10, np.nan, 30]}, "seconds", log=True)
    axis = figure.axes[0]
    here, printed = axis.lines
    assert here.get_xdata().tolist() == [1, 2, 3]
    assert np.isnan(printed.get_xdata()[1])
    assert here.get_ydata().tolist() == [0, 1, 2]
    assert [tick.get_text() for tick in axis.get_yticklabels()] == ["A", "B", "C"]
    assert axis.get_xscale() == "log"
    assert axis.get_ylim()[0] > axis.get_ylim()[1]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["here", "printed"]
