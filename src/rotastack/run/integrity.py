"""Whether a file is still what the step that made it wrote: records beside files hold their digests."""

import hashlib
import json
from pathlib import Path

from rotastack.errors import RotastackError, unreadable

__all__ = ["check_file", "digest", "digests", "set_aside"]


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digests(paths: list[Path]) -> dict[str, str]:
    """Return the digest of each file by its name, as a record keeps them."""
    return {path.name: digest(path) for path in paths if path.is_file()}


def check_file(path: Path) -> None:
    """Compare a file to the digest in the record beside it, if there is one; set the file aside if they differ.

    A file that came from a shared cache of outputs is a link: the cache's file is set aside, so that no other
    checkout takes it, and the link is removed.

    Raises
    ------
    RotastackError
        They differ. The file has ``.damaged`` added to its name, so that the same command makes it again. Or there is
        no file, such as one that another job has set aside.
    """
    if not path.exists():
        raise unreadable(path, FileNotFoundError())
    known = _recorded(path).get(path.name)
    if known is None or not path.is_file() or digest(path) == known:
        return
    raise set_aside(path, "not what was written there (its record has another SHA-256)")


def set_aside(path: Path, why: str) -> RotastackError:
    """Add ``.damaged`` to a file's name, so that the workflow makes it again; return the line that says so.

    Of a link into a cache the cache's file is renamed, and the link removed.
    """
    kept = path.resolve()
    aside = kept.with_name(f"{kept.name}.damaged")
    kept.replace(aside)
    path.unlink(missing_ok=True)
    shown = aside if kept != path.absolute() else path.with_name(aside.name)
    return RotastackError(f"{path}: {why}; it is kept as {shown}, and the same command makes it again")


def _recorded(path: Path) -> dict[str, str]:
    """Return the digests in the record of the step that wrote a file; none if there is no such record.

    It is beside the file, and has its name if the step made nothing else of note.
    """
    stem = path.name.removesuffix(".csv.gz") if path.name.endswith(".csv.gz") else path.stem
    record = path.with_name(f"{stem}.run.json")
    if path.name.endswith(".run.json"):
        return {}
    study = path.parent.parent if path.parent.name == "tables" else path.parent
    folders = (path.parent, study / "statistics")  # whose step makes the study's scores and tables, too
    for known in [record] if record.is_file() else [r for f in folders for r in sorted(f.glob("*.run.json"))]:
        try:
            files = json.loads(known.read_text(encoding="utf-8")).get("files", {})
        except (OSError, ValueError, AttributeError):  # the record's own reader says so
            continue
        if path.name in files:
            return dict(files)
    return {}
