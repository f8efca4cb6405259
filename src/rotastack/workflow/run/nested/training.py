"""Train a pool in nested cross-validation, cell by cell, and keep its outputs for held-out rows."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from rotastack.data.artifacts import Prepared, member_means
from rotastack.ensembles.pooled.nested import HeldOut, nested_outputs
from rotastack.ensembles.pooled.pool import Recipe
from rotastack.ensembles.rows import estimator_input
from rotastack.resampling.folds import nested_pairs
from rotastack.seeds import child, root_sequence
from rotastack.trees.estimators import MembersClassifier
from rotastack.trees.growing import TrainingRows
from rotastack.workflow.run.job import Outcome, check_numbers
from rotastack.workflow.run.watching import Alarm
from rotastack.workflow.study.building import make, make_estimator
from rotastack.workflow.study.names import MEASURES_OF_MEMBERS, label
from rotastack.workflow.study.specs import NestedTrainingSpec


def train(
    spec: NestedTrainingSpec,
    table: Prepared,
    folds: pd.DataFrame,
    rotations: xr.Dataset | None,
    n_jobs: int,
    set_alarm: Alarm,
) -> xr.Dataset:
    """Return outputs with axes (rotation_group, fold_group, other_fold, member, row, class).

    For row i of fold a and other fold b they hold the output of the member trained without a and b, in an inner block; for
    b = a, of the member trained without a alone, in an outer block. The other outputs are missing. Training without a and b has
    the seed ("train", dataset, pool, rotation group, fold group, a, b), below which come the members, or the trees of the
    members' forests. A member's view that is drawn in training has the seed ("views", dataset, rotation group, member).
    """
    pairs = [(a, b) for a, b in nested_pairs(spec.folds) if (a != b) == spec.inner]
    shape = (len(spec.rotation_groups), len(spec.fold_groups))
    size = (*shape, spec.folds, spec.rotations, len(table.y), len(table.outputs))
    outputs = np.full(size, np.nan, dtype=table.precision)
    measures = {name: np.full((*shape, len(pairs), spec.rotations), np.nan) for name in MEASURES_OF_MEMBERS}
    seconds = {"fit_seconds": np.zeros(spec.rotations), "predict_seconds": np.zeros(spec.rotations)}
    limit, outcome = spec.pool.training_limit, Outcome()
    root = child(root_sequence(spec.seed), "train", spec.dataset, spec.name)
    views = child(root_sequence(spec.seed), "views", spec.dataset)
    with outcome.may_fail():
        set_alarm(limit)
        ready = estimator_input(make_estimator(spec.pool, n_jobs), table, spec.pool)
        if limit and isinstance(ready.estimator, MembersClassifier):
            limit *= len(pairs)  # all pairs may be trained in one call
        for i, rg in enumerate(spec.rotation_groups):
            recipes = _recipes(ready.estimator, spec, rotations, i)
            for j, fg in enumerate(spec.fold_groups):

                def note(pair, pool, i=i, j=j):
                    for name, values in measures.items():
                        values[i, j, pairs.index(pair)] = [getattr(m, name) for m in pool.members]
                    seconds["fit_seconds"] += [m.fit_seconds for m in pool.members]
                    seconds["predict_seconds"] += pool.predict_seconds
                    set_alarm(limit)

                set_alarm(limit)
                fold = folds[label("FG", fg)].to_numpy()
                for part in [[pair] for pair in pairs] if table.texts else [pairs]:
                    rows = TrainingRows(ready.encoded(table, ~np.isin(fold, part)).X, table.y, table.n_classes)
                    found = nested_outputs(
                        rows, HeldOut(fold, part), recipes, ready.options._replace(n_jobs=n_jobs), child(root, rg, fg),
                        views=child(views, rg), on_pool=note,
                    )  # fmt: skip
                    outputs[i, j] = np.where(np.isnan(found), outputs[i, j], found)
                trained = (np.arange(spec.folds)[:, None] != fold) == spec.inner  # other fold, row
                check_numbers(outputs[i, j].swapaxes(0, 1)[:, trained], spec.pool.estimator, table.task)
        set_alarm(None)
    if outcome.status != "ok":
        outputs[:] = np.nan
    cells = ("rotation_group", "fold_group")
    return xr.Dataset(
        {
            "proba": ((*cells, "other_fold", "member", "row", "class"), outputs),
            **{name: ((*cells, "pair", "member"), values) for name, values in measures.items()},
        },
        coords={
            "rotation_group": [label("RG", g) for g in spec.rotation_groups],
            "fold_group": [label("FG", g) for g in spec.fold_groups],
            "other_fold": np.arange(spec.folds),
            "pair": [f"{a}-{b}" for a, b in pairs],
            "class": table.outputs,
        },
        attrs={
            "inner": int(spec.inner), **vars(outcome),
            "metrics": {
                "members": spec.rotations,
                "trainings": spec.rotations * len(pairs) * shape[0] * shape[1],
                **{name: [round(float(s), 4) for s in values] for name, values in seconds.items()},
                **{name: member_means(values) for name, values in measures.items()},
            },
        },
    )  # fmt: skip


def _recipes(estimator: Any, spec: NestedTrainingSpec, rotations: xr.Dataset | None, group: int) -> list[Recipe]:
    """Return the members' recipes: the identity, then one for each further view of the rotation group."""
    recipes = [Recipe(None, estimator, "identity")]
    if spec.pool.view is None:
        return recipes
    view = make(spec.pool.view)
    for k in range(1, spec.rotations):
        drawn = view
        if rotations is not None:
            p, at = int(rotations.attrs["n_features"]), group * spec.rotations + k
            blocks, axes = rotations["block"].values, rotations["axes"].values
            drawn = type(view).from_matrix(blocks[at], axes[at], p) if p > 1 else None
        recipes.append(Recipe(drawn, estimator, "view"))
    return recipes
