"""Ranks of methods within data sets."""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from rotastack.errors import RotastackError

__all__ = ["average_ranks", "checked_scores", "rank_table"]


def checked_scores(scores: pd.DataFrame) -> None:
    """Raise RotastackError if there are fewer than two methods (columns), or a score is missing."""
    if scores.shape[1] < 2:
        raise RotastackError(f"comparing methods needs at least 2, got {scores.shape[1]}")
    if scores.isna().to_numpy().any():
        row, column = np.argwhere(scores.isna().to_numpy())[0]
        raise RotastackError(
            f"no score of method {scores.columns[column]!r} on data set {scores.index[row]!r}"
        )


def rank_table(scores: pd.DataFrame, higher_is_better: bool, ties: str = "average") -> pd.DataFrame:
    """Rank the methods (columns) within each data set (row); 1 is best.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    ties : {"average", "min", "max", "dense"}, default="average"
        The rank of tied methods, as in `scipy.stats.rankdata`: "average" is the mean of the ranks they share,
        "min" the best of these.

    Raises
    ------
    RotastackError
        A missing score, or fewer than two methods.
    """
    checked_scores(scores)
    values = -scores.to_numpy() if higher_is_better else scores.to_numpy()
    return pd.DataFrame(rankdata(values, method=ties, axis=1), scores.index, scores.columns)


def average_ranks(scores: pd.DataFrame, higher_is_better: bool, ties: str = "average") -> pd.Series:
    """Return each method's rank averaged over data sets; 1 is best.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    ties : {"average", "min", "max", "dense"}, default="average"
        The rank of methods tied on a data set: "average" is the mean of the ranks they share, "min" the best
        of these.

    Returns
    -------
    Series
        By method.

    Raises
    ------
    RotastackError
        A missing score, or fewer than two methods.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [0.1, 0.2], "B": [0.2, 0.2]})
    >>> average_ranks(errors, higher_is_better=False).to_dict()
    {'A': 1.25, 'B': 1.75}
    """
    return rank_table(scores, higher_is_better, ties).mean()
