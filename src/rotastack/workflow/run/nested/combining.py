"""Combine a pool's stored outputs in nested cross-validation."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr
from joblib import Parallel, delayed

from rotastack.base.combiner import Members
from rotastack.combine.nested import combine_nested
from rotastack.combine.rotation_weights import rotation_complexity
from rotastack.data.artifacts import Prepared
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Outcome, check_numbers
from rotastack.workflow.run.watching import done_watched
from rotastack.workflow.study.building import make
from rotastack.workflow.study.names import MEASURES_OF_MEMBERS, number_of
from rotastack.workflow.study.specs import ClassSpec, CombiningSpec


def combine(
    spec: CombiningSpec, table: Prepared, folds: pd.DataFrame, pool: Iterable[xr.Dataset], n_jobs: int
) -> xr.Dataset:
    """Return outputs with axes (rotation_group, fold_group, row, class).

    A row has the outputs (probabilities, or prediction and interval) of the model trained without the row's fold. Outer
    fold h of a cell has the seed ("combine", dataset, method, rotation group, fold group, h). A failed method has missing
    values in all cells.
    """
    assert isinstance(spec.combiner, ClassSpec)
    root, combiner = child(root_sequence(spec.seed), "combine", spec.dataset, spec.method), make(spec.combiner)
    outcome, groups = Outcome(), set[str]()
    cells: dict[tuple[str, str], np.ndarray] = {}
    stored: dict[str, dict[str, np.ndarray]] = {}  # fold group -> rotation group -> outputs, for combiners over groups
    for block in pool:
        groups.update(map(str, block.rotation_group.values))
        names = [(str(r), str(f)) for r in block.rotation_group.values for f in block.fold_group.values]
        if block.attrs["status"] != "ok":
            outcome.fail(f"the pool failed: {block.attrs['message']}")
            continue
        if getattr(combiner, "over_groups", False):
            for r, f in names:
                stored.setdefault(f, {})[r] = block["proba"].sel(rotation_group=r, fold_group=f).values
            continue
        with outcome.may_fail():
            combining = [
                delayed(_combined_cell)(
                    combiner,
                    block["proba"].sel(rotation_group=r, fold_group=f).values,
                    folds[f].to_numpy(),
                    table.y,
                    child(root, number_of(r), number_of(f)),
                    None if combiner.trained else _members(block, r, f, folds[f].to_numpy()),
                )
                for r, f in names
            ]
            results = done_watched(partial(Parallel(n_jobs=n_jobs), combining), spec.combiner.content())
            check_numbers(np.stack(results), spec.combiner.class_, table.task)
            cells.update(zip(names, results, strict=True))
    rotation_groups, fold_groups = sorted(groups, key=number_of), list(folds)
    for f, of_groups in stored.items() if outcome.status == "ok" else ():
        with outcome.may_fail():
            of_all = np.concatenate([of_groups[r] for r in rotation_groups], axis=1)
            combiner.set_params(group_size=of_all.shape[1] // len(rotation_groups))
            given = combiner, of_all, folds[f].to_numpy(), table.y, child(root, number_of(f)), None
            result = done_watched(partial(_combined_cell, *given), spec.combiner.content())
            cells.update({(r, f): result for r in rotation_groups})
    outputs = np.full((len(rotation_groups), len(fold_groups), len(table.y), len(table.outputs)), np.nan)
    if outcome.status == "ok":
        for (r, f), result in cells.items():
            outputs[rotation_groups.index(r), fold_groups.index(f)] = result
    return xr.Dataset(
        {"proba": (("rotation_group", "fold_group", "row", "class"), outputs)},
        coords={"rotation_group": rotation_groups, "fold_group": fold_groups, "class": table.outputs},
        attrs={**vars(outcome), "method": spec.method, "metrics": {"cells": len(cells)}},
    )


def _combined_cell(combiner, outputs, folds, y, sequence, members) -> np.ndarray:
    """Return the outputs alone, because the fitted combiners would be sent between processes, too."""
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
    n_folds = int(folds.max()) + 1
    cell = block[[*MEASURES_OF_MEMBERS]].sel(rotation_group=r, fold_group=f, pair=[f"{h}-{h}" for h in range(n_folds)])
    n_nodes, depth, oob_error = (cell[name].values for name in MEASURES_OF_MEMBERS)
    n_rows = [int((folds != h).sum()) for h in range(n_folds)]
    return [StoredMembers(n_nodes[h], depth[h], oob_error[h], n_rows[h]) for h in range(n_folds)]
