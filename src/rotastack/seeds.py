"""Seeds keyed by what they are for, so results do not depend on the order of the work.

The index of keys. A row is a call such as ``child(root, "train", data set, pool, ...)``; numbers of groups, splits, folds,
members or rounds, all from 0, follow the names.

========================  =======================================================================================
below the study's seed    random numbers
========================  =======================================================================================
folds, data set           fold groups and splits: ``dealt``, ``groups``, ``tested``
rotations, data set       rotation groups; ``axes`` of sparse rotations
noise, data set           noise columns, and noise of a pool's training rows
views, data set           views of the members of all pools
train, data set, pool     training
combine, data set, method combiners that are trained
refit, data set, method   the model of all rows
========================  =======================================================================================

========================  =======================================================================================
below a random_state      random numbers
========================  =======================================================================================
trees, bag, bootstrap     seeds of a family's trees, and the rows that a member draws
views, rotations          views of the members, and of the flagship's trees
train, combine, folds     a pool with inner folds: training, level-1 estimator, folds
micro, more               forests on regularised rotations: first trees, further trees
ensemble, selection       a pruned ensemble: its members, the rows that choose among them
bags, family, residuals   the flagship: bags by criterion, families on folds, forest of residuals
boosting, folds           boosters; their folds, and the flagship's
samples, start            exclusivity regularised machine: rows of the members, start of the iterations
principal, discriminant   double rotation
landmarks, epsilon        diffusion maps
parameters, view          randomised views
========================  =======================================================================================
"""

import zlib
from collections.abc import Hashable

import numpy as np
from numpy.typing import ArrayLike, NDArray

_STEP, _MIX_1, _MIX_2 = (np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


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


def kernel_seeds(sequence: np.random.SeedSequence, n: int) -> NDArray[np.uint64]:
    """Return `n` seeds for the kernel or for :func:`random_bits`; the first seeds do not depend on `n`."""
    return sequence.generate_state(n, np.uint64).astype(np.uint64, copy=False)


def random_bits(seeds: ArrayLike, n: int) -> NDArray[np.uint64]:
    """Return the first `n` results of the kernel's ``draw_bits`` from each of `seeds`, in a new last axis."""
    z = np.asarray(seeds, np.uint64)[..., None] + _STEP * np.arange(1, n + 1, dtype=np.uint64)
    z ^= z >> 30
    z *= _MIX_1
    z ^= z >> 27
    z *= _MIX_2
    z ^= z >> 31
    return z
