"""Average ranks with bootstrap intervals over data sets."""

import pandas as pd

from rotastack.stats.ranks import rank_table
from rotastack.stats.resamples import bootstrap_means

__all__ = ["bootstrap_ranks"]


def bootstrap_ranks(
    scores: pd.DataFrame,
    higher_is_better: bool,
    *,
    n_bootstraps: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    missing: str = "raise",
) -> pd.DataFrame:
    """Return each method's average rank, with a percentile interval over resamples of the data sets.

    The interval shows how much the average rank depends on the choice of data sets. Two intervals do not show whether
    two methods differ, because ranks on one data set depend on each other; a test of the pair does.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    n_bootstraps : int, default=1000
        Number of resamples of the data sets.
    alpha : float, default=0.05
        1 - coverage of the interval.
    seed : int, default=0
        Seed of the resamples.
    missing : {"raise", "block"}, default="raise"
        A missing score is an error, or data sets that lack one are left out.

    Returns
    -------
    DataFrame
        Index: methods. Columns: ``average_rank, lower, upper``; the ends are NaN for too few data sets, fewer than six
        for 95 %.

    Raises
    ------
    RotastackError
        No resample, or alpha outside (0, 1); see also :func:`rotastack.stats.missing.checked_scores`.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [0.1, 0.2, 0.3, 0.2] * 2, "B": [0.2, 0.3, 0.4, 0.1] * 2, "C": 0.5})
    >>> bootstrap_ranks(errors, higher_is_better=False)
       average_rank  lower  upper
    A          1.25    1.0    1.5
    B          1.75    1.5    2.0
    C          3.00    3.0    3.0
    """
    ranks = rank_table(scores, higher_is_better, missing=missing)
    means = bootstrap_means(ranks, n_bootstraps=n_bootstraps, alpha=alpha, seed=seed)
    return means.rename(columns={"mean": "average_rank"})
