"""The convex programs of rotastack.linear, solved as the package states them in cvxpy; their objectives in plain NumPy.

Targets `y` are -1 and +1, `W` has one column per member, `b` one entry. Every solver returns the objective that the
plain NumPy evaluation gives at the solver's point: as the programs have no constraint a point could break (or, for
the diversity regularised machine, as the point is pulled inside), it is a true upper bound of the minimum.
"""

import numpy as np

from rotastack.base import convex
from rotastack.linear import drm_problem, exrm_problem


def solve(problem):
    """Solve a cvxpy problem: the values of its variables by name."""
    found = convex.solve(problem)
    assert found is not None, problem.status
    return found


def weights_of(y, weights):
    """Weights of the rows, one where none are given."""
    return np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)


def row_weights(y, weights, mask, C):
    """(N, C) weights: those of the rows, zero where a member does not see a row."""
    return weights_of(y, weights)[:, None] * (np.ones((len(y), C)) if mask is None else np.asarray(mask, dtype=float))


def hinge(X, y, W, b, p):
    """(N, C) losses (1 - y_n (x_n.w_c + b_c))_+^p."""
    return np.maximum(1 - y[:, None] * (X @ W + b), 0) ** p


def exrm_objective(X, y, W, b, lam, p=2, beta=0.0, weights=None, mask=None):
    """Eq. (5) with weights of rows, sparsity beta and rows that not every member sees."""
    row_sums = np.abs(W).sum(axis=1)
    losses = row_weights(y, weights, mask, W.shape[1]) * hinge(X, y, W, b, p)
    return float((row_sums**2).sum() / 2 + beta * row_sums.sum() + lam * losses.sum())


def exrm(X, y, lam, C, p=2, beta=0.0, weights=None, mask=None):
    """Minimise eq. (5): (objective, W, b)."""
    found = solve(exrm_problem(X, y, C, lam, p, beta, row_weights(y, weights, mask, C)))
    point = found["W"], found["b"][0]
    return exrm_objective(X, y, *point, lam, p, beta, weights, mask), *point


def svm_objective(X, y, w, b, lam, p=2, beta=0.0, weights=None):
    """1/2 ||w||^2 + beta ||w||_1 + lam times the weighted losses."""
    s = weights_of(y, weights)
    losses = s * np.maximum(1 - y * (X @ w + b), 0) ** p
    return float(w @ w / 2 + beta * np.abs(w).sum() + lam * losses.sum())


def svm(X, y, lam, p=2, beta=0.0, weights=None):
    """Minimise the primal SVM: (objective, w, b)."""
    import cvxpy as cp

    s, centre = weights_of(y, weights), X.mean(axis=0)
    w, b = cp.Variable(X.shape[1], name="w"), cp.Variable(name="b")
    losses = cp.multiply(s, cp.power(cp.pos(1 - cp.multiply(y, (X - centre) @ w + b)), p, approx=False))
    found = solve(cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + beta * cp.norm1(w) + lam * cp.sum(losses))))
    point = found["w"], float(found["b"] - centre @ found["w"])
    return svm_objective(X, y, *point, lam, p, beta, weights), *point


def nu_of(y, lam, weights=None):
    """The nu of the diversity regularised machine: the largest possible one over lam."""
    s = weights_of(y, weights)
    return 2 * min(s[y > 0].sum(), s[y < 0].sum()) / s.sum() / lam


def best_rho(margins, shares, nu):
    """Minimise -rho + (1/nu) sum_n shares_n (rho - margin_n)_+ over rho: the nu-quantile of the margins."""
    order = np.argsort(margins)
    return margins[order][np.searchsorted(np.cumsum(shares[order]), nu * (1 - 1e-12))]


def diversity_objective(X, y, W, b, lam, weights=None):
    """Sum over members of -rho_c + (1/nu) sum_n (s_n/S) (rho_c - y_n f_c(x_n))_+ at the best rho_c."""
    s = weights_of(y, weights)
    nu, shares, total = nu_of(y, lam, weights), s / s.sum(), 0.0
    for margins in (y[:, None] * (X @ W + b)).T:
        rho = best_rho(margins, shares, nu)
        total += -rho + shares @ np.maximum(rho - margins, 0) / nu
    return float(total)


def diversity_violation(W, diversity):
    """By how much ||w_c|| <= 1 and ||sum_c w_c||^2 <= (1 - diversity) C^2 are broken at most."""
    C = W.shape[1]
    whole = W.sum(axis=1)
    return float(max(np.linalg.norm(W, axis=0).max() - 1, (whole @ whole) / C**2 - (1 - diversity)))


def diversity_machine(X, y, lam, C, diversity, weights=None):
    """Minimise the diversity regularised machine: (objective, W, b)."""
    s = weights_of(y, weights)
    found = solve(drm_problem(X, y, C, nu_of(y, lam, weights), diversity, s / s.sum()))
    point = found["W"], found["b"][0]
    assert diversity_violation(point[0], diversity) < 1e-8
    return diversity_objective(X, y, *point, lam, weights), *point
