"""Suspicions about a data set: leaks, equal rows, ids, groups, dates, and classes with few rows."""

import re
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_float_dtype, is_numeric_dtype
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rotastack.base.categories import texts_of
from rotastack.base.columns import DROPPED, date_numbers, named_group, numbers_of
from rotastack.base.traits import TaskName
from rotastack.data.divisions import equal_rows
from rotastack.errors import shortened
from rotastack.stats.intraclass import intraclass_correlation

SAMPLE, MOST_COLUMNS = 2000, 1000
"""Number of rows in the search for leaks, and of columns that are searched together."""
LEAK = 0.98
"""Balanced accuracy, or R², of a column alone above which the column is suspicious."""
NEAR, MOST_TREES, MOST_NAMED = 0.5, 20, 5
"""Nearness from which trees test a column, the most columns that they test together, and the most leaks with a sentence."""
EQUAL = 0.01
"""Share of rows with an equal row from which on these rows are suspicious."""
MANY_VALUES = 50
FEW_ROWS = 10
"""A class with fewer rows is named."""
ALIKE = 0.2
"""Rows of a group are alike if the variance within groups is less than this share of a column's variance."""
LEVEL = 0.05
"""Level of the test whether rows with the same value have alike targets."""
DRIFT = 0.3
"""Rank correlation of a date with the target above which the target moves with the date."""
ID_WORDS = frozenset(["account", "code", "id", "key", "no", "nr", "num", "number", "phone", "serial", "ssn"])
"""Last words of names of ids, among them words that also name counts."""
TREES = 50
"""Trees of the forests that show the effect of copies."""


def suspicions(
    features: pd.DataFrame, target: pd.Series, task: TaskName, kinds: Mapping[str, str], divided_by: Mapping[str, str]
) -> list[str]:
    """Return sentences on properties of a data set that make a comparison of methods doubtful.

    The target holds labels as text, or the numbers of a regression. `kinds` are those of a
    :class:`~rotastack.base.preprocessing.TablePreprocessor`. `divided_by` has the column that divides the rows under the key
    ``groups``, ``time`` or ``split 1``, and the key ``copies_together`` if equal rows stay together.
    """
    used = [c for c, kind in kinds.items() if kind in ("numeric", "ordered", "categorical")]
    y = target.to_numpy() if task == "regression" else np.unique(target.to_numpy(dtype=str), return_inverse=True)[1]
    read = [c for c, kind in kinds.items() if kind != "leak" and c not in divided_by.values()]
    leaks = list(_leaks(features[read], target, task, kinds))
    if len(leaks) > MOST_NAMED:
        leaks[MOST_NAMED:] = [f"Columns that predict the target, beside these: {len(leaks) - MOST_NAMED}."]
    found = [*leaks, *_copies(features, y, task, kinds, divided_by)]
    found += _ids(features[used])
    if not {"groups", "time", "split 1"} & set(divided_by):
        found += _group(features, used, kinds) or _alike_targets(features[used], y, task, kinds)
    if not {"time", "split 1"} & set(divided_by):
        found += _dates(features, y, task, kinds)
    return found + (_few_rows(target) if task == "classification" else [])


def _leaks(features: pd.DataFrame, target: pd.Series, task: TaskName, kinds: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each column, also of those left out, that alone or by its missing values gives the target."""
    rows = np.random.default_rng(0).permutation(len(target))[:SAMPLE]
    if len(rows) < MANY_VALUES:
        return
    classes, codes = np.unique(target.to_numpy()[rows], return_inverse=True)
    y = codes if task == "classification" else target.to_numpy()[rows]
    for first in range(0, features.shape[1], MOST_COLUMNS):
        table = features.iloc[rows, first : first + MOST_COLUMNS]
        missing = _by_missing(table.isna().to_numpy(dtype=float), y, task)
        values = np.array([_as_numbers(table[c], kinds[c]) for c in table])
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
    return np.where(np.minimum(counts, n - counts) >= FEW_ROWS / 2, scores, 0)


def _nearness(columns: NDArray[np.float64], y: NDArray, task: TaskName) -> NDArray[np.float64]:
    """Return how alike the targets of rows with neighbouring values are in each column: 0 by chance, 1 if equal."""
    ordered = y[np.argsort(columns, axis=1, kind="stable")]
    if task == "regression":
        return 1 - (np.diff(ordered) ** 2).sum(axis=1) / max(2 * ((y - y.mean()) ** 2).sum(), 1e-300)
    counts = np.bincount(y)
    weights = (1 / (len(counts) * counts))[ordered[:, :-1]]
    share = (weights * (ordered[:, 1:] == ordered[:, :-1])).sum(axis=1)
    return (share - 1 / len(counts)) / max(1 - 1 / len(counts), 1e-300)


def _as_numbers(column: pd.Series, kind: str) -> NDArray[Any]:
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
    if task == "regression" and known.sum() >= MANY_VALUES:
        ranked = float(np.corrcoef(rankdata(column[known]), rankdata(y[known]))[0, 1] ** 2)
        if is_date:
            return ranked
    column = np.unique(column, return_inverse=True)[1]  # missing values come last
    half = len(y) // 2
    kind = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
    predicted = np.empty(len(y), dtype=float)
    for test in (np.arange(len(y)) < half, np.arange(len(y)) >= half):
        if len(np.unique(y[~test])) < 2:
            return 0.0
        tree = kind(max_depth=6, min_samples_leaf=3, random_state=0).fit(column[~test, None], y[~test])
        predicted[test] = tree.predict(column[test, None])
    if task == "regression":
        return max(ranked, float(1 - np.mean((y - predicted) ** 2) / np.var(y)))
    return float(np.mean([np.mean(predicted[y == k] == k) for k in np.unique(y)]))


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


def _copies(
    features: pd.DataFrame, y: NDArray, task: TaskName, kinds: Mapping[str, str], divided_by: Mapping[str, str]
) -> list[str]:
    """Return a sentence on equal rows: how splits treat them, and the errors of a forest with each treatment."""
    copies = copies_of(features, kinds)
    if copies is None:
        return []
    n = len(copies) - len(np.unique(copies))
    many = f"{n} rows ({n / len(features):.0%}) are copies of an earlier row"
    if "copies_together" not in divided_by:
        why = "splits by time" if "time" in divided_by else "given splits" if "split 1" in divided_by else "the splits"
        return [f"{many}, and {why} may put copies into training and test: drop the copies."]
    order = np.random.default_rng(0).permutation(copies.max() + 1)[copies]
    rows = np.flatnonzero(order <= max(10, np.sort(order)[:SAMPLE][-1]))  # all copies of a row, or none
    names = [c for c in kinds if kinds[c] in ("numeric", "ordered", "categorical")][:MOST_COLUMNS]
    X = np.column_stack([_as_numbers(features[c].iloc[rows], kinds[c]) for c in names])
    forest = (RandomForestClassifier if task == "classification" else RandomForestRegressor)(TREES, random_state=0)
    losses, folds = [], GroupKFold(5, shuffle=True, random_state=0)
    for groups in (copies[rows], np.arange(len(rows))):
        wrong = cross_val_predict(forest, X, y[rows], groups=groups, cv=folds) - y[rows]
        losses.append(f"{np.mean(wrong != 0):.1%}" if task == "classification" else f"{np.sqrt(np.mean(wrong**2)):.4g}")
    score = "error" if task == "classification" else "RMSE"
    sentence = f"a small forest has {score} {losses[0]}; with copies in both, {losses[1]}."
    return [f"{many}. They stay together, in training or in test: {sentence}"]


def _ids(features: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each column of whole numbers that rise from row to row, or differ and are named like ids."""
    for name, column in features.items():
        if not is_numeric_dtype(column.dtype) or len(column) < MANY_VALUES or column.isna().any():
            continue
        numbers = column.to_numpy(dtype=float)
        steps, words = np.diff(numbers), re.findall("[A-Z]?[a-z]+|[A-Z]+", str(name))
        if (steps > 0).all() and (steps == steps.round()).all():
            yield f"{name} increases from row to row, like an id or a time: if the column is an id, drop the column."
        elif words and words[-1].lower() in ID_WORDS and column.is_unique and (numbers == numbers.round()).all():
            yield f"{name} is named like an id, and its values are unique: if the column is an id, drop the column."


def _group(features: pd.DataFrame, used: list[str], kinds: Mapping[str, str]) -> list[str]:
    """Return a sentence on the first column with alike rows within a value, or with the name of groups."""
    numbers = [c for c in used if kinds[c] == "numeric" and is_numeric_dtype(features[c].dtype)][:MOST_COLUMNS]
    for name, column in features.items():
        if is_float_dtype(column.dtype) or kinds.get(str(name)) in ("date", "constant", "missing"):
            continue
        sizes = column.value_counts()
        if len(sizes) < 10 or not 1.5 <= sizes.mean() <= 50:
            continue
        others = features[[c for c in numbers if c != name]]
        within = others.groupby(column.to_numpy()).transform("var", ddof=0).mean() / others.var(ddof=0)
        alike = len(others.columns) > 1 and (within < ALIKE).mean() >= 0.5
        if alike or named_group(str(name)):
            why = "with similar rows" if alike else "by its name"
            return [
                f"{name} looks like a group column ({len(sizes)} values, {sizes.mean():.1f} rows each, {why}): with --groups {quote(str(name))} the rows of a "
                "group stay together, and test rows are from new groups."
            ]
    return []


def _alike_targets(features: pd.DataFrame, y: NDArray, task: TaskName, kinds: Mapping[str, str]) -> list[str]:
    """Return a sentence on the column whose values have the most alike targets, if these are alike beyond chance.

    A column of text or whole numbers is tested if it has ten values, each in 1.5 rows on average. Numbers are left out if
    their order tells the target, as that of ages may. Holm's correction counts all tested columns.
    """
    rows = np.random.default_rng(0).permutation(len(y))[:SAMPLE]
    goals = (
        y[rows].astype(float)[:, None] if task == "regression" else np.equal.outer(y[rows], np.unique(y)).astype(float)
    )
    tested = {}
    for name in features:
        column = features[name].iloc[rows].reset_index(drop=True).dropna()
        values, groups = np.unique(column if kinds[name] == "numeric" else texts_of(column), return_inverse=True)
        if len(values) < 10 or len(column) < 1.5 * len(values):
            continue
        of_rows = goals[column.index]
        if kinds[name] == "numeric" and ((values % 1 != 0).any() or _in_order(of_rows, groups)):
            continue
        tested[str(name)] = intraclass_correlation(of_rows, groups, 0).p, of_rows, groups
    if not tested:
        return []
    name = min(tested, key=lambda name: tested[name][0])
    _, of_rows, groups = tested[name]
    found = intraclass_correlation(of_rows, groups)
    if found.p * len(tested) > LEVEL:
        return []
    return [
        f"Rows with the same {name} have alike targets (intraclass correlation {found.correlation:.2f}, {groups.max() + 1} values). If new rows will have "
        f"other values of {name}, the scores are too good: with --groups {quote(name)} test rows are from new values."
    ]


def _in_order(goals: NDArray[np.float64], groups: NDArray[np.intp]) -> bool:
    """Return whether the mean goals of successive groups are correlated."""
    sizes = np.bincount(groups)
    means = np.array([np.bincount(groups, goal) / sizes for goal in (goals - goals.mean(axis=0)).T])
    return float((means[:, 1:] * means[:, :-1]).sum()) > (means**2).sum() / np.sqrt(len(sizes))


def _dates(features: pd.DataFrame, y: NDArray, task: TaskName, kinds: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each of the first three date columns, with the correlation if the target moves with it."""
    for name in [c for c, kind in kinds.items() if kind == "date"][:3]:
        days = pd.Series(date_numbers(features[name], ["days"])[:, 0]).dropna()
        known = y[days.index]  # of one class, there is no correlation
        targets = [known] if task == "regression" else [(known == k).astype(float) for k in np.unique(known)]
        drift = max((abs(days.corr(pd.Series(t, days.index), "spearman")) for t in targets if np.ptp(t)), default=0.0)
        date = f"The target varies with {name} (rank correlation {drift:.2f})" if drift > DRIFT else f"{name} is a date"
        yield f"{date}: to predict later rows from earlier rows, add --time-column {quote(name)}."


def _few_rows(target: pd.Series) -> list[str]:
    """Return a sentence on the classes with few rows."""
    counts = target.value_counts()
    rare = counts[counts < FEW_ROWS]
    if rare.empty:
        return []
    named = shortened((f"{label!r} ({n})" for label, n in rare.items()), 5)
    return [f"Classes with few rows: {named}; their scores are unreliable."]
