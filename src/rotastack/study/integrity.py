"""Whether a file is still what the step that made it wrote: records beside files hold their digests."""

import hashlib
import json
from pathlib import Path

from rotastack.errors import RotastackError

__all__ = ["check_file", "digest", "digests"]


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
        They differ. The file has ``.damaged`` added to its name, so that the same command makes it again.
    """
    known = _recorded(path).get(path.name)
    if known is None or not path.is_file() or digest(path) == known:
        return
    kept = path.resolve()
    aside = kept.with_name(f"{kept.name}.damaged")
    kept.replace(aside)
    path.unlink(missing_ok=True)
    shown = aside if kept != path.absolute() else path.with_name(aside.name)
    raise RotastackError(
        f"{path}: not what was written there (its record has another SHA-256); it is kept as {shown}, "
        "and the same command makes it again"
    )


def _recorded(path: Path) -> dict[str, str]:
    """Return the digests in the record that the step wrote beside a file; none if there is no such record."""
    stem = path.name.removesuffix(".csv.gz") if path.name.endswith(".csv.gz") else path.stem
    record = path.with_name(f"{stem}.run.json")
    if path == record or not record.is_file():
        return {}
    try:
        return dict(json.loads(record.read_text(encoding="utf-8")).get("files", {}))
    except (ValueError, AttributeError):  # the record's own reader says so
        return {}
