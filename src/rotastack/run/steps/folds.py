"""folds: draw the fold groups or splits of a data set."""

from rotastack.run.job import Job
from rotastack.run.protocols import protocol_module

INPUTS = ("table",)
OUTPUTS = ("folds", "record")
ABOUT = ("dataset",)


def run(job: Job) -> None:
    """Draw them as the slice's protocol does."""
    protocol_module(job.spec["protocol"], "groups").draw(job)
