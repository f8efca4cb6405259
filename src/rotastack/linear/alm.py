"""Algorithm 2 of the ExRM paper: augmented Lagrange multipliers, with a penalty mu that grows."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from rotastack.linear.problem import Problem, Solution, relative_gap
from rotastack.linear.proximal import prox_hinge, prox_squared_l1, reweighted_squared_l1

_LARGEST_MU = 1e16
_QUIET, _EVERY = 3, 20


def solve_alm(
    problem: Problem,
    start: NDArray[np.float64],
    tol: float,
    *,
    mu0: float = 1.0,
    rho: float = 1.1,
    reweighting: bool = False,
    rule: str = "change",
    max_iter: int = 1000,
) -> Solution:
    """Return the last iterate of algorithm 2, in the paper's letters; its path need not fall.

    W and Q start at `start` (n_features, k), which is 1 in the paper; P, b, E (whose start the paper does not print)
    and Z start at 0. Here every row is multiplied by its label: U = Y E, so the second constraint is
    U = 1 - A P - y b'. At the optimum U is the shortfall of the margins.

    The iterations end by one of three rules. "printed": at the first change of the objective below `tol`, as in the
    paper. "change": after three changes in succession below `tol` times the objective, if the constraint on the margins
    also holds up to the root of `tol`: the objective can stand still while the margins still move. "gap": at a relative
    duality gap of at most `tol`.
    """
    A, y, sign, cost = problem.A, problem.y, problem.sign, problem.cost
    W = Q = start
    k, p = W.shape[1], problem.power
    project = _projection(A)
    P, b = np.zeros_like(W), np.zeros(k)
    AP, U, Z, before = (np.zeros((len(y), k)) for _ in range(4))
    mu, path, quiet, bound = mu0, [], 0, 0.0
    needed = _QUIET if rule == "change" else 1
    while True:
        step = 1 / mu
        if reweighting:
            W = reweighted_squared_l1(P + Q / mu, step, W, beta=problem.beta, copies=problem.copies)  # (9) to (11)
        else:
            W = prox_squared_l1(P + Q / mu, step, problem.beta, problem.copies)
        rest = -step * Z
        rest -= AP
        rest += 1
        b = (y @ rest - y @ U) / len(y)  # (12)
        rest -= sign * b
        U = prox_hinge(rest, cost * step, p)  # (13) to (15)
        rest -= U
        rest += AP  # now 1 - y b' - Z / mu - U
        P = project(W - Q / mu, rest)  # (17)
        both = A @ np.hstack([P, W])
        AP = both[:, :k].copy()
        Z, before = np.subtract(AP, rest, out=before), Z
        Z *= mu  # (18)
        Q = Q + mu * (P - W)
        mu = min(mu * rho, _LARGEST_MU)
        path.append(problem.value(W, 1 - both[:, k:] - sign * b))
        if len(path) % _EVERY == 0:
            bound = max(bound, problem.bound(-Z))  # Z is minus the multiplier of the margins
        if rule == "gap":
            still = relative_gap(path[-1], bound) <= tol
        else:
            change = abs(path[-1] - path[-2]) if len(path) > 1 else np.inf
            still = change <= tol * (1 if rule == "printed" else abs(path[-1]))
            if rule == "change":
                still &= step * np.abs(Z - before).max() <= tol**0.5  # |U - 1 + A P + y b'|
        quiet = quiet + 1 if still else 0
        if quiet >= needed or len(path) == max_iter:
            break
    bound = max(bound, problem.bound(-Z))
    return Solution(W, b, path[-1], bound, path, len(path), quiet >= needed)


def _projection(A: NDArray[np.float64]):
    """Return the function (V, R) -> (I + A'A)^-1 (V + A'R), with a matrix of n_features or n_rows factorised once."""
    n, m = A.shape
    if m <= n:
        factor = cho_factor(np.eye(m) + A.T @ A, overwrite_a=True, check_finite=False)
        return lambda V, R: cho_solve(factor, V + A.T @ R, check_finite=False)
    factor = cho_factor(np.eye(n) + A @ A.T, overwrite_a=True, check_finite=False)
    return lambda V, R: V + A.T @ cho_solve(factor, R - A @ V, check_finite=False)
