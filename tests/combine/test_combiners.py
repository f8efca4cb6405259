import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rotastack.combine import Stacking, Voting
from rotastack.combine.nested import combine_nested, level_one_inputs
from rotastack.errors import RotastackError


def member(*first):
    return np.array([[p, 1 - p] for p in first])


def test_soft_voting_is_the_mean_and_hard_voting_counts_and_breaks_ties_by_probability_then_class():
    outputs = np.stack([member(0.9, 0.45, 0.6), member(0.4, 0.3, 0.4)])
    np.testing.assert_allclose(Voting().predict_proba(outputs)[:, 0], [0.65, 0.375, 0.5])
    proba = Voting("hard").predict_proba(outputs)
    assert proba.argmax(axis=1).tolist() == [0, 1, 0]  # tie by larger sum; majority; exact tie: lower class
    np.testing.assert_allclose(proba.sum(axis=1), 1)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_threshold_of_votes_against_a_search(scoring, weighted):
    rng = np.random.default_rng(5)
    for _ in range(20):
        y = (rng.random(60) < 0.2).astype(int)
        p = np.minimum(2 * y + rng.integers(0, 11, 60), 10) / 10  # with ties, 0 and 1
        w = rng.integers(1, 4, 60).astype(float) if weighted else np.ones(60)
        outputs = np.stack([member(*(1 - p))])

        def score(decided, y=y, w=w):
            right = [np.average(decided[y == c] == c, weights=w[y == c]) for c in (0, 1)]
            return np.mean(right) if scoring == "balanced_accuracy" else np.average(decided == y, weights=w)

        vote = Voting(scoring=scoring).fit(outputs, y, 2, np.random.SeedSequence(0), w if weighted else None)
        found = vote.predict_proba(outputs)
        tried = [score(p > t) for t in np.arange(0.05, 1, 0.1)]
        assert score(found.argmax(axis=1)) == pytest.approx(max(tried))
        assert 0 < vote.best_threshold_ < 1
        assert (np.diff(found[np.argsort(p, kind="stable"), 1]) >= 0).all()  # the ranks of rows stay


def test_of_equal_thresholds_the_nearest_to_a_half_is_chosen():
    outputs = np.stack([member(0.9, 0.8, 0.2, 0.1)])
    vote = Voting("hard", scoring="accuracy").fit(outputs, np.array([0, 0, 1, 1]), 2, np.random.SeedSequence(0))
    assert vote.best_threshold_ == pytest.approx(0.5)
    assert not Voting().trained
    assert vote.trained


@pytest.mark.parametrize(
    ("vote", "n_classes", "message"),
    [
        (Voting(scoring="accuracy"), 3, "two classes, got 3"),
        (Voting("loud", scoring="accuracy"), 2, "soft.*hard"),
        (Voting(scoring="f1"), 2, "balanced_accuracy.*'f1'"),
    ],
)
def test_what_cannot_be_is_refused(vote, n_classes, message):
    outputs, y = np.full((1, 4, n_classes), 1 / n_classes), np.arange(4) % n_classes
    with pytest.raises(RotastackError, match=message):
        vote.fit(outputs, y, n_classes, np.random.SeedSequence(0))


def test_stacker_learns_which_member_to_trust():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    good, noise = np.eye(2)[y], rng.dirichlet([1, 1], 200)
    stacker = Stacking(LogisticRegression()).fit(np.stack([noise, good]), y, 2, np.random.SeedSequence(0))
    assert (stacker.predict_proba(np.stack([noise, good])).argmax(axis=1) == y).all()


def test_nested_inputs_by_hand():
    """outputs[b, :, i]: level 1 of fold h trains on b = h and is tested on the mean over b != h."""
    folds, y = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1] * 3)
    outputs = np.zeros((3, 1, 6, 2), dtype=np.float32)
    outputs[:, 0, :, 0] = np.add.outer([0, 10, 20], range(6))
    seen = []

    class Spy(Voting):
        trained = True

        def fit(self, outputs, y, n_classes, sequence):
            seen.append(("fit", outputs[0, :, 0].tolist(), y.tolist()))
            return self

        def predict_proba(self, outputs):
            seen.append(("predict", outputs[0, :, 0].tolist()))
            return super().predict_proba(outputs)

    combine_nested(Spy(), outputs, folds, y, np.random.SeedSequence(0))
    assert seen[:3] == [
        ("fit", [2, 3, 4, 5], [0, 1, 0, 1]),  # h = 0: rows outside, b = 0
        ("predict", [15, 16]),  # rows 0 and 1: mean of b = 1 and b = 2
        ("fit", [10, 11, 14, 15], [0, 1, 0, 1]),
    ]
    assert level_one_inputs(outputs, 1)[0, 2, 0] == (2 + 22) / 2


def test_untrained_combiners_use_the_diagonal():
    folds = np.array([0, 1, 2])
    outputs = np.where(np.eye(3)[:, None, :, None], np.float32([0.25, 0.75]), np.nan)
    proba, _ = combine_nested(Voting(), outputs, folds, np.array([0, 1, 1]), np.random.SeedSequence(0))
    np.testing.assert_allclose(proba, [[0.25, 0.75]] * 3)
