"""train: train a pool for a block of cells; its outputs for the rows it has not seen."""

from rotastack.study.job import Job
from rotastack.study.making import load

INPUTS = ("table", "folds", "rotations")
OUTPUTS = ("pool", "record")
ABOUT = ("dataset", "pool")


def run(job: Job) -> None:
    """Train as the slice's protocol does."""
    load(f"rotastack.study.protocols.{job.spec['protocol']}.training").train(job)
