"""The log-linear pool against a general solver of convex problems, and what its weights mean."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_wine

from rotastack import PooledEnsembleClassifier
from rotastack.combine import LogLinearWeights
from rotastack.views import RandomRotation
from rotastack.workflow.study.building import make
from rotastack.workflow.study.combiners import LogLinear
from rotastack.workflow.study.resolving import resolved_combiner


def problem(n_rows, n_classes, n_members, seed=0, sharpness=0.4):
    """Members that know the class to different extents, the first nothing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    noise = rng.dirichlet(np.full(n_classes, 0.5), (n_members, n_rows))
    known = np.linspace(0, sharpness, n_members)[:, None, None]
    return (1 - known) * noise + known * np.eye(n_classes)[y], y


@pytest.mark.parametrize(("n_classes", "n_members", "ridge"), [(2, 5, 2.0), (4, 3, 0.1), (60, 4, 20.0), (3, 1, 2.0)])
def test_it_solves_its_convex_problem(n_classes, n_members, ridge):
    outputs, y = problem(120, n_classes, n_members)
    pool = LogLinearWeights(ridge).fit(outputs, y, n_classes)
    w = cp.Variable(n_members, nonneg=True)
    least = min(0.01, 0.05 / outputs.shape[2]) if outputs.shape[2] > 50 else 0.01
    q = np.log((1 - least * outputs.shape[2]) * outputs + least)
    mixed = sum(w[g] * q[g] for g in range(n_members))
    right = cp.sum(cp.multiply(np.eye(n_classes)[y], mixed))
    loss = cp.sum(cp.log_sum_exp(mixed, axis=1)) - right
    cp.Problem(cp.Minimize(loss + ridge * cp.sum_squares(w - 1 / n_members))).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(pool.weights_, w.value, atol=2e-5)


def test_weights_of_rows_are_copies():
    outputs, y = problem(60, 3, 4)
    copies = np.random.default_rng(1).integers(0, 4, 60)
    weighted = LogLinearWeights().fit(outputs, y, 3, sample_weight=copies.astype(float))
    repeated = LogLinearWeights().fit(np.repeat(outputs, copies, axis=1), np.repeat(y, copies), 3)
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-9)


@pytest.mark.parametrize(("ridge", "weight"), [(1e-17, 1), (2, 1e18)])
def test_a_ridge_that_is_lost_in_rounding(ridge, weight):
    """Members that are alike, and sure: next to nothing is left of the Hessian."""
    y = np.arange(50) % 2
    sure = np.stack([np.eye(2)[y]] * 3)
    pool = LogLinearWeights(ridge).fit(sure, y, 2, sample_weight=np.full(50, weight))
    assert 3 < pool.weights_.sum() < np.inf
    np.testing.assert_allclose(pool.predict_proba(sure).sum(axis=1), 1)


def test_blocks_of_rows_do_not_matter():
    outputs, y = problem(80, 5, 4)
    pool = LogLinearWeights().fit(outputs, y, 5)
    parts = [pool.predict_proba(outputs[:, a : a + 7]) for a in range(0, 80, 7)]
    assert (np.concatenate(parts) == pool.predict_proba(outputs)).all()


@pytest.mark.parametrize(
    ("ridge", "bad", "message"),
    [
        *((r, 0.5, "'ridge' parameter of LogLinearWeights must be a float") for r in (0, -1, np.inf, np.nan)),
        *((1.0, bad, "need probabilities from 0 to 1") for bad in (-0.1, 1.5, np.nan)),
    ],
)
def test_what_it_refuses(ridge, bad, message):
    outputs, y = problem(10, 2, 2)
    outputs[0, 3, 1] = bad
    with pytest.raises(ValueError, match=message):
        LogLinearWeights(ridge).fit(outputs, y, 2)


def test_with_bags_it_weighs_the_families_of_a_pool_out_of_bag():
    X, y = load_wine(return_X_y=True)
    views = [("identity", None, 1), ("rotation", RandomRotation(), 1)]
    pool = PooledEnsembleClassifier(
        views, combiner=LogLinearWeights(), n_estimators=30, bootstrap=True, random_state=0
    ).fit(X[::2], y[::2])
    plain = PooledEnsembleClassifier(views, n_estimators=30, bootstrap=True, random_state=0).fit(X[::2], y[::2])
    (combiner,) = pool.combiners_
    assert (pool.oob_decision_function_ == plain.oob_decision_function_).all()  # of all members alike, as before
    assert pool.score(X[1::2], y[1::2]) > 0.9
    outputs = pool.pool_.outputs(X[1::2]).reshape(2, 15, -1, 3).mean(axis=1)
    np.testing.assert_allclose(pool.predict_proba(X[1::2]), combiner.predict_proba(outputs), atol=1e-7)


def test_a_study_may_name_it():
    assert make(resolved_combiner(LogLinear(kind="log_linear", ridge=5.0))).get_params() == {"ridge": 5.0}
    assert LogLinear(kind="log_linear").ridge == LogLinearWeights().ridge
