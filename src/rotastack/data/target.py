"""The target of a data set: its column, its task (classes or a quantity), and checks that a model can be trained on it."""

import json
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from scipy.stats import spearmanr

from rotastack.base.categories import DIFFERENCES, alike, texts_of
from rotastack.base.columns import numbers_of
from rotastack.base.reading import beyond_floats, is_dates
from rotastack.base.traits import TaskName
from rotastack.base.warned import warn
from rotastack.errors import RotastackError, counted, nearest, shortened

RARER = -0.8
"""Rank correlation of whole numbers with their frequencies below which the numbers are counts."""
LARGEST = 1e100
"""Largest number of a quantity, and one over the least spread: scores square differences."""
MAX_CLASSES = 1000
"""Largest number of classes: a pool stores an output of every member for every class."""


def move_target_last(table: pd.DataFrame, target: str, where: str) -> pd.DataFrame:
    """Return the table with the target as its last column, named ``target``; a RotastackError if there are no such columns."""
    if target not in table.columns:
        names = [str(c) for c in table.columns]
        raise RotastackError(
            f"{where}: target column {target!r} not found{nearest(target, names)}; columns: {shortened(names, 20)}"
        )
    features = table.drop(columns=target)
    if not features.shape[1]:
        raise RotastackError(f"{where}: target {target!r} is the only column; at least one more column is needed")
    renamed = {"target": free_name(features.columns)}
    features = features.rename(columns=renamed).assign(target=table[target])
    if "readings" in table.attrs:
        readings = json.loads(table.attrs["readings"])
        features.attrs["readings"] = json.dumps({renamed.get(name, name): how for name, how in readings.items()})
    return features


def free_name(columns: Collection[str], name: str = "target") -> str:
    """Return a name that no column has: `name`, with underscores if need be."""
    while name in columns:
        name += "_"
    return name


def typed_labels(y: pd.Series) -> NDArray:
    """Return a target of classes as the table holds it: whole numbers, truth values or text.

    Fractions become text, as scikit-learn takes no classes with fractions, and so do numbers beyond 64-bit integers.
    """
    values = y.astype(y.cat.categories.dtype) if isinstance(y.dtype, pd.CategoricalDtype) else y
    if is_bool_dtype(values.infer_objects()):
        return values.to_numpy(dtype=bool)
    whole = is_numeric_dtype(values.dtype) and (beyond_floats(values) or bool((values % 1 == 0).all()))
    if whole and values.min() >= -(2**63) and values.max() < 2**63:
        return values.to_numpy(dtype=np.int64)
    return texts_of(values).to_numpy(dtype=object)


def with_target(table: pd.DataFrame, target: str, where: str) -> tuple[pd.DataFrame, list[str]]:
    """Return a table with its target as the last column, without rows that lack a target, and notes."""
    table = move_target_last(table, target, where)
    present = table["target"].notna()
    if present.all():
        return table, []
    if not present.any():
        raise RotastackError(f"{where}: target {target!r} is missing in all rows")
    n = int((~present).sum())
    note = f"{n} row{'s' * (n > 1)} without a target {'are' if n > 1 else 'is'} left out"
    return table[present].reset_index(drop=True), [note]


def decide_task(y: pd.Series) -> tuple[TaskName, str]:
    """Return "classification" or "regression", and the reason: the kind and number of the target's values.

    Text, truth values and declared categories are classes. Numbers, also numbers written as text, are classes

    - if there are at most two distinct values,
    - if all are whole, and there are at most 10 distinct values,
    - if there are at least five rows for each distinct value on average, and at most 30 distinct values (20 if not all
      are whole), unless these are counts: from 0 upwards, and the larger the rarer (rank correlation below -.8).

    Other numbers are a quantity. So ten digits are classes, and 71 months in 500 rows are a quantity. The result for
    dates is "classification", but :func:`check_target` refuses them.

    Examples
    --------
    >>> decide_task(pd.Series(["a", "b", "a"]))
    ('classification', 'text, 2 values')
    >>> decide_task(pd.Series(range(300)) % 71)
    ('regression', '71 different whole numbers in 300 rows, more than 30')
    """
    present = y.dropna()
    distinct = present.nunique()
    if isinstance(y.dtype, pd.CategoricalDtype):
        return "classification", f"declared categories, {distinct} values"
    if is_bool_dtype(present.infer_objects()):
        return "classification", "booleans"
    numbers = numbers_of(present)
    if is_dates(present):
        return "classification", f"dates, {distinct} values"
    if np.isnan(numbers).any():
        return "classification", f"text, {distinct} values"
    found, frequencies = np.unique(numbers, return_counts=True)
    distinct = len(found)
    whole = bool((numbers == np.round(numbers)).all())
    values = f"{distinct} different {'whole' if whole else 'fractional'} numbers in {len(present)} rows"
    most = 30 if whole else 20
    if distinct <= (10 if whole else 2):
        return "classification", values
    if distinct > most:
        return "regression", f"{values}, more than {most}"
    if len(present) < 5 * distinct:
        return "regression", f"{values}, fewer than 5 rows per number"
    if whole and found[0] == 0 and spearmanr(found, frequencies).statistic < RARER:
        return "regression", f"{values}, from 0 upwards, and the larger the rarer, like counts"
    return "classification", f"{values}, at least 5 rows per number on average"


def check_target(y: pd.Series, where: str, task: TaskName = "classification") -> pd.Series:
    """Return labels as text, or the numbers of a regression, or raise a RotastackError.

    Refused are missing values, dates, or one value only; in classification numbers that look continuous, labels that all differ,
    or more than 1000 classes; in regression a value that is no finite number. A class of one row is warned of.
    """
    if y.isna().any():
        raise RotastackError(
            f"{where}: the target is missing in {counted(int(y.isna().sum()), 'row')}; fill in or drop them"
        )
    if is_dates(y):
        raise RotastackError(
            f"{where}: the target is a date (such as {str(y.iloc[0])!r}); convert the dates to numbers (days, years) or classes (month names), or "
            "name another column as the target"
        )
    distinct, numbers = y.nunique(), numbers_of(y)
    if task == "regression" or (np.isinf(numbers).any() and not np.isnan(numbers).any()):
        return _quantity(y, where)
    if distinct < 2:
        raise RotastackError(
            f"{where}: the target has only one class ({_example(y)}); at least 2 classes are needed"
            if len(y)
            else f"{where}: the table has no rows"
        )
    if distinct > max(2, len(y) / 2) or distinct > MAX_CLASSES:
        decided, reason = decide_task(y)
        if decided == "regression":
            raise RotastackError(
                f"{where}: the target looks continuous ({reason}); classification needs classes, regression needs numbers"
            )
    if distinct == len(y) > 2:
        raise RotastackError(
            f"{where}: the target has {len(y)} different labels in {len(y)} rows, like ids (such as {_example(y)}); "
            "name another column as the target"
        )
    if distinct > MAX_CLASSES:
        raise RotastackError(
            f"{where}: the target has {distinct} classes in {len(y)} rows; at most {MAX_CLASSES} classes are allowed; "
            "merge rare classes, or name another column as the target"
        )
    labels = texts_of(y)
    counts = labels.value_counts()
    once = sorted(counts.index[counts == 1])
    if once:
        warn(
            f"{where}: {_classes(once)} of the target {'has' if len(once) == 1 else 'have'} only one row; "
            f"training and test need a row each; drop or merge {'the class' if len(once) == 1 else 'these classes'}"
            f"{', or choose regression (--task regression)' * bool(np.isfinite(numbers).all())}"
        )
    if names := alike(labels.unique()):
        warn(f"{where}: {_classes(names)} of the target differ only in {DIFFERENCES}")
    return labels


def _quantity(y: pd.Series, where: str) -> pd.Series:
    numbers = numbers_of(y)
    for bad, fault in [
        (np.isnan(numbers), "is not a number"),
        (np.isinf(numbers), "is infinite"),
        (np.abs(numbers) > LARGEST, f"is beyond {LARGEST:g}"),
        (np.full(len(y), len(np.unique(numbers)) < 2), "has only one value"),
        (
            np.full(len(y), np.ptp(np.clip(numbers, -LARGEST, LARGEST)) < 1 / LARGEST),
            f"varies by less than {1 / LARGEST:g}",
        ),
    ]:
        if bad.any():
            raise RotastackError(
                f"{where}: the target {fault} in {counted(int(bad.sum()), 'row')} (such as {_example(y[bad])}); regression needs finite numbers that differ"
            )
    return pd.Series(numbers, index=y.index, name=y.name)


def _example(y: pd.Series) -> str:
    return repr(y.iloc[0].item() if isinstance(y.iloc[0], np.generic) else y.iloc[0])


def _classes(names: Sequence[str]) -> str:
    """Return ``class 'a'``, or ``5 classes ('a', 'b', 'c' and 2 more)``."""
    if len(names) == 1:
        return f"class {names[0]!r}"
    return f"{len(names)} classes ({shortened(map(repr, names), 3)})"
