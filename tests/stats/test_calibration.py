"""Calibration curves against scikit-learn's, and what they say of data sets together."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import calibration_curve as curve_of_scikit_learn

from rotastack.plots.curves import plot_calibration
from rotastack.stats.calibration import calibration_curve, calibration_error


@pytest.mark.parametrize("n_bins", [1, 4, 10])
def test_the_curve_is_scikit_learn_s_of_the_decisions(n_bins):
    rng = np.random.default_rng(0)
    proba, y = rng.dirichlet([0.6, 0.6, 0.6], 500), rng.integers(0, 3, 500)
    right, confidence = proba.argmax(axis=1) == y, proba.max(axis=1)
    accuracy, mean = curve_of_scikit_learn(right, confidence, n_bins=n_bins)
    curve = calibration_curve(y, proba, n_bins)
    np.testing.assert_allclose(curve["accuracy"], accuracy)
    np.testing.assert_allclose(curve["confidence"], mean)
    assert curve["rows"].sum() == 500
    assert (np.ceil(curve["confidence"] * n_bins) == curve["bin"] + 1).all()


def test_of_two_classes_the_curve_is_that_of_the_rarer_one_by_quantiles():
    rng = np.random.default_rng(0)
    p = rng.beta(0.3, 9, 2000)
    y = 1 - (rng.random(2000) < p)  # the rarer class is 0
    share, mean = curve_of_scikit_learn(y == 0, p, n_bins=10, strategy="quantile")
    curve = calibration_curve(y, np.column_stack([p, 1 - p]))
    np.testing.assert_allclose(curve["accuracy"], share)
    np.testing.assert_allclose(curve["confidence"], mean)
    assert curve["rows"].sum() == 2000
    assert curve["rows"].min() > 150
    assert calibration_error(curve) < 0.02


def test_a_sure_and_right_method_has_no_error_and_no_rows_have_no_curve():
    curve = calibration_curve(np.array([0, 1]), np.eye(2))
    assert curve["confidence"].tolist() == curve["accuracy"].tolist() == [0, 1]
    assert calibration_error(curve) == 0
    assert calibration_curve(np.array([0, 1, 2]), np.eye(3))["bin"].tolist() == [9]
    assert len(calibration_curve(np.array([], dtype=int), np.empty((0, 3)))) == 0


def test_a_confidence_on_an_edge_counts_below_it_whatever_the_last_digit():
    sums = np.array([[0.1 + 0.2 + 0.3, 0.4, 0], [0.6, 0.4, 0]])  # 0.6000000000000001 and 0.6
    assert calibration_curve(np.array([0, 0]), sums)["bin"].tolist() == [5]


def test_data_sets_count_the_same_in_the_figure():
    large = {"dataset": "large", "bin": [9], "rows": 1000, "confidence": 1.0, "accuracy": 1.0}
    small = {"dataset": "small", "bin": [9], "rows": 10, "confidence": 1.0, "accuracy": 0.5}
    curves = pd.concat([pd.DataFrame({"method": "M", **part}) for part in (large, small)])
    (axis,) = plot_calibration(curves).axes
    assert (axis.get_title(), axis.lines[1].get_ydata().tolist()) == ("M: calibration error 0.250", [0.75])
