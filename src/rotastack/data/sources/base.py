"""What a source is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:  # the workflow's dry run looks at sources without loading any
    import pandas as pd

__all__ = ["Source"]


class Source:
    """A place that a data set can be had from.

    Parameters
    ----------
    value : object
        What the registry says after the source's name.
    where : str
        What error messages call the data set.
    columns : list of str, optional
        Feature names by the registry, for sources that bring none.
    """

    network: ClassVar[bool] = False

    def __init__(self, value: Any, where: str, columns: list[str] | None = None):
        self.value = value
        self.where = where
        self.columns = columns

    def load(self) -> pd.DataFrame:
        """Return the table; the last column is ``target``. RotastackError says why not."""
        raise NotImplementedError

    def probe(self) -> None:
        """Raise RotastackError if the table cannot be had; cheap, and reads no data."""

    def __str__(self) -> str:
        return f"{type(self).__module__.rsplit('.', 1)[-1]} {self.value}"
