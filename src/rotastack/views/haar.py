"""Random rotation matrices (thesis, sections 1.4 and 1.5)."""

import numpy as np
from numpy.typing import NDArray

from rotastack.seeds import child

_AT_ONCE = 1 << 20  # Largest number of elements of the rotations in a block.


def haar_rotations(n_features: int, rng: np.random.Generator, size: int, flip: bool = False) -> NDArray[np.float64]:
    """Return `size` random rotation matrices that are uniform (Haar) on SO(p), or on O(p) with `flip`, shape (size, p, p).

    Each matrix is Q of the QR decomposition of a Gaussian matrix. The columns of Q are multiplied by the signs of the
    diagonal of R, which makes the distribution uniform. If the determinant is -1, one column changes its sign. For
    p = 1 the matrix is 1 with and without `flip`.
    """
    if n_features == 1:
        return np.ones((size, 1, 1))
    q, r = np.linalg.qr(rng.standard_normal((size, n_features, n_features)))
    signs = np.sign(np.diagonal(r, axis1=1, axis2=2))
    q *= signs[:, None, :]
    if not flip:  # LAPACK's Q is a product of p - 1 reflections, which gives its determinant.
        q[:, :, 0] *= (signs.prod(axis=1) * (-1.0) ** (n_features - 1))[:, None]
    return q


def direct_rotation(n_features: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a random matrix by the direct method of the thesis (listing 1.1): a half-turn about a random axis.

    The matrix is ``2 v v' - I`` with a unit vector v halfway between the first axis and a uniform direction. It is
    symmetric, with the eigenvalues 1, -1, ..., -1 and the determinant (-1)^(p - 1). So the matrices are not
    uniform on SO(p) or O(p); only their first column is uniform on the sphere.
    """
    if n_features == 1:
        return np.ones((1, 1))
    v = rng.standard_normal(n_features)
    v /= np.sqrt((v * v).sum())
    v[0] += 1.0
    v *= np.sqrt(2.0) / np.maximum(np.sqrt((v * v).sum()), np.finfo(float).tiny)
    return np.outer(v, v) - np.eye(n_features)


def draw_rotations(
    n_features: int,
    sequence: np.random.SeedSequence,
    size: int,
    *,
    flip: bool = False,
    max_axes: int = 1000,
    dtype: type[np.floating] = np.float64,
) -> tuple[NDArray[np.intp], NDArray[np.floating]]:
    """Return `size` random rotations, each of all axes or of `max_axes` random axes.

    The sorted axes have the shape (size, m) with m = min(n_features, max_axes), and the rotations (size, m, m). Rotation k
    does not depend on `size`. Rotations are drawn in float64, in blocks that need at most about 64 MB beside the result.
    """
    m = min(n_features, max_axes)
    if n_features <= max_axes:
        axes = np.broadcast_to(np.arange(n_features), (size, m))
    else:
        axes = np.empty((size, m), dtype=np.intp)
        for k in range(size):
            rng = np.random.default_rng(child(sequence, "axes", k))
            axes[k] = np.sort(rng.choice(n_features, m, replace=False))
    rng = np.random.default_rng(sequence)
    rotations = np.empty((size, m, m), dtype=dtype)
    step = max(1, _AT_ONCE // (m * m))
    for k in range(0, size, step):
        n = min(step, size - k)
        rotations[k : k + n] = haar_rotations(m, rng, n, flip)
    return axes, rotations


def draw_rotation(
    n_features: int, rng: np.random.Generator, flip: bool = False, max_axes: int = 1000, method: str = "haar"
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the sorted axes to rotate, all or `max_axes` random ones, and their random rotation."""
    all_axes = n_features <= max_axes
    axes = np.arange(n_features) if all_axes else np.sort(rng.choice(n_features, max_axes, replace=False))
    if method == "direct":
        return axes, direct_rotation(len(axes), rng)
    return axes, haar_rotations(len(axes), rng, 1, flip)[0]
