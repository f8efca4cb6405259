"""What the plan of a study asks of its protocol."""

from collections.abc import Iterable, Mapping
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
    """Name of the package below ``rotastack.study.protocols``."""
    axes: ClassVar[tuple[str, ...]]
    """What numbers a cell: axes of arrays, and columns of the scores."""
    cells: ClassVar[str]
    """What a cell is called in the report."""

    rotations: int

    def module(self, step: str) -> str:
        """Return the module of a step: ``folds``, ``training`` or ``combining``."""
        return f"rotastack.study.protocols.{self.package}.{step}"

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

    def misfits(self, pool: Any) -> Iterable[str]:
        """Name the keys of a pool that do not go with this protocol."""
        return ()
