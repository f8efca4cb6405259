"""Quadratic margin maximisation (Martinez 2022)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from rotastack.base import convex
from rotastack.base.scikit import Interval, StrOptions
from rotastack.combine.pruning.pruner import Pruner
from rotastack.combine.pruning.vote_table import VoteTable, ordered_errors
from rotastack.diagnostics.bounds import equilibrium_margin


def solve(S: NDArray[np.float64], rows: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the w >= 0 of sum 1 that minimises w'Sw under rows w >= least; None without a solution.

    The solver is PIQP, a proximal interior point method for dense problems.
    """
    import piqp

    T = len(S)
    solver = piqp.DenseSolver()
    unbounded = np.full(len(least), np.inf)
    solver.setup(
        2.0 * S, np.zeros(T), np.ones((1, T)), np.ones(1), rows, least, unbounded, np.zeros(T), np.full(T, np.inf)
    )
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


FALLBACK = {False: (0.50, 0.25, 0.05, 0.01), True: (0.25, 0.15, 0.05, 0.01)}
"""Values of `v` in the source's order of trial. The key states whether the original weights are equal."""
SOLVERS = {"piqp": solve, "cvxpy": solve_by_cvxpy}


class QMMPruner(Pruner):
    """A pruner whose weights minimise the variance of the margins, while no small margin gets smaller.

    The weights minimise ``w' S w``, where S is the covariance of the members' signs (1 where right, -1 where wrong,
    0 without a vote). The weights sum to 1 and are at least 0. The selection rows with the smallest margins under the
    original weights, a share `v` of all, keep at least these margins. Many weights of the solution are 0.

    Parameters
    ----------
    v : float, "emargin", "cv" or None, default=None
        Share of the margins, above 0 and up to 1. None is 0.25 if all original weights are equal, else 0.5 (the
        source's values for forests and AdaBoost). "emargin" is the share of margins up to the equilibrium
        margin, one row without such a margin, and needs `hypothesis_size`. "cv" chooses, among 0.5, 0.25, 0.05 and 0.01 (0.25, 0.15, 0.05 and 0.01
        for equal weights), the share with the least error in 5 folds of the selection rows.
    reduce : {"duplicates", "qr"} or None, default="duplicates"
        "duplicates" first merges members that are right on the same rows and adds up their weights (equation 22); the
        first of them votes. "qr" also drops members that depend linearly on others, as the source does, which can make
        margins unreachable.
    solver : {"piqp", "cvxpy"}, default="piqp"
        "cvxpy" solves :func:`qmm_problem` by Clarabel: slow, and needs the extra ``workflow``.
    hypothesis_size : float or None, default=None
        Number of classifiers that the members' estimator can produce, such as (2 x 100 x p)^3 for trees of depth 2
        on 100 cuts of each of p columns.
    delta : float, default=0.05
        Probability with which the bound behind the equilibrium margin may fail.

    Attributes
    ----------
    selected_ : ndarray of int
        Members with a weight above 1e-6, by decreasing weight. Only these members vote.
    weights_ : ndarray of shape (n_members,)
        Weights of the solution.
    n_selected_ : int
    v_ : float or None
        Share `v` of the solution; None if the original weights were kept.
    status_ : str
        "solved", or a sentence with the smaller share used, or with the shares without solution.
    objective_ : float
        Value of ``w' S w``.

    Notes
    -----
    The original weights fulfil all constraints, unless "qr" removed members. So if no share has a solution, the
    solver has failed. Then the original weights are kept. S need not have full rank.

    References
    ----------
    Martinez, W. (2022). Ensemble pruning via margin maximization, equations 15 to 24, algorithm 2.
    Schwan, R. et al. (2023). PIQP: a proximal interior-point quadratic programming solver. CDC.

    Examples
    --------
    >>> from rotastack.combine.pruning import QMMPruner
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]]
    >>> pruner = QMMPruner(v=0.5).fit(votes, y=[0, 0, 0, 1, 0])
    >>> pruner.status_, pruner.weights_.round(3)
    ('solved', array([0.333, 0.333, 0.333]))
    """

    hypothesis_size: Any
    _parameter_constraints: ClassVar[dict] = {
        "v": [Interval(Real, 0, 1, closed="right"), StrOptions({"emargin", "cv"}), None],
        "reduce": [StrOptions({"duplicates", "qr"}), None],
        "solver": [StrOptions(set(SOLVERS))],
        "hypothesis_size": [Interval(Real, 1, None, closed="neither"), None],
        "delta": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        v: float | str | None = None,
        reduce: str | None = "duplicates",
        *,
        solver: str = "piqp",
        hypothesis_size: float | None = None,
        delta: float = 0.05,
    ):
        self.v = v
        self.reduce = reduce
        self.solver = solver
        self.hypothesis_size = hypothesis_size
        self.delta = delta

    def check_parameters(self) -> None:
        """Raise a ValueError if `v` needs the parameter `hypothesis_size`, and there is none."""
        if self.v == "emargin" and self.hypothesis_size is None:
            raise ValueError("v='emargin' needs the parameter hypothesis_size, the number of possible base learners")

    def _choose(self, vote_table: VoteTable) -> None:
        self.check_parameters()
        fallback = FALLBACK[bool(np.ptp(vote_table.weights) <= 1e-12)]
        first = self._share(vote_table, fallback)
        shares = [first, *(v for v in fallback if v < first)]
        weights, self.v_ = self._solve(vote_table, shares)
        self._keep_positive(weights, vote_table)
        if self.v_ is None:
            tried = ", ".join(f"{v:g}" for v in shares)
            self.status_ = f"original weights: no solution for v = {tried}"
        else:
            self.status_ = "solved" if self.v_ == first else f"solved with v = {self.v_:g} instead of {first:g}"
        self.objective_ = float(self.weights_ @ covariance(vote_table) @ self.weights_)

    def _share(self, vote_table: VoteTable, fallback: tuple[float, ...]) -> float:
        v: Any = self.v
        if v is None:
            return fallback[0]
        if v == "emargin":
            margins = vote_table.signs @ vote_table.weights
            equilibrium = equilibrium_margin(margins, self.hypothesis_size, self.delta)
            return max(float(np.mean(margins <= equilibrium.margin + 1e-12)), 1.0 / len(margins))
        if v == "cv":
            wrong = np.zeros(len(fallback))
            for train, held in vote_table.folds():
                for i, share in enumerate(fallback):
                    self._keep_positive(self._solve(train, [share])[0], train)
                    wrong[i] += round(ordered_errors(held, self.selected_, self.weights_)[-1] * len(held.y))
            return fallback[int(wrong.argmin())]
        return float(v)

    def _solve(self, vote_table: VoteTable, shares: list[float]) -> tuple[NDArray[np.float64], float | None]:
        """Return the weights for the first share with a solution, and the share; else the original weights, and None."""
        kept, original = reduced(vote_table, self.reduce)
        signs = vote_table.signs[:, kept].astype(np.float64)
        S = covariance(vote_table)[np.ix_(kept, kept)]
        margins = (vote_table.signs @ vote_table.weights).round(12)
        smallest_first = margins.argsort(kind="stable")
        weights = np.zeros(vote_table.n_members)
        for v in shares:
            constrained = smallest_first[: int(np.ceil(v * len(margins) - 1e-9))]
            rows, where = np.unique(signs[constrained], axis=0, return_index=True)
            # Merging keeps all margins. These margins still contain the members that the QR step dropped.
            least = rows @ original if self.reduce != "qr" else margins[constrained][where]
            solution = SOLVERS[self.solver](S, rows, least)
            if solution is not None:
                weights[kept] = np.maximum(solution, 0.0)
                return weights / weights.sum(), v
        return vote_table.weights, None


def covariance(vote_table: VoteTable) -> NDArray[np.float64]:
    """Return the covariance of the members' signs (equation 17); zeros for a single row."""
    n = len(vote_table.y)
    sums = vote_table.signs.sum(axis=0, dtype=np.float64)
    return (vote_table.gram - np.outer(sums, sums) / n) / max(n - 1, 1)


def reduced(vote_table: VoteTable, how: str | None) -> tuple[NDArray[np.intp], NDArray]:
    """Return the remaining members, and their weights with those of merged duplicates added."""
    if how is None:
        return np.arange(vote_table.n_members), vote_table.weights
    _, first, group = np.unique(vote_table.signs, axis=1, return_index=True, return_inverse=True)
    kept = np.sort(first)
    weights = np.bincount(first[group.ravel()], vote_table.weights)[kept]
    if how == "qr":
        _, R, pivots = qr(vote_table.signs[:, kept].astype(np.float64), mode="economic", pivoting=True)
        sizes = np.abs(np.diagonal(R))
        rank = int((sizes > 1e-9 * sizes[0]).sum())
        independent = np.sort(pivots[:rank])
        kept, weights = kept[independent], weights[independent]
    return kept, weights
