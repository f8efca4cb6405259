"""Scores by hand."""

import numpy as np
import pytest

from rotastack.stats.metrics import METRICS, NAMES, PRIMARY
from rotastack.stats.scores import constant_output, score_numbers

NAN = float("nan")


def outputs(predicted, lower=NAN, upper=NAN):
    return np.stack([np.broadcast_to(v, len(predicted)) for v in (predicted, lower, upper)], axis=1)


def test_scores_of_numbers_by_hand():
    y = np.array([1.0, 2.0, 6.0])
    found = score_numbers(y, outputs([2.0, 2.0, 4.0], [0, 2.5, 3], [2, 3, 5]))
    assert found == {
        "rmse": pytest.approx(np.sqrt(5 / 3)),
        "mae": pytest.approx(1.0),
        "r2": pytest.approx(1 - 5 / 14),
        "interval_coverage": pytest.approx(1 / 3),
    }
    assert list(found) == list(METRICS["regression"])


def test_what_is_not_known_is_missing():
    y = np.array([1.0, 2.0])
    assert np.isnan(score_numbers(y, outputs([1.0, 1.0]))["interval_coverage"])
    assert np.isnan(score_numbers(np.ones(2), outputs([1.0, 2.0]))["r2"])
    assert all(np.isnan(v) for v in score_numbers(y, outputs([1.0, NAN])).values())


def test_the_baseline_is_the_shares_or_the_mean():
    assert constant_output(np.array([0, 2, 2, 2]), 4).tolist() == [0.25, 0, 0.75, 0]
    mean, *ends = constant_output(np.array([1.0, 4.0]), None)
    assert mean == 2.5
    assert np.isnan(ends).all()


def test_every_score_has_a_name():
    assert {name for task in METRICS.values() for name in task} == set(NAMES)
    assert all(PRIMARY[task] in METRICS[task] for task in METRICS)
