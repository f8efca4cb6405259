"""The optimisation problem of all solvers, its objective, and a lower bound."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass
class Problem:
    """Problem of minimising an objective over W (M, k) and b (k,); each column stands for `copies` equal members.

    The objective is sum_i (s_i^2 / 2 + beta s_i) + copies sum_nc cost_nc max(u_nc, 0)^p,

    where s_i = copies sum_c |W_ic| and u = 1 - A W - y b is the shortfall of the margins.
    This is equation 5 of the ExRM paper, with beta of its section 5. The labels y are -1 or 1. The cost, of shape
    (n_rows, 1) for all members or (n_rows, k), is lambda times the weight of the row.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    cost: NDArray[np.float64]
    power: float = 2.0
    beta: float = 0.0
    copies: int = 1

    @cached_property
    def A(self) -> NDArray[np.float64]:  # noqa: N802
        """Rows times their labels."""
        return self.sign * self.X

    @cached_property
    def sign(self) -> NDArray[np.float64]:
        """The labels as an array of one column."""
        return self.y[:, None]

    def shortfall(self, W: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 - margin, shape (n_rows, k)."""
        return 1 - self.A @ W - self.sign * b

    def value(self, W: NDArray[np.float64], shortfall: NDArray[np.float64]) -> float:
        """Return the objective."""
        s = self.copies * np.abs(W).sum(axis=1)
        u = np.maximum(shortfall, 0)
        loss = u if self.power == 1 else u * u if self.power == 2 else u**self.power
        shared = self.cost.shape[1] == 1
        total = (self.cost[:, 0] @ loss).sum() if shared else np.vdot(self.cost, loss)
        return float(s @ s / 2 + self.beta * s.sum()) + self.copies * float(total)

    def bound(self, alpha: NDArray[np.float64]) -> float:
        """Return the value of the dual problem, a lower bound of the objective of any W and b.

        The numbers `alpha`, of shape (n_rows, k), are first made feasible: not negative, at most the cost if p = 1, and
        of equal sum in both classes, as the intercept is not penalised. If all members have the same rows, the numbers
        are averaged over members, which can only raise the bound.
        """
        n_columns = alpha.shape[1]
        if self.cost.shape[1] == 1:
            alpha = alpha.mean(axis=1, keepdims=True)
        alpha = np.clip(alpha, 0, self.cost if self.power == 1 else np.where(self.cost > 0, np.inf, 0.0))
        positive = self.y > 0
        sums = np.stack([alpha[~positive].sum(axis=0), alpha[positive].sum(axis=0)])
        with np.errstate(divide="ignore", invalid="ignore"):
            shrink = np.where(sums > 0, sums.min(axis=0) / sums, 0.0)
        alpha = alpha * shrink[positive.astype(np.intp)]
        largest = np.abs(self.A.T @ alpha).max(axis=1, initial=0.0)
        beyond = np.maximum(largest - self.beta, 0)
        gains = alpha - _hinge_conjugate(alpha, self.cost, self.power)
        members = self.copies * n_columns / alpha.shape[1]
        return max(members * float(gains.sum()) - float(beyond @ beyond) / 2, 0.0)


def _hinge_conjugate(slope: NDArray[np.float64], cost: NDArray[np.float64], power: float):
    """Return max over u of ``slope * u - cost * max(u, 0)^p`` for slopes >= 0 (and slopes <= cost if p = 1)."""
    if power == 1:
        return np.zeros(1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = (power - 1) * cost * (slope / (cost * power)) ** (power / (power - 1))
    return np.where(cost > 0, value, np.where(slope > 0, np.inf, 0.0))


@dataclass
class Solution:
    """Result of a solver: W (n_features, k), b (k,), the objective and a lower bound of the optimum.

    `path` holds the objective after each iteration, and `attributes` the values of further fitted attributes. The gap is
    divided by `unit`, or with None by the objective.
    """

    W: NDArray[np.float64]
    b: NDArray[np.float64]
    objective: float
    bound: float
    path: list[float] = field(default_factory=list)
    n_iter: int = 0
    converged: bool = True
    unit: float | None = None
    attributes: dict[str, float] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """Largest possible distance of the objective from the optimum, relative to the objective or to the unit."""
        return relative_gap(self.objective, self.bound, self.unit)

    def scale(self, factor: float) -> None:
        """Multiply objective, bound, path and unit by `factor`."""
        self.objective *= factor
        self.bound *= factor
        self.path = [value * factor for value in self.path]
        self.unit = None if self.unit is None else self.unit * factor


def relative_gap(objective: float, bound: float, unit: float | None = None) -> float:
    """Return (objective - bound) / unit; by default the unit is the objective."""
    if objective <= bound:
        return 0.0
    unit = objective if unit is None else unit
    return (objective - bound) / unit if unit > 0 else float("inf")
