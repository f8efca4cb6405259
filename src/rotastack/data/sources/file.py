"""Data sets in files of the user."""

from collections.abc import Mapping
from pathlib import Path

from rotastack.data.formats import FORMATS, format_of
from rotastack.data.sources.source import Source
from rotastack.errors import RotastackError


class FileSource(Source):
    """A file, written as a path or as ``{path, target, test}``; the default target is ``target``, ``test`` a file of test rows."""

    plain = str
    key = "path"

    @property
    def files(self) -> list[Path]:
        """All files that are read, relative to the working directory."""
        return [Path(self.parts[key]) for key in ("path", "test") if self.parts.get(key)]

    def load(self):
        from rotastack.data.tables import read_with_notes
        from rotastack.data.target import with_target

        target = self.parts.get("target", "target")
        by_kind = self.kinds if isinstance(self.kinds, Mapping) else {}
        kinds = {column: kind for kind, columns in by_kind.items() if kind != "others" for column in columns}
        kinds = {column: "categorical" if kind == "ordered" else kind for column, kind in kinds.items()}
        table, reading = read_with_notes(self.files[0], target, kinds, test=self.parts.get("test"))
        table, left_out = with_target(table, target, self.where)
        table.attrs["notes"] = [*reading.notes, *left_out]  # for the record of the preparation, and so for the report
        return table

    def probe(self) -> None:
        for path in self.files:
            if format_of(path.name) is None:
                raise RotastackError(f"{self.where}: {path} must end in one of {', '.join(FORMATS)}")
            if not path.is_file():
                raise RotastackError(f"{self.where}: file {path} not found")
