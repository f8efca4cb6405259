"""combine: replay a method on its pool's stored outputs."""

from rotastack.study.job import Job
from rotastack.study.making import load

INPUTS = ("table", "folds", "pools/")
OUTPUTS = ("method", "record")
ABOUT = ("dataset", "method", "pool")


def run(job: Job) -> None:
    """Combine as the slice's protocol does."""
    load(f"rotastack.study.protocols.{job.spec['protocol']}.combining").combine(job)
