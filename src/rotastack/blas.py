"""Keep linear algebra on one thread: more threads sum in another order, and are slower on small matrices."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock, local
from typing import Any

import numpy as np  # noqa: F401 - the controller only sees libraries that are already loaded
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]

_controller = cache(ThreadpoolController)  # one is kept, since a new one searches all loaded libraries
_lock, _here = Lock(), local()
_users = 0
_before: Any = None  # the limiter of the first of several users: it holds the original number of threads


def _limiter() -> Any:
    return _controller().limit(limits=1, user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread inside the block, in whatever Python thread the block runs.

    The number of threads belongs to the process, and threadpoolctl lets one Python thread at a time control it,
    until that thread leaves its limiter. So each user enters a limiter of its own, which leaves one thread to the others;
    the last user to leave restores the number.
    """
    global _users, _before
    if getattr(_here, "inside", False):
        yield
        return
    with _lock:
        _before = _before if _users else _limiter()
        _users += 1
    _here.inside = True
    try:
        with _limiter():
            yield
    finally:
        _here.inside = False
        with _lock:
            _users -= 1
            if _users == 0:
                with _before:  # restores the number, and gives up control
                    pass
