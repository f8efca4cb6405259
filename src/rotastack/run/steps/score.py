"""score: the scores of all methods on a data set, cell by cell; those of the baseline; calibration; what they cost."""

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.data.artifacts import Prepared, read_arrays, read_frame, read_prepared, write_frame
from rotastack.run.job import Job
from rotastack.run.protocols import protocol_module
from rotastack.stats.calibration import calibration_curve
from rotastack.stats.metrics import PRIMARY
from rotastack.stats.scores import constant_output, score_numbers, score_probabilities
from rotastack.tracking.records import read_record

COSTS = ("fit_processor_seconds", "predict_processor_seconds")

INPUTS = ("table", "folds", "methods", "records", "pools/")
OUTPUTS = ("scores", "calibration", "record")
ABOUT = ("dataset",)
SCORES: dict[str, Callable[[NDArray, NDArray], dict[str, float]]] = {
    "classification": score_probabilities,
    "regression": score_numbers,
}


def run(job: Job) -> None:
    """Read inputs ``table``, ``folds``, ``methods``, their ``records`` and those below ``pools``; write outputs ``scores`` and ``calibration``.

    The latter has the calibration curve of each method, over the rows of all cells; there is none in a regression. What
    the trainings of a method's pool cost the processor, at the median, goes to the record: it is not the same in every
    run. So do the scores of the baseline: each cell's training rows, their class shares or their mean, predict its test rows.
    """
    data = read_prepared(job.input("table"))
    score, primary = SCORES[data.task], PRIMARY[data.task]
    with job.recorded() as record:
        rows, curves = [], []
        for path in job.inputs["methods"]:
            arrays = read_arrays(path)
            if arrays.attrs["status"] != "ok":
                record.warnings.append(f"method {arrays.attrs['method']} failed: {arrays.attrs['message']}")
            found, true = [], []
            axes = job.spec["axes"]
            facts = [n for n in arrays.data_vars if arrays[n].dims == tuple(axes)]
            for cell in np.ndindex(*(arrays.sizes[axis] for axis in axes)):
                y, proba = data.y, arrays["proba"].values[cell]
                if "rows" in arrays:
                    tested = arrays["rows"].values[cell]
                    y, proba = data.y[tested[tested >= 0]], proba[tested >= 0]
                found.append(proba)
                true.append(y)
                rows.append(
                    {
                        "dataset": job.about["dataset"],
                        "method": arrays.attrs["method"],
                        **{axis: str(arrays[axis].values[i]) for axis, i in zip(axes, cell, strict=True)},
                        **score(y, proba),
                        **{str(name): float(arrays[name].values[cell]) for name in facts},
                    }
                )
            curves.append(_curve(job.about["dataset"], arrays.attrs["method"], true, found, data))
        frame = pd.DataFrame(rows)
        write_frame(job.output("scores"), frame)
        write_frame(job.output("calibration"), pd.concat(curves, ignore_index=True))
        record.metrics = {f"mean_{primary}": frame.groupby("method")[primary].mean().to_dict()}
        record.metrics["baseline"] = _baseline(job, data)
        record.metrics |= _costs(job)


def _baseline(job: Job, data: Prepared) -> dict[str, float]:
    """Return the mean scores over cells of what looks at no column, taken from the training rows of each."""
    folds, _ = read_frame(job.input("folds"))
    tested = protocol_module(job.spec["protocol"], "groups").tested
    cells = []
    for _, column in folds.items():
        outputs = np.full((len(data.y), len(data.outputs)), np.nan)
        known = np.zeros(len(data.y), dtype=bool)
        for test in tested(column.to_numpy()):
            outputs[test] = constant_output(data.y[~test], data.n_classes)
            known |= test
        cells.append(SCORES[data.task](data.y[known], outputs[known]))
    return {name: float(value) for name, value in pd.DataFrame(cells).mean().items()}


def _curve(dataset: str, method: str, true: list, found: list, data: Prepared) -> pd.DataFrame:
    """Return the calibration curve over the rows of all cells; of a method that failed, and of numbers, none."""
    y, proba = np.concatenate(true), np.concatenate(found)
    if data.n_classes is None:
        y, proba = np.zeros(0, dtype=np.intp), np.ones((0, 1))
    elif not np.isfinite(proba).all():
        y, proba = y[:0], proba[:0]
    curve = calibration_curve(y, proba / proba.sum(axis=1, keepdims=True))
    curve.insert(0, "dataset", dataset)
    curve.insert(1, "method", method)
    return curve


def _costs(job: Job) -> dict[str, dict[str, float]]:
    """Return the median seconds of one training of each method's pool, where its records have them.

    Nested cross-validation measures what blocks took, as its forests predict while they grow: there a training's share
    of this is the cost of fitting, predictions included, and none of predicting is known.
    """
    costs: dict[str, dict[str, float]] = {name: {} for name in COSTS}
    for record in map(read_record, job.inputs["records"]):
        parts = [read_record(p)["metrics"] for p in job.pool_files("run.json", record["parameters"])]
        for name in COSTS:
            seconds = [s for part in parts for s in part.get(name, [])]
            if seconds:
                costs[name][record["parameters"]["method"]] = round(median(seconds), 6)
        shares = [_share(part) for part in parts if COSTS[0] not in part and part.get("trainings")]
        if shares:
            costs[COSTS[0]][record["parameters"]["method"]] = round(median(shares), 6)
    return costs


def _share(metrics: Mapping[str, Any]) -> float:
    """Return the seconds that a block took for one training of all members."""
    seconds = sum(metrics["fit_seconds"]) + sum(metrics["predict_seconds"])
    return seconds * metrics["members"] / metrics["trainings"]
