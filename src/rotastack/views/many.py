"""Linear parts for many trees at once: discriminants, principal axes and sparse rotations of random blocks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dtrtrs

from rotastack.views.haar import haar_rotations
from rotastack.views.subsets import Block

__all__ = ["haar_blocks", "linear_discriminant_blocks"]

_SHRINKAGE = 0.01


def linear_discriminant_blocks(
    X: NDArray[np.float64],
    codes: NDArray[np.integer],
    n_classes: int,
    rows: Sequence[NDArray[np.intp]],
    sequences: Sequence[np.random.SeedSequence],
    *,
    n_blocks: int = 2,
    share: float = 0.63,
    shrinkage: float = _SHRINKAGE,
    max_directions: int = 4,
    max_columns: int = 100,
) -> list[list[Block]]:
    """Return discriminant directions of random blocks of the columns, for each of `sequences`.

    The columns are split at random into `n_blocks` (below four columns each block has all of them); on
    each block Fisher's discriminant is found from a random `share` of the rows, with the scatter within
    classes shrunk towards a multiple of the identity. Directions have length 1.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Best centred, so that scatters keep their digits.
    codes : ndarray of shape (n_rows,)
        Class numbers.
    n_classes : int
    rows : sequence of ndarray of int
        For each of `sequences` the rows it may see, each once.
    sequences : sequence of numpy.random.SeedSequence
    n_blocks : int
    share : float
        Of the rows, drawn without replacement for each block.
    shrinkage : float
        Weight of the identity times the mean variance.
    max_directions : int
        At most so many for a block, nor more than classes less one, or columns.
    max_columns : int
        Of a block: with more columns each block is a random choice.
    """
    n_features = X.shape[1]
    found = []
    for mine, sequence in zip(rows, sequences, strict=True):
        rng = np.random.default_rng(sequence)
        blocks = []
        for columns in _column_blocks(n_features, n_blocks, max_columns, rng):
            sample = mine[rng.permutation(len(mine))[: max(2, round(share * len(mine)))]]
            if (codes[sample] == codes[sample[0]]).all():
                sample = mine
            directions = _discriminants(
                X[sample[:, None], columns], codes[sample], n_classes, shrinkage, max_directions
            )
            blocks.append((columns, directions))
        found.append(blocks)
    return found


def _column_blocks(n_features, n_blocks, max_columns, rng) -> list[NDArray[np.intp]]:
    if n_features < 4:
        return [np.arange(n_features)] * n_blocks
    size = min(-(-n_features // n_blocks), max_columns)
    order = rng.permutation(n_features)
    return [np.sort(order[k * size : (k + 1) * size]) for k in range(n_blocks)]


def _discriminants(Z, codes, n_classes, shrinkage, max_directions) -> NDArray[np.float64]:
    """Return unit directions in columns, the most telling first."""
    n, k = Z.shape
    counts = np.bincount(codes, minlength=n_classes)
    member = np.zeros((n_classes, n))
    member[codes, np.arange(n)] = 1.0
    sums = member @ Z
    there = counts > 0
    means = sums[there] / counts[there, None]
    overall = sums.sum(axis=0) / n
    within = Z.T @ Z - (means * counts[there, None]).T @ means
    between = np.sqrt(counts[there, None]) * (means - overall)
    mean_variance = np.trace(within) / k
    if not mean_variance > 1e-12 * max(float(np.square(Z).mean() * n), np.finfo(float).tiny):
        mean_variance = 1.0
    within *= 1 - shrinkage
    within.flat[:: k + 1] += shrinkage * mean_variance
    factor, info = dpotrf(within, lower=1)
    if info:  # rounding left no positive definite scatter: classes' means alone decide
        factor = np.eye(k)
    whitened = dtrtrs(factor, between.T, lower=1)[0]
    axes = np.linalg.svd(whitened, full_matrices=False)[0][:, : min(len(means) - 1, k, max_directions)]
    if axes.shape[1] == 0:
        axes = np.eye(k)[:, :1]
    directions = dtrtrs(factor, axes, lower=1, trans=1)[0]
    return directions / np.linalg.norm(directions, axis=0)


def haar_blocks(
    n_features: int, sequences: Sequence[np.random.SeedSequence], sizes: tuple[int, int] = (2, 4)
) -> list[list[Block]]:
    """Return random blocks of the columns, each turned by a Haar rotation, for each of `sequences`.

    Parameters
    ----------
    n_features : int
    sequences : sequence of numpy.random.SeedSequence
    sizes : tuple of int
        Least and largest size of a block, drawn evenly; the last block may be smaller.
    """
    found = []
    for sequence in sequences:
        rng = np.random.default_rng(sequence)
        drawn = rng.integers(sizes[0], sizes[1] + 1, -(-n_features // sizes[0]))
        edges = np.minimum(np.cumsum(drawn), n_features)
        edges = edges[: int(np.searchsorted(edges, n_features)) + 1]
        parts = np.split(rng.permutation(n_features), edges[:-1])
        lengths = np.array([len(part) for part in parts])
        turned: dict[int, list[NDArray[np.float64]]] = {
            size: list(haar_rotations(size, rng, int((lengths == size).sum())))
            for size in np.unique(lengths).tolist()
        }
        found.append([(part, turned[len(part)].pop()) for part in parts])
    return found
