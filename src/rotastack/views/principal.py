"""PCA rotations of random subsets of the columns (Rotation Forest)."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rotastack.base.traits import Traits
from rotastack.blas import one_blas_thread
from rotastack.seeds import kernel_seeds
from rotastack.views.subsets import Block, RowsByClass, SubsetRotation, signed, split_columns

_AT_ONCE = 1 << 18  # Largest size of an array for several rotations; arrays for one rotation may be larger.
_ONE_THREAD = 1 << 18  # Multiplications for a matrix of covariances that BLAS might share among threads.


class PrincipalRotation(SubsetRotation):
    """Principal axes of random subsets of the columns, each computed from a random sample.

    The columns are split at random into subsets. For each subset, a random non-empty set of classes is chosen and a
    bootstrap of their rows is drawn. The subset's columns are rotated to the principal axes of this sample. All
    components are kept, so the view is a rotation (or reflection) of all columns. A fit without classes draws
    samples from all rows.

    A subset of more columns than the data set has rows keeps only the axes in the span of its sample: fewer than the
    sample's distinct rows, but at least one. On all other axes the sample's rows have equal values, so the sample
    does not determine these axes.

    Memory: 8 m k bytes for k axes of a subset of m columns.

    Parameters
    ----------
    n_subsets : int or None, default=None
        Number of subsets; None is 2, or as many as `subset_size` needs. Sizes differ by at most one.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        Size of the sample as a share of the rows of the chosen classes (gamma in Hu et al.).
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    blocks_ : list of (columns, matrix)
        Column numbers of each subset, and the matrix with its principal axes as columns, by decreasing variance.
    rotation_ : ndarray of shape (n_features, n_axes)
        Matrix with orthonormal columns; ``transform(X) == (X - mean_) @ rotation_``. An output takes the place of a
        column of its subset; with fewer outputs than columns the order is kept.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.

    References
    ----------
    Rodriguez, J. J., Kuncheva, L. I. and Alonso, C. J. (2006). Rotation forest: a new classifier
    ensemble method. IEEE TPAMI 28.
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, algorithm 1 and equation 11. The paper prints gamma N for the size of the
    sample; here the size is gamma times the number of rows of the chosen classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.views import PrincipalRotation
    >>> X, y = load_iris(return_X_y=True)
    >>> R = PrincipalRotation(random_state=0).fit(X, y).rotation_
    >>> np.allclose(R @ R.T, np.eye(4)), int((R != 0).sum())
    (True, 8)
    """

    study_traits: ClassVar[Traits] = Traits(rotates=True)

    def _blocks(self, X, rows, n_subsets, sequence):
        return next(principal_blocks(X, rows, n_subsets, self.bootstrap_ratio, kernel_seeds(sequence, 1)))


def principal_blocks(
    X: NDArray[np.float64], rows: RowsByClass, n_subsets: int, bootstrap_ratio: float, seeds: NDArray[np.uint64]
) -> Iterator[list[Block]]:
    """Yield the blocks of a rotation of centred rows for each of `seeds`.

    Many rotations are drawn and decomposed together, but a rotation does not depend on the others. Memory: 20 MB or, if
    larger, six times `X`.
    """
    # The row of zeros fills the places of columns that smaller subsets lack.
    by_class = np.vstack([X[rows.order].T, np.zeros((1, len(rows.order)))])
    n, widest = len(rows.order), -(-X.shape[1] // n_subsets)
    step = max(1, _AT_ONCE // (n_subsets * max(n, widest * min(n, widest))))
    for start in range(0, len(seeds), step):
        here = slice(start, start + step)
        subsets, sample_seeds = split_columns(X.shape[1], n_subsets, seeds[here])
        counts = rows.draw(sample_seeds, bootstrap_ratio, views=here).astype(np.float64)
        # More threads would sum in another order. Smaller products have one thread anyway; the first limit takes 10 ms.
        with one_blas_thread() if n * widest**2 > _ONE_THREAD else nullcontext():
            rotations = _decomposed(by_class, subsets, counts)
        yield from rotations


def _decomposed(
    by_class: NDArray[np.float64], subsets: NDArray[np.intp], counts: NDArray[np.float64]
) -> list[list[Block]]:
    """Return the blocks of each rotation.

    Columns are rows of `by_class`; its column i is drawn ``counts[rotation, subset, i]`` times.
    """
    n_columns, n_rows = len(by_class) - 1, by_class.shape[1]
    n_subsets, widest = subsets.shape[1:]
    if n_rows < widest:
        parts = [[part[part < n_columns] for part in one] for one in subsets]
        return [
            [(part, _sample_axes(by_class[part], count)) for part, count in zip(*one, strict=True)]
            for one in zip(parts, counts, strict=True)
        ]
    products = _products(by_class, subsets, counts)
    n_wide = n_columns - n_subsets * (widest - 1)
    groups = []
    for group, size in ((slice(n_wide), widest), (slice(n_wide, n_subsets), widest - 1)):
        if subsets[:, group].size:
            axes = signed(np.linalg.eigh(products[:, group, :size, :size])[1][..., ::-1])
            groups.append(zip(subsets[:, group, :size], axes, strict=True))
    return [[block for part in one for block in zip(*part, strict=True)] for one in zip(*groups, strict=True)]


def _products(
    by_class: NDArray[np.float64], subsets: NDArray[np.intp], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the scatter matrices (rotation, subset, column, column) of the samples."""
    sums, products = np.empty(subsets.shape), np.empty((*subsets.shape, subsets.shape[2]))
    step = max(1, _AT_ONCE // by_class.size)
    # All steps use the same memory, because new large arrays cost more than the arithmetic.
    memory = np.empty((2, min(step, len(subsets)), *subsets.shape[1:], by_class.shape[1]))
    for start in range(0, len(subsets), step):
        here = slice(start, start + step)
        values, weighted = memory[:, : len(subsets[here])]
        by_class.take(subsets[here], axis=0, out=values, mode="clip")
        np.multiply(values, counts[here, :, None], out=weighted)
        weighted.sum(axis=3, out=sums[here])
        np.matmul(weighted, values.swapaxes(2, 3), out=products[here])
    means = sums / counts.sum(axis=2)[..., None]
    products -= sums[..., None] * means[:, :, None]
    return products


def _sample_axes(values: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the principal axes in the span of a sample as columns, at least one.

    Row i of the sample is column i of `values`, with the weight ``counts[i]``.
    """
    drawn = counts > 0
    counts, sample = counts[drawn], values[:, drawn].T
    centred = sample - counts @ sample / counts.sum()
    _, lengths, axes = np.linalg.svd(np.sqrt(counts)[:, None] * centred, full_matrices=False)
    rank = int((lengths > max(sample.shape) * np.finfo(float).eps * lengths[0]).sum())
    return signed(axes[: max(1, rank)].T)
