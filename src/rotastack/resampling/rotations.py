"""Rotation groups: sets of random rotations that are drawn once and used by every method."""

import numpy as np
from numpy.typing import NDArray

from rotastack.errors import RotastackError
from rotastack.seeds import child, root_sequence
from rotastack.views.haar import draw_rotation


def draw_group(
    n_features: int,
    n_rotations: int,
    sequence: np.random.SeedSequence,
    *,
    flip: bool = False,
    max_axes: int = 1000,
    identity_first: bool = True,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Draw one group of Haar-distributed rotations; child k of the sequence is the seed of rotation k.

    The result is the sorted numbers of the columns that each rotation mixes, of shape (n_rotations, m) with m =
    min(n_features, max_axes), and the rotation matrices of these columns.
    """
    m = min(n_features, max_axes)
    axes = np.zeros((n_rotations, m), dtype=np.int32)
    blocks = np.zeros((n_rotations, m, m))
    for k in range(n_rotations if n_features else 0):
        rng = np.random.default_rng(child(sequence, k))
        axes[k], blocks[k] = draw_rotation(n_features, rng, flip, max_axes)
    if identity_first:
        blocks[0] = np.eye(m)
    return axes, blocks


def rotation_groups(
    n_features: int,
    n_groups: int = 1,
    n_rotations: int = 20,
    random_state: object = None,
    *,
    flip: bool = False,
    max_axes: int = 1000,
    identity_first: bool = True,
) -> NDArray[np.float64]:
    """Draw groups of Haar-distributed rotations.

    Rotation k of group g does not depend on the numbers of groups and rotations.

    Parameters
    ----------
    n_features : int
        p, the number of columns that are rotated.
    n_groups : int
        Number of rotation groups (N of thesis section 3.3.2).
    n_rotations : int
        Number of rotations in a group (K).
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed. The Notes show the seed of a study.
    flip : bool, default=False
        Whether to draw from O(p) (reflections allowed) instead of SO(p).
    max_axes : int, default=1000
        Largest number of columns that one rotation mixes. With more columns, random ones are mixed.
    identity_first : bool, default=True
        Whether rotation 0 of each group is the identity.

    Returns
    -------
    ndarray of shape (n_groups, n_rotations, n_features, n_features)
        Matrices R, applied as ``X @ R``.

    Raises
    ------
    RotastackError
        `n_features`, `n_groups` or `n_rotations` below 1, or `max_axes` below 2.

    Notes
    -----
    A study draws its rotation groups with ``random_state=child(root_sequence(seed), "rotations", dataset)``, where
    ``seed`` is from the study file and ``dataset`` is the name of the data set. So every data set has its own
    rotations. `n_features` is the number of numeric columns after preparation. `flip` and `max_axes` are parameters of
    the pool's view. ``child`` and ``root_sequence`` are from `rotastack.seeds`.

    Examples
    --------
    >>> from rotastack.resampling import rotation_groups
    >>> groups = rotation_groups(3, n_groups=2, n_rotations=4, random_state=0)
    >>> groups.shape
    (2, 4, 3, 3)

    The rotations of iris in a study with ``seed: 1``:

    >>> from rotastack.seeds import child, root_sequence
    >>> sequence = child(root_sequence(1), "rotations", "iris")
    >>> of_study = rotation_groups(4, n_groups=3, n_rotations=8, random_state=sequence)
    """
    for name, value, least in [
        ("n_features", n_features, 1),
        ("n_groups", n_groups, 1),
        ("n_rotations", n_rotations, 1),
        ("max_axes", max_axes, 2),
    ]:
        if value < least:
            raise RotastackError(f"{name} must be at least {least}, got {value}")
    sequence = root_sequence(random_state)
    groups = np.tile(np.eye(n_features), (n_groups, n_rotations, 1, 1))
    for g in range(n_groups):
        axes, blocks = draw_group(
            n_features, n_rotations, child(sequence, g), flip=flip, max_axes=max_axes, identity_first=identity_first
        )
        for k in range(n_rotations):
            groups[g, k][np.ix_(axes[k], axes[k])] = blocks[k]
    return groups
