"""The receipt of what was brought to MLflow."""

import hashlib
import json
from collections.abc import Callable

from rotastack.files import write_text
from rotastack.run.job import Job
from rotastack.tracking.address import is_own, shown
from rotastack.tracking.writer import Writer

__all__ = ["track"]


def track(job: Job, log: Callable[[Job, Writer], dict[str, str]], dataset: str | None = None) -> None:
    """Upsert runs of a data set, or the study's own, by `log`, and write output ``receipt``: a hash of what was logged, and the run ids."""
    with Writer(job.about["study"], dataset) as writer:
        runs = log(job, writer)
        digest = hashlib.sha256()
        for paths in job.inputs.values():
            for path in paths:
                if path.is_file():
                    digest.update(path.read_bytes())
        receipt = {"experiment": job.about["study"], "content": digest.hexdigest(), "runs": runs}
        if not is_own(writer.uri):
            receipt["address"] = shown(writer.uri)
    write_text(job.output("receipt"), json.dumps(receipt, indent=1, sort_keys=True) + "\n")
