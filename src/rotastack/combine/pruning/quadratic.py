"""The quadratic program of QMM, handed to its solvers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.base import convex

__all__ = ["qmm_problem", "solve", "solve_by_cvxpy", "solve_exactly"]


def solve(S: NDArray[np.float64], rows: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the w that minimises w'Sw under rows w >= least, sum 1 and w >= 0; None if there was none.

    PIQP, a proximal interior point method for dense problems.
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
    """State quadratic margin maximisation in cvxpy, as its paper prints it.

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
        Equation 19; its ``var_dict`` holds w.

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
    """Return the same as `solve` by the printed problem."""
    found = convex.solve(qmm_problem(S, rows, least))
    return None if found is None else found["w"]


def solve_exactly(
    S: NDArray[np.float64], rows: NDArray[np.float64], least: NDArray[np.float64], near: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the same by the active set method DAQP, which finds a vertex; exact zeros.

    Parameters
    ----------
    near : ndarray of shape (n_members,)
        A solution; only rows that it leaves with little room are looked at first.
    """
    import daqp

    T = len(S)
    scale = max(float(np.trace(S)) / T, 1e-12)
    H = 2.0 * (S + 1e-12 * scale * np.eye(T))  # DAQP wants a definite matrix
    active = rows @ near - least < 1e-5
    while True:
        A = np.vstack([rows[active], np.ones((1, T))])
        n = len(A)
        upper = np.concatenate([np.full(T, 1e30), np.full(n - 1, 1e30), [1.0]])
        lower = np.concatenate([np.zeros(T), least[active], [1.0]])
        sense = np.zeros(T + n, dtype=np.int32)
        sense[-1] = 5  # an equality
        w, _, flag, _ = daqp.solve(H, np.zeros(T), np.ascontiguousarray(A), upper, lower, sense)
        if flag < 1:
            return None
        w = np.asarray(w)
        broken = ~active & (rows @ w < least - 1e-9)
        if not broken.any():
            return w
        active |= broken
