"""Elo ratings of methods: a strength for each method, from wins and losses between methods."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import root
from scipy.special import expit

from rotastack.stats.missing import checked_scores
from rotastack.stats.resamples import bootstrap_interval, resample_counts

_POINTS = 400 / np.log(10)


def elo(
    scores: pd.DataFrame,
    higher_is_better: bool,
    *,
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
    n_bootstraps : int, default=200
        Number of resamples of the data sets; each resample is fitted and centred on its own.
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
        No resample, or alpha outside (0, 1); see also :func:`rotastack.stats.missing.checked_scores`.

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
    A  1091.7  1000.0  1212.7
    B   908.3   787.3  1000.0
    """
    table = checked_scores(scores, missing, pairs=True, at_least=1)
    values = table.to_numpy() if higher_is_better else -table.to_numpy()
    n, k = values.shape
    one, other = values[:, :, None], values[:, None, :]
    # Wins are small multiples of one half, so their sums are exact in single precision, in any order.
    games = (one > other) + np.float32(0.5) * (one == other)
    counts = np.vstack([np.ones(n), resample_counts(n, n_bootstraps, seed)])  # The first row is the original table.
    wins = (counts.astype(np.float32) @ games.reshape(n, -1)).reshape(-1, k, k)
    whole = _strengths(wins[0], np.zeros(k))
    strengths = np.stack([whole, *(_strengths(part, whole) for part in wins[1:])])
    ratings = 1000 + _POINTS * (strengths - strengths.mean(axis=1, keepdims=True))
    lower, upper = bootstrap_interval(ratings[1:], alpha, n)
    return pd.DataFrame({"elo": ratings[0], "lower": lower, "upper": upper}, index=table.columns)


def _strengths(wins: NDArray[np.float32], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the strengths at which the derivatives of the likelihood are 0; ties of a method with itself cancel."""

    def gradient(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        lost = wins * expit(theta - theta[:, None])  # The wins of the row's method times its probability of a loss.
        return (lost - lost.T).sum(axis=1) - np.tanh(theta / 2) / 2

    def derivatives(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        won = expit(theta[:, None] - theta)
        weights = (wins + wins.T) * won * won.T
        return weights - np.diag(weights.sum(axis=1) + expit(theta) * expit(-theta))

    return root(gradient, start, jac=derivatives, options={"xtol": 1e-12}).x
