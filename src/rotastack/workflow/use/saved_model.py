"""Models saved by studies: find a model, check a table against it, and predict."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from rotastack.base.categories import category_numbers, texts_of
from rotastack.base.columns import numbers_of
from rotastack.base.documents import load_mapping
from rotastack.base.fitting import COVERAGE
from rotastack.base.outputs import NUMBERS, positive_class
from rotastack.base.reading import NO_VALUE, PLACEHOLDER, ColumnReading, read_columns
from rotastack.base.warned import UNSEEN
from rotastack.data.target import free_name
from rotastack.errors import RotastackError, counted, nearest, shortened
from rotastack.files import read_json
from rotastack.stats.metrics import DECIDED, NAMES
from rotastack.stats.scores import score_numbers, score_probabilities
from rotastack.workflow.judge.intervals import coverage_in_words, widened
from rotastack.workflow.judge.words import listed, printer
from rotastack.workflow.tracking.model_files import check_versions, load_model

FILE = "model.skops"


@dataclass(frozen=True)
class SavedModel:
    """A fitted pipeline from a raw table to predictions."""

    pipeline: Any
    name: str

    @property
    def columns(self) -> list[str]:
        """Columns that a table must have."""
        return list(self.pipeline.named_steps["table"].needed_)

    @property
    def classes(self) -> list[str]:
        """Classes, in the order of the probabilities; empty for a regressor."""
        return [str(c) for c in self.pipeline.classes_] if is_classifier(self.pipeline) else []

    @property
    def target(self) -> str:
        """The target's name in the user's files: of the columns whose reading is stored, the one that is no feature."""
        reader = self.pipeline.named_steps["table"]
        others = [name for name in reader.readings_ if name not in reader.kinds_]
        return others[0] if len(others) == 1 else "target"

    @property
    def measured(self) -> dict[str, Any]:
        """The study's ``score``, the ``scores`` of held-out rows, and the ``positive`` class; empty without a study."""
        return getattr(self.pipeline, "measured_", {})

    def predict(
        self, table: pd.DataFrame, proba: bool = False, intervals: bool = False
    ) -> tuple[pd.DataFrame, list[str]]:
        """Return predictions for the rows of a table, whose columns may be in any order, and notes on odd columns and values.

        The columns are ``prediction``, and on request ``probability=<class>`` for each class, ``lower`` and ``upper``.
        """
        if proba and not hasattr(self.pipeline, "predict_proba"):
            raise RotastackError(f"{self.name}: the model has no probabilities; drop --proba")
        model = self.pipeline[-1]
        if intervals and not hasattr(model, "predict_interval"):
            kind = "predicts numbers without intervals" if is_regressor(model) else "predicts classes"
            raise RotastackError(f"{self.name}: {type(model).__name__} {kind}; only RotastackRegressor has intervals")
        rows, notes = self._rows(table)
        if not len(rows):
            raise RotastackError("the table has no rows")
        notes += self._out_of_range(rows)
        found: dict[str, Any] = {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            numbers = self.pipeline[:-1].transform(rows)
            warnings.filterwarnings("ignore", UNSEEN)  # of the same columns, without their names
            if proba:
                shares = model.predict_proba(numbers)
                # beside these comes the decision of the model, which need not be the most probable class
                found = {f"probability={c}": shares[:, k] for k, c in enumerate(self.classes)}
            found = {"prediction": np.ravel(model.predict(numbers)), **found}  # some models return a column
            if intervals:
                ends = np.asarray(model.predict_interval(numbers, COVERAGE))
                if tested := getattr(self.pipeline, "tested_intervals_", None):
                    ends = widened(ends, tested)
                    notes.append(coverage_in_words(tested).rstrip("."))
                found["lower"], found["upper"] = ends.T
                if n := int(((found["prediction"] < ends[:, 0]) | (found["prediction"] > ends[:, 1])).sum()):
                    notes.append(
                        f"{counted(n, 'prediction')} outside the interval: means of skewed targets can lie there"
                    )
        notes += [" ".join(str(w.message).split()) for w in caught]
        return pd.DataFrame(found, index=table.index), [*dict.fromkeys(notes)]

    def scores(self, table: pd.DataFrame, predicted: pd.DataFrame) -> str:
        """Return a line on the scores of the rows with a target, beside those of the run; `predicted` is from :meth:`predict`."""
        column, classes, measured = table[self.target], self.classes, self.measured.get("scores", {})
        readings, usual = self.pipeline.named_steps["table"].readings_, ColumnReading("text" if classes else "number")
        read = readings.get(self.target, usual).values(column)
        y = _class_numbers(column, read, classes) if classes else numbers_of(read)
        known = np.isfinite(y)
        if not known.any():
            return f"no scores: {column.name} has no value that can be read"
        if classes:
            found = _scores_of_classes(y[known], predicted[known], classes, self.measured.get("positive"))
        else:
            found = score_numbers(y[known], predicted.reindex(columns=list(NUMBERS)).to_numpy(dtype=float)[known])
        told = []
        for name in sorted(found, key=lambda name: name != self.measured.get("score")):
            values = [found[name], *([measured[name]] if name in measured else [])]
            shown = map(printer(name, values), values)
            told += [] if np.isnan(found[name]) else [f"{NAMES[name]} {' ('.join(shown)}{')' * (len(values) > 1)}"]
        beside = " (in brackets: held-out rows of the run)" if measured else ""
        text = f"scores against {column.name} on {known.sum():,} of {len(table):,} rows{beside}: {', '.join(told)}"
        if lacking := [NAMES[name] for name in ("roc_auc", "average_precision", "r2") if np.isnan(found.get(name, 0))]:
            text += f"; undefined with only one {'class' if classes else 'value'}: {listed(lacking)}"
        if classes and len(new := texts_of(column[y == len(classes)]).value_counts()):
            names = shortened([f"{name!r} ({counted(n, 'row')})" for name, n in new.items()], 5)
            text += f"; unknown to the model: {names}, which count as errors and are left out of the other scores"
        return text

    def _out_of_range(self, rows: pd.DataFrame) -> list[str]:
        """Return a note on the numbers that are smaller or larger than those of all training rows."""
        found, reader = [], self.pipeline.named_steps["table"]
        for column, (least, most) in reader.ranges_.items():
            numbers, unit = numbers_of(rows[column]), reader.readings_[column].in_unit
            if n := int(((numbers < least) | (numbers > most)).sum()):
                found.append(f"{column} ({counted(n, 'row')}; {least:.10g} to {most:.10g}{unit})")
        return [f"numbers outside of the training range: {shortened(found)}"] if found else []

    def _rows(self, table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """Return the columns of a table that the model reads, and notes on the others and on odd values."""
        if "target" in table and (name := free_name(table.columns)) in self.columns:
            table = table.rename(columns={"target": name})  # the study renamed the column in its own table
        missing = [c for c in self.columns if c not in table.columns]
        if missing:
            raise RotastackError(
                f"columns of the model are missing: {', '.join(missing)}; columns: {shortened(table.columns, 20)}"
            )
        twice = sorted({str(c) for c in table.columns[table.columns.duplicated()]} & set(self.columns))
        if twice:
            raise RotastackError(f"columns occur twice: {', '.join(twice)}; rename or drop one of each")
        reader = self.pipeline.named_steps["table"]
        extra = [c for c in table.columns if c not in {*self.columns, *reader.dropped_, self.target}]
        notes = [f"columns that the model does not use are ignored: {shortened(extra, 20)}"] if extra else []
        read = read_columns(table[self.columns], reader.readings_, notes.append)
        for column, how in reader.readings_.items():
            if column not in read or read[column].notna().any():
                continue
            words = table[column].mask(table[column].astype(str).str.fullmatch(PLACEHOLDER))
            if text := how.remark(words, read[column]):
                raise RotastackError(text.rpartition("; ")[0])
        return read, notes


def _class_numbers(column: pd.Series, read: pd.Series, classes: list[str]) -> NDArray[np.float64]:
    """Return the number of each row's class: ``len(classes)`` for a class unknown to the model, NaN for a missing one."""
    y, texts = category_numbers(read, classes), texts_of(column)
    y = np.where(y == len(classes), category_numbers(texts, classes), y)
    return np.where(column.notna() & ((y < len(classes)) | ~texts.isin(NO_VALUE)), y, np.nan)


def _scores_of_classes(
    y: NDArray, predicted: pd.DataFrame, classes: list[str], positive: str | None
) -> dict[str, float]:
    """Return the scores of rows with classes, those in ``DECIDED`` of the model's decisions."""
    decided = category_numbers(predicted["prediction"], classes)
    found, known = {"error": float(np.mean(decided != y))}, y < len(classes)
    if not known.any():
        return found
    y, votes = y[known].astype(np.intp), np.eye(len(classes))[decided[known]]
    shares = predicted.reindex(columns=[f"probability={name}" for name in classes]).to_numpy(dtype=float)[known]
    k = classes.index(positive) if positive else positive_class(y)  # without a run the rarer class here
    of_votes = score_probabilities(y, votes, k)
    of_shares = of_votes if np.isnan(shares).any() else score_probabilities(y, shares, k)
    return of_shares | {name: of_votes[name] for name in DECIDED} | found


def file_of_study(study: str, dataset: str | None = None, project: str | Path = ".") -> Path:
    """Return the model's file in the results of a study."""
    if study.endswith((".yaml", ".yml")):
        study = str(load_mapping(study).get("name", Path(study).stem))
    results = Path(project) / "results"
    models: dict[str, dict[str, Path]] = {}
    for path in sorted(results.glob(f"*/*/model/{FILE}")):
        models.setdefault(path.parents[2].name, {})[path.parents[1].name] = path
    if study not in models:
        known = f"; studies with models: {', '.join(models)}" if models else ""
        where = "" if models else "; name the folder of the run: --project DIR"
        raise RotastackError(
            f"{results.resolve()}: no model of study {study!r}{nearest(study, list(models))}{known}{where}"
        )
    files = models[study]
    if dataset is None and len(files) > 1:
        raise RotastackError(f"{results / study}: several data sets; add --dataset, one of {', '.join(files)}")
    dataset = dataset or next(iter(files))
    if dataset not in files:
        raise RotastackError(
            f"study {study!r} has no model of {dataset!r}{nearest(dataset, list(files))}; data sets: {', '.join(files)}"
        )
    return files[dataset]


def model_in_folder(path: Path, name: str | None = None, trusted: Sequence[str] = ()) -> SavedModel:
    """Return the model in a file or folder of a study's results, or in a folder that MLflow wrote."""
    note = path / "MLmodel"
    if path.is_file() or ((path / FILE).is_file() and not note.is_file()):
        return saved_model(path if path.is_file() else path / FILE, name or str(path), trusted)
    if not note.is_file():
        raise RotastackError(f"{name or path}: no model found: neither {FILE} nor MLmodel")
    about = load_mapping(note, exactly=False)
    sklearn = about.get("flavors", {}).get("sklearn", {})
    if sklearn.get("serialization_format") != "skops":
        raise RotastackError(f"{name or path}: not a Rotastack model; these are skops files")
    check_versions(about.get("metadata") or {}, name or path)
    return saved_model(path / sklearn.get("pickled_model", FILE), name or str(path), trusted)


def saved_model(path: Path, name: str, trusted: Sequence[str] = ()) -> SavedModel:
    """Return the model in a file; types of the modules `trusted` are known."""
    record = path.parent / "refit.run.json"
    if path.is_file() and not path.stat().st_size and record.is_file():
        raise RotastackError(f"{name}: no model was trained: {read_json(record)['message']}")
    pipeline = load_model(path, trusted)
    if "table" not in getattr(pipeline, "named_steps", ()):
        raise RotastackError(
            f"{path}: {type(pipeline).__name__} is not a model of a study; name a file that rotastack run or fit wrote"
        )
    return SavedModel(pipeline, name)
