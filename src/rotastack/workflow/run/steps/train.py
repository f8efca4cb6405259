"""train: train a pool for a block of cells, and store its outputs for held-out rows."""

from functools import partial

import pandas as pd
import xarray as xr

from rotastack.base.warned import UNSEEN, ignoring
from rotastack.data.artifacts import Prepared, read_arrays, read_frame, read_prepared
from rotastack.errors import RotastackError
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.mixed import mixed
from rotastack.workflow.run.modules import protocol_module
from rotastack.workflow.run.watching import Alarm, train_watched
from rotastack.workflow.study.specs import NestedTrainingSpec, SplitTrainingSpec


def train(
    spec: NestedTrainingSpec | SplitTrainingSpec,
    table: Prepared,
    folds: pd.DataFrame,
    rotations: xr.Dataset | None = None,
    n_jobs: int = 1,
    set_alarm: Alarm = lambda seconds: None,
) -> xr.Dataset:
    """Return a pool's outputs for held-out rows; a pool that fails has missing values, and the error as ``message``.

    The axes are those of :mod:`rotastack.workflow.run.nested.training` or :mod:`rotastack.workflow.run.splits.training`.
    Views that are drawn before all training come as `rotations`, group after group. At the start of each training
    `set_alarm` gets its limit in seconds; an error of `set_alarm` is one of the pool.
    """
    return protocol_module(spec.protocol, "train").train(spec, table, folds, rotations, n_jobs, set_alarm)


def run(job: Job) -> None:
    """Train in a separate process if the estimator may crash or hang."""
    spec = job.spec_of_protocol(NestedTrainingSpec, SplitTrainingSpec)
    train_watched(job, partial(_run, spec), spec.pool.content(), spec.pool.training_limit)


def _run(spec: NestedTrainingSpec | SplitTrainingSpec, job: Job, set_alarm: Alarm) -> None:
    """Read inputs ``table``, ``folds`` and ``rotations``, or ``parts``; write output ``pool``."""
    table, (folds, _), rotations = read_prepared(job.input("table")), read_frame(job.input("folds")), None
    if job.inputs.get("rotations"):
        rotations, n_numeric = read_arrays(job.input("rotations")), table.numeric.shape[1]
        if rotations.attrs["n_features"] != n_numeric:
            raise RotastackError(
                f"{job.input('rotations')} has rotations of {rotations.attrs['n_features']} columns, but {spec.dataset} has "
                f"{n_numeric} numeric columns; delete the file and run again"
            )
    with job.recorded() as record:
        if spec.pool.of:
            pool = mixed(spec.pool.of, list(map(read_arrays, job.inputs["parts"])))
        else:
            with ignoring(UNSEEN):  # categories that only rows of other folds have
                pool = train(spec, table, folds, rotations, job.threads, set_alarm)
        job.write_outcome("pool", pool, record)
