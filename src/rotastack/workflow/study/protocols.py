"""Protocols: the keys by which a study divides rows into training and test rows, and the cells, blocks and specs that follow."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from rotastack.base.documents import Document
from rotastack.workflow.study.building import is_trained
from rotastack.workflow.study.names import block_name
from rotastack.workflow.study.specs import (
    FoldGroupsSpec,
    NestedTrainingSpec,
    ProtocolName,
    Spec,
    SplitsSpec,
    SplitTrainingSpec,
)

NO_WEIGHTS = (
    "{}: weights need a pool with rotations and nested cross-validation; for random splits use estimator "
    "regularized_rotation_forest and combiner member"
)


def in_blocks(count: int, size: int) -> list[list[int]]:
    """Divide the numbers below `count` into blocks of `size`."""
    return [list(range(start, min(start + size, count))) for start in range(0, count, size)]


class Protocol(Document):
    """How the rows of a data set are repeatedly divided into training and test rows.

    The folds are drawn in ``rotastack.workflow.run.folds``; the trainings are in ``rotastack.workflow.run.nested`` and
    ``rotastack.workflow.run.splits``.
    """

    name: ClassVar[ProtocolName]
    """The word for the protocol in slices (``protocol``), and the module of :mod:`rotastack.workflow.run` with its trainings."""
    axes: ClassVar[tuple[str, ...]]
    """Names of the numbers that identify a cell: axes of arrays, and columns of the scores."""
    cells: ClassVar[str]
    """Word for cells in the report."""
    own_blocks: ClassVar[tuple[str, ...]]
    """Keys of the study's ``blocks`` that the protocol uses."""
    training_seconds: ClassVar[float]
    """Estimated seconds of one training, without the part that grows with the data."""

    rotations: int

    @property
    def divided_by(self) -> dict[str, str]:
        """The columns by which rows are divided: ``groups``, ``time`` or ``split 1``, ... -> column name."""
        return {}

    def test_to_train(self, rows: int | None) -> float | None:
        """Return the number of test rows per training row of a split; None if unknown, or if cells are not splits."""
        return None

    def split_rows(self, rows: int) -> tuple[int, int]:
        """Return the largest number of rows in a training, and the number of rows whose outputs are kept."""
        return rows, rows

    @property
    def combiner_fits(self) -> int:
        """Number of fits of a trained combiner on a data set."""
        return 0

    def check_rows(self, rows: Mapping[str, int | None]) -> None:
        """Raise a ValueError, with the key, if a data set is too small; a number of rows that is not known is None."""

    def check_pool(self, pool: Any) -> None:
        """Raise a ValueError, with the key, if this protocol does not support a pool."""


class Nested(Protocol):
    """Repeated nested cross-validation: a cell is one fold group under one rotation group."""

    name: ClassVar[ProtocolName] = "nested"
    axes: ClassVar[tuple[str, ...]] = ("rotation_group", "fold_group")
    cells: ClassVar[str] = "cells"
    own_blocks: ClassVar[tuple[str, ...]] = ("rotation_groups", "fold_groups")
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

    def folds_spec(self, seed: int, dataset: str) -> Spec:
        """Return the spec of the step ``groups``: the numbers of fold groups and of folds."""
        return FoldGroupsSpec(
            protocol="nested", seed=seed, dataset=dataset, fold_groups=self.fold_groups, folds=self.folds
        )

    def trainings(self, block: Mapping[str, list[int]], inner: bool | None = None) -> int:
        """Return the number of trainings of a pool in a block.

        A cell has one for each fold, or if `inner` for each pair of folds; None counts both.
        """
        of_cell = {None: self.folds + 1, True: self.folds - 1, False: 2}[inner] * self.folds // 2
        return len(block["rotation_groups"]) * len(block["fold_groups"]) * of_cell

    def output_cells(self, block: Mapping[str, list[int]]) -> int:
        """Return the number of outputs of a block for a member, row and class: one for each other fold in each cell."""
        return len(block["rotation_groups"]) * len(block["fold_groups"]) * self.folds

    def training_spec(
        self, document: Any, block: Mapping[str, Any], inner: bool, selections: list[str], **known: Any
    ) -> Spec:
        """Return the spec of the step ``train``: a block of cells. If `inner`, pairs of folds are held out, for trained combiners."""
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


Rotations = Annotated[
    int,
    Field(
        ge=1,
        le=10000,
        description="K, number of views in a rotation group, the identity first; each split draws new views",
    ),
]


class Splits(Protocol):
    """A series of divisions into training and test rows."""

    name: ClassVar[ProtocolName] = "splits"
    axes: ClassVar[tuple[str, ...]] = ("split",)
    own_blocks: ClassVar[tuple[str, ...]] = ("splits",)
    training_seconds: ClassVar[float] = 10

    def blocks(self, sizes: Any) -> dict[str, dict[str, list[int]]]:
        """Return block name (``S-01-10``) -> numbers of its splits."""
        return {block_name("S", part): {"splits": part} for part in in_blocks(self.n_cells, sizes.splits)}

    def trainings(self, block: Mapping[str, list[int]], inner: bool | None = None) -> int:
        """Return the number of trainings of a pool in a block, and of outputs for a member, row and class: one for each split."""
        return len(block["splits"])

    output_cells = trainings

    @property
    def n_cells(self) -> int:
        """Number of splits."""
        raise NotImplementedError

    def folds_spec(self, seed: int, dataset: str) -> Spec:
        """Return the spec of the step ``groups``: the protocol's own keys."""
        return SplitsSpec(protocol="splits", seed=seed, dataset=dataset, **self.model_dump(exclude={"rotations"}))

    def training_spec(
        self, document: Any, block: Mapping[str, Any], inner: bool, selections: list[str], **known: Any
    ) -> Spec:
        """Return the spec of the step ``train``: a block of splits, the names of the outputs, and the rows whose votes pruners need."""
        repeats = document.repeats.get(known["dataset"], self.n_cells)
        of_block = {"repeats": repeats, "members": document.member_names, "selections": selections, **block}
        return SplitTrainingSpec(protocol="splits", **of_block, **known)

    def check_combiner(self, combiner: Any, pool: Any, where: str) -> None:
        """Raise a ValueError for trained combiners, weights, pruned views, and members that the pool does not have."""
        if combiner.kind == "member":
            known = [name for name in pool.member_names if name != "all" and pool.view is None]
            if combiner.member not in known:
                raise ValueError(
                    f"{where}.member: {combiner.member!r} is not a member of the pool; "
                    f"members: {', '.join(known) or 'none with a name'}"
                )
        elif combiner.kind == "weights":
            raise ValueError(NO_WEIGHTS.format(where))
        elif combiner.kind == "prune":
            if pool.view is not None:
                raise ValueError(
                    f"{where}: prune needs votes of the members of one ensemble; a pool with a view has outputs only"
                )
        elif combiner.kind != "other" and is_trained(combiner):  # another class is checked before a run
            what = "vote with scoring" if combiner.kind == "vote" else combiner.kind
            raise ValueError(f"{where}: {what} needs nested cross-validation, not random splits")


class DrawnSplits(Splits):
    """Splits that a study draws; a column of each table may give groups of rows, or their order in time."""

    groups: Annotated[
        str | None,
        Field(
            description="column of groups: rows of a group stay together, in training or in test; no model sees the column. "
            "With time, the column of series, such as stores, for naive forecasts; models read it"
        ),
    ] = None
    time: Annotated[
        str | None, Field(description="column of dates or numbers: the test rows of a split follow its training rows")
    ] = None

    copies_together: Annotated[
        bool, Field(description="whether rows that are equal in all columns stay together, as rows of a group do")
    ] = False

    @model_validator(mode="after")
    def _one_order(self) -> Self:
        if self.time is not None and self.copies_together:
            raise ValueError("protocol.copies_together and protocol.time exclude each other; drop one key")
        return self

    @property
    def divided_by(self) -> dict[str, str]:
        """The columns of groups, or of time and of series, if the study names any."""
        named = {"time": self.time, "groups" if self.time is None else "series": self.groups}
        return {key: column for key, column in named.items() if column is not None}

    @property
    def _dividing(self) -> dict[str, Any]:
        """The keys that divide rows, if the study names any."""
        return self.divided_by | ({"copies_together": True} if self.copies_together else {})


class RandomSplits(DrawnSplits):
    """Repeated random splits into training and test rows (thesis, section 1.6.3)."""

    cells: ClassVar[str] = "splits"

    kind: Literal["holdout"] = "holdout"
    repeats: Annotated[int, Field(ge=1, le=100000, description="number of random splits")] = 100
    train: Annotated[float | int, Field(gt=0, description="share (below 1) or number of training rows")] = 0.7
    test: Annotated[
        int | None,
        Field(
            ge=1,
            description="number of test rows; null: all rows outside the training rows. If the rows suffice, no "
            "two splits share a row",
        ),
    ] = None
    rotations: Rotations = 8

    @property
    def n_cells(self) -> int:
        """Number of splits."""
        return self.repeats

    def split_rows(self, rows: int) -> tuple[int, int]:
        """Return the numbers of training and test rows of a split."""
        train = round(self.train * rows) if self.train < 1 else int(self.train)
        return train, max(1, rows - train) if self.test is None else self.test

    def test_to_train(self, rows: int | None) -> float | None:
        """Return the number of test rows per training row of a split; 0 if no two splits share a row."""
        train = self.train if self.train >= 1 or rows is None else self.train * rows
        if self.test is not None:
            if train < 1:
                return None
            disjoint = rows is not None and not self._dividing and self.repeats * (train + self.test) <= rows
            return 0.0 if disjoint else self.test / train
        if self.train < 1:
            return (1 - self.train) / self.train
        return rows / self.train - 1 if rows else None

    @field_validator("train")
    @classmethod
    def _share_or_rows(cls, value: float | int) -> float | int:
        if value >= 1 and not isinstance(value, int):
            raise ValueError(f"{value} is neither a share below 1 nor a whole number of rows")
        return value

    def check_rows(self, rows: Mapping[str, int | None]) -> None:
        """Raise a ValueError if a data set has too few rows to leave test rows."""
        for name, count in rows.items():
            if count is not None and count < (self.train if self.train >= 1 else self.train * count) + (self.test or 0):
                raise ValueError(
                    f"protocol.test: {name} has {count} rows; {self.train} training rows and {self.test} test rows are requested"
                )
            if count is not None and count <= self.train:
                raise ValueError(
                    f"protocol.train: {name} has {count} rows; {self.train} training rows leave no test rows"
                )


class CrossValidation(DrawnSplits):
    """Plain cross-validation: each fold in turn is the test set of models trained on the other folds."""

    cells: ClassVar[str] = "folds"

    kind: Literal["crossval"] = "crossval"
    repeats: Annotated[int, Field(ge=1, le=100000, description="number of partitions into folds")] = 1
    folds: Annotated[int, Field(ge=3, le=50, description="folds in a partition")] = 10
    weka_seed: Annotated[
        int | None, Field(description="seed of WEKA's stratified folds; null: folds of the study's seed")
    ] = None
    rotations: Rotations = 8

    @property
    def n_cells(self) -> int:
        """Number of folds in all partitions."""
        return self.repeats * self.folds

    def split_rows(self, rows: int) -> tuple[int, int]:
        """Return the number of training rows for a fold, and the number of rows in a fold."""
        return rows - rows // self.folds, -(-rows // self.folds)

    def test_to_train(self, rows: int | None) -> float | None:
        """Return the number of test rows per training row of a fold; in order of time, the mean over folds."""
        if self.time is not None:
            return sum(1 / k for k in range(1, self.folds + 1)) / self.folds
        return 1 / (self.folds - 1)

    @model_validator(mode="after")
    def _one_series(self) -> Self:
        if self.time is not None and self.repeats > 1:
            raise ValueError("protocol.repeats must be 1 with protocol.time")
        if self.weka_seed is not None and (self.repeats > 1 or self._dividing):
            raise ValueError("protocol.weka_seed needs repeats: 1, without groups, time and copies_together")
        return self


class GivenSplits(Splits):
    """Splits that data sets bring, as columns of their tables."""

    cells: ClassVar[str] = "splits"

    kind: Literal["given"] = "given"
    columns: Annotated[
        list[str],
        Field(
            min_length=1,
            description="columns of given splits: train or test for each row (empty: neither), one split per column; or the number of "
            "the fold that tests the row (-1: none), one split per fold. No model sees these columns. A data set needs the "
            "first column; a data set without one of the further columns has fewer splits",
        ),
    ]
    splits: Annotated[
        int | None, Field(ge=1, le=100000, description="largest number of splits; null: one per column")
    ] = None
    rotations: Rotations = 8

    @property
    def n_cells(self) -> int:
        """Number of splits of the data set with the most splits."""
        return len(self.columns) if self.splits is None else self.splits

    @property
    def divided_by(self) -> dict[str, str]:
        """The columns that mark training and test rows: ``split 1``, ... -> column name."""
        return {f"split {k + 1}": column for k, column in enumerate(self.columns)}

    def folds_spec(self, seed: int, dataset: str) -> Spec:
        """Return the spec of the step ``groups``: the largest number of splits. The prepared table holds the columns."""
        return SplitsSpec(protocol="splits", seed=seed, dataset=dataset, kind=self.kind, splits=self.n_cells)

    def test_to_train(self, rows: int | None) -> float | None:
        """Return the number of test rows per training row if a single column numbers the folds, else None."""
        return 1 / (self.n_cells - 1) if len(self.columns) == 1 and self.n_cells > 2 else None
