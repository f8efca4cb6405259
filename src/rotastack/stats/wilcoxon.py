"""Wilcoxon's signed-rank test with Holm's step-down correction."""

import itertools

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from rotastack.errors import RotastackError, nearest

__all__ = ["holm", "wilcoxon_holm"]


def holm(p: pd.Series) -> pd.Series:
    """Return p-values adjusted by Holm's step-down procedure.

    Examples
    --------
    >>> import pandas as pd
    >>> holm(pd.Series([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p.to_numpy(), kind="stable")
    stepped = p.to_numpy()[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return pd.Series(adjusted, p.index)


def wilcoxon_holm(scores: pd.DataFrame, control: str | None = None) -> pd.Series:
    """Compare methods over data sets by two-sided signed-rank tests, corrected by Holm.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
    control : str, optional
        Compare every other method with this one; without it, all pairs.

    Returns
    -------
    Series
        Adjusted p-values by method, or by pair of methods. Two methods with equal scores on
        every data set have p = 1.

    Raises
    ------
    RotastackError
        `control` is not a method.
    """
    methods = list(scores.columns)
    if control is not None and control not in methods:
        raise RotastackError(f"control {control!r} is not a method{nearest(str(control), methods)}")
    if control is None:
        pairs = list(itertools.combinations(methods, 2))
        index: pd.Index = pd.MultiIndex.from_tuples(pairs)
    else:
        pairs = [(m, control) for m in methods if m != control]
        index = pd.Index([m for m, _ in pairs])
    raw = []
    for one, other in pairs:
        difference = (scores[one] - scores[other]).to_numpy()
        raw.append(float(wilcoxon(difference).pvalue) if (difference != 0).any() else 1.0)
    return holm(pd.Series(raw, index))
