"""Keep linear algebra on one thread: more threads sum in another order, and are slower on small matrices."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any

import numpy as np  # noqa: F401 - the controller only sees libraries that are already loaded
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController

_limiter = partial(ThreadpoolController().limit, limits=1, user_api="blas")  # a new controller searches all libraries
_lock = Lock()
_users = 0
_before: Any = None  # the limiter of the first of several users: it holds the original number of threads


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread inside the block, in whatever Python thread the block runs.

    The number of threads belongs to the process, and threadpoolctl lets one Python thread at a time control it, until
    that thread leaves its limiters. So each user enters a limiter of its own, which leaves one thread to the others, and
    the last user to leave restores the number.
    """
    global _users, _before
    with _lock:
        _before = _before if _users else _limiter()
        _users += 1
    try:
        with _limiter():
            yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                with _before:  # restores the number, and gives up control
                    pass
