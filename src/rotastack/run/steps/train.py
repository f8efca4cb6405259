"""train: train a pool for a block of cells; its outputs for the rows it has not seen."""

from rotastack.run.job import Job
from rotastack.run.modules import protocol_module


def run(job: Job) -> None:
    """Train as the slice's protocol does."""
    protocol_module(job.slice["protocol"], "train").train(job)
