"""The paper's algorithm, against its equations written down one by one."""

import numpy as np
import pytest
from tests.quick import first

from rotastack.linear.alm import solve_alm
from rotastack.linear.problem import Problem


def printed(X, y, lam, p, W, n_iter, mu=1.0, rho=1.1):
    """Equations 8 to 18; X is (features, rows) as in the paper. Return the objectives and the last W and b."""
    m = len(X)
    Y = np.repeat(y[:, None], W.shape[1], axis=1)
    Q = W
    P, Z, E = np.zeros(W.shape), np.zeros(Y.shape), np.zeros(Y.shape)
    K = np.linalg.inv(np.eye(m) + X @ X.T)
    path = []
    for _ in range(n_iter):
        for _ in range(5000):  # (10) and (11)
            G = np.abs(W).sum(axis=1, keepdims=True) / (np.abs(W) + 1e-12)
            W = (mu * P + Q) / (G + mu)
        b = (Y - E - X.T @ P - Z / mu).mean(axis=0)  # (12)
        S = Y - X.T @ P - b - Z / mu
        wrong = Y * S > 0
        if p == 1:  # (14)
            E = np.where(wrong, np.sign(S) * np.maximum(np.abs(S) - lam / mu, 0), S)
        else:  # (15)
            E = np.where(wrong, S / (1 + 2 * lam / mu), S)
        M = Y - b - Z / mu
        P = K @ (W - Q / mu + X @ (M - E))  # (17)
        Z = Z + mu * (E - Y + X.T @ P + b)  # (18)
        Q = Q + mu * (P - W)
        mu *= rho
        loss = np.maximum(1 - Y * (X.T @ W + b), 0) ** p
        path.append((np.abs(W).sum(axis=1) ** 2).sum() / 2 + lam * loss.sum())
    return path, W, b


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("n", "m"), [(40, 6), (12, 20)])
@pytest.mark.parametrize("start", first(1, ["random", "ones"]))
def test_iterates_are_those_of_the_equations(p, n, m, start):
    rng = np.random.default_rng(n + p)
    X = rng.standard_normal((n, m))
    y = np.where(X[:, 0] + rng.standard_normal(n) > 0, 1.0, -1.0)
    W = np.ones((m, 3)) if start == "ones" else rng.standard_normal((m, 3))
    path, last_W, last_b = printed(X.T, y, 2.0, p, W, 12)
    ours = solve_alm(Problem(X, y, np.full((n, 1), 2.0), p), W, tol=1e-300, max_iter=12)
    np.testing.assert_allclose(ours.path, path, rtol=1e-6)
    np.testing.assert_allclose(ours.W, last_W, atol=1e-5)
    np.testing.assert_allclose(ours.b, last_b, atol=1e-6)


@pytest.mark.parametrize("p", [1, 1.5, 2])
def test_equal_columns_stay_equal_so_one_stands_for_all(p):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 7))
    y = np.where(X[:, 0] > 0.2, 1.0, -1.0)
    cost = rng.uniform(0.5, 2, (50, 1))
    all_five = solve_alm(Problem(X, y, cost, p), np.ones((7, 5)), tol=1e-300, max_iter=60)
    one = solve_alm(Problem(X, y, cost, p, copies=5), np.ones((7, 1)), tol=1e-300, max_iter=60)
    assert np.ptp(all_five.W, axis=1).max() < 1e-12
    np.testing.assert_allclose(all_five.W, np.repeat(one.W, 5, axis=1), atol=1e-9)
    np.testing.assert_allclose(all_five.path, one.path, rtol=1e-9)
