"""Print the recall of a rare class by its weight, for our forests and scikit-learn's.

    python benchmarks/weights.py [TREES] [TABLES]

Tables have 1,000 training rows, one in twenty of the rare class, with noise; recall is on 3,000 further rows. Forests with bags
find more rows of a class with a larger weight. Extremely randomised trees on all rows, grown to purity, do not: weights move
their cuts, and separate the light class in large pieces.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import sys

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, recall_score

from rotastack import (
    MultiRotationForestClassifier,
    RandomRotationForestClassifier,
    RotastackClassifier,
    RotationForestClassifier,
)
from rotastack.trees import ExtraForestClassifier, ForestClassifier

WEIGHTS = (0.1, 1, 3, 10, 30, 100, 1000)
TRAIN = 1000


def methods(n: int) -> dict:
    """Return the methods by name, of n trees each."""
    return {
        "sklearn RF": RandomForestClassifier(n),
        "ForestClassifier": ForestClassifier(n),
        "sklearn ET": ExtraTreesClassifier(n),
        "ExtraForest": ExtraForestClassifier(n),
        "sklearn ET, bootstrap": ExtraTreesClassifier(n, bootstrap=True),
        "ExtraForest, bootstrap": ExtraForestClassifier(n, bootstrap=True),
        "RandomRotationForest": RandomRotationForestClassifier(n),
        "  of extra trees": RandomRotationForestClassifier(n, tree="extra"),
        "MultiRotationForest": MultiRotationForestClassifier(5, n),
        "RotationForest": RotationForestClassifier(n),
        "  with bootstrap": RotationForestClassifier(n, bootstrap=True),
        "Rotastack": RotastackClassifier(n),
    }


def table(seed: int) -> tuple:
    """Return training rows and classes, then test rows and classes."""
    X, y = make_classification(
        4 * TRAIN, 10, n_informative=5, weights=[0.95], flip_y=0.02, class_sep=0.8, random_state=seed
    )
    return X[:TRAIN], y[:TRAIN], X[TRAIN:], y[TRAIN:]


def main(n_trees: int = 100, n_tables: int = 4) -> None:
    tables = [table(seed) for seed in range(n_tables)]
    print("recall / balanced accuracy by the weight of the rare class")
    print(" " * 24 + "".join(f"{weight:>12g}" for weight in WEIGHTS))
    for name, method in methods(n_trees).items():
        cells = []
        for weight in WEIGHTS:
            scores = []
            for seed, (X, y, X_new, y_new) in enumerate(tables):
                method.set_params(class_weight={0: 1, 1: weight}, random_state=seed)
                found = method.fit(X, y).predict(X_new)
                scores.append([recall_score(y_new, found), balanced_accuracy_score(y_new, found)])
            recall, balanced = np.mean(scores, axis=0)
            cells.append(f"{recall:6.2f} /{balanced:4.2f}")
        print(f"{name:<24}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
