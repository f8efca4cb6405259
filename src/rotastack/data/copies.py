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
    used = features[[c for c, kind in kinds.items() if kind in ("numeric", "ordered", "categorical", "date", "text")]]
    if not any(is_float_dtype(used[c].dtype) and used[c].nunique() > MANY_VALUES for c in used):
        return None
    numbers, n = equal_rows(used), len(used)
    if _n_copies(numbers) < EQUAL * n:
        return None
    alike = np.prod([(used[c].value_counts(normalize=True, dropna=False) ** 2).sum() for c in used])
    return numbers if _n_copies(numbers) >= 10 * n * (1 - (1 - alike) ** (n - 1)) else None


def _n_copies(numbers: NDArray[np.intp]) -> int:
    return int((np.bincount(numbers)[numbers] > 1).sum())


def copies(
    features: pd.DataFrame, y: NDArray, task: TaskName, kinds: Mapping[str, str], divided_by: Mapping[str, str]
) -> list[str]:
    """Return a sentence on equal rows: how splits treat them, and the errors of a forest with each treatment."""
    numbers = copies_of(features, kinds)
    if numbers is None:
        return []
    n = len(numbers) - len(np.unique(numbers))
    many = f"{n} rows ({n / len(features):.0%}) are copies of an earlier row"
    if "copies_together" not in divided_by:
        why = "splits by time" if "time" in divided_by else "given splits" if "split 1" in divided_by else "the splits"
        return [f"{many}, and {why} may put copies into training and test: drop the copies."]
    order = np.random.default_rng(0).permutation(numbers.max() + 1)[numbers]
    rows = np.flatnonzero(order <= max(10, np.sort(order)[:SAMPLE][-1]))  # all copies of a row, or none
    names = [c for c in kinds if kinds[c] in ("numeric", "ordered", "categorical")][:MOST_COLUMNS]
    X = np.column_stack([as_numbers(features[c].iloc[rows], kinds[c]) for c in names])
    forest = (RandomForestClassifier if task == "classification" else RandomForestRegressor)(TREES, random_state=0)
    losses, folds = [], GroupKFold(5, shuffle=True, random_state=0)
    for groups in (numbers[rows], np.arange(len(rows))):
        wrong = cross_val_predict(forest, X, y[rows], groups=groups, cv=folds) - y[rows]
        losses.append(f"{np.mean(wrong != 0):.1%}" if task == "classification" else f"{np.sqrt(np.mean(wrong**2)):.4g}")
    score = "error" if task == "classification" else "RMSE"
    sentence = f"a small forest has {score} {losses[0]}; with copies in both, {losses[1]}."
    return [f"{many}. They stay together, in training or in test: {sentence}"]
