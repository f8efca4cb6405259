"""Log the study's own run to MLflow."""

import json

from rotastack.files import read_json
from rotastack.run.job import Job
from rotastack.run.tracked.notes import study_note
from rotastack.run.tracked.views import study_views
from rotastack.study.names import slug
from rotastack.tracking.records import read_record
from rotastack.tracking.writer import Writer

__all__ = ["track_study"]

MOST_RANKS = 30
"""The most methods whose average ranks are metrics, each with a chart; ranks of more are only in tables."""


def track_study(job: Job, writer: Writer) -> str:
    """Upsert the study's run; return its id."""
    study = job.about["study"]
    run = writer.container("study", {"study": study}, name=study)
    primary = job.slice["score"]
    comparison = read_json(job.input("comparison"))[primary]
    verdict = read_json(job.input("verdict"))
    record = read_record(job.input("record"))

    ranks = comparison.get("average_ranks", {})
    metrics = {"study/data_sets": len(job.slice["datasets"]), "study/methods": len(job.slice["methods"])}
    if len(ranks) <= MOST_RANKS:
        metrics |= {f"rank/{slug(method)}": rank for method, rank in ranks.items()}
    for name in ("p_value", "friedman_chi2", "critical_difference"):
        if comparison.get(name) is not None:
            metrics[f"friedman/{name.removeprefix('friedman_')}"] = comparison[name]
    writer.log_metrics(run, metrics, record["started"])
    writer.set_tags(run, {"version": record["version"], "seed": str(job.slice["seed"])})

    views = study_views(job.slice, primary)
    home = f"#/experiments/{writer.experiment_id}/runs/{run}"
    links = {view.name: view.address(writer.experiment_id, mode) for view, mode in views}
    links |= {"Report": f"{home}/artifacts/report/report.html", "Figures": f"{home}/artifacts/figures"}
    note = study_note(job.slice, verdict["sentences"], comparison, links, str(job.input("report")))
    writer.about.describe(note)
    writer.describe(run, note)
    for number, (view, _) in enumerate(reversed(views)):
        writer.about.save_view(view, number)

    writer.log_artifacts(run, [f for f in job.inputs["figures"] if f.parent.name == "study"], "figures")
    writer.log_artifacts(run, job.inputs["tables"], "tables")
    writer.log_artifacts(run, job.inputs["report"], "report")
    writer.log_text(run, json.dumps(job.slice, indent=1), "study.json")
    writer.finish(run)
    return run
