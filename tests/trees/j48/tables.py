"""The tables that J48 and C45Classifier are compared on.

Numbers are multiples of 1/64 below 2^17, which WEKA's doubles, its printed trees (six decimals) and
float32 all hold exactly; tables named "decimals" are as they come. Generated ones draw by
``random.Random.random``, whose numbers Python promises not to change.
"""

from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

__all__ = ["OPTIONS", "TABLES", "Table", "table"]

OPTIONS = {
    "default": ({}, ""),
    "no raising": ({"subtree_raising": False}, "-S"),
    "unpruned": ({"confidence": None}, "-U"),
    "confidence": ({"confidence": 0.1}, "-C 0.1"),
    "large leaves": ({"min_samples_leaf": 5}, "-M 5"),
    "confident": ({"confidence": 0.45, "min_samples_leaf": 1}, "-C 0.45 -M 1"),
}
"""Parameters of C45Classifier and options of J48."""


class Table(NamedTuple):
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    train: NDArray[np.bool_]
    weights: NDArray[np.float64] | None = None


def bundled(load, unit: float, rows: int | None = None) -> Table:
    """Return a table of scikit-learn's in whole units; every third row is held out."""
    X, y = load(return_X_y=True)
    if rows is not None:
        X, y = X[:rows], y[:rows]
    return Table(np.round(X / unit) if unit else X, y, np.arange(len(y)) % 3 != 2)


def generated(
    seed: int,
    n: int,
    p: int,
    n_classes: int,
    *,
    steps: int = 64,
    noise: float = 0.2,
    rule: str = "boxes",
    copies: int = 0,
    constant: bool = False,
    weights: str = "",
    held_out: int = 60,
) -> Table:
    """Return noisy classes of random numbers.

    `steps` to a unit make ties; `copies` repeats the first columns; weights are "light" (multiples of
    1/8 up to 1), "heavy" (up to 4) or "boosted" (thousandths, most of them small).
    """
    rng = Random(seed)
    rows = n + held_out
    draws = [[rng.random() for _ in range(p)] for _ in range(rows)]
    X = np.floor((np.array(draws) * 4 - 2) * steps) / steps
    if rule == "boxes":
        code = (X[:, 0] > 0) * 1 + (X[:, 1 % p] > -0.7) * 2 + (X[:, 2 % p] > 0.9) * (X[:, 0] > 0.5) * 3
    elif rule == "board":
        code = np.floor(X[:, 0]) + np.floor(X[:, 1 % p])
    else:
        code = np.floor((X * np.linspace(1, 0.2, p)).sum(axis=1))
    y = (code.astype(int) - int(code.min())) % n_classes
    for i in range(rows):
        if rng.random() < noise:
            y[i] = int(rng.random() * n_classes)
    X = np.column_stack([X, X[:, :copies], *([np.full(rows, 0.5)] if constant else [])])
    if weights == "boosted":
        w = np.array([round(rng.random() ** 6 * 4, 3) + 0.001 for _ in range(rows)])
    else:
        most = {"heavy": 32, "light": 8, "": 1}[weights]
        w = np.array([(1 + int(rng.random() * most)) / 8 for _ in range(rows)])
    if not weights:
        w = None
    return Table(X, y, np.arange(rows) < n, w)


TABLES = {
    "iris": lambda: bundled(load_iris, 0.1),
    "iris decimals": lambda: bundled(load_iris, 0),
    "wine": lambda: bundled(load_wine, 0.01),
    "wine decimals": lambda: bundled(load_wine, 0),
    "breast cancer": lambda: bundled(load_breast_cancer, 0.001),
    "digits": lambda: bundled(load_digits, 1, 500),
    "boxes": lambda: generated(1, 200, 4, 2),
    "boxes, three classes": lambda: generated(2, 300, 5, 3, noise=0.3),
    "boxes, six classes": lambda: generated(3, 240, 4, 6, noise=0.15),
    "board": lambda: generated(4, 300, 3, 2, rule="board", noise=0.1),
    "slope": lambda: generated(6, 250, 6, 2, rule="slope", noise=0.15),
    "slope, five classes": lambda: generated(7, 350, 4, 5, rule="slope", noise=0.1),
    "copies and a constant": lambda: generated(10, 200, 3, 3, copies=2, constant=True, noise=0.25),
    "noise only": lambda: generated(11, 200, 5, 2, noise=1.0),
    "noise only, four classes": lambda: generated(12, 150, 3, 4, noise=1.0),
    "twelve rows": lambda: generated(13, 12, 3, 2, noise=0.1),
    "thirty rows": lambda: generated(14, 30, 4, 3, noise=0.3),
    "one column": lambda: generated(15, 150, 1, 3, rule="slope", noise=0.2),
    # Much of these is pruned and raised.
    "raised": lambda: generated(2, 300, 4, 5, noise=0.3),
    "ties, two classes": lambda: generated(1, 300, 8, 2, steps=1, noise=0.1, rule="board"),
    "ties, three classes": lambda: generated(0, 300, 4, 3, steps=2, rule="board", noise=0.3),
    "ties, five classes": lambda: generated(2, 300, 4, 5, steps=2, rule="board", noise=0.5),
    "many ties": lambda: generated(1, 300, 4, 3, steps=1, rule="slope", noise=0.1),
    "ties and noise": lambda: generated(2, 300, 8, 3, steps=1, noise=0.5),
    "light weights": lambda: generated(16, 250, 4, 2, noise=0.25, weights="light"),
    "light weights and ties": lambda: generated(2, 300, 5, 3, noise=0.3, weights="light", rule="board", steps=2),
    "boosted weights": lambda: generated(18, 300, 4, 2, noise=0.2, weights="boosted", rule="board"),
    "boosted weights and ties": lambda: generated(55, 300, 4, 4, noise=0.25, weights="boosted", steps=2),
    "heavy weights": lambda: generated(43, 300, 4, 2, noise=0.25, weights="heavy"),
    "three heavy rows": lambda: Table(
        np.array([[0.0], [1.0], [2.0]]), np.array([0, 0, 1]), np.full(3, True), np.array([3.5, 2.0, 4.0])
    ),
}


def table(name: str) -> Table:
    return TABLES[name]()
