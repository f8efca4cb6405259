"""Measure the savings of pruning, and the cost of its printed problems.

    python benchmarks/pruning.py [--pairs 5]
    python benchmarks/pruning.py --cvxpy     # docs/evidence/data/tables/pruning_cvxpy.csv

Without an option: predictions and size of an ensemble before and after pruning. With --cvxpy: QMM and LP with solver="cvxpy"
against the fast solvers, alternately, with one thread, on forests of depth 6 that vote on held-out rows.
"""

import argparse
import csv
import os
import pickle
import sys
import time
from functools import partial

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from rotastack import PrunedEnsembleClassifier
from rotastack.combine import pruning
from rotastack.trees import ForestClassifier


def rows(n, seed=0):
    return make_classification(n, 20, n_informative=8, flip_y=0.05, random_state=seed)


def pool(T, n, seed=0):
    X, y = rows(2 * n, seed)
    forest = ForestClassifier(T, max_depth=6, random_state=0).fit(X[:n], y[:n])
    return forest.forest_.votes(X[n:].astype(np.float32)), y[n:]


def printed(n_pairs):
    """Print the table of differences and times: solver="cvxpy" against the fast solvers, each pair on a new pool."""
    kinds = {
        "QMM, v = .25": (partial(pruning.QMMPruner, 0.25), "objective_"),
        "QMM, v = .5": (partial(pruning.QMMPruner, 0.5), "objective_"),
        "LP": (pruning.LPPruner, "margin_"),
    }
    print(f"# `python benchmarks/pruning.py --cvxpy`, {n_pairs} pairs")
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(
        [
            "pruner",
            "members",
            "rows",
            "largest relative difference of objectives",
            "times, cvxpy over ours",
            "members kept, ours",
            "cvxpy",
        ]
    )
    for T, n in ((50, 300), (200, 1000), (500, 2000)):
        pools = [pool(T, n, seed) for seed in range(n_pairs)]
        for name, (make, objective) in kinds.items():
            ratios, apart = [], []
            for votes, y in pools:
                start = time.perf_counter()
                theirs = make(solver="cvxpy").fit(votes, y)
                middle = time.perf_counter()
                ours = make().fit(votes, y)
                ratios.append((middle - start) / (time.perf_counter() - middle))
                apart.append(abs(getattr(theirs, objective) / getattr(ours, objective) - 1))
            kept = ours.n_selected_, theirs.n_selected_
            table.writerow(
                [name, T, n, f"{max(apart):.0e}", f"{np.median(ratios):.{int(np.median(ratios) < 10)}f}x", *kept]
            )
            sys.stdout.flush()


def what_it_saves(n_pairs):
    X, y = rows(6000)
    print(
        "\n| ensemble of 300 | pruner | kept | predictions, times faster | model file, share | error before | after |\n|---|---|---|---|---|---|---|"
    )
    for ensemble in (RandomForestClassifier(300, random_state=0), ForestClassifier(300, random_state=0)):
        fitted = ensemble.fit(X[:3000], y[:3000])
        for pruner in (pruning.MarginPruner(n_select=None), pruning.QMMPruner(), pruning.KappaPruner(0.2)):
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
                f"{share:.2f} | {errors[0]:.4f} | {errors[1]:.4f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--cvxpy", action="store_true", help="the table of cvxpy against the fast solvers alone")
    options = parser.parse_args()
    if options.cvxpy:
        printed(options.pairs)
    else:
        what_it_saves(options.pairs)


if __name__ == "__main__":
    main()
