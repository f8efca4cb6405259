"""Combine a pool's stored outputs for the test rows of each split."""

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from rotastack.data.artifacts import Prepared
from rotastack.errors import RotastackError
from rotastack.workflow.run.job import Outcome, check_numbers, joined
from rotastack.workflow.run.watching import done_watched
from rotastack.workflow.study.building import make
from rotastack.workflow.study.specs import CombiningSpec, MemberSpec, PrunerSpec

AXES = {
    "proba": ("row", "class"),
    "rows": ("row",),
    "margin_cdf": ("part", "margin"),
    "curve": ("part", "size"),
    "order_accuracy": ("size",),
}
"""Variables of a method's file -> axes after the splits; the other variables have none."""


def combine(
    spec: CombiningSpec, table: Prepared, folds: pd.DataFrame, pool: Iterable[xr.Dataset], n_jobs: int
) -> xr.Dataset:
    """Return outputs with axes (split, row, class) for the test rows, whose numbers are in ``rows``.

    They come with the mean measures of the deciding members. Methods that choose among members add margins and ordered
    curves, see :mod:`rotastack.workflow.run.splits.pruned`.
    """
    combiner, outcome, splits = spec.combiner, Outcome(), []
    parts: list[dict[str, NDArray]] = []
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
        rows = block["rows"].values
        found = {"proba": np.full((*rows.shape, len(table.outputs)), np.nan)}
        with outcome.may_fail():
            if block.attrs["status"] == "ok":
                found = done_watched(partial(_combined, combiner, block, table), combiner.content())
                check_numbers(found["proba"][rows >= 0], getattr(combiner, "class_", spec.method), table.task)
        measures = {
            str(name): block[name].mean("member", skipna=False).values
            for name in block.data_vars
            if block[name].dims == ("split", "member")
            and (name != "training_error" or combiner.kind != "prune")  # the pool's value counts all members
        }
        parts.append({"proba": found["proba"], "rows": rows, **measures, **found})
        splits += list(block.split.values)
    kept = {name: joined([part[name] for part in parts]) for name in parts[0] if all(name in part for part in parts)}
    if outcome.status != "ok":
        kept["proba"] = np.full_like(kept["proba"], np.nan)
    empty = [name for name in ("curve", "order_accuracy") if name in kept and not np.isfinite(kept[name]).any()]
    variables = {name: (("split", *AXES.get(name, ())), kept[name]) for name in kept if name not in empty}
    margins = {"margin": _pruned().MARGINS, "part": ["training", "test"]} if "margin_cdf" in kept else {}
    coordinates = {**margins, "split": np.array(splits, dtype=object), "class": table.outputs}
    attributes = {**vars(outcome), "method": spec.method, "metrics": {"cells": len(splits)}}
    return xr.Dataset(variables, coordinates, attributes)


def _pruned() -> Any:
    """Return the module of pruned splits, whose imports other combiners do not need."""
    return import_module("rotastack.workflow.run.splits.pruned")


def _combined(combiner: Any, block: xr.Dataset, table: Prepared) -> dict[str, NDArray]:
    """Return the outputs for a block's splits, and measures of the members that a pruner keeps."""
    if isinstance(combiner, MemberSpec):
        return {"proba": block["proba"].values[:, 0].astype(np.float64)}
    if not isinstance(combiner, PrunerSpec):
        ready = make(combiner)
        return {"proba": np.stack([ready.predict_proba(o) for o in block["proba"].values]).astype(np.float64)}
    pruned_split = _pruned().pruned_split
    splits = [pruned_split(combiner, block, i, table.y, len(table.classes)) for i in range(block.sizes["split"])]
    return {name: joined([np.asarray(split[name])[None] for split in splits]) for name in splits[0]}
