"""Convex problems as their papers print them: stated in cvxpy, and solved as tightly as Clarabel can."""

import warnings
from typing import Any

from numpy.typing import NDArray

from rotastack.errors import missing

__all__ = ["import_cvxpy", "solve"]

_TIGHTEST, _LOOSEST = 1e-12, 1e-8
"""Tolerances: the one that is asked for, and the one that is enough where rounding ends the iterations before."""


def import_cvxpy() -> Any:
    """Return cvxpy.

    Raises
    ------
    ModuleNotFoundError
        It is not installed; the message names the extra that brings it.
    """
    try:
        import cvxpy
    except ModuleNotFoundError as error:
        raise missing(error) from None
    return cvxpy


def solve(problem: Any, max_iter: int = 500) -> dict[str, NDArray] | None:
    """Solve a problem by Clarabel.

    Parameters
    ----------
    problem : cvxpy.Problem
    max_iter : int

    Returns
    -------
    dict or None
        Name of each variable -> its value; None if the problem was not solved.
    """
    cp = import_cvxpy()
    wanted = {f"tol_{kind}": _TIGHTEST for kind in ("gap_abs", "gap_rel", "feas")}
    enough = {f"reduced_{name}": _LOOSEST for name in wanted}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        try:
            problem.solve(solver=cp.CLARABEL, max_iter=max_iter, **wanted, **enough)
        except cp.SolverError:
            return None
    if problem.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        return None
    return {name: variable.value for name, variable in problem.var_dict.items()}
