"""What every pruner must do whatever it chooses: order of members, duplicates, extremes, bad input, decisions."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.quick import first

from rotastack.combine.pruning import (
    DREPPruner,
    KappaPruner,
    LPPruner,
    MarginPruner,
    MDMPruner,
    MeanDMPruner,
    OrientationPruner,
    QMMPruner,
    ReducedErrorPruner,
    ordered_curve,
)
from rotastack.combine.pruning.qmm import SOLVERS

PRUNERS = [
    MarginPruner(),
    MarginPruner(n_select=None),
    MarginPruner(0.5, vote="weighted"),
    MarginPruner(0.5, "nonzero"),
    MarginPruner(0.5, positive=False),
    QMMPruner(),
    QMMPruner(0.5, reduce="qr"),
    QMMPruner("cv"),
    QMMPruner(solver="cvxpy"),
    DREPPruner(),
    DREPPruner("cv"),
    KappaPruner(0.5),
    MDMPruner(0.5),
    MDMPruner(0.5, p="moving"),
    MeanDMPruner(),
    LPPruner(),
    LPPruner("cvxpy"),
    ReducedErrorPruner(0.5),
    OrientationPruner(0.5, vote="weighted"),
]
every = pytest.mark.parametrize("pruner", PRUNERS, ids=repr)


def pool(seed=0, n=80, T=9, n_classes=3, accuracies=None):
    """Votes of members whose own errors all differ, so that no tie decides."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    votes = np.empty((n, T), dtype=int)
    for t in range(T):
        wrong = rng.permutation(n)[: 10 + 3 * t]
        votes[:, t] = y
        votes[wrong, t] = (y[wrong] + rng.integers(1, n_classes, len(wrong))) % n_classes
    return votes, y


@every
@pytest.mark.parametrize("seed", first(1, range(4)))
def test_the_order_of_members_does_not_matter(pruner, seed):
    votes, y = pool(seed)
    order = np.random.default_rng(seed).permutation(votes.shape[1])
    one = clone(pruner).fit(votes, y)
    other = clone(pruner).fit(votes[:, order], y)
    if isinstance(pruner, LPPruner):  # several weights can have the largest smallest margin
        assert one.margin_ == pytest.approx(other.margin_)
        return
    assert set(one.selected_) == set(order[other.selected_])
    np.testing.assert_allclose(one.weights_[order], other.weights_, atol=1e-5)
    assert (one.combine(votes) == other.combine(votes[:, order])).all()


@every
@pytest.mark.parametrize(("n", "T"), [(5, 1), (1, 4), (3, 12), (2, 2)])
def test_few_members_and_few_rows(pruner, n, T):
    rng = np.random.default_rng(n * T)
    votes, y = rng.integers(0, 2, (n, T)), rng.integers(0, 2, n)
    fitted = clone(pruner).fit(votes, y)
    assert 1 <= fitted.n_selected_ <= T
    assert (fitted.combine(votes).shape, fitted.weights_[fitted.selected_].sum()) == ((n,), pytest.approx(1.0))


@every
def test_members_without_a_say_on_some_rows(pruner):
    votes, y = pool(5, n=120, T=15)
    votes[np.random.default_rng(0).random(votes.shape) < 0.6] = -1
    fitted = clone(pruner).fit(votes, y)
    assert np.mean(fitted.combine(votes) == y) > 0.4
    assert fitted.weights_.sum() == pytest.approx(1.0)
    assert (fitted.combine(np.full((2, 15), -1)) == np.bincount(y).argmax()).all()


@every
def test_fitting_again_forgets(pruner):
    votes, y = pool(1)
    other, truth = pool(2, T=5, n_classes=2)
    twice = clone(pruner).fit(votes, y).fit(other, truth)
    once = clone(pruner).fit(other, truth)
    assert twice.selected_.tolist() == once.selected_.tolist()
    assert vars(twice).keys() == vars(once).keys()


def test_decisions_are_votes_of_the_members_kept():
    votes, y = pool(7)
    pruner = MeanDMPruner(3).fit(votes, y, classes=["a", "b", "c"])
    counts = np.stack([(votes[:, :3] == c).sum(axis=1) for c in range(3)], axis=1)
    clear = counts.max(axis=1) > 1
    assert (pruner.combine(votes)[clear] == np.array(list("abc"))[counts.argmax(axis=1)][clear]).all()
    split = np.array([[2, 0, 1, 0, 0, 0, 0, 0, 0]])  # one vote each: the first member chosen decides
    assert pruner.combine(split).tolist() == ["c"]
    assert (pruner.combine(np.eye(3)[votes.T]) == pruner.combine(votes)).all()
    np.testing.assert_allclose(pruner.predict_proba(votes).sum(axis=1), 1.0)


def test_weighted_votes_count_what_members_weighed():
    votes = np.array([[0, 1, 1]])
    weights = [0.6, 0.2, 0.2]
    y = np.array([0])
    simple = KappaPruner(3).fit(votes, y, weights=weights)
    weighted = KappaPruner(3, vote="weighted").fit(votes, y, weights=weights)
    assert (simple.combine(votes)[0], weighted.combine(votes)[0]) == (1, 0)
    np.testing.assert_allclose(weighted.weights_, weights)


def test_duplicates_are_merged_with_their_weights():
    votes, y = pool(2, T=4)
    twice = np.column_stack([votes, votes[:, 1]])
    merged = QMMPruner(0.5).fit(twice, y, weights=[0.2, 0.1, 0.3, 0.2, 0.2])
    single = QMMPruner(0.5).fit(votes, y, weights=[0.2, 0.3, 0.3, 0.2])
    np.testing.assert_allclose(merged.weights_[:4], single.weights_, atol=1e-6)
    assert merged.weights_[4] == 0


def test_smaller_shares_are_tried_then_the_original_weights_kept(monkeypatch):
    votes, y = pool(0)
    real, tried = SOLVERS["piqp"], []

    def failing(S, rows, least):
        tried.append(len(least))
        return real(S, rows, least) if len(tried) == 3 else None

    monkeypatch.setitem(SOLVERS, "piqp", failing)
    pruner = QMMPruner().fit(votes, y)
    assert (pruner.status_, pruner.v_) == ("solved with v = 0.05 instead of 0.25", 0.05)
    assert tried == sorted(tried, reverse=True)
    monkeypatch.setitem(SOLVERS, "piqp", lambda *_: None)
    pruner.fit(votes, y, weights=np.arange(1, 10))
    assert pruner.status_ == "original weights: no solution for v = 0.5, 0.25, 0.05, 0.01"
    assert pruner.v_ is None
    np.testing.assert_allclose(pruner.weights_, np.arange(1, 10) / 45)


def test_original_weights_of_dropped_members_are_kept_without_a_solution():
    votes, weights = [[1, 0, 1]], [0, 1, 0]  # only the right member has weight; "qr" drops all but the first
    pruner = QMMPruner(reduce="qr").fit(votes, [0], weights=weights)
    assert pruner.v_ is None
    assert (pruner.weights_.tolist(), pruner.selected_.tolist()) == (weights, [1])


def test_share_by_folds_does_not_depend_on_the_numbers_of_classes():
    rng = np.random.default_rng(198)
    n, T, C = rng.integers(8, 25), rng.integers(3, 6), rng.integers(2, 4)
    y = rng.integers(0, C, n)
    votes = np.where(rng.random((n, T)) < 0.6, y[:, None], rng.integers(0, C, (n, T)))
    votes[rng.random((n, T)) < 0.63] = -1
    reversed_classes = QMMPruner("cv").fit(np.where(votes < 0, -1, C - 1 - votes), C - 1 - y)
    assert QMMPruner("cv").fit(votes, y).v_ == reversed_classes.v_


def test_share_by_the_equilibrium_margin():
    votes, y = pool(4, n=80, T=9)
    votes, y = np.tile(votes, (100, 1)), np.tile(y, 100)
    assert 0 < QMMPruner("emargin", hypothesis_size=50.0).fit(votes, y).v_ <= 1


@pytest.mark.parametrize(
    ("pruner", "votes", "y", "options", "message"),
    [
        (KappaPruner(5), [[0, 1]], [0], {}, "n_select is 5; at most 2, the number of members"),
        (KappaPruner(0), [[0, 1]], [0], {}, "'n_select' parameter of KappaPruner must be an int in the range"),
        (KappaPruner(1.5), [[0, 1]], [0], {}, "a float in the range"),
        (LPPruner(), [[0, 7]], [0], {"classes": ["a", "b"]}, "votes contain 7; allowed are class numbers 0 to 1"),
        (LPPruner(), [[0, -2]], [0], {}, "votes contain -2"),
        (LPPruner(), [[0, 1]], [4], {"classes": ["a", "b"]}, "y contains 4; allowed are class numbers 0 to 1"),
        (LPPruner(), [[0, 1]], [-1], {}, "y contains -1"),
        (LPPruner(), [[0.5, 1]], [0], {}, "votes must be class numbers"),
        (LPPruner(), [[0, 1]], ["a"], {}, "y must be class numbers"),
        (LPPruner(), [[0, 1]], [0, 1], {}, "votes have 1 rows, y has 2"),
        (LPPruner(), [[-1, -1]], [0], {}, "no member has a vote on any"),
        (LPPruner(), np.empty((2, 0), int), [0, 1], {}, r"shape \(2, 0\)"),
        (
            LPPruner(),
            [[0, 1]],
            [0],
            {"weights": [1.0]},
            r"weights must have shape \(2,\), one for each member, got \(1,\)",
        ),
        (LPPruner(), [[0, 1]], [0], {"weights": [1.0, -1.0]}, "at least 0"),
        (LPPruner(), [[0, 1]], [0], {"weights": [0.0, 0.0]}, "not all 0"),
        (MarginPruner("best"), [[0, 1]], [0], {}, "'lambda_' parameter of MarginPruner must be"),
        (MarginPruner(-1.0), [[0, 1]], [0], {}, "'lambda_' parameter of MarginPruner must be"),
        (MarginPruner(vote="soft"), [[0, 1]], [0], {}, "'vote' parameter of MarginPruner must be"),
        (MarginPruner(n_select="all"), [[0, 1]], [0], {}, "'n_select' parameter of MarginPruner must be"),
        (QMMPruner(0.0), [[0, 1]], [0], {}, "'v' parameter of QMMPruner must be"),
        (QMMPruner("half"), [[0, 1]], [0], {}, "'v' parameter of QMMPruner must be"),
        (QMMPruner("emargin"), [[0, 1]], [0], {}, "needs the parameter hypothesis_size"),
        (QMMPruner(reduce="svd"), [[0, 1]], [0], {}, "'reduce' parameter of QMMPruner must be"),
        (
            QMMPruner(solver="osqp"),
            [[0, 1]],
            [0],
            {},
            "'solver' parameter of QMMPruner must be a str among .*Got 'osqp'",
        ),
        (LPPruner("osqp"), [[0, 1]], [0], {}, "'solver' parameter of LPPruner must be a str among .*Got 'osqp'"),
        (DREPPruner(0.0), [[0, 1]], [0], {}, "'rho' parameter of DREPPruner must be"),
        (DREPPruner(patience=0), [[0, 1]], [0], {}, "'patience' parameter of DREPPruner must be"),
        (MDMPruner(1, p="still"), [[0, 1]], [0], {}, "'p' parameter of MDMPruner must be"),
    ],
)
def test_bad_input_is_refused_in_one_line(pruner, votes, y, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        pruner.fit(votes, y, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((4, 80, 3), "outputs have 4 members; the pruner was fitted to 9"),
        ((9, 5, 2), "outputs have 2 classes; .* to 3"),
    ],
)
def test_outputs_that_do_not_fit(shape, message):
    with pytest.raises(ValueError, match=message):
        MeanDMPruner().fit(*pool()).combine(np.ones(shape))


def test_an_order_of_other_members():
    with pytest.raises(ValueError, match="order must contain"):
        ordered_curve(*pool(), [0, 12])


def test_a_row_that_all_get_wrong_does_not_decide_the_linear_program():
    votes, y = pool(0, n=60, T=20, n_classes=2)
    before = LPPruner().fit(votes, y)
    votes, y = np.vstack([votes, np.ones((1, 20), int)]), np.append(y, 0)
    after = LPPruner().fit(votes, y)
    assert after.margin_ == -1.0
    np.testing.assert_allclose(after.weights_, before.weights_, atol=1e-9)


def test_curves_are_of_the_vote_that_decides():
    votes, y = pool(6)
    for pruner in (MarginPruner(0.5, vote="weighted"), OrientationPruner(4, vote="weighted")):
        fitted = pruner.fit(votes, y, weights=np.arange(1, 10))
        assert fitted.curve_[fitted.n_selected_ - 1] == pytest.approx(np.mean(fitted.combine(votes) != y))
    nothing = MarginPruner(1e9, vote="weighted").fit(votes, y)  # all weights are 0
    assert nothing.curve_[nothing.n_selected_ - 1] == pytest.approx(np.mean(nothing.combine(votes) != y))


@pytest.mark.parametrize("pruner", [KappaPruner(), MeanDMPruner(), OrientationPruner(), ReducedErrorPruner()])
def test_half_of_the_members_are_kept_by_default(pruner):
    assert len(pruner.fit(*pool(T=10)).selected_) == 5


def test_numbers_of_many_classes_do_not_overflow():
    votes = np.array([[40_000, 1], [40_000, 2], [7, 3]])
    assert ReducedErrorPruner(1).fit(votes, [40_000, 40_000, 7]).selected_.tolist() == [0]
