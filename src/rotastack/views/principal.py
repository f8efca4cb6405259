"""PCA rotations of random subsets of the columns (Rotation Forest)."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rotastack.base.traits import Traits
from rotastack.views.subsets import Block, RowsByClass, SubsetRotation, signed, split_columns

__all__ = ["PrincipalRotation", "principal_blocks"]

_AT_ONCE = 1 << 20  # Largest number of elements of covariances in a block.


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
        return next(principal_blocks(X, [rows], n_subsets, self.bootstrap_ratio, [sequence]))


def principal_blocks(
    X: NDArray[np.float64],
    rows: Sequence[RowsByClass],
    n_subsets: int,
    bootstrap_ratio: float,
    sequences: Sequence[np.random.SeedSequence],
) -> Iterator[list[Block]]:
    """Yield the blocks of a rotation of centred rows for each of `sequences`; samples of rotation k are from ``rows[k]``.

    A sample is an array of counts of rows, so one stacked product computes all covariances of a rotation. Several rotations
    are decomposed in one call; they need 40 MB or, if larger, six times the matrices of one rotation.
    """
    n_features = X.shape[1]
    widest = -(-n_features // n_subsets)
    step = max(1, _AT_ONCE // (n_subsets * widest**2))
    current = None
    for start in range(0, len(sequences), step):
        block = slice(start, start + step)
        subsets, axes = [], []
        products = np.empty((0 if len(X) < widest else len(sequences[block]), n_subsets, widest, widest))
        for k, (sampled, sequence) in enumerate(zip(rows[block], sequences[block], strict=True)):
            if sampled is not current:
                current = sampled
                # The row of zeros fills the places of columns that smaller subsets lack.
                by_class = np.vstack([X[current.order].T, np.zeros((1, len(current.order)))])
            rng = np.random.default_rng(sequence)
            parts = split_columns(n_features, n_subsets, rng)
            subsets.append(parts)
            counts = current.draw(n_subsets, bootstrap_ratio, rng).astype(np.float64)
            if len(X) < widest:  # no covariances are needed
                axes.append([_sample_axes(by_class[part], count) for part, count in zip(parts, counts, strict=True)])
                continue
            places = np.full((n_subsets, widest), n_features)
            for i, part in enumerate(parts):
                places[i, : len(part)] = part
            values = by_class[places]
            weighted = values * counts[:, None]
            sums = weighted.sum(axis=2)
            means = sums / counts.sum(axis=1)[:, None]
            products[k] = weighted @ values.transpose(0, 2, 1) - sums[:, :, None] * means[:, None]
        axes = axes or _axes(products, n_features - n_subsets * (widest - 1))
        yield from (list(zip(*one, strict=True)) for one in zip(subsets, axes, strict=True))


def _axes(products: NDArray[np.float64], n_wide: int) -> list[list[NDArray[np.float64]]]:
    """Return the eigenvectors as columns, by decreasing eigenvalue, for each rotation and subset.

    Products have the shape (n_rotations, n_subsets, m, m); those after the first `n_wide` use one row and column less.
    """
    axes = [list(wide) for wide in signed(np.linalg.eigh(products[:, :n_wide])[1][..., ::-1])]
    if n_wide < products.shape[1]:
        narrow = signed(np.linalg.eigh(products[:, n_wide:, :-1, :-1])[1][..., ::-1])
        axes = [[*first, *last] for first, last in zip(axes, narrow, strict=True)]
    return axes


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
