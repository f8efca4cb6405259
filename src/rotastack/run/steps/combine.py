"""combine: replay a method on its pool's stored outputs."""

from rotastack.run.job import Job
from rotastack.run.protocols import protocol_module

INPUTS = ("table", "folds", "pools/")
OUTPUTS = ("method", "record")
ABOUT = ("dataset", "method", "pool")


def run(job: Job) -> None:
    """Combine as the slice's protocol does."""
    protocol_module(job.spec["protocol"], "combine").combine(job)
