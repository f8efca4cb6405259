"""Simulate how often the test of held-out rows finds a difference, of equal methods and of a better one.

``python benchmarks/row_tests.py`` writes three tables of docs/understand/statistics.md (some hours of one core).
Equal methods are forests of ten trees, or single trees, that differ by their seeds alone; or the same method on two
halves of exchangeable columns, so that other rows would have made either one the better.
"""

import argparse
import csv
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from rotastack.stats.influence import row_test, score_parts, unit_influences
from rotastack.stats.resampled_t import corrected_t
from rotastack.trees import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from rotastack.workflow.run.steps.score import SPANS

FOLDER = Path(__file__).resolve().parents[1] / "docs/evidence/data/tables"
ALPHA = 0.05
CLASSES = ("error", "balanced_accuracy", "roc_auc", "average_precision", "f1", "log_loss", "clipped_log_loss", "brier")
NUMBERS = ("rmse", "mae", "r2")

LEVELS: list[tuple] = [  # kind of data, rows, folds, repeats (0: that many random splits), trees
    ("noise", 60, 5, 1, 10),
    ("noise", 200, 3, 1, 10),
    ("two classes", 60, 3, 1, 10),
    ("two classes", 200, 5, 1, 10),
    ("two classes", 800, 5, 1, 10),
    ("rare class", 200, 3, 1, 10),
    ("three classes", 200, 3, 1, 10),
    ("8 groups", 200, 3, 1, 10),
    ("20 groups", 200, 5, 1, 10),
    ("classes in time", 200, 5, 1, 10),
    ("two classes", 60, 5, 4, 10),
    ("two classes", 200, 20, 0, 10),
    ("two classes", 200, 3, 1, 1),
    ("two classes", 200, 5, 1, 1),
    ("numbers", 60, 3, 1, 10),
    ("numbers", 200, 5, 1, 10),
    ("numbers with outliers", 200, 3, 1, 10),
    ("numbers in time", 60, 5, 1, 10),
    ("numbers in time", 200, 5, 1, 10),
    ("numbers in time", 800, 5, 1, 10),
    ("numbers", 200, 5, 4, 10),
    ("numbers", 200, 3, 1, 1),
]
HALVES = [  # kind of data, rows, folds, repeats, method
    *(
        (kind, n, folds, repeats, method)
        for kind in ("two classes", "numbers")
        for n, folds, repeats in ((60, 3, 1), (60, 5, 1), (200, 3, 1), (200, 5, 1), (100, 5, 4))
        for method in ("line", "tree", "neighbour")
    ),
    *(
        (kind, 200, folds, 1, method)
        for kind in ("12 groups", "numbers of 12 groups", "numbers of 20 groups")
        for folds in (3, 5)
        for method in ("line", "tree")
    ),
    *((kind, 300, folds, 1, "line") for kind in ("numbers in time", "classes in time") for folds in (2, 5)),
    *(("numbers with outliers", 200, folds, 1, method) for folds in (3, 5) for method in ("line", "tree")),
]
POWERS = [("two classes", n, folds, 1, 0) for n in (60, 200, 800) for folds in (3, 5)] + [("numbers", 200, 5, 1, 0)]


MODELS = {
    "line": lambda of_classes, trees, seed: LogisticRegression() if of_classes else LinearRegression(),
    "forest": lambda of_classes, trees, seed: (ForestClassifier if of_classes else ForestRegressor)(
        trees, random_state=seed
    ),
    "tree": lambda of_classes, trees, seed: (TreeClassifier if of_classes else TreeRegressor)(random_state=seed),
    "neighbour": lambda of_classes, trees, seed: (KNeighborsClassifier if of_classes else KNeighborsRegressor)(1),
}
"""Name -> a model for classes or numbers."""


def draw(kind: str, n: int, rng: np.random.Generator) -> tuple[NDArray, NDArray, NDArray | None]:
    """Return five columns, a target and the groups of rows of a kind of data."""
    X, noise, groups = rng.normal(size=(n, 5)), rng.normal(size=n), None
    if kind.endswith("in time"):
        for i in range(1, n):
            X[i] = 0.9 * X[i - 1] + 0.4 * X[i]
            noise[i] += 0.9 * noise[i - 1]
        y = 3 * X[:, 0] + noise
        return X, (y > np.median(y)).astype(int) if kind.startswith("classes") else y, None
    if kind.endswith("groups"):
        n_groups = int(kind.split()[-2])
        groups, centres = rng.integers(0, n_groups, n), rng.normal(size=(n_groups, 5))
        X = 0.3 * X + centres[groups]
        y = centres[groups, 0] + rng.normal(size=n_groups)[groups] + 0.5 * noise
        return X, y if kind.startswith("numbers") else (y > 0).astype(int), groups
    signal = X[:, 0] + X[:, 1]
    y = {
        "noise": lambda: rng.integers(0, 2, n),
        "two classes": lambda: (signal + noise > 0).astype(int),
        "rare class": lambda: (signal + noise > 2.2).astype(int),
        "three classes": lambda: np.digitize(signal + noise, [-1, 1]),
        "numbers": lambda: X[:, 0] + X[:, 1] ** 2 + noise,
        "numbers with outliers": lambda: signal + rng.standard_t(3, size=n),
    }[kind]()
    return X, y, groups


def divided(kind: str, y: NDArray, groups: NDArray | None, folds: int, repeats: int, seed: int) -> list[tuple]:
    """Return the training and test rows of each cell."""
    if kind.endswith("in time"):
        return list(TimeSeriesSplit(folds).split(y))
    if groups is not None and y.dtype.kind == "f":
        return list(GroupKFold(folds, shuffle=True, random_state=seed).split(y, y, groups))
    if groups is not None:
        return list(StratifiedGroupKFold(folds, shuffle=True, random_state=seed).split(y, y, groups))
    if not repeats:
        return list(StratifiedShuffleSplit(folds, test_size=0.3, random_state=seed).split(y, y))
    splitter: Any = StratifiedKFold if y.dtype.kind == "i" else KFold
    return [s for r in range(repeats) for s in splitter(folds, shuffle=True, random_state=1000 * r + seed).split(y, y)]


def halves(kind: str, n: int, rng: np.random.Generator) -> tuple[NDArray, NDArray, NDArray | None]:
    """Return four exchangeable columns, of which a method sees two, a target and the groups of rows; groups are unequal."""
    X, noise, groups = rng.normal(size=(n, 4)), rng.normal(size=n), None
    if kind.endswith("groups"):
        n_groups = int(kind.split()[-2])
        sizes = np.maximum(2, np.round(rng.dirichlet(np.full(n_groups, 2.0)) * n)).astype(int)
        groups = np.repeat(np.arange(n_groups), sizes)
        X = rng.normal(size=(n_groups, 4))[groups] + 0.5 * rng.normal(size=(len(groups), 4))
        noise = rng.normal(size=n_groups)[groups] + 0.7 * rng.normal(size=len(groups))
    elif kind.endswith("in time"):
        for i in range(1, n):
            X[i], noise[i] = 0.9 * X[i - 1] + 0.44 * X[i], 0.9 * noise[i - 1] + 0.44 * noise[i]
    elif kind.endswith("outliers"):
        noise = rng.standard_t(3, size=n)
    y = X.sum(axis=1) / 2 + noise
    return X, y if kind.startswith("numbers") else (y > 0).astype(int), groups


def score_of(score: str, y: NDArray, outputs: NDArray) -> float:
    """Return a score by its ratios, up to a constant."""
    parts = [part.slope * part.numerator.sum() / part.denominator.sum() for part in score_parts(score, y, outputs)]
    return float(np.sum(parts)) * {"rmse": 2.0, "roc_auc": 0.5}.get(score, 1.0)


def simulated(cell: tuple, seed: int) -> list[list[float]] | None:
    """Return the p-values of the test of rows and of the corrected t test by each score; None if a class is too small, or missing in training."""
    kind, n, folds, repeats, method = cell
    rng = np.random.default_rng([seed, n, folds])
    X, y, groups = (halves if isinstance(method, str) else draw)(kind, n, rng)
    of_classes = y.dtype.kind == "i"
    if of_classes and np.bincount(y).min() < 2 * folds:
        return None
    splits = divided(kind, y, groups, folds, repeats, seed)
    if any(len(np.unique(y[train])) < 2 for train, _ in splits):
        return None
    cells: list[list] = [[], []]
    for number, (train, test) in enumerate(splits):
        for k, mine in enumerate(cells):
            if isinstance(method, str):
                name, columns = method, slice(2 * k, 2 * k + 2)
            else:
                name, columns = "line" if k and not method else "forest", slice(None)
            model = MODELS[name](
                of_classes, method if isinstance(method, int) and method else 100, 1000 * seed + 2 * number + k
            )
            model.fit(X[train][:, columns], y[train])
            if of_classes:
                outputs = np.zeros((len(test), y.max() + 1))
                outputs[:, model.classes_] = model.predict_proba(X[test][:, columns])
            else:
                outputs = np.repeat(model.predict(X[test][:, columns])[:, None], 3, axis=1)
            mine.append((test, y[test], outputs))
    tested, units = np.unique(np.concatenate([test for _, test in splits])), np.zeros(len(y), dtype=int)
    if kind.endswith("in time"):
        parts = [part for _, test in splits for part in np.array_split(test, max(1, SPANS // folds))]
        units[np.concatenate(parts)] = np.repeat(np.arange(len(parts)), list(map(len, parts)))
    else:
        units[tested] = np.unique(tested if groups is None else groups[tested], return_inverse=True)[1]
    n_trained, n_tested = (sum(map(len, part)) for part in zip(*splits, strict=True))
    found = []
    for score in CLASSES if of_classes else NUMBERS:
        values = np.array([[score_of(score, *rest) for _, *rest in mine] for mine in cells])
        influences = [unit_influences(score, mine, units) for mine in cells]
        widening = n_tested / influences[0].shape[1] / len(y)
        result = row_test(
            *(u[np.unique(units[tested])] for u in influences), float(np.mean(values[0] - values[1])), widening=widening
        )
        found.append([1.0 if result is None else result.p, corrected_t(*values, 1.0, n_tested / n_trained).p])
    return found


def shares(cell: tuple, simulations: int, pool: Any) -> dict[str, Any]:
    """Return a row of a table: the share of simulations with p below ALPHA, by score."""
    kept = [found for found in pool.map(partial(simulated, cell), range(simulations), 20) if found is not None]
    below = (np.array(kept) < ALPHA).mean(axis=0)
    kind, n, folds, repeats, method = cell
    names = CLASSES if len(below) == len(CLASSES) else NUMBERS
    tests = {0: f"{folds} splits", 1: f"{folds} folds"}.get(repeats, f"{repeats} x {folds} folds")
    row = {
        "data": kind,
        "rows": n,
        "test": tests,
        "method" if isinstance(method, str) else "trees": method or "100, against a line",
    }
    row |= {score: f"{below[names.index(score), 0]:.3f}" if score in names else "" for score in (*CLASSES, *NUMBERS)}
    return row | {"corrected t, first score": f"{below[0, 1]:.3f}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    simulations = parser.parse_args().simulations
    with Pool(2) as pool:
        for name, cells in [("row_test_levels", LEVELS), ("row_test_halves", HALVES), ("row_test_powers", POWERS)]:
            rows = []
            for cell in cells:
                rows.append(shares(cell, simulations, pool))
                print(name, *rows[-1].values(), flush=True)
            with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                file.write("# `python benchmarks/row_tests.py`\n")
                writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
