"""train: train a pool for a block of cells, and store its outputs for held-out rows."""

from rotastack.run.job import Job
from rotastack.run.modules import protocol_module


def run(job: Job) -> None:
    """Train by the slice's protocol."""
    protocol_module(job.slice["protocol"], "train").train(job)
