"""Differences from the control."""

import numpy as np
import pandas as pd
import pytest

from rotastack.plots.differences import plot_differences


@pytest.mark.parametrize("n_datasets", [1, 6])
@pytest.mark.parametrize("control", ["RF", "Random forest of many trees"])
def test_nothing_is_cut_off(n_datasets, control):
    names = [f"a data set of a long name {k}" for k in range(n_datasets)]
    methods = [control, "Rotastack", "Random rotations", "Rotation Forest", "Extra trees", "XGBoost"]
    means = pd.DataFrame(np.arange(6) / 10 + 0.3, index=methods, columns=["m"]).T
    means = pd.concat([means] * n_datasets).set_axis(names)
    figure = plot_differences(means, means * np.nan, control, "RMSE as a share of the baseline's")
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()  # in inches, of what is drawn
    assert drawn.x0 >= 0
    assert drawn.y0 >= 0
    assert drawn.x1 <= figure.get_figwidth()
    assert drawn.y1 <= figure.get_figheight()
    assert figure.axes[0].get_window_extent().height > 30
    assert "(left of the line is better)" in figure.get_supxlabel().replace("\n", " ")


def test_the_control_s_number_names_its_score():
    means = pd.DataFrame({"Random forest": [0.501], "Rotastack": [0.4]}, index=["sales"])
    axis = plot_differences(means, means * np.nan, "Random forest", "RMSE as a share of the baseline's").axes[0]
    [label] = [text.get_text() for text in axis.get_yticklabels()]
    assert " ".join(label.split()) == "sales (Random forest: RMSE as a share of the baseline's 0.501)"
