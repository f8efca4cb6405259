"""Compile with numba, and keep the machine code on disk.

Numba's own cache sees neither an edit in a called function of another file nor a folder that
cannot be written. So the folder's name holds a hash of this package's sources, and the first
of three places that can be written is used: beside the sources, the user's cache folder, the
folder for temporary files. Where none can, functions are compiled anew in each process.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba

__all__ = ["cache_folder", "compiled", "compiled_with_fma", "entry_point"]

_HERE = Path(__file__).parent
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}

compiled = numba.njit(**_OPTIONS)
"""Compile a function that is called from other compiled functions only."""

compiled_with_fma = numba.njit(fastmath={"contract"}, **_OPTIONS)
"""The same, and a product and a sum may become one instruction with one rounding."""


def entry_point(function: Callable) -> Callable:
    """Compile a function that Python calls, and keep the result on disk."""
    folder = cache_folder()
    if folder is None:
        return numba.njit(**_OPTIONS)(function)
    with _numba_cache(folder):
        return numba.njit(cache=True, **_OPTIONS)(function)


@cache
def cache_folder() -> Path | None:
    """Return the folder of the machine code, or None where nothing can be written."""
    digest = hashlib.sha256()
    for path in sorted(_HERE.glob("*.py")):
        digest.update(path.read_bytes())
    name = f"rotastack-{digest.hexdigest()[:16]}"
    for place in _places():
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def _places() -> Iterator[Path]:
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
        return
    yield _HERE / "__pycache__"
    with contextlib.suppress(RuntimeError):  # no home folder
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rotastack"
    yield Path(tempfile.gettempdir()) / f"rotastack-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


@contextlib.contextmanager
def _numba_cache(folder: Path) -> Iterator[None]:
    """Let numba cache in `folder` for the functions that are decorated inside."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before
