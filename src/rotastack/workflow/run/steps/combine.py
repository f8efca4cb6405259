"""combine: combine a pool's stored outputs by a method, or all pools by the methods that only vote."""

from rotastack.workflow.run.job import Job
from rotastack.workflow.run.modules import protocol_module
from rotastack.workflow.run.watching import train_watched


def run(job: Job) -> None:
    """Combine by the slice's protocol, in a separate process if the combiner may crash."""
    if "votes" in job.slice:
        _vote(job)
    else:
        train_watched(job, protocol_module(job.slice["protocol"], "combine").combine, job.slice["combiner"])


def _vote(job: Job) -> None:
    """Combine each of several methods; the inputs ``pool`` are those of all pools, the outputs are in the slice's order."""
    pools = job.by_pool("pool")
    for part, method, record in zip(job.slice["votes"], job.outputs["method"], job.outputs["record"], strict=True):
        about = {**job.about, "method": part["slice"]["method"], "pool": part["pool"]}
        inputs = {**job.inputs, "pool": pools[part["pool"]]}
        run(Job("combine", part["slice"], inputs, {"method": [method], "record": [record]}, about, part["code"]))
