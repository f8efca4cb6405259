"""The Bayesian signed-rank test of two methods, or of many, over data sets."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rotastack.errors import RotastackError
from rotastack.seeds import child, root_sequence
from rotastack.stats.missing import checked_scores, tolerance
from rotastack.stats.pairs import paired_scores
from rotastack.stats.wilcoxon import contrasts

_AT_ONCE = 1 << 22  # Largest number of weights in memory.


class SignedRankPosterior(NamedTuple):
    """Posterior probabilities of the three outcomes of :func:`bayesian_signed_rank`; they sum to 1.

    Attributes
    ----------
    p_left : float
        The first method is better by more than the rope.
    p_rope : float
        The two methods are practically equivalent.
    p_right : float
        The second method is better by more than the rope.
    """

    p_left: float
    p_rope: float
    p_right: float


def bayesian_signed_rank(
    x: ArrayLike,
    y: ArrayLike,
    higher_is_better: bool,
    *,
    rope: float = 0.0,
    prior: float = 0.5,
    n_samples: int = 50_000,
    random_state: object = None,
) -> SignedRankPosterior:
    r"""Return the probabilities that the first of two methods is better over data sets, neither, or the second.

    The prior of the distribution of differences :math:`z_i = y_i - x_i` between the scores (:math:`x_i - y_i` if lower
    is better) is a Dirichlet process of strength s around a pseudo-observation :math:`z_0 = 0`. After q data sets the observations have
    the weights :math:`(w_0, ..., w_q) \sim \mathrm{Dir}(s, 1, ..., 1)`. The mean of two differences is to the
    right of the region of practical equivalence (rope) :math:`[-r, r]` with probability

    .. math:: \theta_r = \sum_{i=0}^q \sum_{j=0}^q w_i w_j H(z_i + z_j - 2 r)

    with :math:`H` = 1 above 0, 1/2 at 0 and 0 below 0. The mean is to the left of the rope with probability
    :math:`\theta_l`, the sum with :math:`H(-z_i - z_j - 2 r)`, and inside the rope with probability
    :math:`\theta_e = 1 - \theta_l - \theta_r`. The result is the share of draws of the weights in which each
    of :math:`\theta_l, \theta_e, \theta_r` is the largest.

    Parameters
    ----------
    x, y : array-like of shape (n_datasets,)
        A score of the first and of the second method on each data set, for example the mean over splits.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    rope : float, default=0.0
        r, half the width of the rope, in the units of the scores: 0.01 is one percentage point of accuracy.
        With 0 the test has no rope, and `p_rope` is 0.
    prior : float, default=0.5
        s, the weight of the pseudo-observation; a data set has weight 1.
    n_samples : int, default=50000
        Number of draws of the weights. The standard error of a probability p is ``sqrt(p (1 - p) / n_samples)``, at
        most 0.0022.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Returns
    -------
    SignedRankPosterior

    Raises
    ------
    RotastackError
        Scores that are not finite, not one for each data set, or none; `higher_is_better` neither True nor False,
        `rope` below 0, `prior` not above 0, or `n_samples` below 1.

    Notes
    -----
    Sums that differ from the border of the rope by rounding only count as on the border.

    The prior is weak. If one method is better on all data sets, the result is 1 without a rope, even for one data set:
    with fewer than about six, the probabilities say what was seen, and little about further data sets.

    References
    ----------
    Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18(77), on the Bayesian signed-rank test. Benavoli,
    A. et al. (2014). A Bayesian Wilcoxon signed-rank test based on the Dirichlet process. ICML, for H on the
    border.

    Examples
    --------
    Accuracies on ten data sets; the second method gains two points on most of them:

    >>> from rotastack.stats import bayesian_signed_rank
    >>> first = [0.80, 0.75, 0.91, 0.66, 0.88, 0.72, 0.95, 0.83, 0.79, 0.85]
    >>> second = [0.82, 0.78, 0.92, 0.69, 0.90, 0.74, 0.95, 0.86, 0.81, 0.84]
    >>> posterior = bayesian_signed_rank(first, second, higher_is_better=True, rope=0.01, random_state=0)
    >>> round(posterior.p_right, 1), round(posterior.p_rope, 1), round(posterior.p_left, 1)
    (0.9, 0.1, 0.0)
    """
    wins = np.zeros(3)
    for theta in _draws(x, y, higher_is_better, rope, prior, n_samples, random_state):
        largest = theta == theta.max(axis=1, keepdims=True)
        wins += (largest / largest.sum(axis=1, keepdims=True)).sum(axis=0)
    return SignedRankPosterior(*(wins / n_samples).tolist())


def signed_rank_draws(
    x: ArrayLike,
    y: ArrayLike,
    higher_is_better: bool,
    *,
    rope: float = 0.0,
    prior: float = 0.5,
    n_samples: int = 50_000,
    random_state: object = None,
) -> NDArray[np.float64]:
    """Return the draws that :func:`bayesian_signed_rank` counts, for example for a plot in a triangle.

    Parameters
    ----------
    x, y, higher_is_better, rope, prior, n_samples, random_state
        As for :func:`bayesian_signed_rank`.

    Returns
    -------
    ndarray of shape (n_samples, 3)
        theta_l, theta_e and theta_r of each draw, which sum to 1: the weights of "the first is better", "practically
        equal" and "the second is better".

    Examples
    --------
    >>> from rotastack.stats import signed_rank_draws
    >>> draws = signed_rank_draws([0.8, 0.7, 0.9], [0.9, 0.8, 0.9], True, rope=0.01, n_samples=4, random_state=0)
    >>> draws.shape, draws.sum(axis=1).round(9).tolist()
    ((4, 3), [1.0, 1.0, 1.0, 1.0])
    """
    return np.concatenate(list(_draws(x, y, higher_is_better, rope, prior, n_samples, random_state)))


def _draws(
    x: ArrayLike, y: ArrayLike, higher_is_better: bool, rope: float, prior: float, n_samples: int, random_state: object
) -> Iterator[NDArray[np.float64]]:
    """Yield draws of theta_l, theta_e and theta_r, in blocks that fit in memory."""
    x, y = paired_scores(x, y, at_least=1)
    if not isinstance(higher_is_better, (bool, np.bool_)):  # such as a rope by position
        raise RotastackError(f"higher_is_better must be True or False, got {higher_is_better!r}")
    if not (np.isfinite(rope) and rope >= 0):
        raise RotastackError(f"rope must be a number of at least 0, got {rope}")
    if not (np.isfinite(prior) and prior > 0):
        raise RotastackError(f"prior must be a number above 0, got {prior}")
    if n_samples < 1:
        raise RotastackError(f"n_samples must be at least 1, got {n_samples}")
    z = np.append(0.0, y - x if higher_is_better else x - y)
    means = (z[:, None] + z) / 2
    rounding = tolerance(x, y)
    # 1 above 0, 0 below, and 1/2 within rounding of 0
    left, right = (np.where(np.abs(v) <= rounding, 0.5, v > 0) for v in (-means - rope, means - rope))
    rng = np.random.default_rng(root_sequence(random_state))
    step = max(1, _AT_ONCE // len(z))
    for start in range(0, n_samples, step):
        weights = rng.dirichlet([prior, *np.ones(len(z) - 1)], min(step, n_samples - start))
        theta_left, theta_right = (((weights @ side) * weights).sum(axis=1) for side in (left, right))
        yield np.stack([theta_left, 1.0 - theta_left - theta_right, theta_right], axis=1)


def bayesian_table(
    scores: pd.DataFrame,
    control: str | None,
    higher_is_better: bool,
    rope: float = 0.0,
    *,
    prior: float = 0.5,
    n_samples: int = 50_000,
    random_state: object = 0,
    missing: str = "raise",
) -> pd.DataFrame:
    """Return posterior probabilities of Bayesian signed-rank tests of methods over data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    control : str or None
        Compare every other method with this one; None compares all pairs.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    rope : float, default=0.0
        Half the width of the region of practical equivalence, in the units of the scores.
    prior, n_samples : float, int
        As for :func:`bayesian_signed_rank`.
    random_state : None, int, SeedSequence, Generator or RandomState, default=0
        Seed. The draws of a pair depend on the names of its methods, so adding a method changes no other number.
    missing : {"raise", "block"}, default="raise"
        A missing score is an error, or data sets that lack one are left out.

    Returns
    -------
    DataFrame of shape (n_comparisons, 3)
        Index: methods, or pairs of methods. ``better`` is the posterior probability that the method is better than
        the control (or the first of a pair better than the second) by more than the rope, ``equal`` that the two are
        practically equivalent, ``worse`` the rest. No correction for the number of comparisons is needed.

    Raises
    ------
    RotastackError
        `control` is not a method; see also :func:`rotastack.stats.missing.checked_scores` and
        :func:`bayesian_signed_rank`.

    References
    ----------
    Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18(77).

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.2, 0.4, 0.5, 0.6], "C": [0.1, 0.2, 0.3, 0.4]})
    >>> bayesian_table(errors, "A", higher_is_better=False, rope=0.01).round(1)
       better  equal  worse
    B     0.0    0.0    1.0
    C     0.0    1.0    0.0
    """
    table = checked_scores(scores, missing, at_least=1)
    pairs, index = contrasts(list(table.columns), control)
    root = root_sequence(random_state)
    rows = [
        bayesian_signed_rank(
            table[one],
            table[other],
            higher_is_better,
            rope=rope,
            prior=prior,
            n_samples=n_samples,
            random_state=child(root, str(one), str(other)),
        )
        for one, other in pairs
    ]
    return pd.DataFrame(rows, index, columns=["better", "equal", "worse"])
