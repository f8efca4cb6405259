"""train: train a pool for a block of cells; its outputs for the rows it has not seen."""

from rotastack.run.job import Job
from rotastack.run.protocols import protocol_module

INPUTS = ("table", "folds", "rotations")
OUTPUTS = ("pool", "record")
ABOUT = ("dataset", "pool")


def run(job: Job) -> None:
    """Train as the slice's protocol does."""
    protocol_module(job.spec["protocol"], "train").train(job)
