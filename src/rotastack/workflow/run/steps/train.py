"""train: train a pool for a block of cells, and store its outputs for held-out rows."""

from rotastack.workflow.run.job import Job
from rotastack.workflow.run.modules import protocol_module
from rotastack.workflow.run.watching import train_watched


def run(job: Job) -> None:
    """Train by the slice's protocol, in a separate process if the estimator may crash or hang."""
    train, pool = protocol_module(job.slice["protocol"], "train").train, job.slice["pool"]
    train_watched(job, train, pool, pool.get("training_limit"))
