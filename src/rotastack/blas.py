"""Keep linear algebra on one thread: more add up in another order, and are slower on small matrices."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock, local
from typing import Any

import numpy as np  # noqa: F401 - the controller knows the libraries that are loaded by then
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]

_lock, _here = Lock(), local()
_users = 0
_before: Any = None  # the limiter that saw the number of threads before the first of several users


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all loaded libraries: once is enough


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread.

    The number of threads is the process's, and threadpoolctl lets one thread of Python at a time control it.
    With users in several threads it is back at its old value once the last of them has left.
    """
    global _users, _before
    _here.depth = getattr(_here, "depth", 0) + 1
    if _here.depth == 1:
        with _lock:
            limiter = _controller().limit(limits=1, user_api="blas")
            _before = limiter if _users == 0 else _before
            _users += 1
    try:
        yield
    finally:
        _here.depth -= 1
        if _here.depth == 0:
            with _lock:
                _users -= 1
                _before.restore_original_limits()
