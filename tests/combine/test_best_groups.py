"""The stackers of the best groups."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rotastack.combine import BestGroups, Stacking
from rotastack.seeds import child
from rotastack.trees import ForestClassifier

SEED = np.random.SeedSequence(3)


def outputs_of(quality, y, rng):
    """Return outputs of members that give the class its probability `quality` plus noise."""
    p = np.clip(np.where(y == 1, quality, 1 - quality) + rng.normal(0, 0.25, len(y)), 0, 1)
    return np.stack([1 - p, p], axis=1)


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 150)
    qualities = [0.5, 0.5, 0.9, 0.9, 0.6, 0.6, 0.8, 0.8]  # groups of two: none, the best, weak, good
    return np.stack([outputs_of(q, y, rng) for q in qualities]), y


def test_the_groups_of_least_out_of_bag_error_decide(case):
    outputs, y = case
    forest = ForestClassifier(30)
    best = BestGroups(forest, n_best=2, group_size=2).fit(outputs, y, 2, SEED)
    assert best.selected_.tolist() == [1, 3]
    each = [Stacking(forest).fit(outputs[2 * k : 2 * k + 2], y, 2, child(SEED, k)) for k in (1, 3)]
    expected = np.mean([s.predict_proba(outputs[2 * k : 2 * k + 2]) for s, k in zip(each, (1, 3), strict=True)], axis=0)
    np.testing.assert_array_equal(best.predict_proba(outputs), expected)
    for k, stacker in zip((1, 3), each, strict=True):
        assert best.errors_[k] == pytest.approx(1 - stacker.model_.estimator.oob_score_)


def test_one_group_is_stacking(case):
    outputs, y = case
    best = BestGroups(ForestClassifier(10)).fit(outputs, y, 2, SEED)
    alone = Stacking(ForestClassifier(10)).fit(outputs, y, 2, child(SEED, 0))
    np.testing.assert_array_equal(best.predict_proba(outputs), alone.predict_proba(outputs))


@pytest.mark.parametrize(
    ("best", "message"),
    [
        (BestGroups(group_size=3), "8 members cannot be divided into groups of 3"),
        (BestGroups(n_best=0), "'n_best' parameter of BestGroups must be an int"),
        (BestGroups(LogisticRegression(), group_size=2), "out-of-bag error, got LogisticRegression"),
    ],
)
def test_mistakes_are_named(case, best, message):
    with pytest.raises(ValueError, match=message):
        best.fit(*case, 2, SEED)
