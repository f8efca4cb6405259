"""Elo ratings of methods: a strength for each method, from wins and losses between methods."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.blas import one_blas_thread
from rotastack.errors import RotastackError, nearest
from rotastack.stats.missing import checked_scores
from rotastack.stats.resamples import bootstrap_interval, resample_counts

__all__ = ["elo"]

_POINTS = 400 / np.log(10)
_TOLERANCE = 1e-12
_AT_ONCE = 1 << 20  # Largest number of elements of win matrices in memory.


def elo(
    scores: pd.DataFrame,
    higher_is_better: bool,
    *,
    anchor: str | None = None,
    n_bootstraps: int = 200,
    alpha: float = 0.05,
    seed: int = 0,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Return Elo ratings of methods over data sets, with bootstrap intervals.

    Each data set is a game of each pair of methods; a tie is half a win for both. In Bradley and Terry's model,
    i beats j with probability :math:`s(\theta_i - \theta_j)`, where s is the logistic function. The strengths
    :math:`\theta` maximise

    .. math:: \sum_{i \ne j} W_{ij} \log s(\theta_i - \theta_j)
              + \frac{1}{2} \sum_i (\log s(\theta_i) + \log s(-\theta_i)),

    where W holds the numbers of wins. The second sum adds one drawn game of each method against an opponent of
    strength 0. This keeps the strength of a method that always wins finite, and hardly changes the other strengths.
    The rating is 1000 + :math:`400 / \ln 10` times (strength - mean strength): 400 points are odds of 10 to 1.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    anchor : str, optional
        A method that gets 1000 points; by default the mean rating is 1000.
    n_bootstraps : int, default=200
        Number of resamples of the data sets; each resample is fitted, and centred or anchored, on its own.
    alpha : float, default=0.05
        1 - coverage of the intervals.
    seed : int, default=0
        Seed of the resamples.
    missing : {"raise", "block", "pairs"}, default="raise"
        A missing score is an error; data sets that lack one are left out; or each pair of methods is compared on
        the data sets that have both.

    Returns
    -------
    DataFrame
        Index: methods. Columns: ``elo, lower, upper``; the ends are percentiles over resamples, and NaN for too
        few data sets, fewer than six for 95 %.

    Raises
    ------
    RotastackError
        `anchor` is not a method; no resample; or alpha outside (0, 1); see also
        :func:`rotastack.stats.missing.checked_scores`.

    Notes
    -----
    The size of a win does not count. Ratings depend on the other methods in the table.

    References
    ----------
    Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs. Biometrika 39. Chiang,
    W.-L. et al. (2024). Chatbot Arena: an open platform for evaluating LLMs by human preference. ICML, for the
    bootstrap of the model's ratings.

    Examples
    --------
    Twelve wins to four are odds of 3 to 1, which is 191 points; the drawn games take 7 of them:

    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [0.1] * 12 + [0.3] * 4, "B": [0.2] * 16})
    >>> elo(errors, higher_is_better=False).round(1)
          elo   lower   upper
    A  1091.7  1020.6  1212.7
    B   908.3   787.3   979.4
    """
    table = checked_scores(scores, missing, pairs=True, at_least=1)
    methods = list(table.columns)
    if anchor is not None and anchor not in methods:
        raise RotastackError(f"anchor {anchor!r} is not a method{nearest(str(anchor), [str(m) for m in methods])}")
    values = table.to_numpy() if higher_is_better else -table.to_numpy()
    n = len(values)
    # The first row of counts is the original table.
    counts = np.vstack([np.ones(n), resample_counts(n, n_bootstraps, seed)])
    with one_blas_thread():
        strengths = np.concatenate([_strengths(wins) for wins in _wins(values, counts)])
    zero = strengths.mean(axis=1) if anchor is None else strengths[:, methods.index(anchor)]
    ratings = 1000 + _POINTS * (strengths - zero[:, None])
    lower, upper = bootstrap_interval(ratings[1:], alpha, n)
    return pd.DataFrame({"elo": ratings[0], "lower": lower, "upper": upper}, index=table.columns)


def _wins(values: NDArray[np.float64], counts: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Yield win matrices of resamples, a block of resamples at a time; higher values are better.

    Wins are small multiples of one half, so their sums are exact in single precision, in any order.
    """
    n, k = values.shape
    rows = max(1, min(k, 16 * _AT_ONCE // (n * k)))  # This number of methods bounds the size of `games`.
    block = max(1, _AT_ONCE // k**2)
    for start in range(0, len(counts), block):
        part = counts[start : start + block].astype(np.float32)
        wins = np.empty((len(part), k, k))
        for row in range(0, k, rows):
            one = values[:, row : row + rows, None]
            games = (one > values[:, None, :]) + np.float32(0.5) * (one == values[:, None, :])
            wins[:, row : row + rows] = (part @ games.reshape(n, -1)).reshape(len(part), -1, k)
        wins[:, np.arange(k), np.arange(k)] = 0.0
        yield wins


def _strengths(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return strengths for win matrices of shape (n_resamples, n_methods, n_methods), by Newton's method.

    Each resample is fitted on its own, so no strength depends on the other resamples of the block.
    """
    theta = np.zeros(wins.shape[:2])
    at = np.arange(len(wins))  # Resamples that have not converged.
    for _ in range(100):
        likelihood, gradient, hessian = _likelihood(wins[at], theta[at])
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        scale = np.ones(len(at))
        for _ in range(30):  # Halve steps that lower the likelihood by more than rounding.
            moved, *_ = _likelihood(wins[at], theta[at] + scale[:, None] * step, derivatives=False)
            down = moved < likelihood - 1e-13 * np.abs(likelihood)
            if not down.any():
                break
            scale[down] /= 2
        theta[at] += scale[:, None] * step
        at = at[np.abs(step).max(axis=1) >= _TOLERANCE]
        if not len(at):
            break
    return theta


def _likelihood(wins: NDArray[np.float64], theta: NDArray[np.float64], derivatives: bool = True) -> tuple:
    """Return the penalised log likelihood, its gradient and minus its second derivatives."""
    d = theta[:, :, None] - theta[:, None, :]
    small = np.exp(-np.abs(d))
    value = (wins * (np.minimum(d, 0) - np.log1p(small))).sum(axis=(1, 2))
    tiny = np.exp(-np.abs(theta))
    value -= (np.abs(theta) / 2 + np.log1p(tiny)).sum(axis=1)
    if not derivatives:
        return (value,)
    mirrored = wins.swapaxes(1, 2)
    lost = np.where(d >= 0, small, 1.0) / (1 + small)  # Probability that the column's method wins.
    # This form of the gradient has no cancellation if one of two methods wins nearly always.
    gradient = (wins * lost - mirrored * lost.swapaxes(1, 2)).sum(axis=2) - np.tanh(theta / 2) / 2
    hessian = -(wins + mirrored) * small / (1 + small) ** 2
    diagonal = np.arange(theta.shape[1])
    hessian[:, diagonal, diagonal] = 0.0
    hessian[:, diagonal, diagonal] = tiny / (1 + tiny) ** 2 - hessian.sum(axis=2)
    return value, gradient, hessian
