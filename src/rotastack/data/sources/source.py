"""The base class of sources."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rotastack.errors import RotastackError


class Source:
    """A place from which a data set can be loaded; the base of all sources.

    `value` is the source's value in the registry, `where` names the data set in error messages. `columns` are feature names
    of the registry, for sources without names, and `kinds` the kinds of columns that the data set declares.
    """

    network: ClassVar[bool] = False
    plain: ClassVar[type | None] = None
    """Type of a `value` that is not a mapping."""
    key: ClassVar[str | None] = None
    """Key that a `value` must have if it is a mapping. Without `plain` and `key` any value is allowed."""

    def __init__(self, value: Any, where: str, columns: list[str] | None = None, kinds: Any = None):
        is_plain = self.plain is not None and isinstance(value, self.plain) and not isinstance(value, bool)
        has_key = self.key is not None and isinstance(value, Mapping) and bool(value.get(self.key))
        if (self.plain or self.key) and not is_plain and not has_key:
            kinds = [self.plain.__name__] if self.plain else []
            kinds += [f"a mapping with the key {self.key!r}"] if self.key else []
            name = type(self).__name__.removesuffix("Source").lower()
            raise RotastackError(f"{where}: source {name} must be {' or '.join(kinds)}, found {value!r}")
        self.value = value
        self.parts: dict[str, Any] = {self.key: value} if is_plain and self.key else value
        """The value as a mapping, if the source has a key."""
        self.where = where
        self.columns = columns
        self.kinds = kinds

    def load(self) -> Any:
        """Return a DataFrame, with ``target`` as its last column; a RotastackError if it is not available.

        Pandas is imported here, as a dry run of the workflow makes sources without loading pandas.
        """
        raise NotImplementedError

    def probe(self) -> None:
        """Raise a RotastackError if the table is not available; the check is fast and loads no data."""

    def __str__(self) -> str:
        return f"{type(self).__module__.rsplit('.', 1)[-1]} {self.value}"
