"""Bootstrap resamples of data sets, equal in Python and in JavaScript."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.errors import RotastackError

__all__ = ["bootstrap_interval", "bootstrap_means", "resample_counts", "resamples"]

_STEP = 0x6D2B79F5
_AT_ONCE = 1 << 21  # Largest number of draws in a block.


def resamples(n: int, n_bootstraps: int, seed: int = 0) -> NDArray[np.int64]:
    """Return resamples of data sets, drawn with replacement.

    The generator mulberry32 makes each random number from its place. NumPy's generators are better. But a report in
    a browser must draw the same data sets, and mulberry32 takes only a few lines of 32-bit arithmetic in JavaScript.

    Parameters
    ----------
    n : int
        Number of data sets.
    n_bootstraps : int
        Number of resamples.
    seed : int, default=0
        Seed.

    Returns
    -------
    ndarray of shape (n_bootstraps, n)
        Row numbers, from 0.

    Raises
    ------
    RotastackError
        No data set, no resample, or a seed that is not an integer.

    Examples
    --------
    >>> resamples(5, 2).tolist()
    [[1, 0, 1, 0, 2], [2, 3, 3, 2, 2]]
    """
    if n < 1 or n_bootstraps < 1:
        raise RotastackError(
            f"resamples need at least 1 data set and n_bootstraps of at least 1, got {n} and {n_bootstraps}"
        )
    if not isinstance(seed, (int, np.integer)):
        raise RotastackError(f"seed must be an integer, got {seed!r}")
    drawn = np.empty((n_bootstraps, n), dtype=np.int64)
    step = max(1, _AT_ONCE // n)
    for start in range(0, n_bootstraps, step):
        stop = min(start + step, n_bootstraps)
        drawn[start:stop] = (uniforms(start * n, stop * n, seed) * n).astype(np.int64).reshape(-1, n)
    return drawn


def uniforms(start: int, stop: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the random numbers in [0, 1) at some places of mulberry32's sequence; all arithmetic is modulo 2^32."""
    places = np.arange(start + 1, stop + 1, dtype=np.uint64)
    state = ((places * np.uint64(_STEP) + np.uint64(int(seed) % 2**32)) % 2**32).astype(np.uint32)
    t = (state ^ (state >> np.uint32(15))) * (state | np.uint32(1))
    t ^= t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61))
    return (t ^ (t >> np.uint32(14))) / 2**32


def resample_counts(n: int, n_bootstraps: int, seed: int = 0) -> NDArray[np.float64]:
    """Return how often each data set is in each resample; sums over resamples are products with this matrix.

    Parameters
    ----------
    n, n_bootstraps, seed : int
        As for :func:`resamples`.

    Returns
    -------
    ndarray of shape (n_bootstraps, n)

    Examples
    --------
    >>> resample_counts(5, 2).tolist()
    [[2.0, 2.0, 1.0, 0.0, 0.0], [0.0, 0.0, 3.0, 2.0, 0.0]]
    """
    drawn = resamples(n, n_bootstraps, seed)
    drawn += np.arange(n_bootstraps)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=n_bootstraps * n).reshape(-1, n).astype(np.float64)


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
