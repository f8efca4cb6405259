"""Suspicions about a data set: leaks, equal rows, ids, groups, dates, and classes with few rows."""

import re
from collections.abc import Iterator, Mapping
from shlex import quote

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_float_dtype, is_numeric_dtype
from scipy.sparse import csr_array
from scipy.stats import f as f_distribution

from rotastack.base.categories import texts_of
from rotastack.base.columns import date_numbers, named_group
from rotastack.base.traits import TaskName
from rotastack.data.copies import copies
from rotastack.data.leaks import FEWEST_ROWS, MOST_COLUMNS, SAMPLE, leaks
from rotastack.errors import shortened

OPTIONS = {"groups": "--groups {}", "time_column": "add --time-column {}"}
"""Option -> its words in a sentence for the command; braces stand for its value."""
MOST_NAMED = 5
"""The most leaks with a sentence."""
FEW_ROWS = 10
"""A class with fewer rows is named."""
ALIKE = 0.2
"""Rows of a group are alike if the variance within groups is less than this share of a column's variance."""
LEVEL = 0.05
"""Level of the test whether rows with the same value have alike targets."""
DRIFT = 0.3
"""Rank correlation of a date with the target above which the target moves with the date; of few rows three standard errors, if that is more."""
ID_WORDS = frozenset(["account", "code", "id", "key", "no", "nr", "num", "number", "phone", "serial", "ssn"])
"""Last words of names of ids, among them words that also name counts."""


def suspicions(
    features: pd.DataFrame,
    target: pd.Series,
    task: TaskName,
    kinds: Mapping[str, str],
    divided_by: Mapping[str, str],
    options: Mapping[str, str] = OPTIONS,
) -> list[str]:
    """Return sentences on properties of a data set that make a comparison of methods doubtful.

    The target holds labels as text, or the numbers of a regression. `kinds` are those of a
    :class:`~rotastack.base.preprocessing.TablePreprocessor`. `divided_by` has the column that divides the rows under the key
    ``groups``, ``time`` or ``split 1``, and the key ``copies_together`` if equal rows stay together. `options` has the words
    for options in sentences.
    """
    used = [c for c, kind in kinds.items() if kind in ("numeric", "ordered", "categorical")]
    y = target.to_numpy() if task == "regression" else np.unique(target.to_numpy(dtype=str), return_inverse=True)[1]
    read = [c for c, kind in kinds.items() if kind != "leak" and c not in divided_by.values()]
    found = list(leaks(features[read], target, task, kinds))
    if len(found) > MOST_NAMED:
        found[MOST_NAMED:] = [f"Columns that predict the target, beside these: {len(found) - MOST_NAMED}."]
    found += [*copies(features, y, task, kinds, divided_by), *_ids(features[used])]
    if not {"groups", "time", "split 1"} & set(divided_by):
        found += _group(features, used, kinds, options) or _alike_targets(features[used], y, task, kinds, options)
    if not {"time", "split 1"} & set(divided_by):
        found += _dates(features, y, task, kinds, options)
    return found + (_few_rows(target) if task == "classification" else [])


def _ids(features: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each column of whole numbers that rise from row to row, or differ and are named like ids."""
    for name, column in features.items():
        if not is_numeric_dtype(column.dtype) or len(column) < FEWEST_ROWS or column.isna().any():
            continue
        numbers = column.to_numpy(dtype=float)
        steps, words = np.diff(numbers), re.findall("[A-Z]?[a-z]+|[A-Z]+", str(name))
        if (steps > 0).all() and (steps == steps.round()).all():
            yield f"{name} increases from row to row, like an id or a time: if the column is an id, drop the column."
        elif words and words[-1].lower() in ID_WORDS and column.is_unique and (numbers == numbers.round()).all():
            yield f"{name} is named like an id, and its values are unique: if the column is an id, drop the column."


def _group(features: pd.DataFrame, used: list[str], kinds: Mapping[str, str], options: Mapping[str, str]) -> list[str]:
    """Return a sentence on the first column with alike rows within a value, or with the name of groups.

    Numbers do not count if their order tells those of other columns, as that of a size tells the weight.
    """
    numbers = [c for c in used if kinds[c] == "numeric" and is_numeric_dtype(features[c].dtype)][:MOST_COLUMNS]
    for name, column in features.items():
        if is_float_dtype(column.dtype) or kinds.get(str(name)) in ("date", "constant", "missing"):
            continue
        sizes = column.value_counts()
        if len(sizes) < 10 or not 1.5 <= sizes.mean() <= 50:
            continue
        several = (column.notna() & column.duplicated(keep=False)).to_numpy()  # a row of totals is alone
        others = features.loc[several, [c for c in numbers if c != name]]
        within = others.groupby(column[several].to_numpy()).transform("var", ddof=0).mean() / others.var(ddof=0)
        alike = len(others.columns) > 1 and (within < ALIKE).mean() >= 0.5
        if alike and is_numeric_dtype(column.dtype):
            standard = ((others - others.mean()) / others.std()).fillna(0).to_numpy()
            alike = not _in_order(standard, np.unique(column[several], return_inverse=True)[1])
        if alike or named_group(str(name)):
            option = options["groups"].format(quote(str(name)))
            return [
                f"{name} looks like a group column ({len(sizes)} values, {sizes.mean():.1f} rows each, "
                f"{'with similar rows' if alike else 'by its name'}): with {option} the rows of a group stay together, and test rows are from new groups."
            ]
    return []


def _alike_targets(
    features: pd.DataFrame, y: NDArray, task: TaskName, kinds: Mapping[str, str], options: Mapping[str, str]
) -> list[str]:
    """Return a sentence on the column whose values have the most alike targets, if these are alike beyond chance.

    A column of text or whole numbers is tested if it has ten values in several rows, and all its values are in 1.5 rows on
    average. A value in one row, such as a row of totals, tells nothing. Numbers are left out if their order tells the target, as
    that of ages may. Holm's correction counts all tested columns.
    """
    rows = np.random.default_rng(0).permutation(len(y))[:SAMPLE]
    goals = (
        y[rows].astype(float)[:, None] if task == "regression" else np.equal.outer(y[rows], np.unique(y)).astype(float)
    )
    tested = {}
    for name in features:
        column = features[name].iloc[rows].reset_index(drop=True).dropna()
        several = column[column.duplicated(keep=False)]
        values, groups = np.unique(several if kinds[name] == "numeric" else texts_of(several), return_inverse=True)
        if len(values) < 10 or len(column) < 1.5 * column.nunique():
            continue
        of_rows = goals[several.index]
        if kinds[name] == "numeric" and ((values % 1 != 0).any() or _in_order(of_rows, groups)):
            continue
        tested[str(name)] = intraclass_correlation(of_rows, groups, 0)[1], of_rows, groups
    if not tested:
        return []
    name = min(tested, key=lambda name: tested[name][0])
    _, of_rows, groups = tested[name]
    correlation, p = intraclass_correlation(of_rows, groups)
    if p * len(tested) > LEVEL:
        return []
    option = options["groups"].format(quote(name))
    return [
        f"Rows with the same {name} have alike targets (intraclass correlation {correlation:.2f}, {groups.max() + 1} values). If new rows "
        f"will have other values of {name}, the scores are too good: with {option} test rows are from new values."
    ]


def intraclass_correlation(
    target: NDArray[np.float64], groups: NDArray[np.intp], permutations: int = 1999
) -> tuple[float, float]:
    """Return the intraclass correlation of a target within groups, and the one-sided p-value of a test whether it exceeds chance.

    The correlation is 1 if the targets of a group are equal, and about 0 if groups are drawn by chance.

    With the mean squares MSB between and MSW within g groups of n rows, and ``n0 = (n - sum n_g^2 / n) / (g - 1)``, the
    correlation is ``(MSB - MSW) / (MSB + (n0 - 1) MSW)``. The test draws the targets of rows anew, without replacement.

    Parameters
    ----------
    target : ndarray of shape (n_rows,) or (n_rows, n_classes)
        Numbers, or the indicators of classes, whose squares are summed.
    groups : ndarray of shape (n_rows,)
        Number of the group of each row, from 0. One group at least has two rows.
    permutations : int, default=1999
        Number of draws; the smallest p-value is ``1 / (permutations + 1)``. With 0, p is that of the F test.

    References
    ----------
    Fisher, R. A. (1925). Statistical methods for research workers, chapter 7. Donner, A. (1986). A review of inference
    procedures for the intraclass correlation coefficient. International Statistical Review 54.

    Examples
    --------
    >>> correlation, p = intraclass_correlation(np.array([1.0, 2, 1, 8, 9, 9]), np.array([0, 0, 0, 1, 1, 1]))
    >>> round(correlation, 2), round(p, 2)
    (0.99, 0.11)
    """
    y = target.reshape(len(target), -1) - target.mean(axis=0)
    sizes = np.bincount(groups).astype(np.float64)
    n, g = len(y), len(sizes)
    members = csr_array((np.ones(n), (groups, np.arange(n))), shape=(g, n))

    def between(values: NDArray[np.float64]) -> float:
        return float(((members @ values) ** 2 / sizes[:, None]).sum())

    found, total = between(y), float((y**2).sum())
    of_groups, of_rows = found / (g - 1), max(0.0, total - found) / (n - g)
    size = (n - float((sizes**2).sum()) / n) / (g - 1)
    correlation = (of_groups - of_rows) / max(of_groups + (size - 1) * of_rows, 1e-300)
    if not permutations:
        return correlation, float(f_distribution.sf(of_groups / max(of_rows, 1e-300), g - 1, n - g))
    rng = np.random.default_rng(0)
    drawn = np.array([between(y[rng.permutation(n)]) for _ in range(permutations)])
    at_least = int(np.count_nonzero(drawn >= found * (1 - 1e-12)))
    return correlation, (at_least + 1) / (permutations + 1)


def _in_order(goals: NDArray[np.float64], groups: NDArray[np.intp]) -> bool:
    """Return whether the mean goals of successive groups are correlated."""
    sizes = np.bincount(groups)
    means = np.array([np.bincount(groups, goal) / sizes for goal in (goals - goals.mean(axis=0)).T])
    return float((means[:, 1:] * means[:, :-1]).sum()) > (means**2).sum() / np.sqrt(len(sizes))


def _dates(
    features: pd.DataFrame, y: NDArray, task: TaskName, kinds: Mapping[str, str], options: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each of the first three date columns, with the correlation if the target moves with it."""
    for name in [c for c, kind in kinds.items() if kind == "date"][:3]:
        days = pd.Series(date_numbers(features[name], ["days"])[:, 0]).dropna()
        known = y[days.index]  # of one class, there is no correlation
        targets = [known] if task == "regression" else [(known == k).astype(float) for k in np.unique(known)]
        drift = max((abs(days.corr(pd.Series(t, days.index), "spearman")) for t in targets if np.ptp(t)), default=0.0)
        date = (
            f"The target varies with {name} (rank correlation {drift:.2f})"
            if drift > max(DRIFT, 3 / np.sqrt(len(days)))
            else f"{name} is a date"
        )
        option = options["time_column"].format(quote(name))
        yield f"{date}: to predict later rows from earlier rows, {option}."


def _few_rows(target: pd.Series) -> list[str]:
    """Return a sentence on the classes with few rows."""
    counts = target.value_counts()
    rare = counts[counts < FEW_ROWS]
    named = shortened([f"{label!r} ({n})" for label, n in rare.items()], 5)
    return [f"Classes with few rows: {named}; their scores are unreliable."] if len(rare) else []
