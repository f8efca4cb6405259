"""Two-dimensional problems that illustrations are drawn from."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from scipy.special import expit, logsumexp

from rotastack.errors import RotastackError

__all__ = ["gaussian_mixture", "noisy_square", "triangle_problem"]

_CENTRES = np.array([[1.0, 0.0], [0.0, 1.0]])  # of the means of class 0 and class 1
_N_MEANS = 10
_VARIANCE = 1 / 5


def gaussian_mixture(
    n_rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64], Callable[[ArrayLike], NDArray[np.float64]]]:
    """Draw from two classes that are mixtures of ten Gaussians each.

    The means of class 0 are ten draws from N((1, 0), I), those of class 1 from N((0, 1), I); a row
    is a random mean of its class plus N(0, I/5). Classes alternate, so that any number of first
    rows is balanced.

    Parameters
    ----------
    n_rows : int
    rng : numpy.random.Generator
        Draws the means first: with equal seeds they do not depend on `n_rows`.

    Returns
    -------
    X : ndarray of shape (n_rows, 2)
    y : ndarray of shape (n_rows,)
        0 or 1.
    posterior : callable
        Maps points of shape (..., 2) to the probability of class 1, shape (...), exact for these
        means and equal priors. Where it is .5 lies the optimal boundary.

    References
    ----------
    Hastie, T., Tibshirani, R., Friedman, J. (2009). The Elements of Statistical Learning, 2nd
    edition, section 2.3 (the simulated data of figures 2.1 to 2.5; class 0 is their BLUE).

    Examples
    --------
    >>> import numpy as np
    >>> X, y, posterior = gaussian_mixture(200, np.random.default_rng(0))
    >>> X.shape, np.bincount(y).tolist(), posterior(X).shape
    ((200, 2), [100, 100], (200,))
    """
    means = _CENTRES[:, None, :] + rng.standard_normal((2, _N_MEANS, 2))
    y = np.arange(n_rows, dtype=np.int64) % 2
    picked = means[y, rng.integers(0, _N_MEANS, n_rows)]
    X = picked + np.sqrt(_VARIANCE) * rng.standard_normal((n_rows, 2))
    return X, y, partial(_posterior, means)


def _posterior(means: NDArray[np.float64], points: ArrayLike) -> NDArray[np.float64]:
    """Return P(class 1) at points; from logarithms, so that it is right far from all means too."""
    points = np.asarray(points, dtype=float)
    flat = points.reshape(-1, 2)
    log_0, log_1 = (logsumexp(-cdist(flat, m, "sqeuclidean") / (2 * _VARIANCE), axis=1) for m in means)
    return expit(log_1 - log_0).reshape(points.shape[:-1])


_TRIANGLES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "a": lambda x: x,
    "b": lambda x: 0.5 + np.maximum(x - 0.75, 0),
    "c": lambda x: 0.5 + np.maximum(x - 0.5, 0),
}


def triangle_problem(
    case: str, n_rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw uniform rows of the unit square, with class 1 above a line that may have a bend.

    Parameters
    ----------
    case : {"a", "b", "c"}
        The line: (a) y = x, (b) y = 0.5 + max(x - 0.75, 0), (c) y = 0.5 + max(x - 0.5, 0).
    n_rows : int
    rng : numpy.random.Generator
        Equal seeds give equal rows in all three cases.

    Returns
    -------
    X : ndarray of shape (n_rows, 2)
    y : ndarray of shape (n_rows,)
        0 or 1; the shares of class 1 are (a) 1/2, (b) 15/32 and (c) 3/8.

    Raises
    ------
    RotastackError
        Unknown case.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, section 2.4, figure 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = triangle_problem("c", 1000, np.random.default_rng(0))
    >>> X.shape, bool(y[X[:, 1] < 0.5].any())
    ((1000, 2), False)
    """
    if case not in _TRIANGLES:
        raise RotastackError(f"triangle_problem: case must be 'a', 'b' or 'c', got {case!r}")
    X = rng.random((n_rows, 2))
    return X, (X[:, 1] > _TRIANGLES[case](X[:, 0])).astype(np.int64)


def noisy_square(
    n_rows: int, n_flips: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw uniform rows of the unit square, class 1 above the diagonal x1 + x2 = 1, with wrong labels.

    Parameters
    ----------
    n_rows : int
    n_flips : int
        So many rows of class 0 are labelled 1, at random.
    rng : numpy.random.Generator

    Returns
    -------
    X : ndarray of shape (n_rows, 2)
    y : ndarray of shape (n_rows,)
        0 or 1.

    Raises
    ------
    RotastackError
        Fewer rows of class 0 than flips.

    References
    ----------
    Martinez, W. (2022). Ensemble pruning via margin maximization, section 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = noisy_square(1000, 20, np.random.default_rng(0))
    >>> int(((X.sum(axis=1) < 1) & (y == 1)).sum())
    20
    """
    X = rng.random((n_rows, 2))
    y = (X.sum(axis=1) > 1).astype(np.int64)
    below = np.flatnonzero(y == 0)
    if n_flips > len(below):
        raise RotastackError(
            f"noisy_square: {n_flips} rows of class 0 cannot be flipped; there are {len(below)}"
        )
    y[rng.choice(below, n_flips, replace=False)] = 1
    return X, y
