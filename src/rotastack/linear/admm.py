"""Alternating direction method of multipliers (ADMM), with two blocks and over-relaxation, for any members and loss."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Splitting", "admm"]

Array = NDArray[np.float64]
_RELAXATION, _EVERY = 1.6, 20  # iterations from one check to the next
_BALANCING = 1000
"""Number of first iterations in which the penalties are adapted to the residuals; later they stay fixed."""


@dataclass
class Splitting:
    """The problem of :func:`admm`: minimise g(W) + h(R) + cost . z subject to R = A W + F z.

    W, R and z have one column for each member; all columns share A, F and cost.

    Parameters
    ----------
    A : ndarray of shape (n_rows, n_features)
    F : ndarray of shape (n_rows, n_free)
        Columns of the coefficients that g does not depend on, for example of the intercept.
    cost : ndarray of shape (n_free,)
    prox_g : callable
        (V, step) -> argmin of ``step g(W) + ||W - V||^2 / 2``.
    prox_h : callable
        (T, step) -> argmin of ``step h(R) + ||R - T||^2 / 2``.
    """

    A: Array
    F: Array
    cost: Array
    prox_g: Callable[[Array, float], Array]
    prox_h: Callable[[Array, float], Array]


def admm(
    problem: Splitting, W: Array, sigma: float, check: Callable[[Array, Array, Array], bool], max_iter: int
) -> tuple[Array, Array, int]:
    """Run ADMM until `check` returns True, and return the last W and z.

    Parameters
    ----------
    problem : Splitting
    W : ndarray of shape (n_features, k)
        Start of the iterations.
    sigma : float
        Start of the penalty: about the size of the multipliers at the optimum.
    check : callable
        (W, z, multipliers of R) -> whether to end.
    max_iter : int

    Returns
    -------
    W : ndarray of shape (n_features, k)
    z : ndarray of shape (n_free, k)
    n_iter : int
    """
    solve = _LeastSquares(problem)
    tau = 1 / sigma  # sigma is the penalty of R = A P + F z, and sigma * tau is the penalty of W = P.
    R = problem.prox_h(np.zeros((len(problem.A), W.shape[1])), 1 / sigma)
    dual_W, dual_R = np.zeros_like(W), np.zeros_like(R)  # multipliers divided by the penalties
    z = np.zeros((problem.F.shape[1], W.shape[1]))
    for t in range(1, max_iter + 1):
        P, z, AP = solve(W + dual_W, R + dual_R, tau, sigma)
        relaxed_P = _RELAXATION * P + (1 - _RELAXATION) * W
        relaxed_AP = _RELAXATION * AP + (1 - _RELAXATION) * R
        old_W, old_R = W, R
        W = problem.prox_g(relaxed_P - dual_W, 1 / (sigma * tau))
        R = problem.prox_h(relaxed_AP - dual_R, 1 / sigma)
        dual_W = dual_W + W - relaxed_P
        dual_R = dual_R + R - relaxed_AP
        if t % _EVERY == 0 or t == max_iter:
            if check(W, z, sigma * dual_R):
                return W, z, t
            if t <= _BALANCING:
                new_sigma, new_tau = _balanced(sigma, tau, W, old_W, P, dual_W, R, old_R, AP, dual_R)
                dual_W *= sigma * tau / (new_sigma * new_tau)
                dual_R *= sigma / new_sigma
                sigma, tau = new_sigma, new_tau
    return W, z, max_iter


def _balanced(sigma, tau, W, old_W, P, dual_W, R, old_R, AP, dual_R):
    """Return sigma and tau, changed so that the primal and dual residual of each constraint become similar."""
    tiny = np.finfo(float).tiny

    def ratio(now, old, other, dual):
        primal = np.linalg.norm(now - other) / max(np.linalg.norm(now), np.linalg.norm(other), tiny)
        change = np.linalg.norm(now - old) / max(np.linalg.norm(dual), tiny)
        return np.clip(np.sqrt(max(primal, 1e-12) / max(change, 1e-12)), 0.1, 10.0)

    of_W, of_R = ratio(W, old_W, P, dual_W), ratio(R, old_R, AP, dual_R)
    return sigma * of_R, tau * of_W / of_R


class _LeastSquares:
    """Solver of the linear block for any penalties, from one eigendecomposition of the smaller Gram matrix.

    The columns of F are projected out, because their fit does not depend on the penalties.
    """

    def __init__(self, problem: Splitting):
        self.A, self.F = problem.A, problem.F
        self.Q, triangle = np.linalg.qr(problem.F)
        self.inverse = np.linalg.inv(triangle)
        self.QA = self.Q.T @ self.A
        self.shift = self.inverse @ self.inverse.T @ problem.cost[:, None]
        self.pull = self.A.T @ (self.F @ self.shift)
        self.rest = self.A - self.Q @ self.QA
        self.by_rows = self.A.shape[1] > len(self.A)
        gram = self.rest @ self.rest.T if self.by_rows else self.rest.T @ self.rest
        values, self.vectors = np.linalg.eigh(gram)
        self.values = np.maximum(values, 0)

    def __call__(self, V: Array, T: Array, tau: float, sigma: float) -> tuple[Array, Array, Array]:
        """Return P, z, A P + F z at the minimum of tau ||P - V||^2 / 2 + ||A P + F z - T||^2 / 2 + cost z / sigma."""
        # The optimal z is the least-squares fit of T - A P by F, minus shift / sigma. So the cost of z changes P too.
        T = T - self.F @ self.shift / sigma
        V = V + self.pull / (sigma * tau)
        weights = (1 / (self.values + tau))[:, None]
        if self.by_rows:
            residual = T - self.Q @ (self.Q.T @ T) - self.rest @ V
            P = V + self.rest.T @ (self.vectors @ (weights * (self.vectors.T @ residual)))
        else:
            P = self.vectors @ (weights * (self.vectors.T @ (tau * V + self.rest.T @ T)))
        z = self.inverse @ (self.Q.T @ T - self.QA @ P)
        return P, z, self.A @ P + self.F @ z
