"""train: a pool for a block of cells; its outputs for the rows it has not seen."""

from typing import Any

import numpy as np
import xarray as xr

from rotastack.base.fitting import placed
from rotastack.ensembles.pooled.nested import nested_outputs
from rotastack.ensembles.pooled.pool import Recipe
from rotastack.errors import RotastackError
from rotastack.learners.registry import make_learner
from rotastack.resampling.nested import nested_pairs
from rotastack.seeds import child, root_sequence
from rotastack.study.artifacts import member_means, read_arrays, read_frame, read_prepared, write_arrays
from rotastack.study.components import load
from rotastack.study.job import INFRASTRUCTURE, Job
from rotastack.views.scaling import SCALERS

FACTS = ("n_nodes", "depth", "oob_error")


def run(job: Job) -> None:
    """Read inputs ``table``, ``folds`` and ``rotations`` (in order of group), write output ``pool``.

    The output has axes (rotation_group, fold_group, other_fold, member, row, class): for row
    i of fold a and other fold b it holds what the member trained without a and b says; for
    b = a, trained without a alone. Pools that no trained combiner uses have the latter only.
    Training without a and b is seeded by ("train", dataset, pool, rotation group, fold group,
    a, b, member). A pool that fails is kept as missing values with its message.
    """
    spec = job.spec
    data = read_prepared(job.input("table"))
    folds, _ = read_frame(job.input("folds"))
    n_folds = spec["folds"]
    pairs = [(a, b) for a, b in nested_pairs(n_folds) if spec["nested"] or a == b]
    n_numeric = int((~data.categorical).sum())
    learner = make_learner(spec["pool"]["learner"])
    if hasattr(learner, "dummies"):
        learner = placed(learner, n_numeric, len(data.categorical) - n_numeric, data.owners)
    groups = [_recipes(learner, arrays) for arrays in _rotations(job, n_numeric)]
    n_members = len(groups[0])
    shape = (len(groups), len(spec["fold_groups"]))
    outputs = np.full((*shape, n_folds, n_members, len(data.y), len(data.classes)), np.nan, dtype=np.float32)
    facts = {name: np.full((*shape, len(pairs), n_members), np.nan) for name in FACTS}
    seconds = {"fit_seconds": np.zeros(n_members), "predict_seconds": np.zeros(n_members)}

    with job.recorded() as record:
        root = child(root_sequence(spec["seed"]), "train", spec["dataset"], spec["name"])
        scaler = SCALERS[spec["pool"]["scaling"]]() if spec["pool"]["scaling"] else None
        try:
            for i, (rg, recipes) in enumerate(zip(spec["rotation_groups"], groups, strict=True)):
                for j, fg in enumerate(spec["fold_groups"]):

                    def note(pair, pool, i=i, j=j):
                        for name, table in facts.items():
                            table[i, j, pairs.index(pair)] = [getattr(m, name) for m in pool.members]
                        seconds["fit_seconds"] += [m.fit_seconds for m in pool.members]
                        seconds["predict_seconds"] += pool.predict_seconds

                    outputs[i, j] = nested_outputs(
                        data.X, data.y, len(data.classes), folds[f"FG-{fg + 1:02d}"].to_numpy(), pairs,
                        recipes, child(root, rg, fg),
                        on_pool=note, scaler=scaler, categorical=data.categorical, n_jobs=job.threads,
                    )  # fmt: skip
        except INFRASTRUCTURE:
            raise
        except Exception as error:  # a model that fails is a result; the study goes on
            record.fail(error)
            outputs[:] = np.nan
        write_arrays(job.output("pool"), _labelled(outputs, facts, pairs, data, spec, record))
        record.metrics = {
            "members": n_members,
            "trainings": n_members * len(pairs) * shape[0] * shape[1],
            **{k: [round(float(s), 4) for s in v] for k, v in seconds.items()},
            **{k: member_means(v) for k, v in facts.items()},
        }


def _rotations(job: Job, n_numeric: int) -> list[Any]:
    if job.spec["pool"]["view"] != "rotation":
        return [None] * len(job.spec["rotation_groups"])
    groups = [read_arrays(path) for path in job.inputs["rotations"]]
    for path, arrays in zip(job.inputs["rotations"], groups, strict=True):
        if arrays.attrs["n_features"] != n_numeric:
            raise RotastackError(
                f"{path}: rotations of {arrays.attrs['n_features']} columns, but {job.spec['dataset']} has "
                f"{n_numeric} numeric columns; delete it and run again"
            )
    return groups


def _recipes(learner, arrays) -> list[Recipe]:
    if arrays is None:
        return [Recipe(None, learner, "identity")]
    view = load("rotastack.views.rotation").RandomRotation
    recipes = [Recipe(None, learner, "identity")]
    for k in range(1, arrays.sizes["rotation"]):
        p = int(arrays.attrs["n_features"])
        rotation = None
        if p > 1:
            rotation = view.from_matrix(arrays["block"].values[k], arrays["axes"].values[k], p)
        recipes.append(Recipe(rotation, learner, "rotation"))
    return recipes


def _labelled(outputs, facts, pairs, data, spec, record) -> xr.Dataset:
    cells = ("rotation_group", "fold_group")
    return xr.Dataset(
        {
            "proba": ((*cells, "other_fold", "member", "row", "class"), outputs),
            **{name: ((*cells, "pair", "member"), table) for name, table in facts.items()},
        },
        coords={
            "rotation_group": [f"RG-{g + 1:02d}" for g in spec["rotation_groups"]],
            "fold_group": [f"FG-{g + 1:02d}" for g in spec["fold_groups"]],
            "other_fold": np.arange(spec["folds"]),
            "pair": [f"{a}-{b}" for a, b in pairs],
            "class": data.classes,
        },
        attrs={"nested": int(spec["nested"]), "status": record.status, "message": record.message},
    )
