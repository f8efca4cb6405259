"""The proximal map of the squared l1 norm of rows, and the reweighting that the paper prints for it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rotastack.linear.proximal import prox_squared_l1, reweighted_squared_l1

# Few values often, so that ties, zeros and opposite signs come up.
entries = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 2.5]), st.floats(-1e3, 1e3, allow_subnormal=False))
rows = hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=entries)
steps = st.sampled_from([1e-10, 1e-3, 0.1, 1.0, 3.0, 1e4, 1e10])


def draw(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)) * 10.0 ** rng.integers(-2, 3, (n_rows, 1))


@settings(derandomize=True)
@given(V=rows, step=steps, beta=st.sampled_from([0.0, 1e-3, 0.5, 10.0]))
def test_the_prox_meets_the_conditions_of_optimality(V, step, beta):
    """0 in step (||w||_1 + beta) sign(w) + w - v, with anything in [-1, 1] as the sign of zero."""
    W = prox_squared_l1(V, step, beta)
    pull = step * (np.abs(W).sum(axis=1, keepdims=True) + beta)
    assert (W * V >= 0).all()
    residual = np.where(W != 0, np.abs(W + pull * np.sign(W) - V), np.maximum(np.abs(V) - pull, 0))
    # What a relative rounding of W by 1e-13 of the largest entry of V may do.
    allowed = 1e-13 * np.abs(V).max(axis=1, keepdims=True) * (1 + step * V.shape[1])
    assert (residual <= allowed + 1e-13 * step * beta + 1e-300).all()


@pytest.mark.parametrize("beta", [0.0, 0.4])
@pytest.mark.parametrize("n_columns", [1, 3])
def test_a_column_that_stands_for_several(beta, n_columns):
    V, W0 = draw(9, 8, n_columns), np.ones((8, n_columns))
    one = prox_squared_l1(V, 0.3, beta, copies=4)
    np.testing.assert_allclose(np.tile(one, 4), prox_squared_l1(np.tile(V, 4), 0.3, beta), rtol=1e-12)
    one = reweighted_squared_l1(V, 0.3, W0, 300, beta=beta, copies=4)
    many_columns = reweighted_squared_l1(np.tile(V, 4), 0.3, np.tile(W0, 4), 300, beta=beta)
    np.testing.assert_allclose(np.tile(one, 4), many_columns, rtol=1e-6, atol=1e-12)


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
    V[0, 1:] = 0  # entries that lose shrink until they are 0, and divide the row's sum
    ours, theirs = prox_squared_l1(V, step, beta), reweighted_squared_l1(V, step, W0, 20_000, beta=beta)
    np.testing.assert_allclose(theirs, ours, atol=1e-3 * np.abs(V).max())
