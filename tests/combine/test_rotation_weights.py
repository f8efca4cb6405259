"""Weights of rotations against hand-computed ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.base.combiner import Members
from rotastack.combine import RotationWeights
from rotastack.combine.nested import combine_nested
from rotastack.combine.rotation_weights import WEIGHTINGS

COMPLEXITY = [15.0, 11.0, 13.0, 19.0]  # ranks 3, 1, 2, 4; the identity (0) is third
ERROR = [0.05, 0.20, 0.10, 0.10]
UNKNOWN = [np.nan] * 4


@pytest.mark.parametrize(
    ("weighting", "h", "weights"),
    [
        ("equal", None, [1 / 4] * 4),
        ("cut", 2, [0, 1 / 2, 1 / 2, 0]),
        ("best", None, [0, 1, 0, 0]),
        ("new", None, [1 / 3, 1 / 3, 1 / 3, 0]),
        ("linear", None, [0.2, 0.4, 0.3, 0.1]),
        # Errors rank 1, 4, 2, 3: the tie of 2 and 3 goes to the simpler one.
        ("oob", None, [0.4, 0.1, 0.3, 0.2]),
        # Sums of ranks 1 + 3, 4 + 1, 2.5 + 2, 2.5 + 4 = 4, 5, 4.5, 6.5.
        ("joint", None, [0.4, 0.2, 0.3, 0.1]),
        ("exp", 1.0, [2 / 15, 8 / 15, 4 / 15, 1 / 15]),
    ],
)
def test_weights_by_hand(weighting, h, weights):
    for error in (ERROR, UNKNOWN)[: 1 + (weighting not in ("oob", "joint"))]:  # by complexity alone
        fitted = RotationWeights(weighting, h).rank(COMPLEXITY, error)
        np.testing.assert_allclose(fitted.weights_, weights, atol=1e-12)


def test_exponential_is_the_printed_formula():
    R, h = 7, 2.3
    r = np.arange(1, R + 1)
    printed = 2 ** (-r / h) * (2 ** (1 / h) - 1) / (1 - 2 ** (-R / h))  # equation 2.7
    np.testing.assert_allclose(RotationWeights("exp", h).rank(np.arange(R), np.zeros(R)).weights_, printed)
    assert printed.sum() == pytest.approx(1)


@pytest.mark.parametrize("weighting", ["cut", "exp"])
def test_h_is_the_best_of_the_grid_and_the_smallest_among_equals(weighting):
    rng = np.random.default_rng(3)
    complexity, error = rng.random(9), rng.random(9)
    found = RotationWeights(weighting).rank(complexity, error).h_
    grid = np.arange(1, 10) if weighting == "cut" else np.arange(1, 91) / 10
    losses = [RotationWeights(weighting, float(h)).rank(complexity, error).weights_ @ error for h in grid]
    assert found == pytest.approx(grid[int(np.argmin(losses))])
    assert RotationWeights(weighting).rank(complexity, np.full(9, 0.25)).h_ == grid[0]


@pytest.mark.parametrize(
    ("weighting", "complexity", "error", "order"),
    [
        ("linear", [5, 3, 5, 3], [0, 0, 0, 0], [1, 3, 0, 2]),
        ("joint", [1.0, 2.0, 3.0], [0.3, 0.2, 0.1], [0, 1, 2]),  # all sums of ranks are 4
        ("oob", [1.0, 2.0, 3.0], [np.nan, 0.5, 0.1], [2, 1, 0]),  # never out of bag: the worst
    ],
)
def test_ties_go_to_the_simpler_one_and_then_to_the_lower_number(weighting, complexity, error, order):
    assert RotationWeights(weighting).rank(complexity, error).order_.tolist() == order


@given(R=st.integers(1, 40), extra=st.integers(0, 500), weighting=st.sampled_from(WEIGHTINGS), seed=st.integers(0, 99))
def test_trees_sum_to_the_total_and_never_rise_with_the_rank(R, extra, weighting, seed):
    rng = np.random.default_rng(seed)
    fitted = RotationWeights(weighting).rank(rng.integers(3, 9, R), rng.integers(0, 4, R) / 10)
    counts = fitted.counts(R + extra)
    assert counts.sum() == R + extra
    assert (np.diff([*counts[fitted.order_], 0]) <= 0).all()
    assert fitted.weights_.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("rotations", "trees", "counts"),
    [
        (2, 100, [67, 33]),
        (4, 14, [6, 4, 3, 1]),  # .4 .3 .2 .1 of 14 = 5.6 4.2 2.8 1.4
        (4, 11, [5, 3, 2, 1]),  # 4.4 3.3 2.2 1.1, rounded 4 3 2 1: one is missing
        (4, 9, [4, 3, 2, 0]),  # 3.6 2.7 1.8 .9, rounded 4 3 2 1: one too many
    ],
)
def test_shortage_goes_to_the_first_and_excess_is_taken_from_the_last(rotations, trees, counts):
    ranked = RotationWeights("linear").rank(np.arange(rotations), np.zeros(rotations))
    assert ranked.counts(trees).tolist() == counts


def test_equal_spreads_its_remainder():
    """2.4 rounded down 100 times would hand 40 trees to one rotation."""
    counts = RotationWeights("equal").rank(np.arange(100.0), np.zeros(100)).counts(240)
    assert (sorted(set(counts.tolist())), counts[:40].tolist()) == ([2, 3], [3] * 40)


def test_combines_outputs_by_weight():
    outputs = np.array([[[1.0, 0.0]], [[0.0, 1.0]], [[0.5, 0.5]]])
    fitted = RotationWeights("linear").rank([3.0, 1.0, 2.0], [0, 0, 0])
    np.testing.assert_allclose(fitted.predict_proba(outputs), [[1 / 6 + 1 / 6, 3 / 6 + 1 / 6]])


@pytest.mark.parametrize(
    ("weights", "complexity", "error", "message"),
    [
        (RotationWeights("cute"), COMPLEXITY, ERROR, "weighting must be one of equal, cut, exp"),
        (RotationWeights("cut", 5), COMPLEXITY, ERROR, "whole number from 1 to 4, got 5"),
        (RotationWeights("cut", 1.5), COMPLEXITY, ERROR, "whole number from 1 to 4, got 1.5"),
        (RotationWeights("exp", 9.0), COMPLEXITY, ERROR, "from 0.1 to 4, got 9.0"),
        (RotationWeights("linear", 2.0), COMPLEXITY, ERROR, "'linear' has no parameter h"),
        (RotationWeights("linear"), UNKNOWN, ERROR, "'linear' needs trees"),
        *(
            (RotationWeights(name), COMPLEXITY, UNKNOWN, f"'{name}' needs out-of-bag")
            for name in ("oob", "joint", "cut", "exp")
        ),
    ],
)
def test_bad_parameters_and_what_is_unknown_are_named(weights, complexity, error, message):
    with pytest.raises(ValueError, match=message):
        weights.rank(complexity, error)


def test_the_identity_may_have_any_number_or_none():
    assert RotationWeights("new").rank(COMPLEXITY, ERROR, identity=2).weights_.tolist() == [0, 1 / 2, 1 / 2, 0]
    with pytest.raises(ValueError, match="no member is unrotated"):
        RotationWeights("new").rank(COMPLEXITY, ERROR, identity=None)
    with pytest.raises(ValueError, match="the members have 3 trees in total; at least 4, one per rotation"):
        RotationWeights("equal").rank(COMPLEXITY, ERROR).counts(3)


def test_in_nested_cross_validation_each_fold_has_its_own_weights():
    class Known(Members):
        def __init__(self, *complexity):
            self.complexity = np.array(complexity)

        def complexity_and_error(self):
            return self.complexity, np.zeros(2), 0

    rng = np.random.default_rng(0)
    outputs = rng.dirichlet([1, 1], (3, 2, 9)).astype(np.float32)  # (fold, member, row, class)
    folds, y = np.arange(9) % 3, rng.integers(0, 2, 9)
    facts = [Known(1.0, 2.0), Known(2.0, 1.0), Known(1.0, 2.0)]
    proba, combiners = combine_nested(RotationWeights("best"), outputs, folds, y, np.random.SeedSequence(0), facts)
    for h, member in enumerate([0, 1, 0]):
        np.testing.assert_allclose(proba[folds == h], outputs[h, member][folds == h], rtol=1e-6)
        assert combiners[h].order_[0] == member
    with pytest.raises(ValueError, match="needs the complexity of each member"):
        combine_nested(RotationWeights(), outputs, folds, y, np.random.SeedSequence(0))
