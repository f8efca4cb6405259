"""Random splits, plain cross-validation and given splits as a study describes them, with their names and sizes."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from rotastack.workflow.study.building import is_trained
from rotastack.workflow.study.names import block_name
from rotastack.workflow.study.protocols.protocol import NO_WEIGHTS, Protocol, in_blocks
from rotastack.workflow.study.specs import ProtocolName, Spec, SplitsSpec, SplitTrainingSpec

SPLIT = "split"
"""First word of the keys of given splits in ``divided_by``, such as ``split 1``."""

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

    package: ClassVar[ProtocolName] = "splits"
    axes: ClassVar[tuple[str, ...]] = ("split",)
    own_blocks: ClassVar[tuple[str, ...]] = ("splits",)
    keeps_forests: ClassVar[bool] = True
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
        """Return what the step ``groups`` is told: the protocol's own keys."""
        return SplitsSpec(protocol="splits", seed=seed, dataset=dataset, **self.model_dump(exclude={"rotations"}))

    def training_spec(
        self, document: Any, block: Mapping[str, Any], inner: bool, selections: list[str], **known: Any
    ) -> Spec:
        """Return what the step ``train`` is told: a block of splits, the names of the outputs, and the rows whose votes pruners need."""
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
        return {f"{SPLIT} {k + 1}": column for k, column in enumerate(self.columns)}

    def folds_spec(self, seed: int, dataset: str) -> Spec:
        """Return the largest number of splits; the prepared table holds the columns."""
        return SplitsSpec(protocol="splits", seed=seed, dataset=dataset, kind=self.kind, splits=self.n_cells)

    def test_to_train(self, rows: int | None) -> float | None:
        """Return the number of test rows per training row if a single column numbers the folds, else None."""
        return 1 / (self.n_cells - 1) if len(self.columns) == 1 and self.n_cells > 2 else None
