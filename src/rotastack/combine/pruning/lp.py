"""LP pruning: weights of the largest smallest margin (Grove & Schuurmans 1998)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from rotastack.base.convex import import_cvxpy, solve
from rotastack.combine.pruning.ballots import Ballots
from rotastack.combine.pruning.pruner import KEPT, Pruner

__all__ = ["LPPruner", "lp_problem"]

_ROWS_AT_ONCE = 200


class LPPruner(Pruner):
    """Weigh members so that the smallest margin is as large as it can be; keep the positive weights.

    Parameters
    ----------
    solver : {"highs", "cvxpy"}, default="highs"
        "cvxpy": :func:`lp_problem` by Clarabel, all rows at once; slow, and in the extra ``workflow``.

    Attributes
    ----------
    selected_, weights_, n_selected_
        See :class:`rotastack.combine.pruning.pruner.Pruner`; the largest weight comes first.
    margin_ : float
        The smallest margin on the selection rows.

    Notes
    -----
    Rows that all members get wrong are left out, as no weights change their margin. HiGHS solves a program over few
    rows, and rows that its solution leaves with a smaller margin are added, until there are none. The best weights
    need not be unique: HiGHS finds a vertex of them, and Clarabel their middle, which keeps more members.

    References
    ----------
    Grove, A. and Schuurmans, D. (1998). Boosting in the limit: maximizing the margin of learned
    ensembles. AAAI.

    Examples
    --------
    >>> from rotastack.combine.pruning import LPPruner
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]]
    >>> pruner = LPPruner().fit(votes, y=[0, 0, 0, 1, 0])
    >>> round(pruner.margin_, 3), pruner.weights_.round(3)
    (0.333, array([0.333, 0.333, 0.333]))
    """

    def __init__(self, solver: str = "highs"):
        self.solver = solver

    def _choose(self, ballots: Ballots) -> None:
        if self.solver not in ("highs", "cvxpy"):
            raise ValueError(f"solver must be 'highs' or 'cvxpy', got {self.solver!r}")
        signs = np.unique(ballots.signs, axis=0).astype(np.float64)
        hopeless = (signs < 0).all(axis=1)  # their margin is -1 whatever the weights
        others = signs if hopeless.all() else signs[~hopeless]
        weights, largest = widest(others, ballots.weights) if self.solver == "highs" else widest_by_cvxpy(others)
        self.margin_ = -1.0 if hopeless.any() else largest
        order = np.lexsort((ballots.precedence, -weights.round(7)))
        self.selected_ = order[weights[order] > KEPT]
        self.weights_ = weights


def widest(signs: NDArray[np.float64], start: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the weights of the largest smallest margin, and that margin.

    Parameters
    ----------
    signs : ndarray of shape (n_rows, n_members)
    start : ndarray of shape (n_members,)
        Weights under which the rows of smallest margin are looked at first.
    """
    n, T = signs.shape
    inside = np.zeros(n, dtype=bool)
    inside[np.argsort(signs @ start, kind="stable")[:_ROWS_AT_ONCE]] = True
    cost = np.append(np.zeros(T), -1.0)  # of the weights and of the smallest margin
    whole = np.append(np.ones(T), 0.0)[None]
    while True:
        rows = signs[inside]
        found = linprog(
            cost, np.hstack([-rows, np.ones((len(rows), 1))]), np.zeros(len(rows)), whole, [1.0],
            bounds=[(0, None)] * T + [(None, None)], method="highs",
        )  # fmt: skip
        if found.x is None:
            raise RuntimeError(f"the linear program was not solved: {found.message}")
        weights = np.maximum(found.x[:T], 0.0)
        weights /= weights.sum()
        margins = signs @ weights
        worse = np.flatnonzero(~inside & (margins < found.x[T] - 1e-9))
        if not len(worse):
            return weights, float(margins.min())
        inside[worse[np.argsort(margins[worse], kind="stable")[:_ROWS_AT_ONCE]]] = True


def widest_by_cvxpy(signs: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the same as `widest` by the printed problem."""
    found = solve(lp_problem(signs))
    if found is None:
        raise RuntimeError("the linear program was not solved by Clarabel; solver='highs' solves it by HiGHS")
    weights = np.maximum(found["w"], 0.0)
    weights /= weights.sum()
    return weights, float((signs @ weights).min())


def lp_problem(E: NDArray[np.float64]) -> Any:
    """State the linear program of the largest smallest margin in cvxpy.

    Parameters
    ----------
    E : ndarray of shape (n_rows, n_members)
        1 where a member is right, -1 where it is wrong, 0 where it has no vote.

    Returns
    -------
    cvxpy.Problem
        Its ``var_dict`` holds w, the weights, and rho, the smallest margin.

    Raises
    ------
    ModuleNotFoundError
        cvxpy is not installed.

    References
    ----------
    Grove, A. and Schuurmans, D. (1998). Boosting in the limit: maximizing the margin of learned
    ensembles. AAAI.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.combine.pruning import lp_problem
    >>> problem = lp_problem(np.array([[1, -1, 1], [-1, 1, 1], [1, 1, -1]]))
    >>> print(f"{problem.solve(solver='CLARABEL'):.3f}")
    0.333
    """
    cp = import_cvxpy()
    w, rho = cp.Variable(E.shape[1], name="w"), cp.Variable(name="rho")
    return cp.Problem(cp.Maximize(rho), [E @ w >= rho, cp.sum(w) == 1, w >= 0])
