"""Nested cross-validation as a study describes it, with its names and sizes."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from rotastack.workflow.study.names import block_name, label
from rotastack.workflow.study.protocols.protocol import NO_WEIGHTS, Protocol, in_blocks
from rotastack.workflow.study.specs import FoldGroupsSpec, NestedTrainingSpec, ProtocolName, Spec


class Nested(Protocol):
    """Repeated nested cross-validation: a cell is one fold group under one rotation group."""

    package: ClassVar[ProtocolName] = "nested"
    axes: ClassVar[tuple[str, ...]] = ("rotation_group", "fold_group")
    cells: ClassVar[str] = "cells"
    own_blocks: ClassVar[tuple[str, ...]] = ("rotation_groups", "fold_groups")
    keeps_forests: ClassVar[bool] = False
    training_seconds: ClassVar[float] = 0.1

    kind: Literal["nested"] = "nested"
    rotation_groups: Annotated[int, Field(ge=1, le=999, description="N, number of sets of views")] = 3
    fold_groups: Annotated[int, Field(ge=1, le=999, description="M, number of partitions of the rows into folds")] = 3
    folds: Annotated[int, Field(ge=3, le=50, description="F, number of folds in a partition")] = 5
    rotations: Annotated[
        int, Field(ge=1, le=10000, description="K, number of views in a rotation group, the identity first")
    ] = 8

    @property
    def n_cells(self) -> int:
        """Number of cells: rotation groups times fold groups."""
        return self.rotation_groups * self.fold_groups

    def blocks(self, sizes: Any) -> dict[str, dict[str, list[int]]]:
        """Return block name (``RG-01-02/FG-01``) -> numbers of its rotation groups and fold groups."""
        return {
            f"{block_name('RG', rotations)}/{block_name('FG', folds)}": {
                "rotation_groups": rotations,
                "fold_groups": folds,
            }
            for rotations in in_blocks(self.rotation_groups, sizes.rotation_groups)
            for folds in in_blocks(self.fold_groups, sizes.fold_groups)
        }

    def rotation_groups_of(self, block: Mapping[str, list[int]]) -> list[str]:
        """Return the rotation groups whose files a block reads."""
        return [label("RG", g) for g in block["rotation_groups"]]

    def folds_spec(self, seed: int, dataset: str) -> Spec:
        """Return what the step ``groups`` is told: the number of fold groups and of folds."""
        return FoldGroupsSpec(
            protocol="nested", seed=seed, dataset=dataset, fold_groups=self.fold_groups, folds=self.folds
        )

    def trainings(self, block: Mapping[str, list[int]], inner: bool | None = None) -> int:
        """Return the number of trainings of a pool in a block: in each cell one for each fold, for each pair if `inner`; None counts both."""
        of_cell = {None: self.folds + 1, True: self.folds - 1, False: 2}[inner] * self.folds // 2
        return len(block["rotation_groups"]) * len(block["fold_groups"]) * of_cell

    def output_cells(self, block: Mapping[str, list[int]]) -> int:
        """Return the number of outputs of a block for a member, row and class: one for each other fold in each cell."""
        return len(block["rotation_groups"]) * len(block["fold_groups"]) * self.folds

    def training_spec(
        self, document: Any, block: Mapping[str, Any], inner: bool, selections: list[str], **known: Any
    ) -> Spec:
        """Return what the step ``train`` is told: a block of cells; trained combiners need outputs with pairs of folds held out."""
        return NestedTrainingSpec(protocol="nested", inner=inner, folds=self.folds, **block, **known)

    @property
    def combiner_fits(self) -> int:
        """Number of fits of a trained combiner on a data set: one for each fold of each cell."""
        return self.n_cells * self.folds

    def check_pool(self, pool: Any) -> None:
        """Raise a ValueError for keys of a pool that only splits support."""
        special = {
            "diversity": pool.diversity,
            "training_error": pool.training_error,
            "repeats": pool.repeats,
            "ensemble_sizes": pool.ensemble_sizes,
            "noise": pool.noise.labels or pool.noise.features,
        }
        for key, value in special.items():
            if value:
                raise ValueError(f"{key} is for splits only (protocol.kind: holdout or crossval)")

    def check_combiner(self, combiner: Any, pool: Any, where: str) -> None:
        """Raise a ValueError for combiners that only splits support, and for weights without drawn rotations."""
        if combiner.kind in ("member", "prune"):
            raise ValueError(f"{where}: {combiner.kind} needs splits (protocol.kind: holdout or crossval)")
        if combiner.kind == "weights" and (pool.view is None or not pool.view.is_drawn):
            raise ValueError(NO_WEIGHTS.format(where))
