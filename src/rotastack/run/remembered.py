"""What one start of Snakemake found out, and the next need not: of files and studies whose content is the same.

It is kept beside Snakemake's own notes, where these are; without it everything is found out again.
"""

import atexit
import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from rotastack.files import write_text

__all__ = ["remembered"]

_PLACE = Path(".snakemake")
_MOST = 5000  # entries, of which old ones are then dropped
_known: dict[Path, "_Notes"] = {}


def remembered(what: str, content: bytes, find_out: Callable[[], Any]) -> Any:
    """Return what is found out of some content, which JSON can hold; it is found out once for all runs in a folder.

    Parameters
    ----------
    what : str
        Is found out: another word for whatever else would come of the same content.
    content : bytes
        All that the answer depends on, but for Python's version.
    find_out : function
    """
    place = _PLACE.absolute()
    if place not in _known:
        _known[place] = _Notes(place)
    notes = _known[place]
    key = hashlib.sha256(f"{what} {sys.version}\n".encode() + content).hexdigest()
    if key not in notes.entries:
        notes.entries[key] = find_out()
        notes.is_changed = True
    notes.used.add(key)
    return notes.entries[key]


class _Notes:
    """The notes of a folder, which are written when the process ends."""

    def __init__(self, place: Path):
        self.file = place / "rotastack.json"
        self.entries: dict[str, Any] = {}
        self.used: set[str] = set()
        self.is_changed = False
        with suppress(OSError, ValueError):
            found = json.loads(self.file.read_text(encoding="utf-8"))
            self.entries = found if isinstance(found, dict) else {}
        atexit.register(self.write)

    def write(self) -> None:
        """Write what is new, where Snakemake writes, too."""
        if not self.is_changed or not self.file.parent.is_dir():
            return
        kept = self.entries if len(self.entries) <= _MOST else {k: self.entries[k] for k in self.used}
        with suppress(OSError):
            write_text(self.file, json.dumps(kept))
        self.is_changed = False
