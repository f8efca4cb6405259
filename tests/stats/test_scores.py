"""Scores by hand."""

import numpy as np
import pytest
from tests.stats.reference import scikit_learns

from rotastack.stats.influence import unit_influences
from rotastack.stats.metrics import METRICS, NAMES, PRIMARY, ranked_scores, score_named
from rotastack.stats.scores import constant_output, score_numbers, score_probabilities

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
        "pinball": pytest.approx(np.mean([0.05, 0.95 * 0.5, 0.05 * 3, 0.05, 0.05, 0.95])),
        "interval_coverage": pytest.approx(1 / 3),
    }
    assert list(found) == list(METRICS["regression"])


def test_what_is_not_known_is_missing():
    y = np.array([1.0, 2.0])
    assert np.isnan(score_numbers(y, outputs([1.0, 1.0]))["interval_coverage"])
    assert np.isnan(score_numbers(np.ones(2), outputs([1.0, 2.0]))["r2"])
    assert all(np.isnan(v) for v in score_numbers(y, outputs([1.0, NAN])).values())
    assert all(np.isnan(v) for v in score_probabilities(np.array([0, 1]), np.full((2, 2), NAN)).values())


def test_the_baseline_is_the_shares_or_the_mean():
    assert constant_output(np.array([0, 2, 2, 2]), 4).tolist() == [0.25, 0, 0.75, 0]
    mean, *ends = constant_output(np.arange(1.0, 102), None)
    assert mean == 51
    assert ends == [6, 96]


@pytest.mark.parametrize(("n_classes", "positive"), [(2, 1), (2, 0), (4, 1)])
@pytest.mark.parametrize("score", ranked_scores("classification"))
def test_scores_of_classes_are_scikit_learns(score, n_classes, positive):
    rng = np.random.default_rng(0)
    y = rng.choice(n_classes, 300, p=np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum())
    shares = np.round(rng.dirichlet(np.ones(n_classes), 300) + 0.4 * np.eye(n_classes)[y], 1) + 1e-3  # with ties
    shares[:3] = np.eye(n_classes)[[0, 1, 0]]  # probability 0, which forests give
    shares /= shares.sum(axis=1, keepdims=True)
    found = score_probabilities(y, shares, positive)
    assert found[score] == pytest.approx(scikit_learns(score, y, shares, positive), rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_row_of_weight_3_is_three_rows(n_classes):
    rng = np.random.default_rng(0)
    y, times = rng.integers(0, n_classes, 200), rng.integers(1, 5, 200)
    shares = np.round(rng.dirichlet(np.ones(n_classes), 200) + 0.4 * np.eye(n_classes)[y], 1) + 1e-3  # with ties
    weighted = score_probabilities(y, shares, 0, times.astype(float))
    assert weighted == pytest.approx(score_probabilities(y.repeat(times), shares.repeat(times, axis=0), 0), rel=1e-9)
    assert score_probabilities(y, shares, 0, np.ones(200)) == pytest.approx(score_probabilities(y, shares, 0), rel=1e-9)


@pytest.mark.parametrize("score", ["roc_auc", "average_precision"])
def test_equal_shares_of_votes_in_single_precision_are_ties(score):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 300)
    votes = np.stack([rng.multinomial(20, p) for p in np.full((300, 4), 0.2) + 0.2 * np.eye(4)[y]]) / 20
    stored = votes.astype(np.float32)
    assert score_probabilities(y, stored)[score] == pytest.approx(scikit_learns(score, y, votes, 1), rel=1e-12)
    exact, found = (
        unit_influences(score, [(np.arange(300), y, p)], np.arange(300)) for p in (votes, stored.astype(float))
    )
    np.testing.assert_allclose(found, exact, atol=1e-12)


@pytest.mark.parametrize("score", ranked_scores("regression"))
def test_scores_of_numbers_are_scikit_learns(score):
    rng = np.random.default_rng(0)
    y = rng.normal(size=50)
    found = y + rng.normal(size=50)
    given = np.stack([found, found - 1, found + 1], axis=1)
    assert score_numbers(y, given)[score] == pytest.approx(scikit_learns(score, y, given, 1))


def test_one_class_has_no_area():
    found = score_probabilities(np.zeros(3, dtype=int), np.array([[0.7, 0.3], [0.6, 0.4], [0.2, 0.8]]))
    assert {name for name, value in found.items() if np.isnan(value)} == {"roc_auc", "average_precision"}


def test_names_of_scikit_learn_are_known():
    assert score_named("accuracy", "classification") == "error"
    assert score_named("neg_root_mean_squared_error", "regression") == "rmse"
    for name, task in (("rmse", "classification"), ("interval_coverage", "regression")):
        with pytest.raises(ValueError, match=f"'{name}' is not a score of a {task}; allowed: "):
            score_named(name, task)


def test_every_score_has_a_name():
    assert {name for task in METRICS.values() for name in task} == set(NAMES)
    assert all(PRIMARY[task] in METRICS[task] for task in METRICS)
