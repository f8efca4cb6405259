"""Figures of scores over the cells of a data set."""

import numpy as np
import pandas as pd
import pytest

from rotastack.plots.cells import plot_boxes, plot_heatmaps


@pytest.mark.parametrize(("splits", "boxes"), [(3, 0), (5, 2)])
def test_few_splits_are_dots_and_not_quartiles(splits, boxes):
    axes = plot_boxes({"RF": range(splits), "ET": range(1, splits + 1), "failed": []}).axes[0]
    marks = [line.get_xdata() for line in axes.lines if line.get_marker() == "o" and line.get_color() == "#0072B2"]
    assert [list(mark) for mark in marks] == ([] if boxes else [[0, 1, 2], [1, 2, 3]])
    assert len([patch for patch in axes.patches if np.ptp(patch.get_path().vertices[:, 0]) > 0]) == boxes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["RF", "ET", "failed"]


@pytest.mark.parametrize(
    ("unit", "texts", "mean"),
    [
        (1e-19, ["1.25e-19", "2.5e-19", "3.5e-19", "4.25e-19"], "2.875e-19"),
        (0.1, ["0.125", "0.250", "0.350", "0.425"], "0.287"),
    ],
)
def test_small_scores_keep_their_digits(unit, texts, mean):
    matrix = pd.DataFrame(np.array([[1.25, 2.5], [3.5, 4.25]]) * unit, ["F1", "F2"], ["R1", "R2"])
    axes = plot_heatmaps({"A": matrix}, "t").axes[0]
    assert [text.get_text() for text in axes.texts] == texts
    assert axes.get_title().startswith(f"A  (mean {mean}")
