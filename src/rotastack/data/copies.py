"""Equal rows: whether chance explains them, and their effect on the errors of a forest."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_float_dtype
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import GroupKFold, cross_val_predict

from rotastack.base.traits import TaskName
from rotastack.data.divisions import equal_rows
from rotastack.data.leaks import MOST_COLUMNS, SAMPLE, as_numbers

EQUAL = 0.01
"""Share of rows with an equal row from which on these rows are suspicious."""
MANY_VALUES = 50
"""A column with more values is continuous."""
TREES = 50


def copies_of(features: pd.DataFrame, kinds: Mapping[str, str]) -> NDArray[np.intp] | None:
    """Return numbers of the rows, the same for rows that are equal in all used columns; None if chance explains these.

    Chance explains equal rows without a continuous column, or if independent columns with the same values had a tenth as
    many. Below a share of ``EQUAL``, equal rows are not counted.
    """
    used = features[[c for c, kind in kinds.items() if kind in ("numeric", "categorical", "date", "text")]]
    if not any(is_float_dtype(used[c].dtype) and used[c].nunique() > MANY_VALUES for c in used):
        return None
    numbers, n = equal_rows(used), len(used)
    if n_copies(numbers) < EQUAL * n:
        return None
    alike = np.prod([(used[c].value_counts(normalize=True, dropna=False) ** 2).sum() for c in used])
    return numbers if n_copies(numbers) >= 10 * n * (1 - (1 - alike) ** (n - 1)) else None


def n_copies(numbers: NDArray[np.intp]) -> int:
    """Return the number of rows with an equal row, of the numbers of rows."""
    return int((np.bincount(numbers)[numbers] > 1).sum())


def losses_with_copies(
    features: pd.DataFrame, y: NDArray, task: TaskName, kinds: Mapping[str, str], copies: NDArray[np.intp]
) -> list[float]:
    """Return the errors, or the RMSE, of a small forest: with copies of a row on one side, and on both sides of splits."""
    order = np.random.default_rng(0).permutation(copies.max() + 1)[copies]
    rows = np.flatnonzero(order <= max(10, np.sort(order)[:SAMPLE][-1]))  # all copies of a row, or none
    names = [c for c in kinds if kinds[c] in ("numeric", "categorical")][:MOST_COLUMNS]
    X = np.column_stack([as_numbers(features[c].iloc[rows], kinds[c]) for c in names])
    forest = (RandomForestClassifier if task == "classification" else RandomForestRegressor)(TREES, random_state=0)
    losses, folds = [], GroupKFold(5, shuffle=True, random_state=0)
    for groups in (copies[rows], np.arange(len(rows))):
        wrong = cross_val_predict(forest, X, y[rows], groups=groups, cv=folds) - y[rows]
        losses.append(float(np.mean(wrong != 0) if task == "classification" else np.sqrt(np.mean(wrong**2))))
    return losses
