"""Scores of predictions for new rows whose target is known, beside those that the model's run had measured."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.base.categories import category_numbers, texts_of
from rotastack.base.columns import numbers_of
from rotastack.base.outputs import NUMBERS
from rotastack.base.reading import NO_VALUE, ColumnReading
from rotastack.errors import shortened
from rotastack.stats.metrics import DECIDED, NAMES
from rotastack.stats.scores import score_numbers, score_probabilities
from rotastack.workflow.judge.words import counted, listed, printer
from rotastack.workflow.use.saved_model import SavedModel

__all__ = ["scores_in_words"]


def scores_in_words(model: SavedModel, table: pd.DataFrame, predicted: pd.DataFrame) -> str:
    """Return a line on the scores of the rows with a target; `predicted` is from :meth:`SavedModel.predict`."""
    column, classes, measured = table[model.target], model.classes, model.measured.get("scores", {})
    readings = model.pipeline.named_steps["table"].readings_
    read = readings.get(model.target, ColumnReading("text" if classes else "number")).values(column)
    y = _class_numbers(column, read, classes) if classes else numbers_of(read)
    known = np.isfinite(y)
    if not known.any():
        return f"no scores: {column.name} has no value that can be read"
    if classes:
        found = _of_classes(y[known], predicted[known], classes, model.measured.get("positive"))
    else:
        found = score_numbers(y[known], predicted.reindex(columns=list(NUMBERS)).to_numpy(dtype=float)[known])
        found = {name: value for name, value in found.items() if name in ("rmse", "mae", "r2") or "lower" in predicted}
    told = []
    for name in sorted(found, key=lambda name: name != model.measured.get("score")):
        values = [found[name], *([measured[name]] if name in measured else [])]
        shown = map(printer(name, values), values)
        told += [] if np.isnan(found[name]) else [f"{NAMES[name]} {' ('.join(shown)}{')' * (len(values) > 1)}"]
    beside = " (in brackets: held-out rows of the run)" if measured else ""
    text = f"scores against {column.name} on {known.sum():,} of {len(table):,} rows{beside}: {', '.join(told)}"
    if lacking := [NAMES[name] for name, value in found.items() if np.isnan(value)]:
        text += f"; undefined with one {'class' if classes else 'value'} only: {listed(lacking)}"
    if classes and len(new := texts_of(column[y == len(classes)]).value_counts()):
        names = shortened([f"{name!r} ({counted(n, 'row')})" for name, n in new.items()], 5)
        text += f"; unknown to the model: {names}, which count as errors and are left out of the other scores"
    return text


def _class_numbers(column: pd.Series, read: pd.Series, classes: list[str]) -> NDArray[np.float64]:
    """Return the number of each row's class: ``len(classes)`` for a class unknown to the model, NaN for a missing one."""
    y, texts = category_numbers(read, classes), texts_of(column).astype(str).str.strip()
    y = np.where(y == len(classes), category_numbers(texts, [name.strip() for name in classes]), y)
    return np.where(column.notna() & ((y < len(classes)) | ~texts.isin(NO_VALUE)), y, np.nan)


def _of_classes(y: NDArray, predicted: pd.DataFrame, classes: list[str], positive: str | None) -> dict[str, float]:
    """Return the scores of rows with classes, those in ``DECIDED`` of the model's decisions."""
    decided = pd.Index(classes).get_indexer(predicted["prediction"].map(str))
    found, known = {"error": float(np.mean(decided != y))}, y < len(classes)
    if not known.any():
        return found
    y, votes = y[known].astype(np.intp), np.eye(len(classes))[decided[known]]
    shares = predicted.reindex(columns=[f"probability={name}" for name in classes]).to_numpy(dtype=float)[known]
    k = classes.index(positive) if positive else int(2 * np.sum(y == 1) <= len(y))  # without a run the rarer class here
    of_votes = score_probabilities(y, votes, k)
    of_shares = of_votes if np.isnan(shares).any() else score_probabilities(y, shares, k)
    return of_shares | {name: of_votes[name] for name in DECIDED} | found
