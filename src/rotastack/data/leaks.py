"""Columns that give the target: by their missing values, or by a tree on the column alone."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from scipy.stats import rankdata
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rotastack.base.categories import texts_of
from rotastack.base.columns import DROPPED, date_numbers, numbers_of
from rotastack.base.traits import TaskName

SAMPLE, MOST_COLUMNS = 2000, 1000
"""Number of rows in the search, and of columns that are searched together."""
LEAK = 0.98
"""Balanced accuracy, or R², of a column alone above which the column is a leak."""
NEAR, MOST_TREES = 0.5, 20
"""Nearness from which trees test a column, and the most columns that they test together."""
FEWEST_ROWS, FEWEST_MISSING = 50, 5
"""Fewest rows for a search, and fewest rows with and without a missing value."""


def leaks(features: pd.DataFrame, target: pd.Series, task: TaskName, kinds: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each column, also of those left out, that alone or by its missing values gives the target."""
    rows = np.random.default_rng(0).permutation(len(target))[:SAMPLE]
    if len(rows) < FEWEST_ROWS:
        return
    classes, codes = np.unique(target.to_numpy()[rows], return_inverse=True)
    y = codes if task == "classification" else target.to_numpy()[rows]
    for first in range(0, features.shape[1], MOST_COLUMNS):
        table = features.iloc[rows, first : first + MOST_COLUMNS]
        missing = _by_missing(table.isna().to_numpy(dtype=float), y, task)
        values = np.array([as_numbers(table[c], kinds[c]) for c in table])
        near = _nearness(values, rankdata(y) if task == "regression" else y, task)
        trees = set(np.argsort(-near)[:MOST_TREES]) & set(np.flatnonzero(near > NEAR))
        for j, name in enumerate(table):
            k, what, whole = int(missing[:, j].argmax()), f"Whether {name} is missing", "the target"
            score = missing[k, j]
            if score > LEAK and len(classes) > 2 and task == "classification":
                whole = f"class {str(classes[k])!r} of the target"
            # ids and dates that rise from row to row tell the order of the rows alone
            rises = kinds[name] in ("id", "date") and (np.diff(values[j][np.argsort(rows)]) >= 0).all()
            if score <= LEAK and j in trees and not rises:
                what, score = f"{name} alone", _alone(values[j], y, task, kinds[name] == "date")
            if score > LEAK:
                measure = "R² of values or ranks" if task == "regression" else "balanced accuracy"
                drop = "leave the column out, as now" if kinds[name] in DROPPED else "drop the column"
                yield f"{what} predicts {whole} ({measure} {score:.3f}). If the column is unknown at prediction time, {drop}."


def _by_missing(missing: NDArray[np.float64], y: NDArray, task: TaskName) -> NDArray[np.float64]:
    """Return how well missing values give the target: R² of numbers and ranks, or each class's balanced accuracy, by column."""
    n, ones = len(missing), missing.sum(axis=0)
    if task == "regression":
        goals = np.array([y - y.mean(), rankdata(y) - (n + 1) / 2])
        counts, total = ones, (goals**2).sum(axis=1, keepdims=True) * ones * (n - ones) / n
        scores = (goals @ missing) ** 2 / np.maximum(total, 1e-300)
    else:
        members = np.equal.outer(np.unique(y), y).astype(float)
        counts, both = members.sum(axis=1, keepdims=True), members @ missing
        scores = (1 + np.abs(both / counts - (ones - both) / np.maximum(n - counts, 1))) / 2
    return np.where(np.minimum(counts, n - counts) >= FEWEST_MISSING, scores, 0)


def _nearness(columns: NDArray[np.float64], y: NDArray, task: TaskName) -> NDArray[np.float64]:
    """Return how alike the targets of rows with neighbouring values are in each column: 0 by chance, 1 if equal."""
    ordered = y[np.argsort(columns, axis=1, kind="stable")]
    if task == "regression":
        return 1 - (np.diff(ordered) ** 2).sum(axis=1) / max(2 * ((y - y.mean()) ** 2).sum(), 1e-300)
    counts = np.bincount(y)
    weights = (1 / (len(counts) * counts))[ordered[:, :-1]]
    share = (weights * (ordered[:, 1:] == ordered[:, :-1])).sum(axis=1)
    return (share - 1 / len(counts)) / max(1 - 1 / len(counts), 1e-300)


def as_numbers(column: pd.Series, kind: str) -> NDArray[Any]:
    """Return the numbers of a column; of categories and text, the places in their order."""
    if kind == "date":
        return date_numbers(column, ["days"])[:, 0]
    is_number = kind == "numeric" or (kind in DROPPED and is_numeric_dtype(column.dtype))
    return numbers_of(column) if is_number else pd.factorize(texts_of(column), sort=True)[0]


def _alone(column: NDArray[np.float64], y: NDArray, task: TaskName, is_date: bool) -> float:
    """Return the balanced accuracy or R² of a tree on one column, by two-fold cross-validation; or the R² of ranks, if more.

    Trees follow any number that is smooth in time, so dates have the R² of ranks alone.
    """
    known, ranked = ~np.isnan(column), 0.0
    if task == "regression" and known.sum() >= FEWEST_ROWS:
        ranked = float(np.corrcoef(rankdata(column[known]), rankdata(y[known]))[0, 1] ** 2)
        if is_date:
            return ranked
    column = np.unique(column, return_inverse=True)[1]  # missing values come last
    halves = PredefinedSplit(np.arange(len(y)) >= len(y) // 2)
    if any(len(np.unique(y[train])) < 2 for train, _ in halves.split()):
        return 0.0
    kind = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
    tree = kind(max_depth=6, min_samples_leaf=3, random_state=0)
    predicted = cross_val_predict(tree, column[:, None], y, cv=halves)
    if task == "regression":
        return max(ranked, float(1 - np.mean((y - predicted) ** 2) / np.var(y)))
    return float(np.mean([np.mean(predicted[y == k] == k) for k in np.unique(y)]))
