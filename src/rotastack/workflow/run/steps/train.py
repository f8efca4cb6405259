"""train: train a pool for a block of cells, and store its outputs for held-out rows."""

from collections.abc import Sequence
from importlib import import_module

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from rotastack.base.warned import UNSEEN, ignoring
from rotastack.data.artifacts import Prepared, read_arrays, read_frame, read_prepared
from rotastack.errors import RotastackError
from rotastack.workflow.run.job import Job, Outcome, joined
from rotastack.workflow.run.modules import PROTOCOLS
from rotastack.workflow.run.watching import watched
from rotastack.workflow.study.names import MEASURES_OF_TRAINING
from rotastack.workflow.study.specs import NestedTrainingSpec, SplitTrainingSpec


def train(
    spec: NestedTrainingSpec | SplitTrainingSpec,
    table: Prepared,
    folds: pd.DataFrame,
    rotations: xr.Dataset | None = None,
    n_jobs: int = 1,
    apart: bool = False,
) -> xr.Dataset:
    """Return a pool's outputs for held-out rows; a pool that fails has missing values, and the error as ``message``.

    The axes are those of :mod:`rotastack.workflow.run.nested` or :mod:`rotastack.workflow.run.splits`.
    Views that are drawn before all training come as `rotations`, group after group. If `apart`, a separate process trains
    what may crash or has a limit of time. A pool with a limit also fails if memory runs out.
    """
    protocol = import_module(PROTOCOLS[spec.protocol])
    pool, trainings = protocol.untrained(spec, table, folds), protocol.trainings(spec, table, folds, rotations, n_jobs)
    arrays = {name: variable.values for name, variable in pool.data_vars.items()}
    limit = (spec.pool.training_limit or 0) * pool.sizes.get("pair", 1)
    outcome, trained = Outcome(), []
    with outcome.may_fail():
        for training in watched(trainings, spec.pool.content(), limit, apart):
            for name, values in training.arrays.items():
                of_cell, (_, *ends) = arrays[name][training.at], values.shape
                # One output may be that of all members; a smaller test set leaves missing values.
                of_cell[(slice(None), *map(slice, ends))] = values
            trained.append(training._replace(arrays={}))
    if outcome.status != "ok":
        pool["proba"][:] = np.nan
    elif trained:
        votes = {name: joined([t.votes[name][None] for t in trained]) for name in trained[0].votes}
        pool = pool.assign({name: (protocol.VOTES[name], values) for name, values in votes.items() if values.size})
    seconds = {name: [t.seconds[name] for t in trained] for name in protocol.SECONDS}
    pool.attrs |= vars(outcome)
    pool.attrs["metrics"] |= {
        **{
            k: [round(float(s), 4) for s in np.atleast_1d(np.sum(v, axis=0))]
            for k, v in seconds.items()
            if "processor" not in k
        },
        **{k: [round(float(s), 6) for s in np.ravel(v)] for k, v in seconds.items() if "processor" in k},
        **{k: _member_means(v) for k, v in arrays.items() if k in MEASURES_OF_TRAINING and np.isfinite(v).any()},
    }
    return pool


def _member_means(values: NDArray) -> list[float | None]:
    """Return the mean over trainings for each member; None for a member without finite values."""
    columns = values.reshape(-1, values.shape[-1]).T
    means = [float(np.nanmean(column)) if np.isfinite(column).any() else None for column in columns]
    return [mean and (float(f"{mean:.4g}") if abs(mean) < 1e-3 else round(mean, 4)) for mean in means]


def mixed(names: Sequence[str], pools: Sequence[xr.Dataset]) -> xr.Dataset:
    """Return one pool of the members of `pools`, which were trained on the same cells.

    Weights of votes are scaled, so that a member has the weight 1 on average, whatever its pool. Out-of-bag rows are kept if
    all pools have them. If a pool failed, so has the mixed one.
    """
    failed = [f"pool {n}: {p.attrs['message']}" for n, p in zip(names, pools, strict=True) if p.attrs["status"] != "ok"]
    parts = []
    for name, pool in zip(names, pools, strict=True):
        known = pool["member"].values if "member" in pool.coords else range(pool.sizes["member"])
        part = pool.assign_coords(member=[f"{name} {m}" for m in known])
        if "voter_weights" in part:
            part["voter_weights"] = part["voter_weights"] / part["voter_weights"].mean("voter")
        parts.append(part)
    shared = [v for v in parts[0].data_vars if all(v in part for part in parts)]
    of_members = [v for v in shared if "member" in parts[0][v].dims]
    of_voters = [v for v in shared if "voter" in parts[0][v].dims]
    joined = xr.concat([part[of_members] for part in parts], dim="member", join="inner", combine_attrs="drop")
    if of_voters:
        joined = joined.assign(xr.concat([part[of_voters] for part in parts], dim="voter").data_vars)
    joined = joined.assign({v: parts[0][v] for v in shared if v not in of_members and v not in of_voters})
    ended = {"status": "failed" if failed else "ok", "message": "; ".join(failed)}
    return joined.assign_attrs(**ended, metrics={"members": joined.sizes["member"]})


def run(job: Job) -> None:
    """Read inputs ``table``, ``folds`` and ``rotations``, or ``parts``; write output ``pool``."""
    spec = job.spec_of_protocol(NestedTrainingSpec, SplitTrainingSpec)
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
                pool = train(spec, table, folds, rotations, job.threads, apart=True)
        job.write_outcome("pool", pool, record)
