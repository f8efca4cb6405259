"""Combine a pool's stored outputs in nested cross-validation."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from joblib import Parallel, delayed

from rotastack.base.combiner import Members
from rotastack.combine.nested import combine_nested
from rotastack.combine.rotation_weights import rotation_complexity
from rotastack.data.artifacts import read_arrays, read_frame, read_prepared, write_arrays
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Job, may_fail
from rotastack.workflow.run.watching import Beat, check_numbers
from rotastack.workflow.study.building import make_combiner
from rotastack.workflow.study.names import number_of

FACTS = ("n_nodes", "depth", "oob_error")


def combine(job: Job, beat: Beat, failure: Exception | None) -> None:
    """Read inputs ``table``, ``folds`` and ``pool`` (its blocks), write output ``method``.

    The output has axes (rotation_group, fold_group, row, class). A row has the outputs (probabilities, or prediction
    and interval) of the model trained without the row's fold. Outer fold h of a cell has the seed
    ("combine", dataset, method, rotation group, fold group, h).
    """
    spec = job.slice
    data = read_prepared(job.input("table"))
    folds, _ = read_frame(job.input("folds"))
    with job.recorded() as record:
        root = child(root_sequence(spec["seed"]), "combine", spec["dataset"], spec["method"])
        combiner = make_combiner(spec["combiner"])
        cells: dict[tuple[str, str], np.ndarray] = {}
        groups: set[str] = set()
        for path in job.inputs["pool"]:
            block = read_arrays(path)
            groups.update(map(str, block.rotation_group.values))
            names = [(str(r), str(f)) for r in block.rotation_group.values for f in block.fold_group.values]
            if block.attrs["status"] != "ok":
                record.status, record.message = "failed", f"the pool failed: {block.attrs['message']}"
                continue
            with may_fail(record):
                if failure is not None:
                    raise failure
                results = Parallel(n_jobs=job.threads)(
                    delayed(_one)(
                        combiner,
                        block["proba"].sel(rotation_group=r, fold_group=f).values,
                        folds[f].to_numpy(),
                        data.y,
                        child(root, number_of(r), number_of(f)),
                        _facts(block, r, f, folds[f].to_numpy()),
                    )
                    for r, f in names
                )
                check_numbers(np.stack(results), spec["combiner"]["class"], data.task)
                cells.update(zip(names, results, strict=True))
        write_arrays(
            job.output("method"), _labelled(cells, sorted(groups, key=number_of), list(folds), data, record, spec)
        )
        record.metrics = {"cells": len(cells)}


def _one(combiner, outputs, folds, y, sequence, facts) -> np.ndarray:
    return combine_nested(combiner, outputs, folds, y, sequence, facts)[0]


@dataclass
class StoredMembers(Members):
    """The members trained without fold h, by their stored sizes and errors; the first member has no rotation."""

    n_nodes: np.ndarray
    depth: np.ndarray
    oob_error: np.ndarray
    n_rows: int

    def facts(self):
        return rotation_complexity(self.n_nodes, self.depth, self.n_rows), self.oob_error, 0


def _facts(block: xr.Dataset, r: str, f: str, folds: np.ndarray) -> list[Members]:
    """Return, for each fold, the members trained without it."""
    n_folds = int(folds.max()) + 1
    cell = block[[*FACTS]].sel(rotation_group=r, fold_group=f, pair=[f"{h}-{h}" for h in range(n_folds)])
    n_nodes, depth, oob_error = (cell[name].values for name in FACTS)
    n_rows = [int((folds != h).sum()) for h in range(n_folds)]
    return [StoredMembers(n_nodes[h], depth[h], oob_error[h], n_rows[h]) for h in range(n_folds)]


def _labelled(cells, rotation_groups, fold_groups, data, record, spec) -> xr.Dataset:
    """Return the outputs of all cells in order; a failed method has missing values in all cells."""
    proba = np.full((len(rotation_groups), len(fold_groups), len(data.y), len(data.outputs)), np.nan)
    if record.status == "ok":
        for (r, f), result in cells.items():
            proba[rotation_groups.index(r), fold_groups.index(f)] = result
    return xr.Dataset(
        {"proba": (("rotation_group", "fold_group", "row", "class"), proba)},
        coords={"rotation_group": rotation_groups, "fold_group": fold_groups, "class": data.outputs},
        attrs={"status": record.status, "message": record.message, "method": spec["method"]},
    )
