"""The trainings of a pool in nested cross-validation, cell by cell, with its outputs for held-out rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from rotastack.data.artifacts import Prepared
from rotastack.ensembles.pooled.nested import HeldOut, nested_outputs
from rotastack.ensembles.pooled.pool import Pool, Recipe
from rotastack.ensembles.rows import estimator_input
from rotastack.resampling.folds import nested_pairs
from rotastack.seeds import child, root_sequence
from rotastack.trees.growing import TrainingRows
from rotastack.workflow.run.job import Trained
from rotastack.workflow.study.building import make, make_estimator
from rotastack.workflow.study.names import MEASURES_OF_MEMBERS, name_of
from rotastack.workflow.study.specs import NestedTrainingSpec

AXES = ("rotation_group", "fold_group")
SECONDS = ("fit_seconds", "predict_seconds")


def untrained(spec: NestedTrainingSpec, table: Prepared, folds: pd.DataFrame) -> xr.Dataset:
    """Return arrays for outputs, with axes (rotation_group, fold_group, other_fold, member, row, class), and measures, all missing.

    For row i of fold a and other fold b they will hold the output of the member trained without a and b, in an inner block;
    for b = a, of the member trained without a alone, in an outer block. The other outputs stay missing.
    """
    pairs = _pairs(spec)
    shape = (len(spec.rotation_groups), len(spec.fold_groups))
    size = (*shape, spec.folds, spec.rotations, len(table.y), len(table.outputs))
    measures = (*shape, len(pairs), spec.rotations)
    return xr.Dataset(
        {
            "proba": ((*AXES, "other_fold", "member", "row", "class"), np.full(size, np.nan, table.precision)),
            **{name: ((*AXES, "pair", "member"), np.full(measures, np.nan)) for name in MEASURES_OF_MEMBERS},
        },
        coords={
            "rotation_group": [name_of("RG", g) for g in spec.rotation_groups],
            "fold_group": [name_of("FG", g) for g in spec.fold_groups],
            "other_fold": np.arange(spec.folds),
            "pair": [f"{a}-{b}" for a, b in pairs],
            "class": table.outputs,
        },
        attrs={"inner": int(spec.inner), "metrics": {"members": spec.rotations, "trainings": int(np.prod(measures))}},
    )


def _pairs(spec: NestedTrainingSpec) -> list[tuple[int, int]]:
    """Return the pairs of folds that are held out, or of each single fold with itself."""
    return [(a, b) for a, b in nested_pairs(spec.folds) if (a != b) == spec.inner]


def trainings(
    spec: NestedTrainingSpec, table: Prepared, folds: pd.DataFrame, rotations: xr.Dataset | None, n_jobs: int
) -> Iterator[Trained]:
    """Yield the outputs and measures of each cell.

    Training without a and b has the seed ("train", dataset, pool, rotation group, fold group, a, b), below which come the
    members, or the trees of the members' forests. A member's view that is drawn in training has the seed ("views", dataset,
    rotation group, member).
    """
    pairs, root = _pairs(spec), root_sequence(spec.seed)
    seeds, views = child(root, "train", spec.dataset, spec.name), child(root, "views", spec.dataset)
    ready = estimator_input(make_estimator(spec.pool, n_jobs), table, spec.pool)
    for i, j in np.ndindex(len(spec.rotation_groups), len(spec.fold_groups)):
        notes: dict[tuple[int, int], NDArray] = {}
        rg, fg = spec.rotation_groups[i], spec.fold_groups[j]

        def note(pair: tuple[int, int], pool: Pool, notes: dict = notes) -> None:
            of_members = [[getattr(m, name) for m in pool.members] for name in (*MEASURES_OF_MEMBERS, SECONDS[0])]
            notes[pair] = np.stack([*of_members, pool.predict_seconds])

        recipes = _recipes(ready.estimator, spec, rotations, i)
        fold = folds[name_of("FG", fg)].to_numpy()
        outputs = np.full((spec.folds, spec.rotations, len(table.y), len(table.outputs)), np.nan, table.precision)
        for part in [[pair] for pair in pairs] if table.texts else [pairs]:
            rows = TrainingRows(ready.encoded(table, ~np.isin(fold, part)).X, table.y, table.n_classes)
            options, seed = ready.options._replace(n_jobs=n_jobs), child(seeds, rg, fg)
            found = nested_outputs(
                rows, HeldOut(fold, part), recipes, options, seed, views=child(views, rg), on_pool=note
            )
            outputs = np.where(np.isnan(found), outputs, found)
        facts = np.stack([notes[pair] for pair in pairs], axis=1)  # name, pair, member
        arrays = dict(zip(MEASURES_OF_MEMBERS, facts[:-2], strict=True))
        seconds = dict(zip(SECONDS, facts[-2:].sum(axis=1), strict=True))
        yield Trained((i, j), {"proba": outputs, **arrays}, seconds, {})


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
