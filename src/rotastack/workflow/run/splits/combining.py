"""Combine a pool's stored outputs for the test rows of each split."""

from importlib import import_module

import numpy as np
import xarray as xr

from rotastack.data.artifacts import read_arrays, read_prepared, write_arrays
from rotastack.errors import RotastackError
from rotastack.workflow.run.job import Job, may_fail
from rotastack.workflow.run.watching import Beat
from rotastack.workflow.study.building import make_combiner


def combine(job: Job, beat: Beat, failure: Exception | None) -> None:
    """Read inputs ``table`` and ``pool`` (its blocks), write output ``method``.

    The output has axes (split, row, class): the outputs (probabilities, or prediction and interval) for the test rows,
    whose numbers are in ``rows``. It also has the mean facts of the deciding members. Methods that choose among members
    add margins and ordered curves, see :mod:`rotastack.workflow.run.splits.pruned`.
    """
    spec = job.slice
    data = read_prepared(job.input("table"))
    combiner = spec["combiner"]
    with job.recorded() as record:
        parts = []
        for path in job.inputs["pool"]:
            block = read_arrays(path)
            if block.sizes["split"] == 0:
                continue
            if block.attrs["status"] != "ok":
                record.status, record.message = "failed", f"the pool failed: {block.attrs['message']}"
            block = _members(block, combiner.get("member"), spec["method"])
            missing = np.full((*block["rows"].shape, len(data.outputs)), np.nan)
            proba: np.ndarray = missing
            extra: dict = {}
            with may_fail(record):
                if failure is not None:
                    raise failure
                if combiner["kind"] == "prune":
                    if block.attrs["status"] == "ok":
                        proba, extra = _pruned(combiner, block, data)
                elif combiner["kind"] == "member":
                    proba = block["proba"].values[:, 0]
                else:
                    ready = make_combiner(combiner)
                    proba = np.stack([ready.predict_proba(o) for o in block["proba"].values])
            facts = {
                name: ("split", block[name].mean("member", skipna=False).values)
                for name in block.data_vars
                if block[name].dims == ("split", "member")
                and (name != "training_error" or combiner["kind"] != "prune")  # the pool's value counts all members
            }
            parts.append(
                xr.Dataset(
                    {
                        "proba": (("split", "row", "class"), proba.astype(np.float64)),
                        "rows": (("split", "row"), block["rows"].values),
                        **facts,
                        **extra,
                    },
                    coords={"split": block.split.values.astype(object), "class": data.outputs},
                )
            )
        joined = _joined(parts)
        if record.status != "ok":
            joined["proba"][:] = np.nan
        joined.attrs = {"status": record.status, "message": record.message, "method": spec["method"]}
        write_arrays(job.output("method"), joined)
        record.metrics = {"cells": int(joined.sizes["split"])}


def _members(block: xr.Dataset, chosen: str | None, method: str) -> xr.Dataset:
    """Return the block with the member `chosen` alone, or the block itself if `chosen` is None."""
    if chosen is None:
        return block
    names = [str(m) for m in block.member.values]
    if chosen not in names:
        raise RotastackError(f"{method}: member {chosen!r} is not in the pool; members: {', '.join(names)}")
    return block.sel(member=[chosen])


def _pruned(combiner, block: xr.Dataset, data) -> tuple[np.ndarray, dict]:
    """Return the outputs of the members that a pruner keeps, and facts about these members."""
    pruned = import_module("rotastack.workflow.run.splits.pruned")
    cells = [pruned.pruned_cell(combiner, block, i, data.y, len(data.classes)) for i in range(block.sizes["split"])]
    return np.stack([cell.proba for cell in cells]), pruned.tabulated(cells)


def _joined(parts: list[xr.Dataset]) -> xr.Dataset:
    """Return the blocks as one; all axes except the splits are filled up to the longest."""
    sizes: dict = {}
    for part in parts:
        for name, size in part.sizes.items():
            sizes[name] = max(sizes.get(name, 0), size)
    filled = []
    for part in parts:
        pad = {name: (0, sizes[name] - part.sizes[name]) for name in ("row", "size") if name in part.sizes}
        if any(end for _, end in pad.values()):
            rows = part["rows"]
            part = part.drop_vars("rows").pad(pad, constant_values=np.nan)
            part["rows"] = rows.pad(row=pad["row"], constant_values=-1)
        filled.append(part)
    return xr.concat(filled, dim="split", data_vars="minimal", join="override")
