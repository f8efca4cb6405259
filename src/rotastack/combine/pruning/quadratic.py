"""The quadratic program of QMM, and its solvers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.base import convex

__all__ = ["qmm_problem", "solve", "solve_by_cvxpy", "solve_exactly"]


def solve(S: NDArray[np.float64], rows: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the w >= 0 of sum 1 that minimises w'Sw under rows w >= least; None without a solution.

    The solver is PIQP, a proximal interior point method for dense problems.
    """
    import piqp

    T = len(S)
    solver = piqp.DenseSolver()
    unbounded = np.full(len(least), np.inf)
    solver.setup(
        2.0 * S, np.zeros(T), np.ones((1, T)), np.ones(1), rows, least, unbounded, np.zeros(T),
        np.full(T, np.inf),
    )  # fmt: skip
    if solver.solve() != piqp.PIQP_SOLVED:
        return None
    return np.array(solver.result.x)


def qmm_problem(S: NDArray[np.float64], Lambda: NDArray[np.float64], phi: NDArray[np.float64]) -> Any:
    """Return quadratic margin maximisation as a problem of cvxpy, as printed in the paper.

    Parameters
    ----------
    S : ndarray of shape (n_members, n_members)
        Covariance of the members' signs (equation 17): 1 where right, -1 where wrong.
    Lambda : ndarray of shape (n_asked, n_members)
        Signs on the rows of smallest margin (equation 18).
    phi : ndarray of shape (n_asked,)
        Margins of these rows under the original weights.

    Returns
    -------
    cvxpy.Problem
        Equation 19; the ``var_dict`` of the problem holds w.

    Raises
    ------
    ModuleNotFoundError
        cvxpy is not installed.

    References
    ----------
    Martinez, W. (2022). Ensemble pruning via margin maximization, equation 19.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.combine.pruning import qmm_problem
    >>> E = np.array([[1, -1, 1], [-1, 1, 1], [1, 1, -1], [1, 1, 1]])
    >>> problem = qmm_problem(np.cov(E, rowvar=False), E[:3], E[:3].mean(axis=1))
    >>> _ = problem.solve(solver="CLARABEL")
    >>> problem.var_dict["w"].value.round(3)
    array([0.333, 0.333, 0.333])
    """
    cp = convex.import_cvxpy()
    w = cp.Variable(len(S), name="w")
    return cp.Problem(cp.Minimize(cp.quad_form(w, cp.psd_wrap(S))), [Lambda @ w >= phi, cp.sum(w) == 1, w >= 0])


def solve_by_cvxpy(
    S: NDArray[np.float64], rows: NDArray[np.float64], least: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the result of `solve`, from :func:`qmm_problem` by Clarabel."""
    values = convex.solve(qmm_problem(S, rows, least))
    return None if values is None else values["w"]


def solve_exactly(
    S: NDArray[np.float64], rows: NDArray[np.float64], least: NDArray[np.float64], near: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the result of `solve` at a vertex, with exact zeros, by the active set method DAQP.

    Parameters
    ----------
    near : ndarray of shape (n_members,)
        A solution. The first problem has only the rows that `near` fulfils with less than 1e-5 to spare.
    """
    import daqp

    T = len(S)
    scale = max(float(np.trace(S)) / T, 1e-12)
    H = 2.0 * (S + 1e-12 * scale * np.eye(T))  # DAQP needs a positive definite matrix
    active = rows @ near - least < 1e-5
    while True:
        A = np.vstack([rows[active], np.ones((1, T))])
        n = len(A)
        upper = np.concatenate([np.full(T, 1e30), np.full(n - 1, 1e30), [1.0]])
        lower = np.concatenate([np.zeros(T), least[active], [1.0]])
        sense = np.zeros(T + n, dtype=np.int32)
        sense[-1] = 5  # DAQP's code of an equality
        w, _, flag, _ = daqp.solve(H, np.zeros(T), np.ascontiguousarray(A), upper, lower, sense)
        if flag < 1:
            return None
        w = np.asarray(w)
        broken = ~active & (rows @ w < least - 1e-9)
        if not broken.any():
            return w
        active |= broken
