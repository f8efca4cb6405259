"""Train a pool on splits, and store its outputs for the test rows of each split."""

import time
from collections.abc import Iterator

import numpy as np
import xarray as xr
from sklearn.dummy import DummyClassifier

from rotastack.base.fitting import AlignedClassifier, FittedRegressor
from rotastack.data.artifacts import member_means, read_frame, read_prepared, write_arrays
from rotastack.diagnostics.complexity import oob_error, tree_complexity
from rotastack.diagnostics.margin import summarize_margins
from rotastack.ensembles.pooled.pool import Pool
from rotastack.ensembles.rows import rows_for
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Job, may_fail
from rotastack.workflow.run.splits.fitting import (
    MACHINES,
    Fitted,
    SplitVotes,
    cast_votes,
    fitted,
    machine_facts,
    stacked,
)
from rotastack.workflow.run.splits.folds import TEST, TRAIN
from rotastack.workflow.run.watching import Beat, check_numbers
from rotastack.workflow.study.building import make_estimator
from rotastack.workflow.study.names import label

TREES = ("n_nodes", "n_leaves", "depth")
FACTS = (*TREES, "median_leaves", "oob_error", "training_error", *MACHINES)
DIVERSITY = ("margin_mean", "margin_variance", "chebyshev_bound", "mean_correlation")


def train(job: Job, beat: Beat, failure: Exception | None) -> None:
    """Read inputs ``table`` and ``folds``, write output ``pool``.

    The output has axes (split, member, row, class). Its rows are the test rows of each split, whose numbers are in
    ``rows`` (-1 fills up smaller test sets). Members are views, ensemble sizes, or the outputs of an estimator that has
    several, such as one for each weighting. In split s the estimator has the seed ("train", dataset, pool, s), noise
    ("noise", dataset, s), and views ("views", dataset, s, member). If a method chooses among an ensemble's members,
    their votes are stored as well. A pool that fails, or that gets a `failure`, is stored as missing values with the
    message.
    """
    spec = job.slice
    data = read_prepared(job.input("table"))
    divided, _ = read_frame(job.input("folds"))
    splits = [s for s in spec["splits"] if s < min(spec["repeats"], divided.shape[1])]
    names = [label("S", s) for s in splits]
    test, trained_on = ([np.flatnonzero(divided[name].to_numpy() == part) for name in names] for part in (TEST, TRAIN))
    members = spec["members"]
    if spec["pool"]["view"] is not None:
        members = [str(k + 1) for k in range(spec["rotations"])]
    n_test = max(map(len, test), default=0)
    outputs = np.full((len(splits), len(members), n_test, len(data.outputs)), np.nan, dtype=data.precision)
    facts = {name: np.full((len(splits), len(members)), np.nan) for name in (*FACTS, *DIVERSITY)}
    seconds: list[tuple[float, float, float, float]] = []
    votes: list[SplitVotes] = []
    with job.recorded() as record:
        root = root_sequence(spec["seed"])
        seeds = child(root, "train", spec["dataset"], spec["name"])
        noise, views = (child(root, what, spec["dataset"]) for what in ("noise", "views"))
        with may_fail(record):
            if failure is not None:
                raise failure
            rows = rows_for(make_estimator(spec["pool"], job.threads), data, spec["pool"])
            for i, (s, train, held_out) in enumerate(zip(splits, trained_on, test, strict=True)):
                beat(spec["pool"].get("training_limit"))
                trained = fitted(rows, data, train, spec, child(seeds, s), child(noise, s), child(views, s))
                start, start_processor = time.perf_counter(), time.process_time()
                columns = trained.columns_for(rows.X[held_out])
                predicted, member_facts = _outputs(trained.model, columns, spec["pool"]["ensemble_sizes"])
                elapsed, processor = time.perf_counter() - start, time.process_time() - start_processor
                seconds.append((trained.seconds, elapsed, trained.processor_seconds, processor))
                check_numbers(predicted, spec["pool"]["estimator"], data.task)
                outputs[i, :, : len(held_out)] = predicted
                for name, values in _facts(trained, member_facts, columns, data.y[held_out], spec["pool"]).items():
                    facts[name][i] = values
                if spec["selections"]:
                    votes.append(cast_votes(trained, rows.X[held_out], spec["selections"]))
            beat(None)
        if record.status != "ok":
            outputs[:] = np.nan
            votes = []
        numbers = np.full((len(splits), n_test), -1, dtype=np.int32)
        for i, held_out in enumerate(test):
            numbers[i, : len(held_out)] = held_out
        arrays = _labelled(outputs, facts, numbers, names, members, data, record)
        write_arrays(job.output("pool"), arrays.assign(stacked(votes, n_test)))
        record.metrics = {
            "members": len(members),
            "trainings": len(splits),
            "fit_seconds": [round(sum(fit for fit, *_ in seconds), 4)],
            "predict_seconds": [round(sum(predict for _, predict, *_ in seconds), 4)],
            "fit_processor_seconds": [round(fit, 6) for *_, fit, _ in seconds],
            "predict_processor_seconds": [round(predict, 6) for *_, predict in seconds],
            **{k: member_means(v) for k, v in facts.items() if np.isfinite(v).any()},
        }


def _facts(trained: Fitted, known: list[dict] | None, rows: np.ndarray, y: np.ndarray, pool: dict) -> dict:
    """Return the facts of the members, of their trees, and of their votes on `rows` with classes `y`."""
    model = trained.model
    if isinstance(model, Pool):
        names = ("n_nodes", "depth", "oob_error")
        known = [{name: getattr(m, name) for name in names} for m in model.members]
    elif known is None:
        known = [_tree_facts(model, trained.y)]
    if pool["training_error"]:
        decided = _outputs(model, trained.X, pool["ensemble_sizes"])[0].argmax(axis=-1)
        for member, error in zip(known, (decided != trained.y).mean(axis=1), strict=True):
            member["training_error"] = float(error)
    if pool["diversity"] and isinstance(model, AlignedClassifier):
        votes = model.classes[model.estimator.tree_votes(rows)]
        known[0].update(zip(DIVERSITY, summarize_margins(votes, y), strict=True))
    return {name: [m.get(name, np.nan) for m in known] for name in (*FACTS, *DIVERSITY)}


def _tree_facts(model: AlignedClassifier | FittedRegressor, y: np.ndarray) -> dict[str, float]:
    """Return the facts of an estimator's trees, or of a linear machine."""
    facts = {"oob_error": oob_error(model.estimator, model.own_target(y))}
    facts |= machine_facts(model.estimator)
    counts = tree_complexity(model.estimator)
    if counts:
        facts |= {name: counts[name].mean() for name in TREES}
        facts["median_leaves"] = float(np.median(counts["n_leaves"]))
    return facts


def _outputs(
    model: AlignedClassifier | FittedRegressor | Pool, rows: np.ndarray, sizes: list[int]
) -> tuple[np.ndarray, list[dict[str, float]] | None]:
    """Return outputs (member, row, class), and facts of the members if the estimator has several outputs."""
    if isinstance(model, Pool):
        return model.outputs(rows), None
    if sizes:
        if isinstance(model.estimator, DummyClassifier):  # with one class, all sizes have the same outputs
            return np.stack([model.outputs(rows)] * len(sizes)), [{} for _ in sizes]
        stages: Iterator[np.ndarray] = model.staged(rows)
        by_size = {size: out for size, out in enumerate(stages, start=1) if size in sizes}
        return np.stack([by_size[size] for size in sizes]), [{} for _ in sizes]
    if isinstance(model, FittedRegressor) or not hasattr(model.estimator, "member_outputs"):
        return model.outputs(rows)[None], None
    outputs, facts = model.estimator.member_outputs(rows)
    return model.aligned(outputs), facts


def _labelled(outputs, facts, rows, names, members, data, record) -> xr.Dataset:
    return xr.Dataset(
        {
            "proba": (("split", "member", "row", "class"), outputs),
            "rows": (("split", "row"), rows),
            **{name: (("split", "member"), table) for name, table in facts.items()},
        },
        coords={"split": np.array(names, dtype=object), "member": members, "class": data.outputs},
        attrs={"status": record.status, "message": record.message},
    )
