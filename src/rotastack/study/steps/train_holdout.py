"""train_holdout: a learner for a block of random splits; its outputs for the test rows."""

import time
from typing import Any

import numpy as np
import xarray as xr
from sklearn.base import clone

from rotastack.base.fitting import AlignedClassifier
from rotastack.diagnostics.complexity import oob_error, tree_complexity
from rotastack.diagnostics.margin import summarize_margins
from rotastack.learners.registry import make_learner
from rotastack.seeds import child, root_sequence
from rotastack.study.artifacts import member_means, read_frame, read_prepared, write_arrays
from rotastack.study.job import INFRASTRUCTURE, Job
from rotastack.study.names import member_names
from rotastack.study.training import (
    MACHINES,
    Ballots,
    Fitted,
    cast_votes,
    fitted,
    machine_facts,
    stacked,
)

TREES = ("n_nodes", "n_leaves", "depth")
FACTS = (*TREES, "median_leaves", "oob_error", "training_error", *MACHINES)
DIVERSITY = ("margin_mean", "margin_variance", "chebyshev_bound", "mean_correlation")


def run(job: Job) -> None:
    """Read inputs ``table`` and ``folds``, write output ``pool``.

    The output has axes (rotation_group, fold_group, member, row, class), fold groups being
    splits and rows the test rows of each, which ``rows`` numbers (-1 fills up smaller test sets). A
    learner of several members, such as one for many weightings, names them; so do sizes of an ensemble. The learner of split
    r is seeded by ("train", dataset, pool, r), noise by ("noise", dataset, r). Where a method
    chooses among an ensemble's members, their votes are kept, too. A pool that fails is kept as
    missing values with its message.
    """
    spec = job.spec
    data = read_prepared(job.input("table"))
    splits, _ = read_frame(job.input("folds"))
    repeats = [r for r in spec["fold_groups"] if r < spec["repeats"]]
    names = [f"R-{r + 1:02d}" for r in repeats]
    test = [np.flatnonzero(splits[name].to_numpy() == 0) for name in names]
    members = member_names(spec["pool"])
    n_test = max(map(len, test), default=0)
    outputs = np.full((len(repeats), len(members), n_test, len(data.classes)), np.nan, dtype=np.float32)
    facts = {name: np.full((len(repeats), len(members)), np.nan) for name in (*FACTS, *DIVERSITY)}
    seconds: list[tuple[float, float, float, float]] = []
    ballots: list[Ballots] = []
    with job.recorded() as record:
        root = child(root_sequence(spec["seed"]), "train", spec["dataset"], spec["name"])
        noise = child(root_sequence(spec["seed"]), "noise", spec["dataset"])
        try:
            learner = _threaded(make_learner(spec["pool"]["learner"]), job.threads)
            for i, (r, held_out) in enumerate(zip(repeats, test, strict=True)):
                train = np.setdiff1d(np.arange(len(data.y)), held_out)
                trained = fitted(learner, data, train, spec["pool"], child(root, r), child(noise, r))
                start, start_processor = time.perf_counter(), time.process_time()
                seen = trained.seen(data.X[held_out])
                said, known = _outputs(trained.model, seen, spec["pool"]["sizes"])
                elapsed, processor = time.perf_counter() - start, time.process_time() - start_processor
                seconds.append((trained.seconds, elapsed, trained.processor_seconds, processor))
                outputs[i, :, : len(held_out)] = said
                for name, values in _facts(trained, known, seen, data.y[held_out], spec["pool"]).items():
                    facts[name][i] = values
                if spec["pool"]["votes"]:
                    ballots.append(cast_votes(trained, data.X[held_out], "oob" in spec["pool"]["votes"]))
        except INFRASTRUCTURE:
            raise
        except Exception as error:  # a model that fails is a result; the study goes on
            record.fail(error)
            outputs[:] = np.nan
            ballots = []
        rows = np.full((len(repeats), n_test), -1, dtype=np.int32)
        for i, held_out in enumerate(test):
            rows[i, : len(held_out)] = held_out
        whole = _labelled(outputs, facts, rows, names, members, data, record)
        write_arrays(job.output("pool"), whole.assign(stacked(ballots, n_test)))
        record.metrics = {
            "members": len(members),
            "trainings": len(repeats),
            "fit_seconds": [round(sum(fit for fit, *_ in seconds), 4)],
            "predict_seconds": [round(sum(predict for _, predict, *_ in seconds), 4)],
            "fit_processor_seconds": [round(fit, 6) for *_, fit, _ in seconds],
            "predict_processor_seconds": [round(predict, 6) for *_, predict in seconds],
            **{k: member_means(v) for k, v in facts.items() if np.isfinite(v).any()},
        }


def _facts(trained: Fitted, known: list[dict] | None, rows: np.ndarray, y: np.ndarray, pool: dict) -> dict:
    """Return what is known of members: by what they said themselves, by their trees, on rows of classes `y`."""
    model = trained.model
    if known is None:
        counts = tree_complexity(model.estimator)
        codes = np.searchsorted(model.classes, trained.y)
        facts: dict[str, float] = {"oob_error": oob_error(model.estimator, codes)}
        facts |= machine_facts(model.estimator)
        if counts:
            facts |= {name: counts[name].mean() for name in TREES}
            facts["median_leaves"] = float(np.median(counts["n_leaves"]))
        known = [facts]
    if pool["training_error"]:
        decided = _outputs(model, trained.X, pool["sizes"])[0].argmax(axis=-1)
        for member, error in zip(known, (decided != trained.y).mean(axis=1), strict=True):
            member["training_error"] = float(error)
    if pool["diversity"]:
        votes = model.classes[model.estimator.tree_votes(rows)]
        known[0].update(zip(DIVERSITY, summarize_margins(votes, y), strict=True))
    return {name: [m.get(name, np.nan) for m in known] for name in (*FACTS, *DIVERSITY)}


def _outputs(
    model: AlignedClassifier, rows: np.ndarray, sizes: list[int]
) -> tuple[np.ndarray, list[dict[str, float]] | None]:
    """Return (member, row, class), and what a learner of several members says of each."""
    if sizes:
        if not hasattr(model.estimator, "staged_predict_proba"):  # one class, whatever the size
            return np.stack([model.outputs(rows)] * len(sizes)), [{} for _ in sizes]
        stages = enumerate(model.estimator.staged_predict_proba(rows), start=1)
        said = {size: proba for size, proba in stages if size in sizes}
        return model.aligned(np.stack([said[size] for size in sizes])), [{} for _ in sizes]
    if not hasattr(model.estimator, "member_outputs"):
        return model.outputs(rows)[None], None
    known, facts = model.estimator.member_outputs(rows)
    return model.aligned(known), facts


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
