"""fetch: get a raw table, and store it as Parquet."""

from rotastack.data.loading import fetch_table, source_files
from rotastack.data.raw import write_raw
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.specs import FetchSpec


def run(job: Job) -> None:
    """Write output ``raw``, the raw table."""
    with job.recorded() as record:
        spec = job.spec(FetchSpec)
        table = fetch_table(spec.dataset, spec.entry)
        job.check_contents(source_files(spec.dataset, spec.entry))
        write_raw(table, job.output("raw"))
        record.metrics = {"rows": len(table), "columns": table.shape[1] - 1}
