"""Whether outputs for held-out rows go with the target."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from rotastack.stats.influence import row_test


def association_p(
    cells: Iterable[tuple[NDArray[np.integer], NDArray, NDArray[np.floating]]],
    units: NDArray[np.integer],
    n_classes: int | None,
) -> float:
    """Return the one-sided p-value of the hypothesis that outputs for held-out rows and the target are independent.

    The statistic is the covariance of the ranks of the outputs with the target, as a mean over cells: with two classes
    that of the Mann-Whitney statistic, with more its sum over the classes, with numbers Spearman's. Ranks are within a
    cell, so that the level of a cell adds no evidence. The statistic is a sum over units of rows, and is tested as the
    difference of two methods is (:func:`rotastack.stats.influence.row_test`): a unit counts in training, too.

    Each cell has the numbers of its test rows, their targets, and their outputs of shape (n_tested, n_outputs). `units`
    (n_rows,) has the number of the unit of each row. Without `n_classes` the target is numbers. If the outputs or the
    targets are constant, p is 1.
    """
    cells = list(cells)
    times = np.bincount(np.concatenate([rows for rows, *_ in cells]), minlength=len(units))
    products = np.zeros((units.max() + 1, times.max()))
    tested = np.zeros(len(units), dtype=np.intp)
    for rows, y, outputs in cells:
        targets = rankdata(y)[:, None] if n_classes is None else np.eye(n_classes)[y]
        ranks, targets = (
            part - part.mean(axis=0) for part in (rankdata(outputs, axis=0) / len(rows), targets / targets.max())
        )
        np.add.at(products, (units[rows], tested[rows]), (ranks * targets).sum(axis=1) / len(rows) / len(cells))
        tested[rows] += 1
    of_units = products[np.unique(units[times > 0])]
    found = row_test(of_units, 0 * of_units, covariance := float(products.sum()))
    if found is None or abs(covariance) < 1e-12:
        return 1.0
    return found.p / 2 if covariance > 0 else 1 - found.p / 2
