"""Figures of scores over the cells of a data set."""

import numpy as np
import pytest

from rotastack.plots.cells import plot_boxes


@pytest.mark.parametrize(("splits", "boxes"), [(3, 0), (5, 2)])
def test_few_splits_are_dots_and_not_quartiles(splits, boxes):
    axes = plot_boxes({"RF": range(splits), "ET": range(1, splits + 1), "failed": []}).axes[0]
    marks = [line.get_xdata() for line in axes.lines if line.get_marker() == "o" and line.get_color() == "#0072B2"]
    assert [list(mark) for mark in marks] == ([] if boxes else [[0, 1, 2], [1, 2, 3]])
    drawn = [patch for patch in axes.patches if np.ptp(patch.get_path().vertices[:, 0]) > 0]
    assert len(drawn) == boxes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["RF", "ET", "failed"]
