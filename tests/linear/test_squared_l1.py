"""The proximal map of the squared l1 norm of rows, and the reweighting that the paper prints for it."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.linear import reference

from rotastack.linear.squared_l1 import prox_squared_l1, reweighted_squared_l1

repeatable = settings(derandomize=True)
# Few values often, so that ties, zeros and opposite signs come up.
entries = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 2.5]), st.floats(-1e3, 1e3, allow_subnormal=False))
rows = hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=entries)
steps = st.sampled_from([1e-10, 1e-3, 0.1, 1.0, 3.0, 1e4, 1e10])
sparsities = st.sampled_from([0.0, 1e-3, 0.5, 10.0])

HARD_ROWS = [
    [0.0, 0.0, 0.0],
    [1.0, 1.0, 1.0, 1.0],
    [1.0, -1.0, 1.0, -1.0],
    [2.0, 2.0, 0.5, 0.5, -0.5, 0.0],
    [3.0],
    [-3.0],
    [0.0],
    [5.0, 1e-9, -1e-9],
    [1e6, 1.0, 1e-6],
]


def draw(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)) * 10.0 ** rng.integers(-2, 3, (n_rows, 1))


def check_optimal(W, V, step, beta):
    """0 in step (||w||_1 + beta) sign(w) + w - v, with anything in [-1, 1] as the sign of zero."""
    pull = step * (np.abs(W).sum(axis=1, keepdims=True) + beta)
    assert np.isfinite(W).all()
    assert (W * V >= 0).all()
    residual = np.where(W != 0, np.abs(W + pull * np.sign(W) - V), np.maximum(np.abs(V) - pull, 0))
    # What a relative rounding of W by 1e-13 of the largest entry of V may do.
    allowed = 1e-13 * np.abs(V).max(axis=1, keepdims=True) * (1 + step * V.shape[1])
    assert (residual <= allowed + 1e-13 * step * beta + 1e-300).all()


@repeatable
@given(V=rows, step=steps, beta=sparsities)
def test_the_prox_meets_the_conditions_of_optimality(V, step, beta):
    W = prox_squared_l1(V, step, beta)
    assert W.shape == V.shape
    check_optimal(W, V, step, beta)


@pytest.mark.parametrize("step", [1e-6, 0.05, 1.0, 30.0, 1e5])
@pytest.mark.parametrize("beta", [0.0, 0.2, 5.0])
def test_the_prox_against_cvxpy(step, beta):
    cases = [np.array(row) for row in HARD_ROWS] + [draw(seed, 1, 1 + 2 * seed)[0] for seed in range(6)]
    for v in cases:
        w, theirs = prox_squared_l1(v[None], step, beta)[0], reference.squared_l1(v, step, beta)
        ours = reference.squared_l1_objective(w, v, step, beta)
        best = reference.squared_l1_objective(theirs, v, step, beta)
        assert ours <= best * (1 + 1e-12) + 1e-300, v
        # The problem is 1-strongly convex: a point is as near as its excess of the objective says.
        assert ((w - theirs) ** 2).sum() / 2 <= best - ours + 1e-12 * best + 1e-300, v


def test_rows_do_not_know_of_each_other():
    V = draw(0, 12, 5)
    whole = prox_squared_l1(V, 0.7, 0.1)
    single = np.vstack([prox_squared_l1(row[None], 0.7, 0.1) for row in V])
    np.testing.assert_allclose(whole, single, rtol=1e-13)


def test_order_and_signs_of_columns_carry_over():
    V, rng = draw(1, 9, 6), np.random.default_rng(1)
    order, signs = rng.permutation(6), rng.choice([-1, 1], 6)
    W = prox_squared_l1(V, 0.4, 0.05)
    np.testing.assert_allclose(prox_squared_l1(V[:, order] * signs, 0.4, 0.05), W[:, order] * signs, rtol=1e-13)


def test_one_column_has_a_closed_form():
    v = np.array([[3.0], [-0.2], [0.0], [-7.5]])
    expected = np.sign(v) * np.maximum(np.abs(v) - 0.6 * 0.5, 0) / 1.6
    np.testing.assert_allclose(prox_squared_l1(v, 0.6, 0.5), expected, rtol=1e-14)


def test_equal_columns_stay_equal():
    V = np.repeat(draw(2, 7, 1), 4, axis=1)
    W = prox_squared_l1(V, 0.3)
    np.testing.assert_allclose(W, V / (1 + 4 * 0.3), rtol=1e-13)
    np.testing.assert_array_equal(W, np.repeat(W[:, :1], 4, axis=1))


@pytest.mark.parametrize("beta", [0.0, 0.4])
def test_a_column_that_stands_for_several(beta):
    V = draw(9, 8, 3)
    one = prox_squared_l1(V, 0.3, beta, copies=4)
    np.testing.assert_allclose(np.tile(one, 4), prox_squared_l1(np.tile(V, 4), 0.3, beta), rtol=1e-12)
    one = reweighted_squared_l1(V, 0.3, np.ones((8, 3)), 300, beta=beta, copies=4)
    many_columns = reweighted_squared_l1(np.tile(V, 4), 0.3, np.ones((8, 12)), 300, beta=beta)
    np.testing.assert_allclose(np.tile(one, 4), many_columns, rtol=1e-6, atol=1e-12)


def test_small_entries_give_way_to_a_large_one():
    W = prox_squared_l1(np.array([[4.0, 1.9, -1.0], [4.0, 2.1, -1.0]]), 1.0)
    np.testing.assert_allclose(W[0], [2.0, 0.0, 0.0], atol=1e-14)
    # Two remain: w1 + (w1 + w2) = 4, w2 + (w1 + w2) = 2.1.
    np.testing.assert_allclose(W[1], [5.9 / 3, 0.2 / 3, 0.0], atol=1e-14)


def test_a_step_of_next_to_nothing_and_an_endless_one():
    V = draw(3, 6, 4)
    np.testing.assert_allclose(prox_squared_l1(V, 1e-15), V, rtol=1e-9, atol=1e-12)
    W = prox_squared_l1(V, 1e15)
    assert np.isfinite(W).all()
    assert np.abs(W).max() <= 1e-15 * np.abs(V).max() + 4 * np.finfo(float).eps * np.abs(V).max()
    assert (prox_squared_l1(V, 1.0, 1e9) == 0).all()


@repeatable
@given(V=rows, step=steps, beta=sparsities)
def test_the_prox_brings_points_no_further_apart(V, step, beta):
    other = np.roll(V, 1, axis=0)
    moved = prox_squared_l1(V, step, beta) - prox_squared_l1(other, step, beta)
    bound = (moved * (V - other)).sum(axis=1)
    assert ((moved**2).sum(axis=1) <= bound + 1e-11 * (1 + (V**2).sum())).all()


def test_the_input_is_left_alone():
    V, W0 = draw(4, 5, 3), draw(5, 5, 3)
    kept = V.copy(), W0.copy()
    prox_squared_l1(V, 0.5, 0.1)
    reweighted_squared_l1(V, 0.5, W0, 20)
    np.testing.assert_array_equal(V, kept[0])
    np.testing.assert_array_equal(W0, kept[1])


def test_reweighting_once_is_the_printed_step():
    V, W0, step = draw(6, 8, 4), draw(7, 8, 4), 0.3
    G = np.abs(W0).sum(axis=1, keepdims=True) / np.abs(W0)
    np.testing.assert_allclose(reweighted_squared_l1(V, step, W0, 1), V / (1 + step * G), rtol=1e-5)


@pytest.mark.parametrize("step", [0.01, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("beta", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_reweighting_reaches_the_same_minimiser(step, beta, seed):
    V, W0 = draw(seed, 15, 1 + 2 * seed), np.ones((15, 1 + 2 * seed))
    ours, theirs = prox_squared_l1(V, step, beta), reweighted_squared_l1(V, step, W0, 20_000, beta=beta)
    np.testing.assert_allclose(theirs, ours, atol=1e-3 * np.abs(V).max())
    for w, best, v in zip(theirs, ours, V, strict=True):
        least = reference.squared_l1_objective(best, v, step, beta)
        assert least * (1 - 1e-12) <= reference.squared_l1_objective(w, v, step, beta) <= least * (1 + 1e-5)


def test_reweighting_to_zero_is_silent():
    # Entries that lose shrink until they are 0, and divide the row's sum.
    V, W0 = np.array([[50.0, 0.1, 0.0], [0.0, 0.0, 0.0]]), np.ones((2, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        W = reweighted_squared_l1(V, 2.0, W0, 5000)
    np.testing.assert_allclose(W, [[50.0 / 3, 0.0, 0.0], [0.0, 0.0, 0.0]], atol=1e-7)


def test_reweighting_goes_downhill():
    V, W0, step = draw(8, 10, 5), np.ones((10, 5)), 0.8
    values = []
    for n_iter in (1, 2, 4, 8, 16, 32, 64, 128):
        W = reweighted_squared_l1(V, step, W0, n_iter)
        values.append([reference.squared_l1_objective(w, v, step) for w, v in zip(W, V, strict=True)])
    assert (np.diff(values, axis=0) <= 1e-9 * np.array(values[0])).all()
