"""What pruning costs, and what it saves.

    python benchmarks/pruning.py [--pairs 5]

Pools are forests of depth 6, voting on rows they were not trained on. First: QMM by PIQP against the same program stated in
cvxpy and solved by Clarabel, in turns, one thread, with the two objectives. Second: all pruners at T = 500, n = 5000. Third: a
large pool. Fourth: predictions and size of an ensemble before and after pruning. Memory is measured in a process of its own.
"""

import argparse
import os
import pickle
import resource
import subprocess
import sys
import time

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from rotastack import PrunedEnsembleClassifier
from rotastack.combine.pruning import (
    DREPPruner,
    KappaPruner,
    LPPruner,
    MarginPruner,
    MDMPruner,
    MeanDMPruner,
    OrientationPruner,
    QMMPruner,
    ReducedErrorPruner,
)
from rotastack.trees import ForestClassifier

PRUNERS = (
    MarginPruner,
    DREPPruner,
    KappaPruner,
    MDMPruner,
    MeanDMPruner,
    LPPruner,
    ReducedErrorPruner,
    OrientationPruner,
)


def rows(n):
    return make_classification(n, 20, n_informative=8, flip_y=0.05, random_state=0)


def pool(T, n):
    X, y = rows(2 * n)
    forest = ForestClassifier(T, max_depth=6, random_state=0).fit(X[:n], y[:n])
    return forest.forest_.votes(X[n:].astype(np.float32)), y[n:]


def by_cvxpy(votes, y, v):
    """State (19) for Clarabel; return the objective and the seconds, statement included."""
    import cvxpy as cp

    start = time.perf_counter()
    E = np.where(votes == y[:, None], 1.0, -1.0)
    S = np.cov(E, rowvar=False)
    alpha = np.full(E.shape[1], 1 / E.shape[1])
    asked = np.argsort((E @ alpha).round(12), kind="stable")[: int(np.ceil(v * len(y)))]
    w = cp.Variable(E.shape[1])
    problem = cp.Problem(
        cp.Minimize(cp.quad_form(w, cp.psd_wrap(S))), [E[asked] @ w >= E[asked] @ alpha, cp.sum(w) == 1, w >= 0]
    )
    problem.solve(solver=cp.CLARABEL)
    return float(w.value @ S @ w.value), time.perf_counter() - start


def against_cvxpy(n_pairs):
    print("| n | v | times faster | objective less Clarabel's | kept |\n|---|---|---|---|---|")
    for n, v in ((2000, 0.5), (5000, 0.25)):
        votes, y = pool(500, n)
        ratios = []
        for _ in range(n_pairs):
            objective, theirs = by_cvxpy(votes, y, v)
            start = time.perf_counter()
            pruner = QMMPruner(v).fit(votes, y)
            ratios.append(theirs / (time.perf_counter() - start))
        gap = pruner.objective_ - objective
        print(f"| {n} | {v} | {np.median(ratios):.1f}x | {gap:+.1e} | {pruner.n_selected_} |", flush=True)


def all_pruners():
    votes, y = pool(500, 5000)
    print("\n| pruner (T = 500, n = 5000) | seconds | kept |\n|---|---|---|")
    total = 0.0
    for kind in PRUNERS:
        start = time.perf_counter()
        pruner = kind().fit(votes, y)
        seconds = time.perf_counter() - start
        total += seconds
        print(f"| {kind.__name__} | {seconds:.2f} | {pruner.n_selected_} |")
    print(f"| all of these | {total:.2f} | |", flush=True)


def large():
    votes, y = pool(2000, 10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for v in (0.25, 0.5):
        start = time.perf_counter()
        pruner = QMMPruner(v).fit(votes, y)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"QMM, T = 2000, n = 10,000, v = {v}: {time.perf_counter() - start:.0f} s, {pruner.n_selected_} kept, "
            f"{pruner.status_}; peak of the process {peak:.0f} MB ({before:.0f} before)", flush=True,
        )  # fmt: skip


def what_it_saves(n_pairs):
    X, y = rows(6000)
    print(
        "\n| ensemble of 300 | pruner | kept | predictions, times faster | model file, share | error before | after |\n|---|---|---|---|---|---|---|"
    )
    for ensemble in (RandomForestClassifier(300, random_state=0), ForestClassifier(300, random_state=0)):
        fitted = ensemble.fit(X[:3000], y[:3000])
        for pruner in (MarginPruner(), QMMPruner(), KappaPruner()):
            pruned = PrunedEnsembleClassifier(FrozenEstimator(fitted), pruner, "oob").fit(X[:3000], y[:3000])
            ratios = []
            for _ in range(n_pairs):
                start = time.perf_counter()
                before = fitted.predict(X[3000:])
                middle = time.perf_counter()
                after = pruned.predict(X[3000:])
                ratios.append((middle - start) / (time.perf_counter() - middle))
            share = len(pickle.dumps(pruned.voters_)) / len(pickle.dumps(fitted))
            errors = [np.mean(said != y[3000:]) for said in (before, after)]
            name = f"{type(ensemble).__module__.split('.')[0]} {type(ensemble).__name__}"
            print(
                f"| {name} | {type(pruner).__name__} | {len(pruned.selected_)} | {np.median(ratios):.1f}x | "
                f"{share:.2f} | {errors[0]:.4f} | {errors[1]:.4f} |", flush=True,
            )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--large", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.large:
        large()
        return
    against_cvxpy(options.pairs)
    all_pruners()
    print(flush=True)
    subprocess.run([sys.executable, __file__, "--large"], check=True)
    what_it_saves(options.pairs)


if __name__ == "__main__":
    main()
