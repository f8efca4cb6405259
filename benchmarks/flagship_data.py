"""The tables of the flagship's benchmarks: 57 data sets, generated tables, and their splits."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from generated_tables import GENERATED, generated_table
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from rotastack.data import load_dataset

__all__ = ["GENERATED", "SETS", "Split", "category_columns", "chosen_sets", "dummies", "scores", "with_text"]

_NAMES = """
anneal audiology australian balance-scale banana breast-cancer breast-w chess-krkopt cleveland colon-cancer
credit-a digits ecoli fourclass german glass hayes-roth heart hepatitis hill-valley-clean hill-valley-noise
horse-colic ionosphere iris led24 letter liver lymph madelon mfeat monks-1 monks-2 monks-3 mushrooms musk1
musk2 noisy-square nursery pima ringnorm sat segment solar-flare1 solar-flare2 sonar soybean splice-dna
splice-libsvm-train threeOf9 tic-tac-toe twonorm vote waveform-21 waveform-40 wdbc wine yeast
"""
SETS = tuple(_NAMES.split())

MOST_ROWS = 3000


def chosen_sets(words: str) -> list[str]:
    """Return the tables of a command line: all data sets, the generated tables, or names with commas."""
    groups = {"all": SETS, "generated": GENERATED}
    names = [name for word in words.split(",") for name in groups.get(word, (word,))]
    if unknown := [name for name in names if name not in {*SETS, *GENERATED}]:
        raise SystemExit(f"--sets: {', '.join(unknown)}: there are {', '.join([*groups, *sorted(SETS), *GENERATED])}")
    return names


@dataclass(frozen=True)
class Split:
    """A table's training rows (70 %) and test rows.

    Attributes
    ----------
    X, X_test : DataFrame
    y, y_test : ndarray of int
        Classes, numbered from 0. Test rows of a class without training rows are left out.
    """

    X: pd.DataFrame
    y: NDArray[np.intp]
    X_test: pd.DataFrame
    y_test: NDArray[np.intp]

    @classmethod
    def of(cls, name: str, number: int) -> "Split":
        X, y = _table(name)
        train, test = train_test_split(np.arange(len(X)), test_size=0.3, random_state=100 + number, stratify=y)
        present = np.unique(y[train])
        test = test[np.isin(y[test], present)]
        y = np.searchsorted(present, y)
        return cls(X.iloc[train].reset_index(drop=True), y[train], X.iloc[test].reset_index(drop=True), y[test])


def dummies(split: Split) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return training and test rows as methods take them that know numbers only.

    Missing numbers are the training rows' medians beside a column that tells of them; a category has a dummy for each
    value, and missing is one.
    """
    both = pd.concat([split.X, split.X_test], ignore_index=True)
    categories = category_columns(both)
    numbers = both.drop(columns=categories).astype(float)
    missing = numbers.isna().loc[:, numbers.isna().any()]
    parts = [numbers.fillna(numbers.iloc[: len(split.X)].median().fillna(0)), missing.astype(float)]
    parts += [pd.get_dummies(_text(both[column]), prefix=column).astype(float) for column in categories]
    found = pd.concat(parts, axis=1).to_numpy(np.float32)
    return found[: len(split.X)], found[len(split.X) :]


def with_text(X: pd.DataFrame) -> pd.DataFrame:
    """Return a table with categories as text; "missing" is a category."""
    return X.assign(**{column: _text(X[column]) for column in category_columns(X)})


def category_columns(X: pd.DataFrame) -> list[str]:
    return [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]


def scores(probabilities: NDArray[np.floating], y: NDArray[np.integer]) -> tuple[float, float]:
    """Return error and log loss, with probabilities clipped at .001."""
    clipped = np.maximum(probabilities, 1e-3)
    clipped = clipped / clipped.sum(axis=1, keepdims=True)
    right = np.maximum(clipped[np.arange(len(y)), y], 1e-3)
    return float(np.mean(clipped.argmax(axis=1) != y)), float(-np.log(right).mean())


def _text(column: pd.Series) -> pd.Series:
    return column.astype(object).where(column.notna(), "missing").astype(str)


def _table(name: str) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Return a table of at most 3000 rows, a stratified draw, without classes of a single row."""
    X, labels = generated_table(name) if name in GENERATED else load_dataset(name)
    X, y = _of_two_rows(X, np.unique(np.asarray(labels), return_inverse=True)[1])
    if len(X) <= MOST_ROWS:
        return X, y
    rows, _ = train_test_split(np.arange(len(X)), train_size=MOST_ROWS, random_state=0, stratify=y)
    rows.sort()
    return _of_two_rows(X.iloc[rows], y[rows])


def _of_two_rows(X: pd.DataFrame, y: NDArray[np.intp]) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    kept = np.bincount(y)[y] >= 2
    return X[kept].reset_index(drop=True), np.unique(y[kept], return_inverse=True)[1]
