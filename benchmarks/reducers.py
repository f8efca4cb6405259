"""Accuracy of one nearest neighbour on other packages' reducers, alone and as ensembles of ten members.

    python benchmarks/reducers.py      # docs/evidence/data/tables/reducers.csv

10-fold cross-validation, 100 landmarks, half of the columns and at most ten coordinates. The accuracy of one member is the mean
over the members of the ensembles.
"""

import csv
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import loguniform
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.manifold import Isomap, LocallyLinearEmbedding
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from rotastack import PooledEnsembleClassifier
from rotastack.views import MinMaxScaler01, RandomizedView, RandomProjection

FILE = Path(__file__).parents[1] / "docs/evidence/data/tables/reducers.csv"
FOLDS, LANDMARKS = StratifiedKFold(10), 100


def tables():
    """Yield names, rows and classes."""
    yield "wine", *load_wine(return_X_y=True)
    yield "breast cancer", *load_breast_cancer(return_X_y=True)
    X, y = load_digits(return_X_y=True)
    yield "digits, 600 rows", X[:600], y[:600]


def views(n_columns: int) -> dict:
    """Return the views by name."""
    q = min((n_columns + 1) // 2, 10)
    return {
        "sparse projection": RandomProjection(n_components=q, kind="sparse"),
        "Isomap": RandomizedView(
            Isomap(n_components=q, eigen_solver="dense"), {"n_neighbors": range(5, 30)}, LANDMARKS
        ),
        "LLE": RandomizedView(
            LocallyLinearEmbedding(n_components=q, eigen_solver="dense"), {"n_neighbors": range(12, 40)}, LANDMARKS
        ),
        "kernel PCA": RandomizedView(
            KernelPCA(n_components=q, kernel="rbf", eigen_solver="dense"), {"gamma": loguniform(0.01, 1)}, LANDMARKS
        ),
    }


def accuracies(view, X, y) -> tuple[float, float]:
    """Return the accuracy of an ensemble, and of one of its members on average."""
    pool = PooledEnsembleClassifier(view, KNeighborsClassifier(1), random_state=0)
    right = []
    for train, test in FOLDS.split(X, y):
        fitted = clone(pool).fit(X[train], y[train])
        members = np.mean(fitted.member_votes(X[test]) == y[test][:, None])
        right.append((fitted.score(X[test], y[test]), members))
    return tuple(np.mean(right, axis=0))


def main() -> None:
    """Write the table."""
    warnings.simplefilter("ignore", UserWarning)  # graphs of neighbours in parts are joined
    rows = []
    for name, X, y in tables():
        plain = cross_val_score(KNeighborsClassifier(1), MinMaxScaler01().fit_transform(X), y, cv=FOLDS).mean()
        cells = [accuracies(view, X, y) for view in views(X.shape[1]).values()]
        rows.append([name, f"{plain:.3f}", *(f"{ensemble:.3f} ({member:.3f})" for ensemble, member in cells)])
        print(rows[-1], flush=True)
    with FILE.open("w", newline="") as file:
        file.write("# `python benchmarks/reducers.py`\n")
        csv.writer(file, lineterminator="\n").writerows([["data", "plain", *views(2)], *rows])


if __name__ == "__main__":
    main()
