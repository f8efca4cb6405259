"""Rotation groups: sets of random rotations drawn once and used by every method."""

import numpy as np
from numpy.typing import NDArray

from rotastack.errors import RotastackError
from rotastack.seeds import child, root_sequence
from rotastack.views.haar import haar_rotations

__all__ = ["rotation_groups"]


def rotation_groups(
    n_features: int,
    n_groups: int = 1,
    n_rotations: int = 20,
    random_state: object = None,
    *,
    flip: bool = False,
    identity_first: bool = True,
) -> NDArray[np.float64]:
    """Draw groups of Haar-distributed rotations.

    Rotation k of group g is the same whatever the numbers of groups and rotations are.

    Parameters
    ----------
    n_features : int
        p, the number of columns that are rotated.
    n_groups : int
        Number of rotation groups (N of thesis section 3.3.2).
    n_rotations : int
        Rotations in a group (K).
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.
    flip : bool, default=False
        Draw from O(p) (reflections allowed) instead of SO(p).
    identity_first : bool, default=True
        Make rotation 0 of each group the identity.

    Returns
    -------
    ndarray of shape (n_groups, n_rotations, n_features, n_features)
        Matrices R, applied as ``X @ R``.

    Examples
    --------
    >>> from rotastack.resampling import rotation_groups
    >>> groups = rotation_groups(3, n_groups=2, n_rotations=4, random_state=0)
    >>> groups.shape
    (2, 4, 3, 3)
    """
    for name, value in [
        ("n_features", n_features),
        ("n_groups", n_groups),
        ("n_rotations", n_rotations),
    ]:
        if value < 1:
            raise RotastackError(f"{name} must be at least 1, got {value}")
    sequence = root_sequence(random_state)
    groups = np.empty((n_groups, n_rotations, n_features, n_features))
    for group in range(n_groups):
        for k in range(n_rotations):
            rng = np.random.default_rng(child(sequence, group, k))
            groups[group, k] = haar_rotations(n_features, rng, flip=flip)
        if identity_first:
            groups[group, 0] = np.eye(n_features)
    return groups
