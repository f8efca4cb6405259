"""track_study: bring the study's own run to MLflow."""

import json

from rotastack.files import read_json
from rotastack.study.job import Job
from rotastack.study.receipts import track
from rotastack.tracking.records import read_record
from rotastack.tracking.writer import Writer

INPUTS = ("comparison", "record", "figures", "tables", "report")
OUTPUTS = ("receipt",)
ABOUT = ("study",)


def run(job: Job) -> None:
    """Upsert the study's run; write output ``receipt``."""
    track(job, _log)


def _log(job: Job, writer: Writer) -> dict[str, str]:
    run = writer.container("study", {"study": job.about["study"]}, name=job.about["study"])
    comparison = read_json(job.input("comparison"))
    record = read_record(job.input("record"))
    metrics = {}
    for metric, result in comparison.items():
        for method, rank in result.get("average_ranks", {}).items():
            metrics[f"rank_{metric}/{_safe(method)}"] = rank
        if "p_value" in result:
            metrics[f"friedman_p/{metric}"] = result["p_value"]
    writer.log_metrics(run, metrics, record["started"])
    writer.log_artifacts(run, job.inputs["figures"], "figures")
    writer.log_artifacts(run, job.inputs["tables"], "tables")
    writer.log_artifacts(run, job.inputs["report"], "report")
    writer.log_text(run, json.dumps(job.spec, indent=1), "study.json")
    writer.finish(run)
    return {"study": run}


def _safe(name: str) -> str:
    """Return a method label as MLflow allows it in the name of a metric."""
    return "".join(c if c.isalnum() or c in "_-. /" else "_" for c in name)
