"""Twenty generated tables: interactions, thresholds, interacting categories, and tables without such structure."""

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.datasets import make_classification, make_friedman1, make_hastie_10_2

__all__ = ["GENERATED", "generated_table"]

Table = tuple[pd.DataFrame, NDArray]


def generated_table(name: str) -> Table:
    """Return the columns and the classes of a table; each name has its own seed."""
    X, y = _MAKERS[name](np.random.default_rng(GENERATED.index(name) + 50))
    return X, np.asarray(y).astype(int)


def _categories(values: NDArray) -> pd.DataFrame:
    return pd.DataFrame({f"c{j}": pd.Categorical([f"v{v}" for v in column]) for j, column in enumerate(values.T)})


def _numbers(values: NDArray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def _mixed(numbers: NDArray, categories: NDArray) -> pd.DataFrame:
    return pd.concat([_numbers(numbers), _categories(categories)], axis=1)


def _noisy(y: NDArray, share: float, rng: Generator, n_classes: int = 2) -> NDArray:
    """Return labels with a random share of wrong labels."""
    drawn = rng.random(len(y)) < share
    y = y.astype(int)
    y[drawn] = rng.integers(0, n_classes, drawn.sum())
    return y


def _multiplexer(rng: Generator) -> Table:
    bits = rng.integers(0, 2, (1500, 11))
    address = bits[:, 0] * 4 + bits[:, 1] * 2 + bits[:, 2]
    return _categories(bits), _noisy(bits[np.arange(1500), 3 + address], 0.05, rng)


def _parity(rng: Generator) -> Table:
    bits = rng.integers(0, 2, (1000, 10))
    return _numbers(bits.astype(float)), bits[:, :3].sum(axis=1) % 2


def _clusters(n_rows: int, n_columns: int, n_redundant: int, n_clusters: int, noise: float, apart: float, seed: int):
    """Return a maker of clusters at the corners of a cube of five dimensions, among columns of noise."""

    def make(rng: Generator) -> Table:
        X, y = make_classification(
            n_rows,
            n_columns,
            n_informative=5,
            n_redundant=n_redundant,
            n_clusters_per_class=n_clusters,
            flip_y=noise,
            class_sep=apart,
            random_state=seed,
        )
        return _numbers(X), y

    return make


def _rising(values: NDArray, *axes: int) -> NDArray:
    for axis in axes:
        values = np.sort(values, axis=axis)
    return values


def _hierarchy(rng: Generator) -> Table:
    """Groups of categories with grades, and a grade of the groups, as in nursery."""
    a = np.stack([rng.integers(0, k, 2000) for k in (3, 4, 4, 3, 3, 4, 3)], axis=1)
    first = _rising(rng.integers(0, 4, (3, 4)), 1, 0)
    second = _rising(rng.integers(0, 3, (4, 3)), 0, 1)
    third = _rising(rng.integers(0, 4, (3, 4, 3)), 0, 1)
    u, v, w = first[a[:, 0], a[:, 1]], second[a[:, 2], a[:, 3]], third[a[:, 4], a[:, 5], a[:, 6]]
    return _categories(a), _rising(rng.integers(0, 5, (4, 3, 4)), 0, 2)[u, v, w]


def _board(rng: Generator) -> Table:
    """Whether a board of 4 x 4 has a row or a column of three."""
    squares = rng.integers(0, 3, (1500, 16))
    mine = (squares == 1).reshape(-1, 4, 4)
    lines = [mine[:, i, j : j + 3].all(axis=1) | mine[:, j : j + 3, i].all(axis=1) for i in range(4) for j in range(2)]
    return _categories(squares), np.any(lines, axis=0)


def _thresholds(rng: Generator) -> Table:
    X = rng.random((1200, 12))
    return _numbers(X), ((X[:, 0] > 0.7) | ((X[:, 1] < 0.3) & (X[:, 2] > 0.5))) ^ (X[:, 3] > 0.9)


def _rules(rng: Generator) -> Table:
    X = rng.normal(size=(1200, 20))
    c = rng.integers(0, 4, (1200, 3))
    rules = [X[:, 0] > 1, (c[:, 0] == 2) & (X[:, 1] < 0), X[:, 2] > 0.8, c[:, 1] == c[:, 2]]
    return _mixed(X, c), _noisy(np.select(rules, [0, 1, 2, 0], 3), 0.03, rng, 4)


def _checker(rng: Generator) -> Table:
    X = rng.random((1500, 10))
    field = (X[:, :2] * 4).astype(int).sum(axis=1)
    return _numbers(X), _noisy(field % 2, 0.05, rng)


def _additive(rng: Generator) -> Table:
    X = rng.normal(size=(1000, 15))
    score = np.sin(2 * X[:, 0]) + (X[:, 1] > 0) - 0.5 + np.abs(X[:, 2]) - 0.8 + 0.5 * X[:, 3]
    return _numbers(X), score + rng.logistic(size=1000) * 0.4 > 0


def _friedman(rng: Generator) -> Table:
    X, z = make_friedman1(1000, 15, noise=1, random_state=1)
    return _numbers(X), np.digitize(z, np.quantile(z, [0.33, 0.67]))


def _hastie(rng: Generator) -> Table:
    X, y = make_hastie_10_2(1500, random_state=2)
    return _numbers(X), y > 0


def _linear(rng: Generator) -> Table:
    X = rng.normal(size=(600, 30))
    return _numbers(X), X @ rng.normal(size=30) + rng.logistic(size=600) > 0


def _many_categories(rng: Generator) -> Table:
    c = np.stack([rng.integers(0, k, 2000) for k in (150, 30, 5)], axis=1)
    effects = [rng.normal(size=150) * 1.2, rng.normal(size=30), rng.normal(size=5)]
    X = rng.normal(size=(2000, 5))
    score = sum(effect[c[:, j]] for j, effect in enumerate(effects)) + X[:, 0]
    return _mixed(X, c), score + rng.logistic(size=2000) > 0


def _pairs(rng: Generator) -> Table:
    c = rng.integers(0, 5, (1500, 6))
    first, second = rng.random((5, 5)) > 0.5, rng.random((5, 5)) > 0.5
    return _categories(c), first[c[:, 0], c[:, 1]] ^ second[c[:, 2], c[:, 3]]


def _counts(rng: Generator) -> Table:
    c = rng.integers(0, 3, (1200, 8))
    return _categories(c), (c == 0).sum(axis=1) % 3


def _steps(rng: Generator) -> Table:
    X = rng.exponential(size=(1500, 25))
    y = (X[:, 0] > 1.2).astype(int) + (X[:, 1] * (X[:, 2] > 0.5) > 0.8) + (X[:, 3] > 2)
    return _numbers(X), _noisy(y, 0.03, rng, 4)


def _chess(rng: Generator) -> Table:
    """Distances on a chess board between pieces on given squares."""
    p = rng.integers(0, 8, (3000, 6))
    apart = np.maximum(abs(p[:, 0] - p[:, 4]), abs(p[:, 1] - p[:, 5]))
    edge = np.minimum(p[:, 4:], 7 - p[:, 4:]).sum(axis=1)
    same = (p[:, 2] == p[:, 4]) | (p[:, 3] == p[:, 5])
    return _numbers(p.astype(float)), np.minimum(apart, 4) + np.minimum(edge, 3) * 2 + same


_MAKERS = {
    "multiplexer": _multiplexer,
    "parity": _parity,
    "hypercube": _clusters(1500, 60, 10, 8, 0.02, 1.5, 3),
    "hierarchy": _hierarchy,
    "board": _board,
    "thresholds": _thresholds,
    "rules": _rules,
    "checker": _checker,
    "additive": _additive,
    "friedman": _friedman,
    "hastie": _hastie,
    "linear": _linear,
    "many-categories": _many_categories,
    "pairs": _pairs,
    "counts": _counts,
    "steps": _steps,
    "chess": _chess,
    "wide": _clusters(2000, 400, 15, 16, 0.01, 2.0, 5),
    "wide-close": _clusters(2000, 500, 15, 16, 0.01, 1.0, 7),
    "wide-few": _clusters(1500, 300, 5, 16, 0.01, 1.2, 8),
}
GENERATED = tuple(_MAKERS)
