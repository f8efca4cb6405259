"""Exclusivity regularised machine (ExRM)."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray

from rotastack.base.convex import import_cvxpy, solve
from rotastack.base.scikit import Interval, StrOptions
from rotastack.linear.alm import solve_alm
from rotastack.linear.primal import solve_primal
from rotastack.linear.problem import Problem, Solution
from rotastack.linear.separators import CLASS_WEIGHT, LEAST_ONE, POSITIVE, POWER, LinearEnsemble
from rotastack.seeds import child, root_sequence

PAPER_TOL, ITERATIVE_TOL = 0.05, 1e-6
_FAR = 1e-4
"""Relative gap above which the paper's algorithm has missed the optimum."""


class ExclusivityRegularizedClassifier(LinearEnsemble):
    """Exclusivity regularised machine: C linear SVMs, trained together, whose mean decides.

    Minimises ``sum_i (s_i^2 / 2 + beta s_i) + lam sum_c sum_n r_n max(0, 1 - y_n (x_n . w_c + b_c))^p`` with
    ``s_i = sum_c |w_ci|``; r_n is the row's weight. The penalty is meant to give members different features.
    At the optimum it does not: **the mean of the members is one primal SVM with lam / C**, and equal members are
    optimal (proof and evidence: docs/understand/exclusivity.md). Members differ only after a random start that ended
    before the optimum, or with `max_samples`.

    Parameters
    ----------
    n_estimators : int, default=10
        C, number of members.
    lam : float, default=2.0
        lambda, weight of the loss.
    loss_power : float, default=2
        p, at least 1. 1 is the hinge, 2 the squared hinge.
    solver : {"exact", "alm", "cvxpy"}, default="exact"
        "exact" computes one SVM with lam / C to a certified optimum and copies it C times. With `max_samples` it
        computes all members by the paper's iteration, with a fixed penalty, until the optimum is certified. "alm" is
        the paper's algorithm 2, which can stop short of the optimum. "cvxpy" solves :func:`exrm_problem` by Clarabel;
        it is slow and needs the extra ``workflow``.
    mu0, rho : float, default=1.0 and 1.1
        For alm: the penalty mu at the start, and its growth in each iteration. With ``rho=1.0`` alm reaches
        the optimum, but slowly if the columns are not centred.
    w_step : {"prox", "reweighting"}, default="prox"
        For alm: compute W in closed form, or by the paper's equations 9 to 11. The minimiser is the same.
    tol : float, "paper" or None, default=None
        Relative duality gap (exact) or relative change of the objective (alm) at which the solver ends. With None,
        exact goes on until rounding ends it, usually below 1e-13, or to 1e-6 with `max_samples`, and the others use
        1e-6. With `max_samples` and p = 1, exact may not reach 1e-6 within `max_iter` iterations. With "paper", alm
        ends at the first change below 0.05. With cvxpy, `tol` is only the gap above which the fit warns.
    beta : float, default=0.0
        Weight of the sparsity term, W~ = [W, beta 1].
    init : {"equal", "random"}, default="equal"
        For alm: start with ones, as in the paper, or with normal random numbers. After equal starts the members
        stay equal, so only one is computed.
    max_samples : int, float or None, default=None
        Number or share of the rows that each member is trained on, drawn without replacement. The classes keep
        their shares as far as possible, with at least one row of each class.
    max_iter : int, default=2000
        Largest number of iterations.
    class_weight : dict, "balanced" or None, default=None
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of `init` and `max_samples`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_members_ : ndarray of shape (n_estimators, n_features) or (n_classes, n_estimators, n_features)
    intercept_members_ : ndarray of shape (n_estimators,) or (n_classes, n_estimators)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Mean of the members' coefficients.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    objective_ : float, or ndarray of shape (n_classes,)
    objective_path_ : ndarray, or list of ndarray
        Objective after each iteration (alm, and exact with `max_samples`), the least objective so far after each
        iteration (exact), or the last objective (cvxpy).
    duality_gap_ : float, or ndarray of shape (n_classes,)
        Largest possible distance of the objective from the optimum, as a share of the objective.
    n_iter_ : int, or ndarray of shape (n_classes,)
    samples_ : ndarray of bool of shape (n_estimators, n_rows)
        Rows that each member was trained on, among the rows with a weight above 0.
    disagreement_ : float
        Share of the rows on which two members disagree, mean over pairs (and over classes against the rest).

    References
    ----------
    Guo, X., Wang, X., Ling, H. Exclusivity regularized machine: a new ensemble SVM classifier, equation 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from rotastack import ExclusivityRegularizedClassifier, PrimalSVMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X, (-1, 1))
    >>> exrm = ExclusivityRegularizedClassifier(10, lam=2.0).fit(X, y)
    >>> svm = PrimalSVMClassifier(lam=2.0 / 10).fit(X, y)
    >>> bool(abs(exrm.coef_ - svm.coef_).max() < 1e-9)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **LinearEnsemble._parameter_constraints,
        "n_estimators": [LEAST_ONE],
        "loss_power": [POWER],
        "solver": [StrOptions({"exact", "alm", "cvxpy"})],
        "mu0": [POSITIVE],
        "rho": [Interval(Real, 1, None, closed="left")],
        "w_step": [StrOptions({"prox", "reweighting"})],
        "tol": [POSITIVE, StrOptions({"paper"}), None],
        "beta": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"equal", "random"})],
        "max_samples": [LEAST_ONE, Interval(Real, 0, 1, closed="right"), None],
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        n_estimators: int = 10,
        lam: float = 2.0,
        *,
        loss_power: float = 2,
        solver: str = "exact",
        mu0: float = 1.0,
        rho: float = 1.1,
        w_step: str = "prox",
        tol: float | str | None = None,
        beta: float = 0.0,
        init: str = "equal",
        max_samples: int | float | None = None,
        max_iter: int = 2000,
        class_weight: Any = None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.lam = lam
        self.loss_power = loss_power
        self.solver = solver
        self.mu0 = mu0
        self.rho = rho
        self.w_step = w_step
        self.tol = tol
        self.beta = beta
        self.init = init
        self.max_samples = max_samples
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError if parameters do not go together."""
        if self.tol == "paper" and self.solver != "alm":
            raise ValueError(f"tol='paper' needs solver='alm', got solver={self.solver!r}")

    def _begin(self, codes):
        self.check_parameters()
        self._sequence = root_sequence(self.random_state)
        self._disagreements: list[float] = []
        self.samples_ = np.ones((self.n_estimators, len(codes)), dtype=bool)
        if self.max_samples is None:
            return
        rng = np.random.default_rng(child(self._sequence, "samples"))
        sizes = _class_sizes(np.bincount(codes), self.max_samples)
        self.samples_[:] = False
        for member in self.samples_:
            for c, size in enumerate(sizes):
                member[rng.permutation(np.flatnonzero(codes == c))[:size]] = True

    def _solve(self, X, labels, weights):
        shared = bool(self.samples_.all())
        equal = shared and (self.solver == "exact" or (self.solver == "alm" and self.init == "equal"))
        cost = (self.lam * weights)[:, None] * (1.0 if shared else self.samples_.T)
        copies = self.n_estimators if equal else 1
        problem = Problem(X, labels, cost, self.loss_power, self.beta, copies)
        if equal and self.solver == "exact":
            solution = self._exact(problem, self.tol)
        else:
            tol = {None: ITERATIVE_TOL, "paper": PAPER_TOL}.get(self.tol, self.tol)
            run = {"exact": self._different, "alm": self._alm, "cvxpy": self._cvxpy}[self.solver]
            solution, advice = run(problem, tol, (X.shape[1], self.n_estimators // copies))
            if not solution.converged:
                self._warn(solution, advice)
        self._disagreements.append(_disagreement(X, solution))
        return solution

    def _alm(self, problem: Problem, tol: float, shape: tuple[int, int]) -> tuple[Solution, str]:
        """Return the solution of the paper's algorithm with a bound on the optimum, and the advice of a warning."""
        rng = np.random.default_rng(child(self._sequence, "start", len(self._disagreements)))
        start = np.ones(shape) if self.init == "equal" else rng.standard_normal(shape)
        printed = self.tol == "paper"
        try:
            solution = solve_alm(
                problem,
                start,
                tol,
                mu0=self.mu0,
                rho=self.rho,
                reweighting=self.w_step == "reweighting",
                rule="printed" if printed else "change",
                max_iter=self.max_iter,
            )
        except LinAlgError:
            raise ValueError("solver='alm' needs rows closer to 0; centre and scale the columns of X") from None
        if problem.cost.shape[1] == 1:  # Members are equal, so one SVM gives the optimum cheaply.
            one = replace(problem, copies=self.n_estimators)
            solution.bound = max(solution.bound, solve_primal(one).bound)
        advice = "raise max_iter"
        if solution.converged:
            change = f"{PAPER_TOL}, as printed" if printed else f"a share of {tol:g}"
            growth = f", with mu growing by {self.rho} each time" if self.rho > 1 else ""
            advice = f"the objective changed by less than {change}{growth}. solver='exact' finds the optimum"
        solution.converged &= solution.gap <= _FAR
        return solution, advice

    def _different(self, given: Problem, tol: float, shape: tuple[int, int]) -> tuple[Solution, str]:
        """Return the optimum of members on different rows, by the paper's iteration with a fixed penalty.

        The columns are centred, and divided by the number for which the mean cost becomes 1, the penalty.
        """
        centre, unit = given.X.mean(axis=0), float(given.cost.mean()) ** -0.5
        problem = replace(given, X=(given.X - centre) / unit, cost=given.cost * unit**2, beta=given.beta * unit)
        solution = solve_alm(problem, np.ones(shape), tol, rho=1.0, rule="gap", max_iter=self.max_iter)
        solution.W = solution.W / unit
        solution.b = solution.b - centre @ solution.W
        solution.scale(1 / unit**2)
        solution.converged = solution.gap <= tol
        return solution, "raise max_iter or tol"

    def _cvxpy(self, problem: Problem, tol: float, shape: tuple[int, int]) -> tuple[Solution, str]:
        """Return the solution of :func:`exrm_problem`, or W = 0 if the solver fails."""
        stated = exrm_problem(
            problem.X, problem.y, self.n_estimators, self.lam, self.loss_power, self.beta, problem.cost / self.lam
        )
        values = solve(stated, self.max_iter)
        W, b, bound, n_iter = np.zeros(shape), np.zeros(self.n_estimators), 0.0, self.max_iter
        if values is not None:
            W, b, n_iter = values["W"], values["b"][0], stated.solver_stats.num_iters
            bound = problem.bound(problem.sign * stated.constraints[0].dual_value)
        objective = problem.value(W, problem.shortfall(W, b))
        solution = Solution(W, b, objective, bound, [objective], n_iter)
        solution.converged = solution.gap <= tol
        return solution, "scale the columns, or raise max_iter or tol"

    def _keep(self, solutions):
        super()._keep(solutions)
        self.disagreement_ = float(np.mean(self._disagreements))
        del self._disagreements, self._sequence


def exrm_problem(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    C: int,
    lam: float,
    p: float = 2,
    beta: float = 0.0,
    r: ArrayLike = 1.0,
) -> Any:
    """Return the exclusivity regularised machine as a problem of cvxpy, as the paper prints it.

    The problem is equation 5, with E for ``Y - (X W + 1 b')`` as in equation 6 and with `beta` of section 5.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        -1 or 1.
    C : int
        Number of members.
    lam : float
        Weight of the loss, lambda in the paper.
    p : float, default=2
        Power of the loss, at least 1.
    beta : float, default=0.0
        Weight of the sparsity term.
    r : array-like of shape (n_rows, 1) or (n_rows, C), default=1.0
        Weight of each row's loss, for all members together or for each member.

    Returns
    -------
    cvxpy.Problem
        Its ``var_dict`` holds W, of shape (n_features, C), b, of shape (1, C), and E.

    Raises
    ------
    ModuleNotFoundError
        cvxpy is not installed.

    References
    ----------
    Guo, X., Wang, X., Ling, H. Exclusivity regularized machine: a new ensemble SVM classifier, equations 5, 6.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.linear import exrm_problem
    >>> problem = exrm_problem(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), C=2, lam=2.0)
    >>> print(f"{problem.solve(solver='CLARABEL'):.3f}")
    1.600
    """
    cp = import_cvxpy()
    Y, ones = np.repeat(y[:, None], C, axis=1), np.ones((len(y), 1))
    W, b = cp.Variable((X.shape[1], C), name="W"), cp.Variable((1, C), name="b")
    E = cp.Variable(Y.shape, name="E")
    exclusivity = cp.sum_squares(cp.norm1(W, axis=1)) / 2
    sparsity = cp.sum(cp.abs(W))
    loss = cp.sum(cp.multiply(np.broadcast_to(r, Y.shape), cp.power(cp.pos(cp.multiply(Y, E)), p, approx=False)))
    return cp.Problem(cp.Minimize(exclusivity + beta * sparsity + lam * loss), [Y - (X @ W + ones @ b) == E])


def _class_sizes(counts: NDArray[np.intp], wanted: int | float) -> NDArray[np.intp]:
    """Return the number of rows of each class in a sample: rounded shares (largest remainder), at least 1."""
    n = int(counts.sum())
    total = int(wanted) if isinstance(wanted, Integral) else max(round(wanted * n), len(counts))
    if not len(counts) <= total <= n:
        raise ValueError(f"max_samples must be from {len(counts)} (one row per class) to {n} (all rows), got {wanted}")
    quotas = total * counts / n
    sizes = np.maximum(np.floor(quotas), 1).astype(np.intp)
    while sizes.sum() != total:
        over = sizes - quotas
        if sizes.sum() < total:
            sizes[np.where(sizes < counts, over, np.inf).argmin()] += 1
        else:
            sizes[np.where(sizes > 1, over, -np.inf).argmax()] -= 1
    return sizes


def _disagreement(X: NDArray[np.float64], solution: Solution) -> float:
    """Return the share of rows on which two members disagree, mean over pairs."""
    C = solution.W.shape[1]
    if C == 1:
        return 0.0
    k = (X @ solution.W + solution.b > 0).sum(axis=1)
    return float((k * (C - k)).mean() / (C * (C - 1) / 2))
