"""Bars in pieces."""

import numpy as np

from rotastack.plots.bars import plot_bars


def test_pieces_stand_one_after_the_other():
    figure = plot_bars(["A", "B", "C"], {"x": [1, 2, np.nan], "y": [3, 0, 1]}, "weight")
    bars = figure.axes[0].containers
    assert [[(b.get_x(), b.get_width()) for b in c] for c in bars] == [
        [(0, 1), (0, 2), (0, 0)],
        [(1, 3), (2, 0), (0, 1)],
    ]
    assert figure.axes[0].yaxis_inverted()
