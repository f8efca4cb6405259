"""combine: combine a pool's stored outputs by a method."""

from rotastack.run.job import Job
from rotastack.run.modules import protocol_module


def run(job: Job) -> None:
    """Combine by the slice's protocol."""
    protocol_module(job.slice["protocol"], "combine").combine(job)
