"""track: log the runs of a study and of its data sets to MLflow."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from rotastack.data.artifacts import read_frame
from rotastack.files import read_json, write_text
from rotastack.stats.metrics import METRICS
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.tracked.contents import TrackedDataset
from rotastack.workflow.run.tracked.datasets import track_dataset
from rotastack.workflow.study.names import slug
from rotastack.workflow.study.specs import ReportSpec
from rotastack.workflow.tracking.address import is_own, without_login
from rotastack.workflow.tracking.writer import Writer

MOST_RANKS = 30
"""The most methods whose average ranks are metrics, each with a chart; ranks of more are only in tables."""


def run(job: Job) -> None:
    """Upsert all runs, and write output ``receipt``: the job's key, and the ids of the runs.

    For each data set it reads ``raw``, ``table``, ``scores``, the record ``scored``, the ``records`` of earlier steps,
    and the ``model`` with its record ``refit`` if there is one. For the study it reads ``comparison``, the statistics'
    ``record``, ``tables``, ``figures`` and ``report``.
    """
    spec = job.spec(ReportSpec)
    runs: dict[str, Any] = {}
    for data in _datasets(job, spec):
        with Writer(spec.name, data.dataset) as writer:
            runs[data.dataset] = track_dataset(data, writer)
    with Writer(spec.name) as writer:
        runs = {"study": track_study(job, spec, writer), "datasets": runs}
    receipt = {"experiment": spec.name, "key": job.key, **runs}
    if not is_own(writer.uri):
        receipt["address"] = without_login(writer.uri)
    write_text(job.output("receipt"), json.dumps(receipt, indent=1, sort_keys=True) + "\n")


def _datasets(job: Job, spec: ReportSpec) -> Iterator[TrackedDataset]:
    """Yield the data sets, whose files have the same order in all inputs."""
    of_each = (job.inputs[name] for name in ("raw", "table", "scores", "scored", "records"))
    models = {}
    for model, record in zip(job.inputs.get("model", []), job.inputs.get("refit", []), strict=True):
        models[model.parent.parent.name] = model, read_json(record)
    for raw, table, scores, scored, records in zip(*of_each, strict=True):
        gathered, prepared = read_json(records), read_frame(table)
        dataset = gathered["prepare"]["dataset"]
        model, refit = models.get(dataset, (None, None))
        yield TrackedDataset(
            study=spec.name, dataset=dataset, task=prepared[1]["task"], score=spec.score, table=prepared[0],
            scores=read_frame(scores)[0], records=gathered, baseline=read_json(scored)["metrics"]["baseline"],
            raw=raw, prepared_file=table, model=model, refit=refit, figures=[f for f in job.inputs["figures"] if f.parent.name == dataset],
            rotated=spec.rotated, optimistic=spec.optimistic, protocol=spec.protocol, trusted=spec.trusted,
        )  # fmt: skip


def _best(ranks: Mapping[str, float], control: str) -> str | None:
    """Return the method with the best average rank, in a tie the control; None without ranks."""
    return min(ranks, key=lambda method: (ranks[method], method != control), default=None)


def track_study(job: Job, spec: ReportSpec, writer: Writer) -> str:
    """Upsert the study's run; return its id."""
    run = writer.container("study", {"study": spec.name})
    comparison = read_json(job.input("comparison"))[spec.score]
    record = read_json(job.input("record"))

    ranks = comparison.get("average_ranks", {})
    metrics = {"study/data_sets": len(spec.datasets), "study/methods": len(spec.methods)}
    if len(ranks) <= MOST_RANKS:
        metrics |= {f"rank/{slug(method)}": rank for method, rank in ranks.items()}
    best = _best(ranks, spec.control)
    for path in job.inputs["tables"]:
        if best is not None and path.stem in METRICS[spec.task]:
            metrics[f"best/{path.stem}"] = pd.read_csv(path)[best].mean()
    for name in ("p_value", "friedman_chi2", "critical_difference"):
        if comparison.get(name) is not None:
            metrics[f"friedman/{name.removeprefix('friedman_')}"] = comparison[name]
    writer.log_metrics(run, metrics, record["started"])
    named = {} if best is None else {"best": best}
    writer.set_tags(run, {"version": record["version"], "seed": str(spec.seed), **named})

    writer.log_artifacts(run, [f for f in job.inputs["figures"] if f.parent.name == "study"], "figures")
    writer.log_artifacts(run, job.inputs["tables"], "tables")
    writer.log_artifacts(run, job.inputs["report"], "report")
    writer.client.log_text(run, json.dumps(job.slice, indent=1), "study.json")
    writer.finish(run)
    return run
