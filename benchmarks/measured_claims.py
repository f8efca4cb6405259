"""Measure what claims of the papers need beside studies: docs/evidence/data/papers/measured_*.csv.

    DATA_MIRROR=FOLDER python benchmarks/measured_claims.py [exrm] [growth] [limits] [patience] [ranks] [square]

- exrm: the printed algorithm of the exclusivity regularised machine (ExRM) on 150 generated rows with the numbers of columns of
  the source's data sets, and on breast cancer and wine (class 0 against the rest), scaled to [-1, 1]. Distance of its objective from the optimum at a change below 1e-6, as a share; seconds of the
  diversity regularised machine (DRM) over its seconds, where it ends as printed. The processor's, the least of three.
- growth: its seconds by numbers of rows (22 columns, random starts, so that all members are computed), and the slope of
  their logarithms.
- limits: members that QMM keeps of 500 trees of AdaBoost by the limit of pruning, a share of the impurity of two equal
  classes, and AdaBoost's errors; means of five splits. The trees have nodes of 20 rows and leaves of 7, without a limit
  (0) any.
- patience: members that DREP keeps of 500 trees of depth 2 of AdaBoost, pruned as those of study qmm, by the number of
  additions in vain at which it stops; mean, least and most of ten splits.
- ranks: of 100 rotations, the identity among them: Spearman's correlation of the ranks of complexity by 10 or 20 trees with
  those by 200 other trees, on 70 % of the rows and at most 1000, where trees try one column a split; and the
  correlation of ranks by two halves of the 200. The data sets of the thesis's chapter 2, and its problems of figure 2.2.
- square: errors of AdaBoost and random forests and of QMM on them, on 1000 rows cut by the diagonal, 20 of them with
  the wrong label; 20 draws.
"""

import os
import sys

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import minmax_scale

from rotastack import (
    AdaBoostM1Classifier,
    DiversityRegularizedClassifier,
    ExclusivityRegularizedClassifier,
    PrunedEnsembleClassifier,
)
from rotastack.combine.pruning import DREPPruner, QMMPruner
from rotastack.data import load_dataset
from rotastack.diagnostics import tree_complexity
from rotastack.resampling.holdout import repeated_holdout
from rotastack.trees import ForestClassifier, TreeClassifier
from rotastack.views import MinMaxScaler01, RandomRotation

OUT = Path(__file__).resolve().parents[1] / "docs/evidence/data/papers"
COLUMNS = {
    "german": 24,
    "pima": 8,
    "australian": 14,
    "sonar": 60,
    "splice": 60,
    "liver": 6,
    "heart": 13,
    "ionosphere": 34,
}
SIZES = (2000, 4000, 8000, 16_000)
WEIGHTED = ("breast-w", "ecoli", "glass", "ionosphere", "iris", "liver", "waveform-21", "wine")
LINES = {"a": lambda x: x, "b": lambda x: 0.5 + np.maximum(x - 0.75, 0), "c": lambda x: 0.5 + np.maximum(x - 0.5, 0)}
"""Borders of the thesis's problems in two dimensions."""
N_ROTATIONS, N_TREES, FEW, MOST_ROWS = 100, 200, (10, 20), 1000


def linear_rows(n_rows: int, n_columns: int, seed: int) -> tuple:
    """Return rows, and classes by a noisy linear rule."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, n_columns))
    return X, (X @ rng.standard_normal(n_columns) + 2 * rng.standard_normal(n_rows) > 0).astype(int)


def seconds(machine, X, y) -> float:
    """Return the processor seconds of a training, the least of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        machine.fit(X, y)
        found.append(time.process_time() - start)
    return min(found)


def exrm() -> list[dict]:
    """Return the distance from the optimum and the seconds of DRM over those of ExRM: a row for each size and machine."""
    rows = []
    problems = {f"columns of {name}": linear_rows(150, n, seed) for seed, (name, n) in enumerate(COLUMNS.items())}
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        problems[name] = minmax_scale(X, (-1, 1)), (y > 0).astype(int)
    for name, (X, y) in problems.items():
        for n_members in (10, 30):
            drm = seconds(DiversityRegularizedClassifier(n_members, 1.1), X, y)
            for p in (1, 2):
                options = {"lam": 2.0, "loss_power": p}
                best = ExclusivityRegularizedClassifier(n_members, **options).fit(X, y).objective_
                alm = ExclusivityRegularizedClassifier(n_members, solver="alm", tol=1e-6, **options).fit(X, y)
                printed = ExclusivityRegularizedClassifier(
                    n_members, solver="alm", tol="paper", init="random", random_state=0, **options
                )
                ratio = drm / seconds(printed, X, y)
                rows.append(
                    {"rows": name, "members": n_members, "p": p, "gap": alm.objective_ / best - 1, "drm": ratio}
                )
    return rows


def growth() -> list[dict]:
    """Return the seconds of the printed algorithm by rows, and the slope of their logarithms."""
    rows = []
    X, y = linear_rows(max(SIZES), 22, 0)
    for p in (1, 2):
        for n_members in (5, 10, 30):
            machine = ExclusivityRegularizedClassifier(
                n_members, 2.0, loss_power=p, solver="alm", tol="paper", init="random", random_state=0
            )
            taken = [seconds(machine, X[:n], y[:n]) for n in SIZES]
            slope = np.polyfit(np.log(SIZES), np.log(taken), 1)[0]
            rows.append(
                {"p": p, "members": n_members, **dict(zip(map(str, SIZES), taken, strict=True)), "slope": slope}
            )
    return rows


def splits_of(dataset: str, n_splits: int) -> Iterator[tuple]:
    """Yield scaled training rows, their classes, scaled test rows and their classes, of 70 % and 30 % of the rows."""
    table, labels = load_dataset(dataset)
    X, y = table.to_numpy(float), labels.to_numpy()
    for test in repeated_holdout(y, n_splits, 0.7, 20220110):
        scaler = MinMaxScaler01().fit(X[~test])
        yield scaler.transform(X[~test]), y[~test], scaler.transform(X[test]), y[test]


def limits() -> list[dict]:
    """Return the members that QMM keeps of AdaBoost, and AdaBoost's errors, by the limit of pruning."""
    rows = []
    for dataset in ("australian", "banana", "pima"):
        for depth in (1, 2):
            for limit in (0, 0.002, 0.005, 0.0075, 0.01, 0.02):
                pruned = {"min_samples_split": 20, "min_samples_leaf": 7, "ccp_alpha": limit / 2} if limit else {}
                members, errors = [], []
                for seed, (X, y, X_test, y_test) in enumerate(splits_of(dataset, 5)):
                    tree = TreeClassifier(max_depth=depth, **pruned)
                    boosted = FrozenEstimator(
                        AdaBoostM1Classifier(500, tree, restart=True, random_state=seed).fit(X, y)
                    )
                    qmm = PrunedEnsembleClassifier(boosted, QMMPruner(), selection="train").fit(X, y)
                    members.append(len(qmm.selected_))
                    errors.append(np.mean(boosted.predict(X_test) != y_test))
                found = {"members": np.mean(members), "error": np.mean(errors)}
                rows.append({"dataset": dataset, "depth": depth, "limit": limit, **found})
    return rows


def patience() -> list[dict]:
    """Return the members that DREP keeps of AdaBoost, by the number of additions in vain at which it stops."""
    rows, tree = [], TreeClassifier(max_depth=2, min_samples_split=20, min_samples_leaf=7, ccp_alpha=0.005)
    for dataset in ("australian", "banana", "pima"):
        sizes: dict[int, list[int]] = {stop: [] for stop in (1, 2, 5, 20, 100)}
        for seed, (X, y, _, _) in enumerate(splits_of(dataset, 10)):
            boosted = FrozenEstimator(AdaBoostM1Classifier(500, tree, restart=True, random_state=seed).fit(X, y))
            for stop, found in sizes.items():
                drep = PrunedEnsembleClassifier(boosted, DREPPruner(patience=stop), selection="train").fit(X, y)
                found.append(len(drep.selected_))
        for stop, found in sizes.items():
            rows.append(
                {"dataset": dataset, "stop": stop, "mean": np.mean(found), "least": min(found), "most": max(found)}
            )
    return rows


def ranks() -> list[dict]:
    """Return correlations of ranks by few trees with those by many: a row for each data set."""
    rows, rng = [], np.random.default_rng(0)
    points = rng.random((MOST_ROWS, 2))
    problems = {f"figure 2.2 {name}": (points, points[:, 1] > line(points[:, 0])) for name, line in LINES.items()}
    for name in WEIGHTED:
        table, labels = load_dataset(name)
        X = MinMaxScaler01().fit_transform(table.to_numpy(float))
        train = rng.permutation(len(X))[: min(MOST_ROWS, round(0.7 * len(X)))]
        problems[name] = X[train], labels.to_numpy()[train]
    for name, (X, y) in problems.items():
        nodes = []
        for k in range(N_ROTATIONS):
            turned = RandomRotation(random_state=k).fit_transform(X) if k else X
            forest = ForestClassifier(max(FEW) + N_TREES, max_features=1, constant_leaf=True, random_state=k)
            nodes.append(tree_complexity(forest.fit(turned, y))["n_nodes"])
        many = np.median([found[max(FEW) :] for found in nodes], axis=1)
        few = {str(n): spearmanr(np.median([found[:n] for found in nodes], axis=1), many).statistic for n in FEW}
        halves = [np.median([found[max(FEW) :][half::2] for found in nodes], axis=1) for half in (0, 1)]
        rows.append({"dataset": name, **few, "halves": spearmanr(*halves).statistic})
        print(rows[-1], flush=True)
    return rows


def square() -> list[dict]:
    """Return errors on the square with wrong labels: a row for each draw."""
    rows = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, X_test = rng.random((1000, 2)), rng.random((1000, 2))
        y, y_test = ((points.sum(axis=1) > 1).astype(int) for points in (X, X_test))
        y[rng.choice(np.flatnonzero(y == 0), 20, replace=False)] = 1
        tree = TreeClassifier(min_samples_split=20, min_samples_leaf=7, ccp_alpha=0.005)
        row = {"draw": seed}
        for name, ensemble, v in (
            ("AdaBoost", AdaBoostM1Classifier(500, tree, random_state=seed), 0.5),
            ("RF", ForestClassifier(500, random_state=seed), 0.25),
        ):
            ensemble.fit(X, y)
            pruned = PrunedEnsembleClassifier(FrozenEstimator(ensemble), QMMPruner(v), selection="train").fit(X, y)
            row[name] = np.mean(ensemble.predict(X_test) != y_test)
            row[f"QMM {name}"] = np.mean(pruned.predict(X_test) != y_test)
        rows.append(row)
        print(row, flush=True)
    return rows


MEASURES = {"exrm": exrm, "growth": growth, "limits": limits, "patience": patience, "ranks": ranks, "square": square}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    for name in sys.argv[1:] or MEASURES:
        found = pd.DataFrame(MEASURES[name]())
        found.to_csv(OUT / f"measured_{name}.csv", index=False, float_format="%.4g", lineterminator="\n")
        print(found.to_string())
