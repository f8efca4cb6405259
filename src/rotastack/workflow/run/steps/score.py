"""score: scores of all methods and of the baseline on a data set, cell by cell, with calibration and times."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from rotastack.data.artifacts import Prepared, read_arrays, read_frame, read_prepared, write_frame
from rotastack.data.divisions import copies_in, united
from rotastack.files import read_json, write_text
from rotastack.stats.association import association_p
from rotastack.stats.calibration import calibration_curve, confusion, threshold_counts
from rotastack.stats.forecasts import naive_forecasts
from rotastack.stats.influence import unit_influences
from rotastack.stats.metrics import METRICS
from rotastack.stats.scores import MEANS, constant_output, score_numbers, score_probabilities
from rotastack.workflow.judge.intervals import coverage_of_spans
from rotastack.workflow.judge.words import printer
from rotastack.workflow.run.folds import masks
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.specs import ScoringSpec

MOST_SHOWN = 1000
"""The most pairs of target and prediction that are stored for each method."""

MOST_CURVES = 10
"""The most classes for which ROC and precision-recall curves are stored."""

BEYOND = 0.1
"""Share of test rows with a target outside the range of the training rows from which the share is told; of few rows chance has as many."""

SPANS = 6
"""About the number of spans into which later test rows are divided for a test."""

TIMES = ("fit_processor_seconds", "predict_processor_seconds")

Divisions = Sequence[list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]]
"""The masks of test rows and training rows of the folds of each cell; a split is a cell of one fold."""


class Cell(NamedTuple):
    """The test rows of a cell: their numbers, their targets, and the outputs for them."""

    at: tuple[int, ...]
    rows: NDArray[np.intp]
    y: NDArray
    outputs: NDArray[np.float64]


def score(spec: ScoringSpec, table: Prepared, method: xr.Dataset) -> pd.DataFrame:
    """Return the scores and measures of a method, a row for each cell."""
    measures = [n for n in method.data_vars if method[n].dims == tuple(spec.axes)]
    return pd.DataFrame(
        [
            {
                "dataset": spec.dataset,
                "method": method.attrs["method"],
                **{axis: str(method[axis].values[i]) for axis, i in zip(spec.axes, cell.at, strict=True)},
                **_scores(table, cell.y, cell.outputs),
                **{str(name): float(method[name].values[cell.at]) for name in measures},
            }
            for cell in _cells(spec.axes, table, method)
        ]
    )


def _cells(axes: list[str], table: Prepared, method: xr.Dataset) -> Iterator[Cell]:
    """Yield the cells of a method."""
    for at in np.ndindex(*(method.sizes[axis] for axis in axes)):
        rows, outputs = np.arange(len(table.y)), method["proba"].values[at]
        if "rows" in method:
            rows = method["rows"].values[at]
            outputs, rows = outputs[rows >= 0], rows[rows >= 0]
        yield Cell(at, rows, table.y[rows], outputs)


class Scored(NamedTuple):
    """The contents of the files of this step, and the numbers of its record."""

    scores: pd.DataFrame
    rows: tuple[pd.DataFrame, dict[str, Any]]
    calibration: pd.DataFrame
    decisions: dict[str, Any]
    metrics: dict[str, Any]


def score_all(
    spec: ScoringSpec, table: Prepared, folds: pd.DataFrame, methods: Iterable[xr.Dataset], records: Mapping[str, Any]
) -> Scored:
    """Return the scores of all `methods`; of the `records`, "prepare", "pools" and "methods" are read.

    The times are medians over the trainings of a method's pool, because times differ between runs.
    """
    divisions = [masks(spec.protocol, column.to_numpy()) for _, column in folds.items()]
    units, unit = _units(spec, table, divisions)
    influences: dict[str, pd.Series] = {}  # of the tested units: pools may have different numbers of splits
    widening: dict[str, float] = {}
    fewest: dict[str, int] = {}
    scores, curves, decided = [], [], []
    failures: dict[str, str] = {}
    association: dict[str, float] = {}
    thresholds: dict[str, dict[str, Any]] = {}
    intervals: dict[str, dict[str, float]] = {}
    ten_rows: dict[str, tuple[int, float, float]] = {}
    for arrays in methods:
        method = arrays.attrs["method"]
        if arrays.attrs["status"] != "ok":
            failures[method] = arrays.attrs["message"]
        scores.append(score(spec, table, arrays))
        cells = list(_cells(spec.axes, table, arrays))
        rows = np.concatenate([cell.rows for cell in cells])
        times = len(rows) / len(np.unique(rows))
        by_time = pd.DataFrame(_influences(spec.score, cells, units, table)).loc[np.unique(units[rows])]
        influences[method] = by_time.stack()
        widening[method] = len(rows) / by_time.shape[1] / len(table.y)
        classes = table.y[rows] if table.classes and spec.score not in MEANS else np.zeros(len(rows))
        fewest[method] = min(len(np.unique(units[rows[classes == k]])) for k in np.unique(classes))
        true, outputs = (np.concatenate(parts) for parts in zip(*((c.y, c.outputs) for c in cells), strict=True))
        if np.isfinite(outputs[:, 0]).all():  # the ends of intervals may be missing
            first = [(c.rows, c.y, c.outputs[:, : table.n_classes or 1]) for c in cells]
            association[method] = association_p(first, units, table.n_classes)
        if spec.is_own and not table.classes:
            ten_rows[method] = _ten_rows(cells)
        if table.time is not None and not table.classes and np.isfinite(outputs).all():
            intervals[method] = coverage_of_spans([(c.y, c.outputs[:, 1:]) for c in cells])
        curves.append(_curve(spec.dataset, method, true, outputs, table))
        of_method = _decided(method, true, outputs, table)
        if of_method and table.n_classes == 2:
            best = _threshold(of_method[0], table.positive, times)
            thresholds[method] = {"class": table.classes[table.positive], **best}
        decided += of_method
    frame, calibration = (pd.concat(parts, ignore_index=True) for parts in (scores, curves))
    of_units = pd.DataFrame(influences)
    of_units = of_units.reindex(pd.MultiIndex.from_product(of_units.index.levels))
    about = {"unit": unit, "times": len(of_units.index.levels[1]), "widening": widening, "fewest": fewest}
    means = frame.groupby("method")[list(METRICS[table.task])].mean()
    found = records["prepare"].get("metrics", {}).get("suspicions", [])
    metrics = {
        **{f"mean_{name}": column.to_dict() for name, column in means.items()},
        "baseline": _baseline(table, divisions).mean().astype(float).to_dict(),
        "association_p": association,
        "thresholds": thresholds,
        "failures": failures,
        "suspicions": [*_trained_on_few(table, divisions), *found],
        "forecasts": _in_time(table, divisions),
        **({"intervals": intervals} if intervals else {}),
        **({"ten_rows": ten_rows} if ten_rows else {}),
        **_times(records),
    }
    decisions = {"dataset": spec.dataset, "classes": table.classes, "positive": table.positive, "methods": decided}
    return Scored(frame, (of_units, about), calibration, decisions, metrics)


def run(job: Job) -> None:
    """Score all methods, and gather the records of the earlier steps.

    Reads inputs ``table``, ``folds``, ``methods`` in the study's order, and the records ``method_records``,
    ``pool_records``, ``prepare`` and ``groups``. Writes outputs ``scores``, ``rows`` (the influence of each unit of test
    rows on the score that ranks the methods), ``calibration``, ``decisions`` and ``records``.
    """
    spec, table = job.spec(ScoringSpec), read_prepared(job.input("table"))
    folds, _ = read_frame(job.input("folds"))
    with job.recorded() as record:
        records = _records(job, spec)
        scored = score_all(spec, table, folds, map(read_arrays, job.inputs["methods"]), records)
        write_frame(job.output("scores"), scored.scores)
        write_frame(job.output("rows"), *scored.rows)
        write_frame(job.output("calibration"), scored.calibration)
        write_text(job.output("decisions"), json.dumps(scored.decisions) + "\n")
        write_text(job.output("records"), json.dumps(records) + "\n")
        record.metrics, failed = scored.metrics, scored.metrics["failures"]
        record.warnings = [f"method {method} failed: {message}" for method, message in failed.items()]


def _records(job: Job, spec: ScoringSpec) -> dict[str, Any]:
    """Return the records of the earlier steps: of the table, the groups, each pool's blocks and each method."""
    trained = list(map(read_json, job.inputs["pool_records"]))
    return {
        **{name: read_json(job.input(name)) for name in ("prepare", "groups")},
        "pools": {pool: [record for record in trained if record["pool"] == pool] for pool in spec.pools},
        "methods": list(map(read_json, job.inputs["method_records"])),
    }


def _scores(table: Prepared, y: NDArray, outputs: NDArray) -> dict[str, float]:
    """Return the scores of outputs for rows of a data set."""
    return score_probabilities(y, outputs, table.positive) if table.classes else score_numbers(y, outputs)


def _units(spec: ScoringSpec, table: Prepared, divisions: Divisions) -> tuple[NDArray[np.intp], str]:
    """Return the number of the unit of each row, and the noun of units; rows of different units count as independent.

    A unit is a row, the rows of a group, or the copies of a row. In order of time the test sets are divided into about six
    spans: losses of neighbouring moments depend on each other, and a t test of few long spans keeps its level
    (Ibragimov and Müller 2010, t-statistic based correlation and heterogeneity robust inference).
    """
    if table.time is not None:
        units, tests = np.zeros(len(table.y), dtype=np.intp), [test for folds in divisions for test, _ in folds]
        for test in tests:
            moments, numbers = np.unique(table.time[test], return_inverse=True)
            units[test] = units.max() + 1 + numbers * min(len(moments), max(1, SPANS // len(tests))) // len(moments)
        return units, "time blocks"
    units, unit = (np.arange(len(table.y)), "rows") if table.groups is None else (table.groups, "groups")
    if spec.copies_together:
        units = united(units, copies_in(table))
        unit = "distinct rows" if table.groups is None and len(np.unique(units)) < len(units) else unit
    return units, unit


def _influences(score: str, cells: Sequence[Cell], units: NDArray[np.intp], table: Prepared) -> NDArray[np.float64]:
    """Return the influence of each unit on the mean score of a method; NaN if an output that the score needs is missing."""
    needed = slice(None) if table.classes or score == "pinball" else slice(1)
    if not all(np.isfinite(cell.outputs[:, needed]).all() for cell in cells):
        return np.full((units.max() + 1, 1), np.nan)
    return unit_influences(score, [(c.rows, c.y, c.outputs) for c in cells], units, table.positive)


def _ten_rows(cells: Sequence[Cell]) -> tuple[int, float, float]:
    """Return the number of tested rows, and the shares of the squared and absolute errors that ten of them make."""
    errors = pd.concat([pd.Series(np.abs(cell.y - cell.outputs[:, 0]), cell.rows) for cell in cells])
    of_rows = pd.DataFrame({"squared": errors**2, "absolute": errors}).groupby(level=0).sum()
    squared, absolute = of_rows.nlargest(10, "squared").sum() / of_rows.sum().clip(1e-300)
    return len(of_rows), float(squared), float(absolute)


def _trained_on_few(table: Prepared, divisions: Divisions) -> list[str]:
    """Return a sentence if the models that are tested had less than half of the rows; spans of time always have fewer."""
    trained = round(np.mean([train.sum() for folds in divisions for _, train in folds]))
    if table.time is not None or 2 * trained >= len(table.y):
        return []
    return [
        f"The tested models were trained on {trained:,} of {len(table.y):,} rows; with all rows, errors are usually lower."
    ]


def _baseline(table: Prepared, divisions: Divisions) -> pd.DataFrame:
    """Return the scores of the baseline, a row for each fold group or split: class shares or the mean of the training rows.

    ROC AUC and average precision use one output for all rows: outputs that differ by fold would rank rows by folds.
    """
    rows = []
    for folds in divisions:
        outputs = np.full((len(table.y), len(table.outputs)), np.nan)
        is_tested = np.zeros(len(table.y), dtype=bool)
        for test, train in folds:
            outputs[test] = constant_output(table.y[train], table.n_classes)
            is_tested |= test
        constant = np.broadcast_to(constant_output(table.y, table.n_classes), outputs[is_tested].shape)
        unordered = _scores(table, table.y[is_tested], constant)
        of_cell = _scores(table, table.y[is_tested], outputs[is_tested])
        rows.append(of_cell | {name: unordered[name] for name in ("roc_auc", "average_precision") if name in of_cell})
    return pd.DataFrame(rows)


def _in_time(table: Prepared, divisions: Divisions) -> list[str]:
    """Return sentences on a regression in time: the RMSE of naive forecasts, and targets that trees cannot reach."""
    if table.time is None or table.classes:
        return []
    errors: dict[str, list[float]] = {}
    beyond = []
    for test, train in (fold for folds in divisions for fold in folds):
        y = table.y[test]
        beyond.append(np.mean((y > table.y[train].max()) | (y < table.y[train].min())))
        for name, forecast in naive_forecasts(table.y, table.time, train, test, table.series).items():
            errors.setdefault(name, []).append(float(np.sqrt(np.mean((forecast - y) ** 2))))
    means = {name: float(np.mean(rmse)) for name, rmse in errors.items() if len(rmse) == len(beyond)}
    shown, share = printer("rmse", list(means.values())), np.mean(beyond)
    same = "" if table.series_name is None else f" of the same {table.series_name}"
    naive = f"Naive forecasts: {' and '.join(f'{name}{same} has RMSE {shown(rmse)}' for name, rmse in means.items())}."
    beyond_range = f"{share:.0%} of the test rows have a target outside the range of the training rows; trees cannot extrapolate, ridge can."
    return [naive, beyond_range] if share > BEYOND else [naive]


def _decided(method: str, y: NDArray, outputs: NDArray, table: Prepared) -> list[dict[str, Any]]:
    """Return a method's decisions over the rows of all cells, also by threshold, or predictions of numbers; none if it failed."""
    if not table.classes:
        if not len(y) or not np.isfinite(outputs[:, 0]).all():
            return []
        shown = np.unique(np.linspace(0, len(y) - 1, MOST_SHOWN).astype(int))
        pairs = [[float(f"{v:.6g}") for v in pair] for pair in zip(y[shown], outputs[shown, 0], strict=True)]
        return [{"name": method, "pairs": pairs}]
    if not len(y) or not np.isfinite(outputs).all():
        return []
    proba = outputs / outputs.sum(axis=1, keepdims=True)
    curves = []
    for k in range(len(table.classes)) if len(table.classes) <= MOST_CURVES else ():
        n = int((y == k).sum())
        curves.append({**threshold_counts(y == k, proba[:, k]), "positives": n, "negatives": len(y) - n})
    return [{"name": method, "confusion": confusion(y, proba), "curves": curves}]


def _threshold(decided: Mapping[str, Any], positive: int, times: float) -> dict[str, float]:
    """Return the threshold with the best balanced accuracy: the least probability of the rarer class for a decision for the class.

    With the threshold come the numbers of rows of the class (``rows``), of others, of those that the method decides for the class
    (``decided``), and of those ``right`` and ``wrong`` from the threshold on; rows that are tested several times count once.
    """
    curve, matrix = decided["curves"][positive], np.array(decided["confusion"])
    right, wrong = (np.array(curve[key]) for key in ("right", "wrong"))
    k = int(np.argmax(right / curve["positives"] - wrong / curve["negatives"]))
    counts = {
        "rows": curve["positives"],
        "others": curve["negatives"],
        "decided": matrix[:, positive].sum(),
        "right": right[k],
        "wrong": wrong[k],
    }
    return {"threshold": curve["threshold"][k], **{name: round(float(n) / times) for name, n in counts.items()}}


def _curve(dataset: str, method: str, y: NDArray, outputs: NDArray, table: Prepared) -> pd.DataFrame:
    """Return the calibration curve over the rows of all cells; it is empty for a failed method or a regression."""
    if table.n_classes is None:
        y, outputs = np.zeros(0, dtype=np.intp), np.ones((0, 1))
    elif not np.isfinite(outputs).all():
        y, outputs = y[:0], outputs[:0]
    curve = calibration_curve(y, outputs / outputs.sum(axis=1, keepdims=True))
    curve.insert(0, "dataset", dataset)
    curve.insert(1, "method", method)
    return curve


def _times(records: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the median seconds of one training of each method's pool, if its records have them.

    Nested cross-validation measures whole blocks, because its forests predict while they grow. There the time of
    fitting is a training's share of a block, predictions included, and the time of predicting is unknown.
    """
    times: dict[str, dict[str, float]] = {name: {} for name in TIMES}
    for record in records["methods"]:
        of = records["pools"][record["pool"]][0]["parameters"]["pool"].get("of") or [record["pool"]]
        each = [_times_of([part["metrics"] for part in records["pools"][pool]]) for pool in of]
        for name in TIMES:
            if all(name in known for known in each):  # a mixed pool takes the time of its parts
                times[name][record["method"]] = round(sum(known[name] for known in each), 6)
    return times


def _times_of(parts: list[Mapping[str, Any]]) -> dict[str, float]:
    """Return the times of a pool, from the records of its blocks."""
    all_seconds = {name: [s for part in parts for s in part.get(name, [])] for name in TIMES}
    all_seconds[TIMES[0]] += [_share(part) for part in parts if TIMES[0] not in part and part.get("trainings")]
    return {name: median(seconds) for name, seconds in all_seconds.items() if seconds}


def _share(metrics: Mapping[str, Any]) -> float:
    """Return the seconds that a block took for one training of all members."""
    seconds = sum(metrics["fit_seconds"]) + sum(metrics["predict_seconds"])
    return seconds * metrics["members"] / metrics["trainings"]
