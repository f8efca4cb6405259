"""combine: combine a pool's stored outputs by a method, or all pools by the methods that only vote."""

from collections.abc import Iterable

import pandas as pd
import xarray as xr

from rotastack.data.artifacts import Prepared, read_arrays, read_frame, read_prepared
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.modules import protocol_module
from rotastack.workflow.study.specs import CombiningSpec, VotingSpec


def combine(
    spec: CombiningSpec, table: Prepared, folds: pd.DataFrame, pool: Iterable[xr.Dataset], n_jobs: int = 1
) -> xr.Dataset:
    """Return a method's outputs for held-out rows, from the blocks of its pool.

    The axes are those of :mod:`rotastack.workflow.run.nested.combining` or :mod:`rotastack.workflow.run.splits.combining`.
    A method that fails, or whose pool failed, has missing values, and the error as ``message``. A combiner that may crash
    works in a separate process.
    """
    return protocol_module(spec.protocol, "combine").combine(spec, table, folds, pool, n_jobs)


def run(job: Job) -> None:
    """Combine by one method, or by each method that votes, from the inputs ``pool`` of all pools."""
    if "votes" not in job.slice:
        _run(job.spec(CombiningSpec), job)
        return
    spec = job.spec(VotingSpec)
    files, n = job.inputs["pool"], spec.blocks
    pools = {pool: files[k * n : (k + 1) * n] for k, pool in enumerate(spec.pools)}
    for vote, method, record in zip(spec.votes, job.outputs["method"], job.outputs["record"], strict=True):
        about = {**job.about, "method": vote.spec.method, "pool": vote.pool}
        files = {**job.inputs, "pool": pools[vote.pool]}, {"method": [method], "record": [record]}
        _run(vote.spec, Job("combine", vote.spec.content(), *files, about, vote.key))


def _run(spec: CombiningSpec, job: Job) -> None:
    """Read inputs ``table``, ``folds`` and ``pool``; write output ``method``."""
    table, (folds, _) = read_prepared(job.input("table")), read_frame(job.input("folds"))
    with job.recorded() as record:
        method = combine(spec, table, folds, map(read_arrays, job.inputs["pool"]), job.threads)
        job.write_outcome("method", method, record)
