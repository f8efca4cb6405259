"""The solver of convex problems stated in cvxpy: Clarabel, at the smallest tolerance that it reaches."""

import contextlib
from typing import Any

from numpy.typing import NDArray

from rotastack.base.warned import ignoring
from rotastack.errors import not_installed_error

_TOLERANCES = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8)
"""Tolerances in the order of trial: Clarabel fails if it cannot reach the tolerance."""


def import_cvxpy() -> Any:
    """Return cvxpy; if it is not installed, the error names the extra of Rotastack that installs it."""
    try:
        import cvxpy
    except ModuleNotFoundError as error:
        raise not_installed_error(error) from None
    return cvxpy


def solve(problem: Any, max_iter: int = 500) -> dict[str, NDArray] | None:
    """Solve a problem of cvxpy by Clarabel; return the value of each variable by its name, None if it was not solved."""
    cp = import_cvxpy()
    with ignoring("Solution may be inaccurate"):
        for tol in _TOLERANCES:
            with contextlib.suppress(cp.SolverError):
                problem.solve(cp.CLARABEL, max_iter=max_iter, tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol)
                if problem.status in (cp.OPTIMAL, cp.INFEASIBLE, cp.UNBOUNDED):
                    break
    if problem.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        return None
    return {name: variable.value for name, variable in problem.var_dict.items()}
