"""The win matrix: on which share of data sets one method is better than another."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.stats.missing import checked_scores

__all__ = ["win_matrix", "wins_and_shared"]


def win_matrix(scores: pd.DataFrame, higher_is_better: bool, missing: str = "raise") -> pd.DataFrame:
    """Return the share of data sets on which the row's method is better than the column's.

    A tie counts one half.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    missing : {"raise", "block", "pairs"}, default="raise"
        A missing score is an error; data sets that lack one are left out; or each pair of methods is compared on
        the data sets that have both.

    Returns
    -------
    DataFrame of shape (n_methods, n_methods)
        With 0.5 on the diagonal; a cell and its mirror image sum to 1. NaN where a pair shares no data set.

    Raises
    ------
    RotastackError
        See :func:`rotastack.stats.missing.checked_scores`.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.2, 0.3, 0.3, 0.1]})
    >>> win_matrix(errors, higher_is_better=False)
           A      B
    A  0.500  0.625
    B  0.375  0.500
    """
    table = checked_scores(scores, missing, pairs=True, at_least=1)
    won, shared = wins_and_shared(table, higher_is_better)
    share = won / np.where(shared > 0, shared, np.nan)
    np.fill_diagonal(share, 0.5)
    return pd.DataFrame(share, table.columns, table.columns)


def wins_and_shared(table: pd.DataFrame, higher_is_better: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return on how many data sets the row's method beats the column's, ties counting half, and how many both have."""
    values = table.to_numpy() if higher_is_better else -table.to_numpy()
    known = (~np.isnan(values)).astype(np.float64)
    shared = known.T @ known
    wins = np.stack([(method[:, None] > values).sum(axis=0) for method in values.T])
    return wins + (shared - wins - wins.T) / 2, shared
