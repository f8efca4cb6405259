"""Train a pool in nested cross-validation, and store its outputs for held-out rows, cell by cell."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from rotastack.data.artifacts import Prepared, member_means, read_arrays, read_frame, read_prepared, write_arrays
from rotastack.ensembles.pooled.nested import nested_outputs
from rotastack.ensembles.pooled.pool import Recipe
from rotastack.ensembles.rows import rows_for
from rotastack.errors import RotastackError
from rotastack.resampling.folds import nested_pairs
from rotastack.seeds import child, root_sequence
from rotastack.trees.estimators import MembersClassifier
from rotastack.workflow.run.job import Job, may_fail
from rotastack.workflow.run.watching import Beat, check_numbers
from rotastack.workflow.study.building import make_estimator, make_view
from rotastack.workflow.study.names import label

FACTS = ("n_nodes", "depth", "oob_error")


def train(job: Job, beat: Beat, failure: Exception | None) -> None:
    """Read inputs ``table``, ``folds`` and ``rotations`` (group after group), write output ``pool``.

    The output has axes (rotation_group, fold_group, other_fold, member, row, class). For row i of fold a and other
    fold b it holds the output of the member trained without a and b; for b = a, of the member trained without a alone.
    Pools that no trained combiner uses have only the latter. Training without a and b has the seed ("train", dataset,
    pool, rotation group, fold group, a, b), below which come the members, or the trees of the members' forests. A member's view that is drawn in training has the seed ("views",
    dataset, rotation group, member). A pool that fails, or that gets a `failure`, is stored as missing values with
    the message.
    """
    spec = job.slice
    data = read_prepared(job.input("table"))
    folds, _ = read_frame(job.input("folds"))
    n_folds = spec["folds"]
    pairs = [(a, b) for a, b in nested_pairs(n_folds) if spec["second_level"] or a == b]
    n_members = spec.get("rotations", 1)
    shape = (len(spec["rotation_groups"]), len(spec["fold_groups"]))
    size = (*shape, n_folds, n_members, len(data.y), len(data.outputs))
    outputs = np.full(size, np.nan, dtype=data.precision)
    facts = {name: np.full((*shape, len(pairs), n_members), np.nan) for name in FACTS}
    seconds = {"fit_seconds": np.zeros(n_members), "predict_seconds": np.zeros(n_members)}
    groups = _drawn(job, data)
    limit = spec["pool"].get("training_limit")

    with job.recorded() as record:
        root = child(root_sequence(spec["seed"]), "train", spec["dataset"], spec["name"])
        views = child(root_sequence(spec["seed"]), "views", spec["dataset"])
        with may_fail(record):
            if failure is not None:
                raise failure
            estimator = make_estimator(spec["pool"], job.threads)
            rows = rows_for(estimator, data, spec["pool"])
            if limit and isinstance(rows.estimator, MembersClassifier):
                limit *= len(pairs)  # all pairs may be trained in one call
            for i, rg in enumerate(spec["rotation_groups"]):
                recipes = _recipes(rows.estimator, spec, groups[i])
                for j, fg in enumerate(spec["fold_groups"]):

                    def note(pair, pool, i=i, j=j):
                        for name, table in facts.items():
                            table[i, j, pairs.index(pair)] = [getattr(m, name) for m in pool.members]
                        seconds["fit_seconds"] += [m.fit_seconds for m in pool.members]
                        seconds["predict_seconds"] += pool.predict_seconds
                        beat(limit)

                    beat(limit)
                    outputs[i, j] = nested_outputs(
                        rows.X, data.y, data.n_classes, folds[label("FG", fg)].to_numpy(), pairs,
                        recipes, child(root, rg, fg), views=child(views, rg),
                        on_pool=note, n_jobs=job.threads, **rows.options,
                    )  # fmt: skip
                    held_out = outputs[i, j]
                    if not spec["second_level"]:  # the members trained without each row's fold alone
                        held_out = held_out[folds[label("FG", fg)].to_numpy(), :, np.arange(len(data.y))].swapaxes(0, 1)
                    check_numbers(held_out, spec["pool"]["estimator"], data.task)
            beat(None)
        if record.status != "ok":
            outputs[:] = np.nan
        write_arrays(job.output("pool"), _labelled(outputs, facts, pairs, data, spec, record))
        record.metrics = {
            "members": n_members,
            "trainings": n_members * len(pairs) * shape[0] * shape[1],
            **{k: [round(float(s), 4) for s in v] for k, v in seconds.items()},
            **{k: member_means(v) for k, v in facts.items()},
        }


def _drawn(job: Job, data: Prepared) -> list[xr.Dataset | None]:
    """Return the rotations of each rotation group; None for each if the view is drawn in training."""
    n_groups = len(job.slice["rotation_groups"])
    if not job.inputs.get("rotations"):
        return [None] * n_groups
    path, n_numeric, size = job.input("rotations"), data.numeric.shape[1], job.slice["rotations"]
    arrays = read_arrays(path)
    if arrays.attrs["n_features"] != n_numeric:
        raise RotastackError(
            f"{path} has rotations of {arrays.attrs['n_features']} columns, but {job.slice['dataset']} has "
            f"{n_numeric} numeric columns; delete the file and run again"
        )
    return [arrays.isel(rotation=slice(i * size, (i + 1) * size)) for i in range(n_groups)]


def _recipes(estimator: Any, spec: Mapping[str, Any], arrays: xr.Dataset | None) -> list[Recipe]:
    """Return the members' recipes: the identity, then one for each further view of the rotation group."""
    recipes = [Recipe(None, estimator, "identity")]
    if spec["pool"]["view"] is None:
        return recipes
    view = make_view(spec["pool"]["view"])
    for k in range(1, spec["rotations"]):
        if arrays is not None:
            p = int(arrays.attrs["n_features"])
            blocks, axes = arrays["block"].values, arrays["axes"].values
            drawn = type(view).from_matrix(blocks[k], axes[k], p) if p > 1 else None
        recipes.append(Recipe(view if arrays is None else drawn, estimator, "view"))
    return recipes


def _labelled(outputs, facts, pairs, data, spec, record) -> xr.Dataset:
    cells = ("rotation_group", "fold_group")
    return xr.Dataset(
        {
            "proba": ((*cells, "other_fold", "member", "row", "class"), outputs),
            **{name: ((*cells, "pair", "member"), table) for name, table in facts.items()},
        },
        coords={
            "rotation_group": [label("RG", g) for g in spec["rotation_groups"]],
            "fold_group": [label("FG", g) for g in spec["fold_groups"]],
            "other_fold": np.arange(spec["folds"]),
            "pair": [f"{a}-{b}" for a, b in pairs],
            "class": data.outputs,
        },
        attrs={"second_level": int(spec["second_level"]), "status": record.status, "message": record.message},
    )
