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


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread inside the block.

    The number of threads belongs to the process, and threadpoolctl lets one Python thread at a time control it.
    If several Python threads are inside such a block, the last one to leave restores the number.
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
