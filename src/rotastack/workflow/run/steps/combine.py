"""combine: combine a pool's stored outputs by a method, or all pools by the methods that only vote."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rotastack.base.combiner import Members
from rotastack.base.outputs import check_numbers
from rotastack.combine.nested import combine_nested
from rotastack.combine.rotation_weights import rotation_complexity
from rotastack.data.artifacts import Prepared, read_arrays, read_frame, read_prepared
from rotastack.errors import RotastackError
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Job, Outcome, joined
from rotastack.workflow.run.watching import done_watched
from rotastack.workflow.study.building import make
from rotastack.workflow.study.names import MEASURES_OF_MEMBERS, number_of
from rotastack.workflow.study.specs import ClassSpec, CombiningSpec, MemberSpec, PrunerSpec, VotingSpec

AXES = {
    "proba": ("row", "class"),
    "rows": ("row",),
    "margin_cdf": ("part", "margin"),
    "curve": ("part", "size"),
    "order_accuracy": ("size",),
}
"""Variables of a method's file -> axes after the splits; the other variables have none."""


def combine(
    spec: CombiningSpec, table: Prepared, folds: pd.DataFrame, pool: Iterable[xr.Dataset], n_jobs: int = 1
) -> xr.Dataset:
    """Return a method's outputs for held-out rows, from the blocks of its pool.

    The axes are (rotation_group, fold_group, row, class), and on splits (split, row, class); there the numbers of the test rows
    are in ``rows``. A method that fails, or whose pool failed, has missing values, and the error as ``message``. A combiner
    that may crash works in a separate process.
    """
    outcome = Outcome()
    if spec.protocol == "nested":
        arrays, n_cells = _combined_cells(spec, table, folds, _ended(pool, outcome), outcome, n_jobs)
    else:
        arrays, n_cells = _combined_splits(spec, table, _ended(pool, outcome), outcome)
    if outcome.status != "ok":
        arrays["proba"][:] = np.nan
    return arrays.assign_attrs({**vars(outcome), "method": spec.method, "metrics": {"cells": n_cells}})


def _ended(pool: Iterable[xr.Dataset], outcome: Outcome) -> Iterable[xr.Dataset]:
    """Yield the blocks of a pool; note if one failed."""
    for block in pool:
        if block.attrs["status"] != "ok":
            outcome.fail(f"the pool failed: {block.attrs['message']}")
        yield block


# Nested cross-validation


def _combined_cells(
    spec: CombiningSpec, table: Prepared, folds: pd.DataFrame, pool: Iterable[xr.Dataset], outcome: Outcome, n_jobs: int
) -> tuple[xr.Dataset, int]:
    """Return the outputs of the models trained without each row's fold, and the number of combined cells.

    Outputs are probabilities, or prediction and interval. Outer fold h of a cell has the seed ("combine", dataset, method,
    rotation group, fold group, h).
    """
    assert isinstance(spec.combiner, ClassSpec)
    root, combiner = child(root_sequence(spec.seed), "combine", spec.dataset, spec.method), make(spec.combiner)
    groups = set[str]()
    cells: dict[tuple[str, str], np.ndarray] = {}
    stored: dict[str, dict[str, np.ndarray]] = {}  # fold group -> rotation group -> outputs, for combiners over groups
    for block in pool:
        groups.update(map(str, block.rotation_group.values))
        if block.attrs["status"] != "ok":
            continue
        names = [(str(r), str(f)) for r in block.rotation_group.values for f in block.fold_group.values]
        outputs = {(r, f): block["proba"].sel(rotation_group=r, fold_group=f).values for r, f in names}
        if getattr(combiner, "over_groups", False):
            for r, f in names:
                stored.setdefault(f, {})[r] = outputs[r, f]
            continue
        with outcome.may_fail():
            combining = [
                delayed(_combined_cell)(
                    combiner,
                    outputs[r, f],
                    folds[f].to_numpy(),
                    table.y,
                    child(root, number_of(r), number_of(f)),
                    None if combiner.trained else _members(block, r, f, folds[f].to_numpy()),
                )
                for r, f in names
            ]
            results = done_watched(partial(Parallel(n_jobs=n_jobs), combining), spec.combiner.content())
            check_numbers(np.stack(results), spec.combiner.class_, table.n_classes)
            cells.update(zip(names, results, strict=True))
    rotation_groups, fold_groups = sorted(groups, key=number_of), list(folds)
    for f, of_groups in stored.items() if outcome.status == "ok" else ():
        with outcome.may_fail():
            of_all = np.concatenate([of_groups[r] for r in rotation_groups], axis=1)
            combiner.set_params(group_size=of_all.shape[1] // len(rotation_groups))
            given = combiner, of_all, folds[f].to_numpy(), table.y, child(root, number_of(f)), None
            result = done_watched(partial(_combined_cell, *given), spec.combiner.content())
            cells.update({(r, f): result for r in rotation_groups})
    proba = np.full((len(rotation_groups), len(fold_groups), len(table.y), len(table.outputs)), np.nan)
    for (r, f), result in cells.items():
        proba[rotation_groups.index(r), fold_groups.index(f)] = result
    coordinates = {"rotation_group": rotation_groups, "fold_group": fold_groups, "class": table.outputs}
    return xr.Dataset({"proba": (("rotation_group", "fold_group", "row", "class"), proba)}, coordinates), len(cells)


def _combined_cell(combiner, outputs, folds, y, sequence, members) -> np.ndarray:
    """Return the outputs of a cell without the fitted combiners, which would also be sent between processes."""
    return combine_nested(combiner, outputs, folds, y, sequence, members)[0]


@dataclass
class StoredMembers(Members):
    """The members trained without fold h, by their stored sizes and errors; the first member has no rotation."""

    n_nodes: np.ndarray
    depth: np.ndarray
    oob_error: np.ndarray
    n_rows: int

    def complexity_and_error(self):
        return rotation_complexity(self.n_nodes, self.depth, self.n_rows), self.oob_error, 0


def _members(block: xr.Dataset, r: str, f: str, folds: np.ndarray) -> list[Members]:
    """Return, for each fold, the members trained without it."""
    pairs = [f"{h}-{h}" for h in range(int(folds.max()) + 1)]
    cell = block[[*MEASURES_OF_MEMBERS]].sel(rotation_group=r, fold_group=f, pair=pairs)
    n_nodes, depth, oob_error = (cell[name].values for name in MEASURES_OF_MEMBERS)
    return [StoredMembers(n_nodes[h], depth[h], oob_error[h], int((folds != h).sum())) for h in range(len(pairs))]


# Splits


def _combined_splits(
    spec: CombiningSpec, table: Prepared, pool: Iterable[xr.Dataset], outcome: Outcome
) -> tuple[xr.Dataset, int]:
    """Return the outputs for the test rows with the mean measures of the deciding members, and the number of splits.

    Methods that choose among members add margins and ordered curves, see :mod:`rotastack.workflow.run.pruned`.
    """
    combiner, splits = spec.combiner, []
    parts: list[dict[str, NDArray]] = []
    for block in pool:
        if block.sizes["split"] == 0:
            continue
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
                found = done_watched(partial(_combined_block, combiner, block, table), combiner.content())
                check_numbers(found["proba"][rows >= 0], getattr(combiner, "class_", spec.method), table.n_classes)
        measures = {
            str(name): block[name].mean("member", skipna=False).values
            for name in block.data_vars
            if block[name].dims == ("split", "member")
            and (name != "training_error" or combiner.kind != "prune")  # the pool's value counts all members
        }
        parts.append({"proba": found["proba"], "rows": rows, **measures, **found})
        splits += list(block.split.values)
    kept = {name: joined([part[name] for part in parts]) for name in parts[0] if all(name in part for part in parts)}
    empty = [name for name in ("curve", "order_accuracy") if name in kept and not np.isfinite(kept[name]).any()]
    variables = {name: (("split", *AXES.get(name, ())), kept[name]) for name in kept if name not in empty}
    margins = {"margin": _pruned().MARGINS, "part": ["training", "test"]} if "margin_cdf" in kept else {}
    coordinates = {**margins, "split": np.array(splits, dtype=object), "class": table.outputs}
    return xr.Dataset(variables, coordinates), len(splits)


def _pruned() -> Any:
    """Return the module of pruned splits, whose imports other combiners do not need."""
    return import_module("rotastack.workflow.run.pruned")


def _combined_block(combiner: Any, block: xr.Dataset, table: Prepared) -> dict[str, NDArray]:
    """Return the outputs for a block's splits, and measures of the members that a pruner keeps."""
    if isinstance(combiner, MemberSpec):
        return {"proba": block["proba"].values[:, 0].astype(np.float64)}
    if not isinstance(combiner, PrunerSpec):
        ready = make(combiner)
        return {"proba": np.stack([ready.predict_proba(o) for o in block["proba"].values]).astype(np.float64)}
    pruned_split = _pruned().pruned_split
    splits = [pruned_split(combiner, block, i, table.y, len(table.classes)) for i in range(block.sizes["split"])]
    return {name: joined([np.asarray(split[name])[None] for split in splits]) for name in splits[0]}


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
