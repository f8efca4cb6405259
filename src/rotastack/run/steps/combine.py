"""combine: combine a pool's stored outputs by a method."""

from rotastack.run.job import Job
from rotastack.run.modules import protocol_module
from rotastack.run.watching import train_watched


def run(job: Job) -> None:
    """Combine by the slice's protocol, in a separate process if the combiner may crash."""
    train_watched(job, protocol_module(job.slice["protocol"], "combine").combine, job.slice["combiner"])
