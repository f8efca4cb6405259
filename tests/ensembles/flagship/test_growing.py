"""Boosted families of many classes: those that can earn no weight end early, all others are trained as ever."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification

from rotastack import RotastackClassifier
from rotastack.data import load_dataset
from rotastack.ensembles.flagship import growing
from rotastack.ensembles.flagship.grown_families import Stopped

OTHERS = ("rotations", "discriminants", "kernel")


X, y = (part[:600] for part in load_digits(return_X_y=True))


def small(**parameters):
    return RotastackClassifier(**{"trees_per_family": 20, "random_state": 0, **parameters})


def test_a_family_that_can_earn_no_weight_ends_early(capsys):
    clf = small(verbose=1).fit(X, y)
    assert "] boosted ended early: no weight beside the other families (" in capsys.readouterr().out
    ended = [name in ("boosted", "boosted_large") for name in clf.families_]
    assert ended == np.isnan(clf.oob_family_errors_).tolist() == (clf.family_weights_ == 0).tolist()
    assert not any(isinstance(grown, Stopped) for grown in clf.grown_)
    without = small(families=OTHERS).fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(X), without.predict_proba(X))
    np.testing.assert_array_equal(clf.oob_decision_function_, without.oob_decision_function_)
    np.testing.assert_array_equal(clf.feature_importances_, without.feature_importances_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_family_that_stays_in_the_race_is_trained_as_without_one(n_jobs, monkeypatch):
    X, y = (np.asarray(part) for part in load_dataset("led24-simulated"))
    raced = small(n_jobs=n_jobs).fit(X[:600], y[:600])
    assert raced.family_weights_[raced.families_.index("boosted")] > 0
    monkeypatch.setattr(growing, "RACE_SIZE", np.inf)
    alone = small().fit(X[:600], y[:600])
    boosted = [next(g for g in clf.grown_ if "boosted" in g.names) for clf in (raced, alone)]
    assert boosted[0].boosted.trees.nodes.tobytes() == boosted[1].boosted.trees.nodes.tobytes()
    np.testing.assert_array_equal(*(clf.oob_family_errors_[2] for clf in (raced, alone)))


@pytest.mark.slow
def test_no_race_without_others_for_two_classes_or_for_few_rows(monkeypatch):
    monkeypatch.setattr(growing, "expected_least", lambda losses: np.inf)
    monkeypatch.setattr(growing, "CHANCE", np.inf)
    assert np.isnan(small(trees_per_family=2).fit(X, y).oob_family_errors_).sum() == 2
    assert not np.isnan(small(families=("boosted",)).fit(X[:300], y[:300]).oob_family_errors_).any()
    assert not np.isnan(small(trees_per_family=2).fit(X[:200], y[:200]).oob_family_errors_).any()
    two_classes = make_classification(3000, 5, random_state=0)
    assert not np.isnan(small(trees_per_family=2).fit(*two_classes).oob_family_errors_).any()


@pytest.mark.parametrize(
    ("losses", "least"),
    [(np.exp(-0.1 * np.arange(30)), 0), (np.full(30, 0.7), 0.7), ([0.5, 0.4, 0.45], 0.4), (np.zeros(30), 0)],
)
def test_a_curve_without_an_end_stays(losses, least):
    assert growing.expected_least(np.array(losses)) == pytest.approx(least, abs=1e-300)
