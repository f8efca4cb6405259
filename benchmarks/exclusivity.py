"""Measure the cost of the exclusivity regularised machine.

    python benchmarks/exclusivity.py [--pairs 5]
    python benchmarks/exclusivity.py --cvxpy     # docs/evidence/data/tables/exrm_cvxpy.csv
    python benchmarks/exclusivity.py --theorem   # exrm_theorem.csv and exrm_stopping.csv, which have no times

Without an option: the exact solver (C = 10 members, one SVM) against one fit of LinearSVC, alternately, for many values of the
SVM's C. Both fit an intercept (LinearSVC penalises the intercept, ours does not), and end within 1e-6 of the optimum: LinearSVC
by the largest sufficient tolerance, ours by its duality gap. One thread. With --cvxpy: solver="cvxpy" against the fast solvers,
alternately, each pair on new rows.
"""

import argparse
import csv
import os
import sys
import time
import warnings
from functools import partial
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import minmax_scale
from sklearn.svm import LinearSVC

from rotastack import DiversityRegularizedClassifier, ExclusivityRegularizedClassifier, PrimalSVMClassifier
from rotastack.base.convex import solve
from rotastack.linear import exrm_problem

N_ROWS, N_FEATURES, N_MEMBERS = 5000, 60, 10
TABLE_FEATURES = 20
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)


def rows(n, d=N_FEATURES, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d))
    return X, (X @ rng.standard_normal(d) + 2 * rng.standard_normal(n) > 0).astype(int)


def seconds(fit):
    start = time.perf_counter()
    fitted = fit()
    return time.perf_counter() - start, fitted


def svc_objective(fitted, X, y, lam, power):
    """Return the objective of LinearSVC, which penalises the intercept."""
    w, b = fitted.coef_[0], fitted.intercept_[0]
    short = np.maximum(1 - (2 * y - 1) * (X @ w + b), 0)
    return (w @ w + b * b) / 2 + lam * (short**power).sum()


def svc_optimum(X, y, lam, power):
    """Return the minimum of this objective, from a dual program in cvxpy."""
    import cvxpy as cp

    A = (2 * y - 1)[:, None] * np.column_stack([X, np.ones(len(X))])
    w = cp.Variable(A.shape[1])
    loss = cp.sum(cp.pos(1 - A @ w)) if power == 1 else cp.sum_squares(cp.pos(1 - A @ w))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + lam * loss))
    return problem.solve(solver=cp.CLARABEL, tol_gap_rel=1e-10, tol_gap_abs=1e-10, tol_feas=1e-10)


def against_linear_svc(n_pairs):
    X, y = rows(N_ROWS)
    print("| loss | C of the SVM | LinearSVC: tol, seconds over ours | its gap | our gap |\n|---|---|---|---|---|")
    for power, loss in ((2, "squared_hinge"), (1, "hinge")):
        for lam in (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0):
            best = svc_optimum(X, y, lam, power)

            def theirs(tol, loss=loss, lam=lam, dual=power == 1):
                return LinearSVC(loss=loss, C=lam, tol=tol, dual=dual, max_iter=20000, random_state=0).fit(X, y)

            def ours(power=power, lam=lam):
                return ExclusivityRegularizedClassifier(N_MEMBERS, N_MEMBERS * lam, loss_power=power, tol=1e-6).fit(
                    X, y
                )

            for tol in TOLERANCES:
                gap = svc_objective(theirs(tol), X, y, lam, power) / best - 1
                if gap <= 1e-6:
                    break
            ratios = []
            for _ in range(n_pairs):
                mine, model = seconds(ours)
                ratios.append(seconds(lambda tol=tol, theirs=theirs: theirs(tol))[0] / mine)
            print(
                f"| {loss} | {lam:g} | {tol:g}, {np.median(ratios):.2f} | {gap:.1e} | {model.duality_gap_:.0e} |",
                flush=True,
            )


def printed(n_pairs):
    """Print the table of differences and times."""
    drm = partial(DiversityRegularizedClassifier, N_MEMBERS, 1.2)
    exrm = partial(ExclusivityRegularizedClassifier, N_MEMBERS, 2.0)
    halves = {"loss_power": 2, "max_samples": 0.5, "random_state": 0}
    kinds = {
        "ExRM, p = 1": (partial(exrm, loss_power=1), {}),
        "ExRM, p = 2": (partial(exrm, loss_power=2), {}),
        "ExRM, p = 2, half of the rows for each member": (partial(exrm, **halves), {"tol": 1e-8}),
        "DRM": (drm, {"tol": 1e-7}),
    }
    print(
        f"# `python benchmarks/exclusivity.py --cvxpy`, {N_MEMBERS} members, {TABLE_FEATURES} columns, {n_pairs} pairs"
    )
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["machine", "rows", "largest relative difference of objectives", "times, cvxpy over ours"])
    for name, (make, options) in kinds.items():
        for n in (100, 300, 1000):
            ratios, apart = [], []
            for seed in range(n_pairs):
                X, y = rows(n, TABLE_FEATURES, seed)
                slow, theirs = seconds(lambda make=make, X=X, y=y: make(solver="cvxpy").fit(X, y))
                fast, ours = seconds(lambda make=make, options=options, X=X, y=y: make(**options).fit(X, y))
                ratios.append(slow / fast)
                apart.append(abs(theirs.objective_ / ours.objective_ - 1))
            table.writerow([name, n, f"{max(apart):.0e}", f"{np.median(ratios):.{int(np.median(ratios) < 10)}f}x"])
            sys.stdout.flush()


def theorem():
    """Write how far the printed problem's optimum by Clarabel is from the SVM, on every second row of breast cancer."""
    X, y = load_breast_cancer(return_X_y=True)
    X, signs = minmax_scale(X, (-1, 1))[::2], 2.0 * y[::2] - 1
    lines = []
    for p in (1, 2):
        for C in (2, 5, 10):
            problem = exrm_problem(X, signs, C, 2.0, p)
            W = solve(problem)["W"]
            svm = PrimalSVMClassifier(2.0 / C, loss_power=p).fit(X, signs)
            over = C**2 * svm.objective_ / problem.value - 1
            mean, columns = abs(W.mean(axis=1) - svm.coef_[0]).max(), np.ptp(W, axis=1).max()
            lines.append([p, C, f"{over:+.0e}", f"{mean:.0e}", f"{columns:.0e}"])
    head = [
        "p",
        "C",
        "objective: C^2 x SVM over (5), minus 1",
        "mean column, largest difference",
        "columns of Clarabel's W differ by",
    ]
    _write(
        "exrm_theorem",
        "cvxpy with Clarabel against `PrimalSVMClassifier`, every second row of breast cancer, lambda = 2",
        [head, *lines],
    )


def stopping():
    """Write how far the printed algorithm ends above the optimum, and after how many iterations, by its settings."""
    settings = {
        "as printed, tol 0.05": {"tol": "paper"},
        "tol 1e-6": {"tol": 1e-6},
        "mu from .01": {"tol": 1e-6, "mu0": 0.01},
        "rho = 1": {"tol": 1e-6, "rho": 1.0},
        "random start": {"tol": 1e-6, "init": "random", "random_state": 0},
    }
    wine, kinds = load_wine(return_X_y=True)
    tables = {
        "breast cancer": load_breast_cancer(return_X_y=True),
        "wine, class 0 against the rest": (wine, kinds == 0),
    }
    lines = []
    for name, (X, y) in tables.items():
        X = minmax_scale(X, (-1, 1))
        for p in (1, 2):
            best = ExclusivityRegularizedClassifier(10, 2.0, loss_power=p).fit(X, y).objective_
            ended = [
                ExclusivityRegularizedClassifier(10, 2.0, loss_power=p, solver="alm", **options).fit(X, y)
                for options in settings.values()
            ]
            lines.append([name, p, *(f"{100 * (m.objective_ / best - 1):.2g} % ({m.n_iter_})" for m in ended)])
    about = '`ExclusivityRegularizedClassifier(10, lam=2.0, solver="alm")` with the settings that the columns name, against `solver="exact"`'
    _write("exrm_stopping", about, [["C = 10, lambda = 2", "p", *settings], *lines])


def _write(name, about, lines):
    with (Path(__file__).parents[1] / f"docs/evidence/data/tables/{name}.csv").open("w", newline="") as file:
        file.write(f"# `python benchmarks/exclusivity.py --theorem`: {about}\n")
        csv.writer(file, lineterminator="\n").writerows(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--cvxpy", action="store_true", help="the table of cvxpy against the fast solvers alone")
    parser.add_argument("--theorem", action="store_true", help="the tables of the theorem and of early stopping alone")
    options = parser.parse_args()
    n_pairs = options.pairs
    if options.theorem:
        theorem()
        stopping()
        return
    if options.cvxpy:
        printed(n_pairs)
        return
    warnings.simplefilter("ignore", ConvergenceWarning)
    against_linear_svc(n_pairs)


if __name__ == "__main__":
    main()
