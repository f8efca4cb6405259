"""What a source is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from rotastack.errors import RotastackError

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
    plain: ClassVar[type | None] = None
    """Type of a value that is no mapping."""
    key: ClassVar[str | None] = None
    """What a value that is a mapping must have. Without `plain` and `key` any value will do."""

    def __init__(self, value: Any, where: str, columns: list[str] | None = None):
        is_plain = self.plain is not None and isinstance(value, self.plain) and not isinstance(value, bool)
        has_key = self.key is not None and isinstance(value, Mapping) and bool(value.get(self.key))
        if (self.plain or self.key) and not is_plain and not has_key:
            kinds = [self.plain.__name__] if self.plain else []
            kinds += [f"a mapping with the key {self.key!r}"] if self.key else []
            name = type(self).__name__.removesuffix("Source").lower()
            raise RotastackError(f"{where}: source {name} must be {' or '.join(kinds)}, found {value!r}")
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
