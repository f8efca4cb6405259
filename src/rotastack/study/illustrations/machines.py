"""Illustrations of linear machines: how solvers converge, and how long they take."""

import time
import warnings
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning

from rotastack.ensembles.adaboost import AdaBoostM1Classifier
from rotastack.learners.base_trees import base_tree_of
from rotastack.linear.diversity import DiversityRegularizedClassifier
from rotastack.linear.exclusivity import ExclusivityRegularizedClassifier
from rotastack.linear.primal_svm import PrimalSVMClassifier
from rotastack.plots.curves import Curve, plot_curves
from rotastack.plots.dots import plot_dots
from rotastack.seeds import child
from rotastack.trees.forest import ForestClassifier

__all__ = ["DRAW"]

MEMBERS = (5, 10, 30)
LAM = 2.0
ROWS, ITERATIONS = 5000, 100  # of the figure of convergence
SIZES = (100, 1000, 10_000, 100_000)  # rows of the figure of seconds
TRAINING = 150
WIDTHS = (24, 8, 14, 60, 60, 6, 13, 34)  # columns of the eight data sets
PRINTED = {
    "L1-ExRM10": 0.0568, "L2-ExRM10": 0.0575, "AdaTree10": 0.1758, "BagTree10": 0.3019, "DRM10": 16.86,
    "L1-ExRM30": 0.1358, "L2-ExRM30": 0.1091, "AdaTree30": 0.2841, "BagTree30": 0.2512, "DRM30": 59.38,
}  # fmt: skip
COLUMNS = 22  # as many as ijcnn1 has, on which the source's figure is drawn


def _problem(n: int, rng: np.random.Generator, columns: int = COLUMNS) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in [-1, 1], and labels that a linear rule gets right but for about a tenth."""
    X = rng.uniform(-1, 1, (n, columns))
    score = X @ np.cos(np.arange(columns))
    return X, (score + 0.6 * rng.standard_normal(n) > 0.5).astype(int)


def _fitted(machine: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """Train; that the penalty's growth may stop it short of the optimum is what the figures show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(X, y)


def _convergence(sequence: np.random.SeedSequence) -> Figure:
    """Figure 1, third picture, of the ExRM paper: the objective by iteration, from 1 to 0 at the optimum."""
    X, y = _problem(ROWS, np.random.default_rng(sequence))
    panels: dict[str, dict[str, Curve]] = {}
    for p in (1, 2):
        curves: dict[str, Curve] = {}
        for members in MEMBERS:
            printed = ExclusivityRegularizedClassifier(
                members, LAM, loss_power=p, solver="alm", tol=1e-12, max_iter=ITERATIONS
            )
            exact = ExclusivityRegularizedClassifier(members, LAM, loss_power=p)
            path = np.asarray(_fitted(printed, X, y).objective_path_)
            optimum = _fitted(exact, X, y).objective_
            curves[f"ExRM {members}"] = (np.arange(1, len(path) + 1), (path - optimum) / (path[0] - optimum))
        panels[f"loss of power {p}"] = {**curves, "exact optimum": 0.0}
    return plot_curves(panels, "iteration", "objective, normalised")


def _seconds(sequence: np.random.SeedSequence) -> Figure:
    """Figure 1, fourth picture: seconds of training against rows; not the same twice."""
    machines: dict[str, Any] = {"PSVM": PrimalSVMClassifier(LAM)}
    for members in MEMBERS:
        machines[f"ExRM {members}, exact"] = ExclusivityRegularizedClassifier(members, LAM)
    for members in MEMBERS:
        machines[f"ExRM {members}, ALM"] = ExclusivityRegularizedClassifier(
            members, LAM, solver="alm", init="random", random_state=0
        )
    X, y = _problem(max(SIZES), np.random.default_rng(sequence))
    curves: dict[str, Curve] = {}
    for label, machine in machines.items():
        taken = []
        for n in SIZES:
            runs = []
            for _ in range(3 if n <= 10_000 else 1):
                start = time.perf_counter()
                _fitted(machine, X[:n], y[:n])
                runs.append(time.perf_counter() - start)
            taken.append(min(runs))
        curves[label] = (SIZES, taken)
    return plot_curves({"": curves}, "training rows", "seconds", log=["x", "y"])


def _table_2(sequence: np.random.SeedSequence) -> Figure:
    """Table 2: seconds of a training on 150 rows, mean over problems as wide as the eight data sets."""
    taken = dict.fromkeys(PRINTED, 0.0)
    for k, columns in enumerate(WIDTHS):
        X, y = _problem(TRAINING, np.random.default_rng(child(sequence, k)), columns)
        for label, machine in _table_2_machines().items():
            _fitted(machine, X, y)  # the first one compiles
            start = time.perf_counter()
            _fitted(machine, X, y)
            taken[label] += (time.perf_counter() - start) / len(WIDTHS)
    kinds = {"here": list(taken.values()), "printed (another machine)": list(PRINTED.values())}
    return plot_dots(list(taken), kinds, "seconds of training", log=True)


def _table_2_machines() -> dict[str, Any]:
    machines: dict[str, Any] = {}
    for members in (10, 30):
        for p in (1, 2):
            machines[f"L{p}-ExRM{members}"] = ExclusivityRegularizedClassifier(
                members, LAM, loss_power=p, solver="alm", tol="paper"
            )
        machines[f"AdaTree{members}"] = AdaBoostM1Classifier(members, base_tree_of("cart"))
        machines[f"BagTree{members}"] = ForestClassifier(members, max_features=None, random_state=0)
        machines[f"DRM{members}"] = DiversityRegularizedClassifier(members, 1.1)
    return machines


DRAW = {"exrm_convergence": _convergence, "exrm_seconds": _seconds, "exrm_table_2": _table_2}
