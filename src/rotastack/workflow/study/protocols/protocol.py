"""The base class of protocols: the facts of each, and the methods that not all of them have of their own."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rotastack.base.documents import Document
from rotastack.workflow.study.specs import ProtocolName

NO_WEIGHTS = (
    "{}: weights need a pool with rotations and nested cross-validation; for random splits use estimator "
    "regularized_rotation_forest and combiner member"
)


def in_blocks(count: int, size: int) -> list[list[int]]:
    """Divide the numbers below `count` into blocks of `size`."""
    return [list(range(start, min(start + size, count))) for start in range(0, count, size)]


class Protocol(Document):
    """How the rows of a data set are repeatedly divided into training and test rows.

    The steps that depend on the protocol have their modules ``folds``, ``training`` and ``combining`` in
    ``rotastack.workflow.run.nested`` and ``rotastack.workflow.run.splits``.
    """

    package: ClassVar[ProtocolName]
    """The package of :mod:`rotastack.workflow.run` with the modules that run the protocol; its key is ``protocol`` in slices."""
    axes: ClassVar[tuple[str, ...]]
    """Names of the numbers that identify a cell: axes of arrays, and columns of the scores."""
    cells: ClassVar[str]
    """Word for cells in the report."""
    own_blocks: ClassVar[tuple[str, ...]]
    """Keys of the study's ``blocks`` that the protocol uses."""
    keeps_forests: ClassVar[bool]
    """Whether a training keeps all its trees in memory until it predicts the test rows."""
    training_seconds: ClassVar[float]
    """Estimated seconds of one training, without the part that grows with the data."""

    rotations: int

    @property
    def divided_by(self) -> dict[str, str]:
        """The columns by which rows are divided: ``groups``, ``time`` or ``split 1``, ... -> column name."""
        return {}

    def rotation_groups_of(self, block: Mapping[str, list[int]]) -> list[str]:
        """Return the rotation groups whose files a block reads."""
        return []

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

    def check_combiner(self, combiner: Any, pool: Any, where: str) -> None:
        """Raise a ValueError, with the key, if this protocol or the pool does not support a combiner."""
