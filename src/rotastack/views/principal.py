"""PCA rotations of random subsets of the columns (Rotation Forest)."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rotastack.base.facts import Facts
from rotastack.views.subsets import Block, RowsByClass, SubsetRotation, signed, split_columns

__all__ = ["PrincipalRotation", "principal_blocks"]

_AT_ONCE = 1 << 20  # numbers of covariances held at once


class PrincipalRotation(SubsetRotation):
    """Principal axes of random subsets of the columns, each found on a random sample.

    The columns are split at random into subsets; for each a random non-empty subset of the classes
    is kept, of their rows a bootstrap is drawn, and the subset's columns are turned to its principal
    axes. All components are kept: the view is a rotation (or reflection) of all columns. If fitted without
    classes, samples are drawn from all rows.

    A subset of more columns than the table has rows keeps the axes that its sample spans: fewer than the sample has
    distinct rows, but one at least. On all others the rows of the sample are the same, and nothing tells these axes
    from each other.

    Memory: 8 m k bytes for k axes of a subset of m columns.

    Parameters
    ----------
    n_subsets : int or None, default=None
        Number of subsets; None is 2, or as many as `subset_size` needs. Sizes differ by one at most.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        Size of the sample as a share of the rows of the classes kept (gamma in Hu et al.).
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    blocks_ : list of (columns, matrix)
        Column numbers, and their principal axes in columns, the longest first.
    rotation_ : ndarray of shape (n_features, n_axes)
        Its columns are orthonormal; ``transform(X) == (X - mean_) @ rotation_``. A new column stands in the
        place of one of its subset; where there are fewer, in the same order.
    mean_ : ndarray of shape (n_features,)
        Of the rows fitted.

    References
    ----------
    Rodriguez, J. J., Kuncheva, L. I. and Alonso, C. J. (2006). Rotation forest: a new classifier
    ensemble method. IEEE TPAMI 28.
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, algorithm 1 and equation 11. It prints gamma N for the size of the
    sample; here it is gamma times the rows that are left when classes are dropped.

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

    study_facts: ClassVar[Facts] = Facts(rotates=True)

    def __init__(
        self,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        random_state=None,
    ):
        self.n_subsets = n_subsets
        self.subset_size = subset_size
        self.bootstrap_ratio = bootstrap_ratio
        self.random_state = random_state

    def _blocks(self, X, rows, n_subsets, sequence):
        return next(principal_blocks(X, [rows], n_subsets, self.bootstrap_ratio, [sequence]))


def principal_blocks(
    X: NDArray[np.float64],
    rows: Sequence[RowsByClass],
    n_subsets: int,
    bootstrap_ratio: float,
    sequences: Sequence[np.random.SeedSequence],
) -> Iterator[list[Block]]:
    """Yield the blocks of one rotation for each of `sequences`.

    The samples of a rotation are counts of rows, so that its covariances come from one stacked
    product; subsets of one size, of several rotations, are decomposed in one call. Where subsets have more
    columns than there are rows, no covariances are formed.

    Memory beside what is yielded: three copies of `X`, and 40 MB or, if that is more, six times the matrices of one
    rotation.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Best centred, so that covariances keep their digits.
    rows : sequence of RowsByClass
        One for each of `sequences`: the rows that its samples are drawn from.
    n_subsets : int
    bootstrap_ratio : float
    sequences : sequence of numpy.random.SeedSequence
    """
    n_features = X.shape[1]
    sizes = np.full(n_subsets, n_features // n_subsets)
    sizes[: n_features % n_subsets] += 1
    widest = int(sizes[0])
    step = max(1, _AT_ONCE // (n_subsets * widest**2))
    seen = None
    for start in range(0, len(sequences), step):
        some = slice(start, start + step)
        subsets: list[list[NDArray[np.intp]]] = []
        axes: list[list[NDArray[np.float64]]] = []
        products = np.empty((0 if len(X) < widest else len(sequences[some]), n_subsets, widest, widest))
        for k, (mine_only, sequence) in enumerate(zip(rows[some], sequences[some], strict=True)):
            if mine_only is not seen:
                seen = mine_only
                # The last row stands for a column that a subset lacks.
                by_class = np.vstack([X[seen.order].T, np.zeros((1, len(seen.order)))])
            rng = np.random.default_rng(sequence)
            mine = split_columns(n_features, n_subsets, rng)
            subsets.append(mine)
            counts = seen.draw(n_subsets, bootstrap_ratio, rng).astype(np.float64)
            if len(X) < widest:
                axes.append(
                    [_sample_axes(by_class[columns], count) for columns, count in zip(mine, counts, strict=True)]
                )
                continue
            places = np.full((n_subsets, widest), n_features)
            for i, columns in enumerate(mine):
                places[i, : len(columns)] = columns
            values = by_class[places]
            weighted = values * counts[:, None]
            sums = weighted.sum(axis=2)
            means = sums / counts.sum(axis=1)[:, None]
            products[k] = weighted @ values.transpose(0, 2, 1) - sums[:, :, None] * means[:, None]
        yield from (list(zip(*one, strict=True)) for one in zip(subsets, axes or _axes(products, sizes), strict=True))


def _axes(products: NDArray[np.float64], sizes: NDArray[np.intp]) -> list[list[NDArray[np.float64]]]:
    """Return the eigenvectors in columns, of largest eigenvalue first, by rotation and subset.

    Parameters
    ----------
    products : ndarray of shape (n_rotations, n_subsets, m, m)
    sizes : ndarray of int of shape (n_subsets,)
        Of subset i the first ``sizes[i]`` rows and columns are meant.
    """
    found = {
        size: signed(np.linalg.eigh(products[:, sizes == size, :size, :size])[1][..., ::-1])
        for size in set(sizes.tolist())
    }
    first = {size: int(np.argmax(sizes == size)) for size in found}
    return [[found[size][k, i - first[size]] for i, size in enumerate(sizes.tolist())] for k in range(len(products))]


def _sample_axes(values: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the principal axes in columns that rows span, one at least; row i, a column of `values`, counts so often."""
    drawn = counts > 0
    counts, sample = counts[drawn], values[:, drawn].T
    centred = sample - counts @ sample / counts.sum()
    _, lengths, axes = np.linalg.svd(np.sqrt(counts)[:, None] * centred, full_matrices=False)
    rank = int((lengths > max(sample.shape) * np.finfo(float).eps * lengths[0]).sum())
    return signed(axes[: max(1, rank)].T)
