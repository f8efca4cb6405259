"""Random rotation matrices, uniform over all rotations (thesis, section 1.4)."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_rotation", "haar_rotations"]


def haar_rotations(
    n_features: int, rng: np.random.Generator, size: int | None = None, flip: bool = False
) -> NDArray[np.float64]:
    """Draw rotation matrices that are uniform (Haar) on SO(p), or on O(p) with `flip`.

    QR of a Gaussian matrix; the columns of Q take the signs of the diagonal of R, which makes
    the distribution uniform; where the determinant is -1 one column changes its sign.

    Parameters
    ----------
    n_features : int
        p.
    rng : numpy.random.Generator
    size : int, optional
        Number of matrices; None gives one matrix without a leading axis.
    flip : bool, default=False
        Keep reflections.

    Returns
    -------
    ndarray of shape (n_features, n_features) or (size, n_features, n_features)
    """
    gaussian = rng.standard_normal((1 if size is None else size, n_features, n_features))
    q, r = np.linalg.qr(gaussian)
    signs = np.sign(np.diagonal(r, axis1=1, axis2=2))
    q *= signs[:, None, :]
    if not flip:  # LAPACK's Q is a product of p - 1 reflections
        q[:, :, 0] *= (signs.prod(axis=1) * (-1.0) ** (n_features - 1))[:, None]
    return q[0] if size is None else q


def draw_rotation(
    n_features: int, rng: np.random.Generator, flip: bool = False, max_axes: int = 1000
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Draw the axes to rotate and their rotation: all axes, or `max_axes` random ones.

    Returns
    -------
    axes : ndarray of shape (min(n_features, max_axes),)
        Sorted column numbers.
    rotation : ndarray of shape (len(axes), len(axes))
    """
    if n_features <= max_axes:
        axes = np.arange(n_features)
    else:
        axes = np.sort(rng.choice(n_features, max_axes, replace=False))
    return axes, haar_rotations(len(axes), rng, flip=flip)
