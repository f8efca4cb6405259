"""Win matrix: the share of data sets on which one method is better than another."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.stats.missing import checked_scores


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
        The diagonal is 0.5, and the two elements of a pair sum to 1. Pairs that share no data set have NaN.

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
    """Return for each pair the number of data sets on which the row's method wins, and the number that both have.

    A tie counts half a win.
    """
    values = table.to_numpy() if higher_is_better else -table.to_numpy()
    present = (~np.isnan(values)).astype(np.float64)
    shared = present.T @ present
    wins = np.stack([(method[:, None] > values).sum(axis=0) for method in values.T])
    return wins + (shared - wins - wins.T) / 2, shared
