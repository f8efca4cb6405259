"""Improvability: the share of a method's error that the best method of the table avoids."""

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.stats.missing import checked_scores, tolerance


def improvability(
    scores: pd.DataFrame, higher_is_better: bool, *, optimum: float | None = None, missing: str = "raise"
) -> pd.DataFrame:
    """Return the reduction of each method's error by a change to the best method, in percent of the error.

    With e the distance of a score from the optimum, improvability is ``100 (e - min e) / e`` on each data set, with the
    minimum over methods, and 0 if e is 0. The best method has 0; 50 means that the best method halves this error.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    optimum : float, optional
        The best possible score; by default 1 if higher is better, else 0.
    missing : {"raise", "block"}, default="raise"
        A missing score is an error, or data sets that lack one are left out.

    Returns
    -------
    DataFrame of shape (n_datasets, n_methods)
        Percentages. :func:`bootstrap_means` returns their means with intervals.

    Raises
    ------
    RotastackError
        A score is beyond the optimum, for example an accuracy in percent; see also
        :func:`rotastack.stats.missing.checked_scores`.

    References
    ----------
    Erickson, N. et al. (2025). TabArena: a living benchmark for machine learning on tabular data. NeurIPS.

    Examples
    --------
    >>> import pandas as pd
    >>> improvability(pd.DataFrame({"A": [0.1, 0.3], "B": [0.2, 0.3]}), higher_is_better=False)
         A     B
    0  0.0  50.0
    1  0.0   0.0
    """
    table = checked_scores(scores, missing, at_least=1)
    best = (1.0 if higher_is_better else 0.0) if optimum is None else float(optimum)
    if not np.isfinite(best):
        raise RotastackError(f"optimum must be a finite number, got {optimum}")
    gap = best - table.to_numpy() if higher_is_better else table.to_numpy() - best
    too_good = gap < -tolerance(table, best)
    if too_good.any():
        row, column = np.argwhere(too_good)[0]
        hint = "; for accuracies in percent set optimum=100" if higher_is_better else ""
        raise RotastackError(
            f"score {table.iat[row, column]:g} of method {table.columns[column]!r} on data set "
            f"{table.index[row]!r} is beyond the optimum {best:g}{hint}"
        )
    gap = np.maximum(gap, 0.0)
    least = gap.min(axis=1, keepdims=True)
    share = np.divide(gap - least, gap, out=np.zeros_like(gap), where=gap > 0)
    return pd.DataFrame(100 * share, table.index, table.columns)
