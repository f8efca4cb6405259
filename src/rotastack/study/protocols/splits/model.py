"""Random splits and plain cross-validation as a study describes them, and their names and sizes."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from rotastack.study.names import block_name
from rotastack.study.protocols.base import Protocol, in_blocks

__all__ = ["CrossValidation", "RandomSplits", "Splits"]

Rotations = Annotated[
    int,
    Field(
        ge=1, le=10000, description="K, views in a rotation group, the identity first; a split draws its own"
    ),
]


class Splits(Protocol):
    """A series of divisions into training and test rows."""

    package: ClassVar[str] = "splits"
    axes: ClassVar[tuple[str, ...]] = ("split",)

    @property
    def n_cells(self) -> int:
        """Number of splits."""
        raise NotImplementedError

    def blocks(self, sizes: Any) -> dict[str, dict[str, list[int]]]:
        """Return ``S-01-10`` -> numbers of the splits."""
        return {block_name("S", part): {"splits": part} for part in in_blocks(self.n_cells, sizes.splits)}

    def trainings(self, block: Mapping[str, list[int]]) -> int:
        """Return one training for each split."""
        return len(block["splits"])

    def output_cells(self, block: Mapping[str, list[int]]) -> int:
        """Return one output for each split."""
        return len(block["splits"])


class RandomSplits(Splits):
    """Repeated random splits into training and test rows (thesis, section 1.6.3)."""

    cells: ClassVar[str] = "splits"

    kind: Literal["holdout"] = "holdout"
    repeats: Annotated[int, Field(ge=1, le=100000, description="number of random splits")] = 100
    train: Annotated[
        float | int,
        Field(
            gt=0, description="share of the rows that is trained on (below 1), or their number (a whole one)"
        ),
    ] = 0.7
    rotations: Rotations = 8

    @property
    def n_cells(self) -> int:
        """Number of splits."""
        return self.repeats

    def folds_spec(self) -> dict[str, Any]:
        """Return the number of splits, and the share of the rows that is trained on."""
        return {"protocol": self.package, "kind": self.kind, "repeats": self.repeats, "train": self.train}


class CrossValidation(Splits):
    """Plain cross-validation: each fold in turn is tested, by what is trained on the others."""

    cells: ClassVar[str] = "folds"

    kind: Literal["crossval"] = "crossval"
    repeats: Annotated[int, Field(ge=1, le=100000, description="number of partitions into folds")] = 1
    folds: Annotated[int, Field(ge=3, le=50, description="folds in a partition")] = 10
    rotations: Rotations = 8

    @property
    def n_cells(self) -> int:
        """Folds of all partitions."""
        return self.repeats * self.folds

    def folds_spec(self) -> dict[str, Any]:
        """Return the number of partitions and of folds."""
        return {"protocol": self.package, "kind": self.kind, "repeats": self.repeats, "folds": self.folds}
