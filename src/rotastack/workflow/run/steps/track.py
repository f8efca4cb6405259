"""track: log the runs of a study and of its data sets to MLflow."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from rotastack.data.artifacts import read_frame
from rotastack.files import read_json, write_text
from rotastack.stats.metrics import METRICS, higher_is_better
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.tracked.contents import TrackedDataset, plain
from rotastack.workflow.run.tracked.datasets import track_dataset
from rotastack.workflow.study.names import slug
from rotastack.workflow.study.specs import ReportSpec
from rotastack.workflow.tracking.address import page_of, without_login
from rotastack.workflow.tracking.writer import DESCRIPTION, LONGEST, Writer

MOST_RANKS = 30
"""The most methods whose average ranks are metrics, each with a chart; ranks of more are only in tables."""


def run(job: Job) -> None:
    """Log the runs that are not logged yet, mark those of earlier versions, and write output ``receipt``: the runs' ids.

    For each data set it reads ``raw``, ``table``, ``scores``, the record ``scored``, the ``records`` of earlier steps,
    and the ``model`` with its record ``refit`` if there is one. For the study it reads ``comparison``, ``verdict``, the statistics'
    ``record``, ``tables``, ``figures`` and ``report``. The receipt that it replaces names the runs of the earlier version.
    """
    spec, path = job.spec(ReportSpec), job.output("receipt")
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    with Writer(spec.name) as writer:
        study = track_study(job, spec, writer)
        datasets = {data.dataset: track_dataset(data, writer, study) for data in _datasets(job, spec)}
        writer.mark_history(before)
        writer.show([f"test/{spec.score}", "test/rank", "time/fit_seconds"], not higher_is_better(spec.score))
    receipt: dict[str, Any] = {"experiment": spec.name, "key": job.key, "study": study, "datasets": datasets}
    if writer.uri.startswith(("http:", "https:")):
        receipt["page"] = f"{without_login(writer.uri).rstrip('/')}/{page_of(writer.experiment_id)}"
    write_text(path, json.dumps(receipt, indent=1, sort_keys=True) + "\n")


def _datasets(job: Job, spec: ReportSpec) -> Iterator[TrackedDataset]:
    """Yield the data sets, whose files have the same order in all inputs."""
    of_each = (job.inputs[name] for name in ("raw", "table", "scores", "scored", "records"))
    shown = (job.code, spec.score, spec.rotated, spec.optimistic, spec.protocol, spec.trusted)
    models = {}
    for model, record in zip(job.inputs.get("model", []), job.inputs.get("refit", []), strict=True):
        models[model.parent.parent.name] = model, read_json(record)
    for raw, table, scores, scored, records in zip(*of_each, strict=True):
        gathered, record = read_json(records), read_json(scored)
        dataset = gathered["prepare"]["dataset"]
        model, refit = models.get(dataset, (None, None))
        yield TrackedDataset(
            key=_hash(dataset, record["key"], *shown),
            spec=spec,
            dataset=dataset,
            table=table,
            scores=read_frame(scores)[0],
            records=gathered,
            baseline=record["metrics"]["baseline"],
            raw=raw,
            model=model,
            refit=refit,
            figures=[f for f in job.inputs["figures"] if f.parent.name == dataset],
        )


def track_study(job: Job, spec: ReportSpec, writer: Writer) -> str:
    """Log the study's run unless it is logged; return its id."""
    comparison, record = read_json(job.input("comparison"))[spec.score], read_json(job.input("record"))
    ranks = comparison.get("ranks", {}).get("mean", {})
    # A tie goes to the control.
    best = min(ranks, key=lambda method: (ranks[method], method != spec.control), default=None)
    about = {"version": record["version"], "seed": spec.seed}
    named = {} if best is None else {"best": best}
    run, is_new = writer.run("study", spec.name, _hash(spec.name, job.key), None, about, named)
    if is_new:
        metrics = {"study/data_sets": len(spec.datasets), "study/methods": len(spec.methods)}
        if len(ranks) <= MOST_RANKS:
            metrics |= {f"rank/{slug(method)}": rank for method, rank in ranks.items()}
        for path in job.inputs["tables"]:
            if best is not None and path.stem in METRICS[spec.task]:
                metrics[f"best/{path.stem}"] = pd.read_csv(path)[best].mean()
        for name in ("p_value", "friedman_chi2", "critical_difference"):
            if comparison.get(name) is not None:
                metrics[f"friedman/{name.removeprefix('friedman_')}"] = comparison[name]
        verdict = "\n\n".join(map(plain, read_json(job.input("verdict"))["sentences"]))
        writer.set_tags(run, {DESCRIPTION: verdict[:LONGEST]})
        writer.log(run, metrics, record["started"])
        writer.log_artifacts(run, [f for f in job.inputs["figures"] if f.parent.name == "study"], "figures")
        writer.log_artifacts(run, job.inputs["tables"], "tables")
        writer.log_artifacts(run, job.inputs["report"], "report")
        writer.client.log_text(run, json.dumps(job.slice, indent=1), "study.json")
        writer.finish(run)
    return run


def _hash(*shown: Any) -> str:
    """Return the key of runs, 32 digits, from the facts that decide what they show."""
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:32]
