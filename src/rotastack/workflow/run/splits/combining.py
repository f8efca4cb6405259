"""Combine a pool's stored outputs for the test rows of each split."""

from collections.abc import Iterable
from importlib import import_module

import numpy as np
import pandas as pd
import xarray as xr

from rotastack.data.artifacts import Prepared
from rotastack.errors import RotastackError
from rotastack.workflow.run.job import Outcome, check_numbers
from rotastack.workflow.run.watching import Alarm
from rotastack.workflow.study.building import make
from rotastack.workflow.study.specs import CombiningSpec, MemberSpec, PrunerSpec


def combine(
    spec: CombiningSpec, table: Prepared, folds: pd.DataFrame, pool: Iterable[xr.Dataset], n_jobs: int, set_alarm: Alarm
) -> xr.Dataset:
    """Return outputs with axes (split, row, class) for the test rows, whose numbers are in ``rows``.

    They come with the mean measures of the deciding members. Methods that choose among members add margins and ordered
    curves, see :mod:`rotastack.workflow.run.splits.pruned`.
    """
    combiner, outcome, parts = spec.combiner, Outcome(), []
    for block in pool:
        if block.sizes["split"] == 0:
            continue
        if block.attrs["status"] != "ok":
            outcome.fail(f"the pool failed: {block.attrs['message']}")
        if isinstance(combiner, MemberSpec):
            if combiner.member not in (names := [str(m) for m in block.member.values]):
                raise RotastackError(
                    f"{spec.method}: member {combiner.member!r} is not in the pool; members: {', '.join(names)}"
                )
            block = block.sel(member=[combiner.member])
        outputs = np.full((*block["rows"].shape, len(table.outputs)), np.nan)
        extra: dict = {}
        with outcome.may_fail():
            set_alarm(None)
            if block.attrs["status"] == "ok":
                if isinstance(combiner, PrunerSpec):
                    outputs, extra = _pruned(combiner, block, table)
                elif isinstance(combiner, MemberSpec):
                    outputs = block["proba"].values[:, 0]
                else:
                    ready = make(combiner)
                    outputs = np.stack([ready.predict_proba(o) for o in block["proba"].values])
                name = spec.method if isinstance(combiner, MemberSpec) else combiner.class_
                check_numbers(outputs[block["rows"].values >= 0], name, table.task)
        measures = {
            name: ("split", block[name].mean("member", skipna=False).values)
            for name in block.data_vars
            if block[name].dims == ("split", "member")
            and (name != "training_error" or combiner.kind != "prune")  # the pool's value counts all members
        }
        parts.append(
            xr.Dataset(
                {
                    "proba": (("split", "row", "class"), outputs.astype(np.float64)),
                    "rows": (("split", "row"), block["rows"].values),
                    **measures,
                    **extra,
                },
                coords={"split": block.split.values.astype(object), "class": table.outputs},
            )
        )
    joined = _joined(parts)
    if outcome.status != "ok":
        joined["proba"][:] = np.nan
    return joined.assign_attrs(**vars(outcome), method=spec.method, metrics={"cells": int(joined.sizes["split"])})


def _pruned(combiner: PrunerSpec, block: xr.Dataset, table: Prepared) -> tuple[np.ndarray, dict]:
    """Return the outputs of the members that a pruner keeps, and measures of these members."""
    pruned = import_module("rotastack.workflow.run.splits.pruned")
    splits = [pruned.pruned_split(combiner, block, i, table.y, len(table.classes)) for i in range(block.sizes["split"])]
    return np.stack([split.proba for split in splits]), pruned.tabulated(splits)


def _joined(parts: list[xr.Dataset]) -> xr.Dataset:
    """Return the blocks as one; all axes except the splits are filled up to the longest."""
    sizes = {name: max(part.sizes.get(name, 0) for part in parts) for name in ("row", "size")}
    filled = []
    for part in parts:
        pad = {name: (0, size - part.sizes[name]) for name, size in sizes.items() if name in part.sizes}
        if any(end for _, end in pad.values()):
            rows = part["rows"]
            part = part.drop_vars("rows").pad(pad, constant_values=np.nan)
            part["rows"] = rows.pad(row=pad["row"], constant_values=-1)
        filled.append(part)
    return xr.concat(filled, dim="split", data_vars="minimal", join="override")
