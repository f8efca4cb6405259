"""folds: draw the fold groups or splits of a data set."""

from rotastack.study.job import Job
from rotastack.study.making import load

INPUTS = ("table",)
OUTPUTS = ("folds", "record")
ABOUT = ("dataset",)


def run(job: Job) -> None:
    """Draw them as the slice's protocol does."""
    load(f"rotastack.study.protocols.{job.spec['protocol']}.folds").draw(job)
