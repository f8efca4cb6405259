"""track: log the runs of a study and of its data sets to MLflow."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from rotastack.data.artifacts import read_frame
from rotastack.files import read_json, write_text
from rotastack.run.job import Job
from rotastack.run.tracked.datasets import TrackedDataset, track_dataset
from rotastack.run.tracked.study import track_study
from rotastack.tracking.address import is_own, shown
from rotastack.tracking.records import read_record
from rotastack.tracking.writer import Writer


def run(job: Job) -> None:
    """Upsert all runs, and write output ``receipt``: a hash of the inputs, and the ids of the runs.

    For each data set it reads ``raw``, ``table``, ``scores``, the record ``scored``, the ``records`` of earlier steps,
    and the ``model`` with its record ``refit`` if there is one. For the study it reads ``comparison``, ``verdict``, the
    statistics' ``record``, ``tables``, ``figures`` and ``report``.
    """
    study = job.about["study"]
    runs: dict[str, Any] = {}
    for data in _datasets(job):
        with Writer(study, data.dataset) as writer:
            runs[data.dataset] = track_dataset(data, writer)
    with Writer(study) as writer:
        runs = {"study": track_study(job, writer), "datasets": runs}
    digest = hashlib.sha256()
    for paths in job.inputs.values():
        for path in paths:
            digest.update(path.read_bytes())
    receipt = {"experiment": study, "content": digest.hexdigest(), **runs}
    if not is_own(writer.uri):
        receipt["address"] = shown(writer.uri)
    write_text(job.output("receipt"), json.dumps(receipt, indent=1, sort_keys=True) + "\n")


def _datasets(job: Job) -> Iterator[TrackedDataset]:
    """Yield the data sets, whose files have the same order in all inputs."""
    of_each = (job.inputs[name] for name in ("raw", "table", "scores", "scored", "records"))
    models = {}
    for model, record in zip(job.inputs.get("model", []), job.inputs.get("refit", []), strict=True):
        models[model.parent.parent.name] = model, read_record(record)
    for raw, table, scores, scored, records in zip(*of_each, strict=True):
        gathered, prepared = read_json(records), read_frame(table)
        dataset = gathered["prepare"]["dataset"]
        model, refit = models.get(dataset, (None, None))
        yield TrackedDataset(
            study=job.about["study"], dataset=dataset, task=prepared[1]["task"], score=job.slice["score"], table=prepared[0],
            scores=read_frame(scores)[0], records=gathered, baseline=read_record(scored)["metrics"]["baseline"],
            raw=raw, prepared_file=table, model=model, refit=refit, figures=[f for f in job.inputs["figures"] if f.parent.name == dataset],
            rotated=job.slice["rotated"], optimistic=job.slice["optimistic"],
        )  # fmt: skip
