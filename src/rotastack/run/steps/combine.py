"""combine: replay a method on its pool's stored outputs."""

from rotastack.run.job import Job
from rotastack.run.modules import protocol_module


def run(job: Job) -> None:
    """Combine as the slice's protocol does."""
    protocol_module(job.slice["protocol"], "combine").combine(job)
