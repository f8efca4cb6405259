"""Model files with the same bytes for the same model.

skops names objects by their memory addresses, and its archive holds dates. Structured arrays are written with the
padding between their fields, which holds random memory in scikit-learn's trees that were copied or read.
"""

import hashlib
import io
import json
from pathlib import PurePosixPath
from typing import Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

__all__ = ["canonical"]

SCHEMA = "schema.json"
DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest date that an archive can hold."""

TIMES = ("fit_seconds", "predict_seconds")
"""Attributes of Rotastack's objects with measured times, which are no part of a model: zero in its file."""

ZERO = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": "0.0", "is_json": True}


def canonical(archive: bytes, notes: dict[str, str]) -> bytes:
    """Return an archive of :func:`skops.io.dumps` with objects and files numbered in order, and without dates.

    Files of equal content become one file. Times that Rotastack's objects have measured become zero.

    Parameters
    ----------
    archive : bytes
    notes : dict of str to str
        File name -> text, added beside the schema.
    """
    with ZipFile(io.BytesIO(archive)) as source:
        files = {name: _without_gaps(name, source.read(name)) for name in source.namelist()}
    numbering = _Numbering(files)
    schema = numbering.renumbered(json.loads(files[SCHEMA]))
    parts = {SCHEMA: json.dumps(schema, separators=(",", ":")).encode(), **numbering.kept}
    parts |= {name: text.encode() for name, text in notes.items()}
    written = io.BytesIO()
    with ZipFile(written, "w", ZIP_STORED) as target:
        for name, content in parts.items():
            target.writestr(ZipInfo(name, DATE), content)
    return written.getvalue()


def _without_gaps(name: str, content: bytes) -> bytes:
    """Return the content of a file; if it is a structured array, with zeros between its fields."""
    if not name.endswith(".npy"):
        return content
    file = io.BytesIO(content)
    read = npy.read_array_header_1_0 if npy.read_magic(file) == (1, 0) else npy.read_array_header_2_0
    dtype = read(file)[2]
    if not dtype.fields:
        return content
    gap = np.ones(dtype.itemsize, bool)
    for kind, start, *_ in dtype.fields.values():
        gap[start : start + kind.itemsize] = False
    records = np.frombuffer(content, np.uint8, offset=file.tell()).reshape(-1, dtype.itemsize).copy()
    records[:, gap] = 0
    return content[: file.tell()] + records.tobytes()


class _Numbering:
    """New numbers of objects and new names of files, in the order in which the schema mentions them."""

    def __init__(self, files: dict[str, bytes]):
        self.files = files
        self.kept: dict[str, bytes] = {}
        self._objects: dict[int, int] = {}
        self._names: dict[bytes, str] = {}

    def renumbered(self, state: Any, ours: bool = False) -> Any:
        """Return a part of the schema with new numbers and names; `ours` if it belongs to an object of Rotastack."""
        if isinstance(state, list):
            return [self.renumbered(part) for part in state]
        if not isinstance(state, dict):
            return state
        if "__module__" in state and state.get("__loader__") != "DictNode":
            ours = str(state["__module__"]).startswith("rotastack.")
        found = {
            key: ZERO if ours and key in TIMES and isinstance(part, dict) else self.renumbered(part, ours)
            for key, part in state.items()
        }
        if isinstance(state.get("file"), str):
            found["file"] = self._name(state["file"])
        # Python decides whether two equal numbers or texts are one object; reading them does not need their ids.
        if isinstance(state.get("__id__"), int):
            if state["__loader__"] == "JsonNode":
                del found["__id__"]
            else:
                found["__id__"] = self._objects.setdefault(state["__id__"], len(self._objects) + 1)
        return found

    def _name(self, file: str) -> str:
        content = self.files[file]
        digest = hashlib.sha256(content).digest()
        if digest not in self._names:
            self._names[digest] = f"{len(self._names) + 1}{PurePosixPath(file).suffix}"
            self.kept[self._names[digest]] = content
        return self._names[digest]
