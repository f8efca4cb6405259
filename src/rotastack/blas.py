"""Keep linear algebra on one thread: more add up in another order, and are slower on small matrices."""

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all loaded libraries: once is enough


def one_blas_thread() -> Any:
    """Return a context in which BLAS uses one thread."""
    return _controller().limit(limits=1, user_api="blas")
