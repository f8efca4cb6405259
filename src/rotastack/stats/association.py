"""Whether outputs for held-out rows go with the target: a permutation test over rows."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata


def association_p(
    cells: Iterable[tuple[NDArray[np.integer], NDArray, NDArray[np.floating]]], n_rows: int, n_classes: int | None
) -> float:
    """Return the one-sided p-value of the hypothesis that outputs for held-out rows and the target are independent.

    The statistic is the covariance of the ranks of the outputs with the target: with two classes the Mann-Whitney
    statistic, with more its sum over the classes, with numbers Spearman's. Ranks are within a cell, and a row has the
    mean of its cells, so that neither the level of a cell nor a repeat adds evidence. The mean and variance over all
    permutations of the rows are exact; their distribution is taken as normal. As the model of one cell has trained on
    rows of another, p is somewhat too small: of tables without information 8 to 12 % have p < 0.05, 2 to 5 % p < 0.01.

    Each cell has the numbers of its test rows, their targets, and their outputs of shape (n_tested, n_outputs). Without
    `n_classes` the target is numbers. If the outputs or the targets are constant, p is 1.

    References
    ----------
    Wald, A. and Wolfowitz, J. (1944). Statistical tests based on permutations of the observations. Annals of
    Mathematical Statistics 15. Ojala, M. and Garriga, G. (2010). Permutation tests for studying classifier
    performance. JMLR 11.
    """
    sums: dict[int, NDArray] = {}
    counts = np.zeros((n_rows, 1))
    for rows, y, outputs in cells:
        targets = rankdata(y)[:, None] if n_classes is None else np.eye(n_classes)[y]
        counts[rows] += 1
        for k, part in enumerate((rankdata(outputs, axis=0), targets)):
            whole = np.zeros((n_rows, part.shape[1]))
            whole[rows] = (part - part.mean(axis=0)) / np.abs(part).max()
            sums[k] = sums.get(k, 0) + whole
    tested = counts[:, 0] > 0
    ranks, targets = (s[tested] / counts[tested] for s in sums.values())
    variance = ((ranks.T @ ranks) * (targets.T @ targets)).sum() / (len(ranks) - 1) if len(ranks) > 1 else 0.0
    return float(norm.sf((ranks * targets).sum() / np.sqrt(variance))) if variance > 1e-12 else 1.0
