"""Random rotation matrices (thesis, sections 1.4 and 1.5)."""

import numpy as np
from numpy.typing import NDArray

from rotastack.seeds import child

__all__ = ["direct_rotation", "draw_rotation", "draw_rotations", "haar_rotations"]

_AT_ONCE = 1 << 20  # Largest number of elements of the rotations in a block.


def haar_rotations(
    n_features: int, rng: np.random.Generator, size: int | None = None, flip: bool = False
) -> NDArray[np.float64]:
    """Return random rotation matrices that are uniform (Haar) on SO(p), or on O(p) with `flip`.

    Each matrix is Q of the QR decomposition of a Gaussian matrix. The columns of Q are multiplied by the signs of the
    diagonal of R, which makes the distribution uniform. If the determinant is -1, one column changes its sign.

    Parameters
    ----------
    n_features : int
        Number of features, p.
    rng : numpy.random.Generator
    size : int, optional
        Number of matrices; None gives one matrix without a leading axis.
    flip : bool, default=False
        Keep reflections. For p = 1 the matrix is 1 with and without `flip`.

    Returns
    -------
    ndarray of shape (n_features, n_features) or (size, n_features, n_features)
    """
    if n_features == 1:
        return np.ones((1, 1)) if size is None else np.ones((size, 1, 1))
    gaussian = rng.standard_normal((1 if size is None else size, n_features, n_features))
    q, r = np.linalg.qr(gaussian)
    signs = np.sign(np.diagonal(r, axis1=1, axis2=2))
    q *= signs[:, None, :]
    if not flip:  # LAPACK's Q is a product of p - 1 reflections, which gives its determinant.
        q[:, :, 0] *= (signs.prod(axis=1) * (-1.0) ** (n_features - 1))[:, None]
    return q[0] if size is None else q


def direct_rotation(n_features: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a random matrix by the direct method of the thesis (listing 1.1): a half-turn about a random axis.

    The matrix is ``2 v v' - I`` with a unit vector v halfway between the first axis and a uniform direction. It is
    symmetric, with the eigenvalues 1, -1, ..., -1 and the determinant (-1)^(p - 1). So the matrices are not
    uniform on SO(p) or O(p); only their first column is uniform on the sphere.
    """
    if n_features == 1:
        return np.ones((1, 1))
    v = rng.standard_normal((1, n_features))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    v[:, 0] += 1.0
    v *= np.sqrt(2.0) / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), np.finfo(float).tiny)
    return v[0][:, None] * v[0] - np.eye(n_features)


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

    Rotation k does not depend on `size`. Rotations are drawn in float64, in blocks that need at most about 64 MB
    beside the result.

    Returns
    -------
    axes : ndarray of shape (size, min(n_features, max_axes))
        Sorted column numbers.
    rotations : ndarray of `dtype` of shape (size, m, m), m = min(n_features, max_axes)
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
    """Return the axes to rotate (all axes, or `max_axes` random axes) and their random rotation.

    Returns
    -------
    axes : ndarray of shape (min(n_features, max_axes),)
        Sorted column numbers.
    rotation : ndarray of shape (len(axes), len(axes))
    """
    all_axes = n_features <= max_axes
    axes = np.arange(n_features) if all_axes else np.sort(rng.choice(n_features, max_axes, replace=False))
    if method == "direct":
        return axes, direct_rotation(len(axes), rng)
    return axes, haar_rotations(len(axes), rng, flip=flip)
