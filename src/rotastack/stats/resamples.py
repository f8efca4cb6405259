"""Bootstrap resamples of data sets, and intervals of means and of average ranks over them."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.errors import RotastackError
from rotastack.stats.ranks import rank_table


def resample_counts(n: int, n_bootstraps: int, seed: int = 0) -> NDArray[np.int64]:
    """Return how often each data set is in each resample, of as many data sets, drawn with replacement.

    Sums over resamples are products with this matrix, which has the shape (n_bootstraps, n).
    """
    if n < 1 or n_bootstraps < 1:
        raise RotastackError(
            f"resamples need at least 1 data set and n_bootstraps of at least 1, got {n} and {n_bootstraps}"
        )
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise RotastackError(f"seed must be an integer of at least 0, got {seed!r}")
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=n_bootstraps)


def bootstrap_interval(found: NDArray[np.float64], alpha: float, n: int) -> NDArray[np.float64]:
    """Return the percentiles alpha / 2 and 1 - alpha / 2 over resamples (the first axis), by linear interpolation.

    They are NaN for so few data sets, n, that even the range from the least to the largest of them holds their
    median with a probability of less than 1 - alpha, which is fewer than six for 95 %.
    """
    if not 0 < alpha < 1:
        raise RotastackError(f"alpha must lie between 0 and 1, got {alpha}")
    ends = np.quantile(found, [alpha / 2, 1 - alpha / 2], axis=0)
    return ends if 2.0 ** (1 - n) <= alpha else np.full_like(ends, np.nan)


def bootstrap_means(
    table: pd.DataFrame, *, n_bootstraps: int = 1000, alpha: float = 0.05, seed: int = 0
) -> pd.DataFrame:
    """Return each column's mean over data sets, with a bootstrap interval over data sets.

    Parameters
    ----------
    table : DataFrame of shape (n_datasets, n_methods)
        Any quantity, for example from :func:`improvability`, without missing cells.
    n_bootstraps : int, default=1000
        Number of resamples of the data sets.
    alpha : float, default=0.05
        1 - coverage of the interval.
    seed : int, default=0
        Seed of the resamples.

    Returns
    -------
    DataFrame
        Index: methods. Columns: ``mean, lower, upper``; the ends are NaN for too few data sets, fewer than six for 95 %.

    Raises
    ------
    RotastackError
        No data set, a cell that is not finite, no resample, or alpha outside (0, 1).

    Examples
    --------
    >>> import pandas as pd
    >>> bootstrap_means(pd.DataFrame({"A": [1.0, 2, 3, 1, 2, 3], "B": 2.0})).round(2)
       mean  lower  upper
    A   2.0   1.33   2.67
    B   2.0   2.00   2.00
    """
    values = table.to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        raise RotastackError("the scores have cells that are not finite")
    counts = resample_counts(len(values), n_bootstraps, seed)
    # einsum does not use BLAS here: the order of BLAS's sums depends on the number of threads.
    means = np.einsum("bn,nk->bk", counts, values, optimize=False) / len(values)
    lower, upper = bootstrap_interval(means, alpha, len(values))
    return pd.DataFrame({"mean": table.mean(), "lower": lower, "upper": upper}, index=table.columns)


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
