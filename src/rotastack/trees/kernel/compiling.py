"""Compile with numba, and keep the machine code on disk.

Numba's own cache sees no edit in a called function of another file, knows a file by its place on
disk, and needs a folder that can be written. So here the name of the folder is a hash of this
package's sources, which is all that numba is told of them: equal sources share their machine
code wherever they lie. The first of three places that can be written is used: beside the
sources, the user's cache folder, the folder for temporary files. Where none can, functions are
compiled anew in each process.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numba
from numba.core import caching

__all__ = ["cache_folder", "compiled", "compiled_freely", "compiled_with_fma", "entry_point"]

_HERE = Path(__file__).parent
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}

compiled = numba.njit(**_OPTIONS)
"""Compile a function that is called from other compiled functions only."""

compiled_with_fma = numba.njit(fastmath={"contract"}, **_OPTIONS)
"""As `compiled`; a product and a sum may be fused into one instruction with one rounding."""

compiled_freely = numba.njit(fastmath={"contract", "nnan", "nsz", "reassoc"}, **_OPTIONS)
"""As `compiled_with_fma`; sums run in any order, without NaN: for results that are checked exactly later."""


class _Locator(caching._CacheLocator):
    """Tells numba where the code of a function is kept, and what it depends on."""

    def __init__(self, line: int):
        self._line = line

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return Path(self.get_cache_path()).name

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> "_Locator":
        return cls(py_func.__code__.co_firstlineno)


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes: ClassVar[list] = [_Locator]  # type: ignore[misc]


class _Cache(caching.FunctionCache):
    _impl_class = _Implementation


def entry_point(function: Callable) -> Any:
    """Compile a function that Python calls, and keep the result on disk."""
    dispatcher = numba.njit(**_OPTIONS)(function)
    if cache_folder() is not None:
        dispatcher._cache = _Cache(function)  # as numba's enable_caching does
    return dispatcher


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
                pass
        except OSError:
            continue
        # Others may write to the folder for temporary files, and numba runs what it finds there.
        shared = place.parent == Path(tempfile.gettempdir())
        if not shared or not hasattr(os, "getuid") or place.stat().st_uid == os.getuid():
            return folder
    return None


def _places() -> Iterator[Path]:
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
        return
    yield _HERE / "__pycache__"
    with contextlib.suppress(RuntimeError):  # no home folder
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rotastack"
    yield Path(tempfile.gettempdir()) / f"rotastack-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
