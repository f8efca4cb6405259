"""Seeds keyed by what they are for, so results do not depend on the order of the work.

Below the seed of a study a data set has the keys ``folds``, ``rotations``, ``noise``, ``views``, ``train`` (and the pool),
``combine`` and ``refit`` (and the method); below these come groups or splits, folds and members. Estimators start from
their ``random_state``, and call :func:`child` with the numbers of their members.
"""

import zlib
from collections.abc import Hashable

import numpy as np

__all__ = ["child", "integer_seed", "root_sequence"]


def _key(part: Hashable) -> int:
    """Turn one part of a key into a number that is the same in every process."""
    if isinstance(part, (int, np.integer)):
        return int(part)
    return zlib.crc32(str(part).encode())


def root_sequence(random_state: object) -> np.random.SeedSequence:
    """Return the seed sequence behind a scikit-learn ``random_state``.

    Parameters
    ----------
    random_state : None, int, SeedSequence, Generator or RandomState
        A generator is advanced by one draw; an int or a sequence is used as it is.
    """
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise ValueError(f"random_state must be at least 0, got {random_state}")
        return np.random.SeedSequence(int(random_state))
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if random_state is np.random or isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence([int(v) for v in random_state.randint(0, 2**31 - 1, 4)])
    raise ValueError(f"{random_state!r} cannot be used to seed a random number generator")


def child(sequence: np.random.SeedSequence, *key: Hashable) -> np.random.SeedSequence:
    """Return the sequence for `key` below `sequence`: names and numbers, in this order.

    Unlike ``SeedSequence.spawn`` it has no state: the same key gives the same sequence.
    """
    return np.random.SeedSequence(sequence.entropy, spawn_key=(*sequence.spawn_key, *(_key(part) for part in key)))


def integer_seed(sequence: np.random.SeedSequence) -> int:
    """Return a 31-bit integer for libraries that take one as ``random_state``."""
    return int(sequence.generate_state(1)[0] >> 1)
