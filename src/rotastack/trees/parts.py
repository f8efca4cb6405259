"""Parts of a fit, each a process of its own that need not run at the same time: what a part finds is kept, and gathered."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["Gathering", "Part", "Scattered", "active", "in_parts", "shared_out"]


class Scattered(Exception):  # noqa: N818 - no error, but the end of what a part can do
    """A part has done its share of some units, and kept what it found; what follows needs those of all parts."""


@dataclass
class Part:
    """The units ``number``, ``number + n_parts``, ... of each call.

    Parameters
    ----------
    number, n_parts : int
    keep : callable
        ``keep(name, found)`` keeps a list of what units return.
    """

    number: int
    n_parts: int
    keep: Callable[[str, list], None]
    calls: int = 0

    def run(self, here: Callable[[Sequence], Iterator], items: Sequence) -> Iterator:
        name = f"{self.calls}-{self.number}"
        self.calls += 1
        with _alone():
            self.keep(name, list(here(items[self.number :: self.n_parts])))
        raise Scattered


@dataclass
class Gathering:
    """All units, from what parts have kept; what none has is done here.

    Parameters
    ----------
    n_parts : int
    kept : callable
        ``kept(name)`` returns the list of that name, or None if there is none.
    """

    n_parts: int
    kept: Callable[[str], list | None]
    calls: int = 0

    def run(self, here: Callable[[Sequence], Iterator], items: Sequence) -> Iterator:
        call, self.calls = self.calls, self.calls + 1
        found = [self.kept(f"{call}-{k}") for k in range(self.n_parts)]
        if found[0] is None:
            with _alone():
                return iter(list(here(items)))
        return ((found[i % self.n_parts] or [])[i // self.n_parts] for i in range(len(items)))


_ACTIVE: ContextVar[Part | Gathering | None] = ContextVar("part of a fit", default=None)


@contextmanager
def in_parts(which: Part | Gathering | None) -> Iterator[None]:
    """Let fits within the block be a part, or gather parts.

    A fit that is a part ends with `Scattered`. The first call of :func:`rotastack.trees.units.run_units` that splits is
    shared out; later ones are where they do not need what it found, as families of the flagship do not of each other.
    """
    token = _ACTIVE.set(which)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def _alone() -> AbstractContextManager[None]:
    return in_parts(None)


def active() -> bool:
    """Return whether a fit is a part, or gathers parts."""
    return _ACTIVE.get() is not None


def shared_out(here: Callable[[Sequence], Iterator], items: Sequence) -> Iterator:
    """Yield what ``here(items)`` does, by way of the parts if there are any."""
    which = _ACTIVE.get()
    return here(items) if which is None else which.run(here, items)
