"""A user's table of scores of methods on data sets, with a column per method or with one score a row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError, few, nearest
from rotastack.stats.missing import rounded

__all__ = ["ScoreTable", "name_columns", "score_table"]

DATASETS = ("dataset", "data set", "data_set", "data", "task", "problem", "name", "tid")
METHODS = ("method", "methods", "model", "classifier", "regressor", "algorithm", "estimator", "learner", "framework")
REPEATS = (
    "split", "fold", "repeat", "repetition", "seed", "run", "iteration", "resample", "fold_group", "rotation_group"
)  # fmt: skip
TIMES = {
    "fit": ("fit_seconds", "fit_time", "train_time", "training_time", "time_train_s"),
    "predict": ("predict_seconds", "predict_time", "prediction_time", "test_time", "score_time", "time_infer_s"),
}
"""Accepted names of columns, here and above; capitals, blanks and punctuation do not matter."""
HIGHER = ("accuracy", "acc", "auc", "auroc", "f1", "r2", "kappa", "mcc", "precision", "recall", "gain")
LOWER = ("error", "errors", "loss", "logloss", "brier", "rmse", "mse", "mae", "mape", "deviance", "regret", "cost")
"""Words in a score's name that show which direction is better; "neg" at the start reverses them."""


@dataclass
class ScoreTable:
    """Scores of methods on data sets: tables with a row for each data set and a column for each method."""

    score: str
    means: pd.DataFrame  # without rounding errors; NaN for a missing score
    deviations: pd.DataFrame  # over repeats
    repeats: int  # the most of a method on a data set
    seconds: dict[str, pd.DataFrame]  # "fit" and "predict", if the table has these columns
    notes: list[str]  # remarks for the user on how the table was read
    higher_is_better: bool = False
    optimum: float | None = None  # the best possible score; None if unknown


def score_table(frame: pd.DataFrame, score: str | None = None, higher: bool | None = None) -> ScoreTable:
    """Read a table of scores: a row per data set and a column per method, or one score a row, with repeats or seconds.

    `score` is the column of the score, if there are several; in a table with a column per method, the name of the score.
    `higher` tells whether higher scores are better, if the name of the score does not show it.
    """
    frame = frame.rename(columns=str)
    dataset, method = name_columns(frame)
    if dataset is not None and method is not None:
        found = _of_rows(frame, dataset, method, score)
    else:
        found = _of_columns(frame, dataset, score)
    if found.means.shape[1] < 2:
        raise RotastackError(f"the table has {found.means.shape[1]} methods; at least 2 are needed")
    if found.means.isna().all(axis=None):
        raise RotastackError("the table has no scores")
    found.higher_is_better = _direction(found.score, higher)
    found.optimum, note = _optimum(found.means, found.higher_is_better, found.score)
    found.notes += [note] if note else []
    return found


def name_columns(frame: pd.DataFrame) -> tuple[str | None, str | None]:
    """Return the columns with the names of data sets and of methods; None where the table has none."""
    dataset, method = _called(frame, DATASETS), _called(frame, METHODS)
    if dataset is None and method is None and not pd.api.types.is_numeric_dtype(frame.iloc[:, 0]):
        dataset = str(frame.columns[0])
    return dataset, method


def _of_columns(frame: pd.DataFrame, dataset: str | None, score: str | None) -> ScoreTable:
    """Read a table with a column for each method."""
    notes = []
    if dataset is None:
        frame = frame.set_axis([f"row {i}" for i in range(1, len(frame) + 1)])
        notes.append("the table has no column of data set names; the rows are numbered")
    else:
        frame = frame.set_index(dataset)
    frame = frame.rename_axis(index=None, columns=None)
    if not len(frame):
        raise RotastackError("the table has no rows")
    if frame.index.hasnans or (frame.index.astype(str).str.strip() == "").any():
        raise RotastackError(f"column {dataset!r} has an empty cell; name each data set")
    if not frame.index.is_unique:
        twice = frame.index[frame.index.duplicated()][0]
        raise RotastackError(
            f"data set {str(twice)!r} has two rows; a table with one score per row needs a column `method`"
        )
    means = rounded(frame.set_axis(frame.index.map(str)).apply(_numbers))
    return ScoreTable(score or "score", means, means * np.nan, 1, {}, notes)


def _of_rows(frame: pd.DataFrame, dataset: str, method: str, score: str | None) -> ScoreTable:
    """Read a table with one score a row; a method with fewer repeats than others on a data set has no score there."""
    repeats = [c for c in frame if _plain(c) in map(_plain, REPEATS)]
    seconds = {kind: name for kind, names in TIMES.items() if (name := _called(frame, names)) is not None}
    others = [c for c in frame if c not in (dataset, method, *repeats, *seconds.values())]
    column = _score_column(frame, others, score)
    notes = [] if score is not None or len(others) == 1 else [
        f"score: column {column!r}; others (--score): {few((c for c in others if c != column), 6)}"
    ]  # fmt: skip
    for name in (dataset, method):
        if frame[name].isna().any():
            raise RotastackError(
                f"column {name!r} is empty in row {int(frame[name].isna().argmax()) + 1}; fill in a name"
            )
    keys = [frame[dataset].astype(str), frame[method].astype(str)]
    scores = _numbers(frame[column])
    if repeats and frame.duplicated([dataset, method, *repeats]).any():
        row = frame[frame.duplicated([dataset, method, *repeats])].iloc[0]
        raise RotastackError(
            f"method {str(row[method])!r} has two scores on data set {str(row[dataset])!r} for the same {', '.join(repeats)}; keep one"
        )
    grouped = scores.groupby(keys, sort=False)
    counts = grouped.count().unstack().fillna(0)
    usual = counts.max(axis=1)
    order = list(dict.fromkeys(keys[1]))
    means, deviations = (
        t.unstack().loc[list(dict.fromkeys(keys[0])), order].rename_axis(index=None, columns=None)
        for t in (grouped.mean(), grouped.std(ddof=1))
    )
    means = rounded(means)  # the order of repeats must not make equal means differ
    fewer = counts.lt(usual, axis=0) & (counts > 0)
    for d, m in zip(*np.nonzero(fewer.to_numpy()), strict=True):
        where, who = str(counts.index[d]), str(counts.columns[m])
        notes.append(
            f"{who} has {counts.iloc[d, m]:.0f} of {usual.iloc[d]:.0f} scores on {where}; the mean score is set to missing"
        )
        means.loc[where, who] = np.nan
    times = {
        kind: _numbers(frame[name]).groupby(keys, sort=False).mean().unstack().reindex_like(means)
        for kind, name in seconds.items()
    }
    return ScoreTable(column, means, deviations, int(usual.max()), times, notes)


def _score_column(frame: pd.DataFrame, others: Sequence[str], score: str | None) -> str:
    """Return the column of the score: the one named `score`, the only one, or the first with a known direction."""
    if score is not None:
        if score not in frame:
            raise RotastackError(
                f"--score: column {score!r} not found{nearest(score, list(others))}; columns: {', '.join(others)}"
            )
        return score
    numeric = [c for c in others if pd.api.types.is_numeric_dtype(frame[c]) or len(others) == 1]
    known = [c for c in numeric if _direction_by_name(c) is not None]
    if not numeric or (len(numeric) > 1 and not known):
        columns = f"; columns: {', '.join(others)}" if others else ""
        raise RotastackError(f"the column of the score is unclear; add --score COLUMN{columns}")
    return (known or numeric)[0]


def _numbers(column: pd.Series) -> pd.Series:
    """Return a column as numbers; "95.3 %" and "95,3" are accepted, an error names the row of any other text."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return column.astype(float)
    text = column.astype("string").str.strip()
    text = text.where(~text.str.lower().isin(["", "-", "nan", "na", "n/a", "none", "failed"]))
    found = pd.to_numeric(text.str.replace("%", "").str.replace(",", ".").str.strip(), errors="coerce")
    strange = found.isna() & text.notna()
    if strange.any():
        where = column.index[strange.to_numpy()][0]
        raise RotastackError(
            f"column {column.name!r}: {column[strange.to_numpy()].iloc[0]!r} is not a number ({where!r})"
        )
    return found.astype(float)


def _direction(score: str, higher: bool | None) -> bool:
    """Return whether higher scores are better; raise an error if the score's name contradicts `higher`."""
    by_name = _direction_by_name(score)
    if higher is None:
        if by_name is None:
            raise RotastackError(f"the better direction of {score!r} is unknown; add --higher or --lower")
        return by_name
    if by_name is not None and by_name != higher:
        raise RotastackError(
            f"the name {score!r} means {'higher' if by_name else 'lower'} is better; "
            f"drop --{'higher' if higher else 'lower'}, or rename the score"
        )
    return higher


def _direction_by_name(score: str) -> bool | None:
    """Return whether higher scores are better, by the words in a score's name; None if no word shows it."""
    words = re.findall(r"[a-z]+[0-9]?", score.lower())
    turned = bool(words) and words[0] in ("neg", "negative")
    if any(w in LOWER for w in words):
        return turned
    return not turned if any(w in HIGHER for w in words) else None


def _optimum(means: pd.DataFrame, higher: bool, score: str) -> tuple[float | None, str]:
    """Return the best possible score (None if unknown), and a note for the user."""
    least, most = means.min(axis=None), means.max(axis=None)
    if most <= 1 if higher else least >= 0:
        return float(higher), ""
    if higher and least >= 0 and 10 < most <= 100:
        return 100.0, f"{score} has values up to {most:g}; read as percent"
    values = f"up to {most:g}" if higher else "below 0"
    return None, f"{score} has values {values}; the distance to the best possible score is unknown"


def _called(frame: pd.DataFrame, names: Sequence[str]) -> str | None:
    """Return the first column that has one of these names, else None."""
    plain = [_plain(n) for n in names]
    return next((c for c in frame if _plain(c) in plain), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
