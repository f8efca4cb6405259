"""Write files so that a reader never sees half of one, and read what others wrote."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError, unreadable

__all__ = ["read_json", "replacing", "write_bytes", "write_text"]


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary name beside `path`; move it there if the block ends well."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.errno and error.filename in (None, str(temporary)):  # a full disk does not say of which file
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: str | Path, body: bytes | memoryview) -> None:
    """Write a file at once."""
    with replacing(path) as temporary:
        temporary.write_bytes(body)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file at once."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_json(path: str | Path, kind: type = dict) -> Any:
    """Read a JSON file that holds an object, or a list if `kind` is that.

    Raises
    ------
    RotastackError
        It is not there, or damaged.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(content, kind):
            raise TypeError(f"it holds {content!r:.40}")
    except RotastackError:
        raise
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise unreadable(path, error) from None
    return content
