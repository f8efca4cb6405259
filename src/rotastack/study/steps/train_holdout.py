"""train_holdout: a learner for a block of random splits; its outputs for the test rows."""

import time
from typing import Any

import numpy as np
import xarray as xr
from sklearn.base import clone

from rotastack.diagnostics.complexity import oob_error, tree_complexity
from rotastack.diagnostics.margin import summarize_margins
from rotastack.ensembles.table import fitted_scaler, scaled_columns
from rotastack.learners.fitting import fit_aligned, placed
from rotastack.learners.registry import make_learner
from rotastack.seeds import child, root_sequence
from rotastack.study.artifacts import Prepared, member_means, read_frame, read_prepared, write_arrays
from rotastack.study.job import INFRASTRUCTURE, Job

TREES = ("n_nodes", "n_leaves", "depth")
FACTS = (*TREES, "median_leaves", "oob_error")
DIVERSITY = ("margin_mean", "margin_variance", "chebyshev_bound", "mean_correlation")


def run(job: Job) -> None:
    """Read inputs ``table`` and ``folds``, write output ``pool``.

    The output has axes (rotation_group, fold_group, member, row, class), fold groups being
    repeats and rows the test rows of each, which ``rows`` numbers. A learner of several members,
    such as one for many weightings, names them. The learner of repeat r is seeded by ("train",
    dataset, pool, r). A pool that fails is kept as missing values with its message.
    """
    spec = job.spec
    data = read_prepared(job.input("table"))
    splits, _ = read_frame(job.input("folds"))
    repeats = [r for r in spec["fold_groups"] if r < spec["repeats"]]
    names = [f"R-{r + 1:02d}" for r in repeats]
    test = [np.flatnonzero(splits[name].to_numpy() == 0) for name in names]
    members = list(spec["pool"]["learner"].get("weightings", ["all"]))
    n_test = len(test[0]) if test else 0
    outputs = np.full((len(repeats), len(members), n_test, len(data.classes)), np.nan, dtype=np.float32)
    facts = {name: np.full((len(repeats), len(members)), np.nan) for name in (*FACTS, *DIVERSITY)}
    seconds = np.zeros(2)
    with job.recorded() as record:
        root = child(root_sequence(spec["seed"]), "train", spec["dataset"], spec["name"])
        try:
            learner = _threaded(make_learner(spec["pool"]["learner"]), job.threads)
            for i, (r, held_out) in enumerate(zip(repeats, test, strict=True)):
                train = np.setdiff1d(np.arange(len(data.y)), held_out)
                said, known, took = _one(learner, data, train, held_out, spec["pool"], child(root, r))
                outputs[i] = said
                seconds += took
                for name, values in known.items():
                    facts[name][i] = values
        except INFRASTRUCTURE:
            raise
        except Exception as error:  # a model that fails is a result; the study goes on
            record.fail(error)
            outputs[:] = np.nan
        rows = np.array(test, dtype=np.int32).reshape(len(repeats), n_test)
        write_arrays(job.output("pool"), _labelled(outputs, facts, rows, names, members, data, record))
        record.metrics = {
            "members": len(members),
            "trainings": len(repeats),
            "fit_seconds": [round(float(seconds[0]), 4)],
            "predict_seconds": [round(float(seconds[1]), 4)],
            **{k: member_means(v) for k, v in facts.items() if np.isfinite(v).any()},
        }


def _one(
    learner: Any,
    data: Prepared,
    train: np.ndarray,
    test: np.ndarray,
    pool: dict,
    sequence: np.random.SeedSequence,
) -> tuple[np.ndarray, dict[str, list[float]], np.ndarray]:
    """Train on some rows; return outputs (member, row, class), what is known of members, and seconds."""
    start = time.perf_counter()
    X, y = data.X[train], data.y[train]
    scaler = fitted_scaler(X, data.categorical, pool["scaling"])
    numeric, other = scaled_columns(X, data.categorical, scaler)
    ready = placed(learner, numeric.shape[1], other.shape[1])
    model = fit_aligned(ready, np.hstack([numeric, other]), y, len(data.classes), sequence)
    fitted = time.perf_counter()
    rows = np.hstack(scaled_columns(data.X[test], data.categorical, scaler))
    if hasattr(model.estimator, "member_outputs"):
        known, trees = model.estimator.member_outputs(rows)
        outputs = model.aligned(known)
    else:
        outputs = model.outputs(rows)[None]
        counts = tree_complexity(model.estimator)
        facts: dict[str, float] = {"oob_error": oob_error(model.estimator, np.searchsorted(model.classes, y))}
        if counts:
            facts |= {name: counts[name].mean() for name in TREES}
            facts["median_leaves"] = float(np.median(counts["n_leaves"]))
        trees = [facts]
    predicted = time.perf_counter()
    if pool["diversity"]:
        votes = model.classes[model.estimator.tree_votes(rows)]
        trees[0].update(zip(DIVERSITY, summarize_margins(votes, data.y[test]), strict=True))
    by_name = {name: [t.get(name, np.nan) for t in trees] for name in (*FACTS, *DIVERSITY)}
    return outputs, by_name, np.array([fitted - start, predicted - fitted])


def _threaded(learner: Any, threads: int) -> Any:
    return clone(learner).set_params(n_jobs=threads) if "n_jobs" in learner.get_params() else learner


def _labelled(outputs, facts, rows, names, members, data, record) -> xr.Dataset:
    return xr.Dataset(
        {
            "proba": (("rotation_group", "fold_group", "member", "row", "class"), outputs[None]),
            "rows": (("fold_group", "row"), rows),
            **{
                name: (("rotation_group", "fold_group", "member"), table[None])
                for name, table in facts.items()
            },
        },
        coords={
            "rotation_group": ["RG-01"],
            "fold_group": np.array(names, dtype=object) if names else np.array([], dtype=object),
            "member": members,
            "class": data.classes,
        },
        attrs={"status": record.status, "message": record.message},
    )
