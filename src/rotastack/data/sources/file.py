"""Data sets in files of the user."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rotastack.data.formats import FORMATS, format_of
from rotastack.data.sources.source import Source
from rotastack.errors import RotastackError

if TYPE_CHECKING:
    import pandas as pd


class FileSource(Source):
    """A file, written as a path or as ``{path, target}``; the default target is ``target``."""

    plain: ClassVar[type | None] = str
    key: ClassVar[str | None] = "path"

    @property
    def path(self) -> Path:
        """Path of the file, relative to the working directory."""
        return Path(self.parts["path"])

    def load(self) -> pd.DataFrame:
        from rotastack.data.tables import read_with_notes
        from rotastack.data.target import with_target

        target = self.parts.get("target", "target")
        by_kind = self.kinds if isinstance(self.kinds, Mapping) else {}
        kinds = {column: kind for kind, columns in by_kind.items() if kind != "others" for column in columns}
        return with_target(read_with_notes(self.path, target, kinds)[0], target, self.where)[0]

    def probe(self) -> None:
        if format_of(self.path.name) is None:
            raise RotastackError(f"{self.where}: {self.path} must end in one of {', '.join(FORMATS)}")
        if not self.path.is_file():
            raise RotastackError(f"{self.where}: file {self.path} not found")
