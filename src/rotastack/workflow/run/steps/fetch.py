"""fetch: get a raw table, and store it as data/raw/<dataset>.parquet."""

from rotastack.data.loading import fetch_table
from rotastack.data.raw import write_raw
from rotastack.workflow.run.job import Job


def run(job: Job) -> None:
    """Write output ``raw``, the raw table."""
    with job.recorded() as record:
        table = fetch_table(job.about["dataset"], job.slice)
        write_raw(table, job.output("raw"))
        record.metrics = {"rows": len(table), "columns": table.shape[1] - 1}
