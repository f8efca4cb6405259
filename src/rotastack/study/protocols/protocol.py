"""What the plan of a study asks of its protocol."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rotastack.base.documents import Document

__all__ = ["Protocol", "in_blocks"]


def in_blocks(count: int, size: int) -> list[list[int]]:
    """Divide the numbers below `count` into blocks of `size`."""
    return [list(range(start, min(start + size, count))) for start in range(0, count, size)]


class Protocol(Document):
    """How the rows of a data set are divided into training and test rows, again and again.

    A package of this folder holds the protocol's ``model`` (this class), and a module for each step that it
    does in its own way: ``folds``, ``training``, ``combining``.
    """

    package: ClassVar[str]
    """Name that slices have; :mod:`rotastack.run.protocols` says which modules run it."""
    axes: ClassVar[tuple[str, ...]]
    """What numbers a cell: axes of arrays, and columns of the scores."""
    cells: ClassVar[str]
    """What a cell is called in the report."""
    own_blocks: ClassVar[tuple[str, ...]]
    """Keys of ``blocks`` that go with it."""
    pool_keys: ClassVar[tuple[str, ...]] = ()
    """Keys of a pool that its training reads, besides view, scaling, estimator and parameters."""
    keeps_forests: ClassVar[bool]
    """Whether all trees of a training are in memory until test rows are predicted."""
    training_seconds: ClassVar[float]
    """A guess of what one training takes, but for what grows with the data."""

    rotations: int

    @property
    def divided_by(self) -> dict[str, str]:
        """The columns that decide how rows are divided: ``groups`` or ``time`` -> its name."""
        return {}

    @property
    def n_cells(self) -> int:
        """Number of scores of a method on a data set."""
        raise NotImplementedError

    def blocks(self, sizes: Any) -> dict[str, dict[str, list[int]]]:
        """Return the blocks that one job trains each: file name below the pool -> numbers of its groups or splits."""
        raise NotImplementedError

    def rotation_groups_of(self, block: Mapping[str, list[int]]) -> list[str]:
        """Return the rotation groups whose files a block reads."""
        return []

    def folds_spec(self) -> dict[str, Any]:
        """Return what ``rotastack step folds`` needs."""
        raise NotImplementedError

    def trainings(self, block: Mapping[str, list[int]]) -> int:
        """Return how often the members of a pool are trained in a block."""
        raise NotImplementedError

    def output_cells(self, block: Mapping[str, list[int]]) -> int:
        """Return how many outputs a block holds for each member, row and class."""
        raise NotImplementedError

    def training_spec(self, pool: Any, dataset: str, trained: bool, selections: list[str]) -> dict[str, Any]:
        """Return what ``rotastack step train`` needs besides the pool itself.

        Parameters
        ----------
        pool : PoolDocument
        dataset : str
        trained : bool
            Whether a combiner learns from the pool's outputs.
        selections : list of str
            Rows by which methods choose among the pool's members.
        """
        raise NotImplementedError

    def test_to_train(self, rows: int | None) -> float | None:
        """Return the test rows for each training row of a cell; None where cells are no splits, or nobody knows.

        Parameters
        ----------
        rows : int or None
            Of the data set.
        """
        return None

    def split_rows(self, rows: int) -> tuple[int, int]:
        """Return how many rows a training has at most, and of how many rows it keeps outputs."""
        return rows, rows

    @property
    def combiner_fits(self) -> int:
        """How often a combiner that learns is fitted on a data set."""
        return 0

    def check_rows(self, rows: Mapping[str, int | None]) -> None:
        """Refuse data sets that are too small; ValueError with the key.

        Parameters
        ----------
        rows : mapping
            Data set -> its number of rows, None where nobody knows it yet.
        """

    def check_pool(self, pool: Any) -> None:
        """Refuse a pool that does not go with this protocol; ValueError with its key."""

    def check_combiner(self, combiner: Any, pool: Any, where: str) -> None:
        """Refuse a combiner that does not go with this protocol or with its pool; ValueError with its key."""
