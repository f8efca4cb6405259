"""Ranks of methods within data sets."""

import pandas as pd
from scipy.stats import rankdata

from rotastack.stats.missing import checked_scores


def rank_table(
    scores: pd.DataFrame, higher_is_better: bool, ties: str = "average", *, missing: str = "raise"
) -> pd.DataFrame:
    """Return the ranks of methods within each data set; parameters as for :func:`average_ranks`."""
    table = checked_scores(scores, missing, at_least=1)
    values = -table.to_numpy() if higher_is_better else table.to_numpy()
    return pd.DataFrame(rankdata(values, method=ties, axis=1), table.index, table.columns)


def average_ranks(
    scores: pd.DataFrame, higher_is_better: bool, ties: str = "average", *, missing: str = "raise"
) -> pd.Series:
    """Return each method's rank averaged over data sets; 1 is best.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    ties : {"average", "min", "max", "dense"}, default="average"
        Rank of methods tied on a data set, as in `scipy.stats.rankdata`: "average" is the mean of the ranks that the
        methods share, "min" the best of these ranks.
    missing : {"raise", "block"}, default="raise"
        A missing score is an error, or data sets that lack one are left out.

    Returns
    -------
    Series
        Index: methods.

    Raises
    ------
    RotastackError
        See :func:`rotastack.stats.missing.checked_scores`.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [0.1, 0.2], "B": [0.2, 0.2]})
    >>> average_ranks(errors, higher_is_better=False).to_dict()
    {'A': 1.25, 'B': 1.75}
    """
    return rank_table(scores, higher_is_better, ties, missing=missing).mean()
