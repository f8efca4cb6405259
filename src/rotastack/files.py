"""Write files so that a reader never sees half a file or takes damage for content, and read JSON files."""

import hashlib
import json
import os
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rotastack.errors import RotastackError, unreadable

_SEAL = b"crc32:%08x"
"""The checksum in a sealed file."""


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; move its file to `path` if the block raises no error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident():x}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.errno and error.filename in (None, str(temporary)):  # the error of a full disk names no file
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: str | Path, body: bytes | memoryview) -> None:
    """Write bytes to a file; a reader sees all of them or none."""
    with replacing(path) as temporary:
        temporary.write_bytes(body)


def write_sealed(path: str | Path, body: bytes | memoryview) -> None:
    """Write a file of Parquet or netCDF with a checksum of all its bytes, at a place that readers of the format skip."""
    at, body = _place(body), memoryview(body)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.writelines([body[:at], _SEAL % zlib.crc32(body), body[at:]])


@contextmanager
def unsealed(path: str | Path, *, may_lack: bool = False) -> Iterator[None]:
    """Let the block read a file of :func:`write_sealed`; a RotastackError if it is damaged. With `may_lack` it may have no checksum.

    The check comes before a library reads the file: from a damaged file, libraries read other numbers, crash, or never return.
    """
    try:
        body = memoryview(Path(path).read_bytes())
        at = _place(body)
        start = at - len(_SEAL % 0)
        found, right = bytes(body[start:at]), _SEAL % zlib.crc32(body[at:], zlib.crc32(body[:start]))
        if found != right and not (may_lack and found[:6] != right[:6]):
            raise ValueError("its checksum does not fit")
        yield
    except MemoryError:
        raise
    except Exception as error:  # the libraries raise all kinds of exceptions for damaged files
        raise unreadable(path, error) from None


def _place(body: bytes | memoryview) -> int:
    """Return the place of a checksum: before the footer of Parquet, at the end of netCDF."""
    return len(body) - 8 - int.from_bytes(body[-8:-4], "little") if body[:4] == b"PAR1" else len(body)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file; a reader sees all of it or nothing."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def lock(stream: IO[Any], *, waits: bool = True) -> bool:
    """Lock an open file until it is closed, and return True; return False if the file system refuses locks.

    If another process holds the lock, wait for the lock's end, or raise BlockingIOError if not `waits`.
    """
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def hashes(paths: Iterable[str | Path]) -> dict[str, str]:
    """Return file name -> hash of the file's content, in order of the names; files that do not exist are left out."""
    found = {}
    for path in sorted(map(Path, paths)):
        if path.is_file():
            with path.open("rb") as stream:
                found[path.name] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


def read_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, with or without a mark; a RotastackError names a file in another encoding."""
    body = Path(path).read_bytes()
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body[: error.start].count(b"\n") + 1
        found = "UTF-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else f"not UTF-8 in line {line}, perhaps latin-1"
        raise RotastackError(f"{path}: the text is {found}; save the file as UTF-8") from None


def read_json(path: str | Path, kind: type = dict) -> Any:
    """Return the content of a JSON file: an object, or a list if `kind` is ``list``; a RotastackError if it is missing or damaged."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(content, kind):
            raise TypeError(f"the content is {content!r:.40}")
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise unreadable(path, error) from None
    return content
