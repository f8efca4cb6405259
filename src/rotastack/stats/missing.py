"""Checks of a table of scores: its missing scores, and its rounding errors, which are relative to the scores' scale."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rotastack.errors import RotastackError


def checked_scores(
    scores: pd.DataFrame, missing: str = "raise", *, pairs: bool = False, at_least: int = 0
) -> pd.DataFrame:
    """Return a checked table of scores as numbers, with missing scores treated by the rule `missing`.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method; NaN for a missing score.
    missing : {"raise", "block", "pairs"}, default="raise"
        "raise": a missing score is an error. "block": data sets that lack a score of any method are left out.
        "pairs": missing scores stay, and each pair of methods is compared on the data sets with both scores.
    pairs : bool, default=False
        Whether the caller can compare pairs.
    at_least : int, default=0
        Number of data sets that the caller needs.

    Returns
    -------
    DataFrame
        Scores as floating-point numbers, :func:`rounded`.

    Raises
    ------
    RotastackError
        The table has fewer than two methods, methods or data sets with equal names, scores that are not numbers,
        infinite or missing, a method without any score, or too few data sets. The message names the first of these.
    """
    allowed = ["raise", "block", "pairs"] if pairs else ["raise", "block"]
    if missing not in allowed:
        raise RotastackError(f"missing must be one of {', '.join(allowed)}, got {missing!r}")
    if not isinstance(scores, pd.DataFrame):
        raise RotastackError(
            f"scores must be a DataFrame (rows data sets, columns methods), got {type(scores).__name__}"
        )
    if scores.shape[1] < 2:
        raise RotastackError(f"scores has {scores.shape[1]} columns; at least 2 methods are needed")
    for names, kind in [(scores.columns, "methods"), (scores.index, "data sets")]:
        if not names.is_unique:
            raise RotastackError(f"two {kind} have the name {names[names.duplicated()][0]!r}; names must differ")
    table = _numbers(scores)
    infinite = np.isinf(table.to_numpy())
    if infinite.any():
        raise RotastackError(
            f"infinite score {_cell(scores, infinite)}; for a failed method leave the cell empty (NaN)"
        )
    if missing == "block":
        table = complete_block(table)
    absent = np.isnan(table.to_numpy())
    if absent.any():
        _refuse_empty_methods(table)
        if missing == "raise":
            raise RotastackError(
                f"no score {_cell(scores, absent)}; fill in the score, or set missing={' or '.join(map(repr, allowed[1:]))} to compare the remaining scores"
            )
    if len(table) < at_least:
        raise RotastackError(
            f"scores has {len(table)} data set{'s'[: len(table) != 1]}; at least {at_least} {'are' if at_least > 1 else 'is'} needed"
        )
    return rounded(table)


def tolerance(*scores: ArrayLike) -> float:
    """Return the largest difference of scores that counts as a rounding error.

    The difference is 1e-12 of the largest score, or of 1 if the largest score lies between 0.001 and 1; below, it is 1e-9 of
    the largest score.
    """
    largest = max(float(np.abs(np.asarray(part)).max(initial=0)) for part in scores)
    return min(1e-12 * max(1.0, largest), 1e-9 * largest)


def rounded(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores in which those of a row that differ by rounding errors alone are equal.

    Scores below 10 keep 12 decimals, and larger ones 13 digits. In a row whose largest score is below 0.001, scores keep
    10 digits of the largest.
    """
    values = scores.to_numpy(dtype=np.float64, copy=True)
    largest = np.fmax.reduce(np.abs(values), axis=1, keepdims=True, initial=0)
    sizes = np.maximum(np.abs(values), np.minimum(largest, 1))
    return pd.DataFrame(_rounded(values, sizes), scores.index, scores.columns)


def gaps(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the first scores minus the second ones, in which those that differ by rounding errors alone are equal."""
    a, b = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    return _rounded(a - b, np.maximum(np.abs(a), np.abs(b)))


def _rounded(values: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take from the values the digits that scores of the `sizes` do not have, and return them."""
    exponents = np.floor(np.log10(np.where(np.isfinite(sizes) & (sizes > 0), sizes, 1))).astype(int)
    places = np.minimum(12 - np.where(exponents < 0, np.minimum(exponents + 3, 0), exponents), 300)
    for number in np.unique(places):
        values[places == number] = values[places == number].round(number)
    return values


def complete_block(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores on the data sets on which every method has a score; RotastackError if none remains."""
    absent = scores.isna().to_numpy()
    if not absent.any():
        return scores
    _refuse_empty_methods(scores)
    whole = ~absent.any(axis=1)
    if not whole.any():
        most = absent.mean(axis=0).argmax()
        raise RotastackError(
            f"no data set has scores of all methods; {scores.columns[most]!r} lacks the most scores, "
            f"{absent[:, most].sum()} of {len(scores)}"
        )
    return scores[whole]


def _refuse_empty_methods(scores: pd.DataFrame) -> None:
    """Raise RotastackError if methods have no score at all; the message names them."""
    empty = [repr(m) for m in scores.columns[scores.isna().all(axis=0)]]
    if empty:
        raise RotastackError(f"methods without any score: {', '.join(empty)}; drop these columns")


def _numbers(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the table as floating-point numbers, or raise RotastackError if a column holds anything else."""
    if all(dtype == np.float64 for dtype in scores.dtypes):
        return scores
    for position, name in enumerate(scores.columns):
        column = scores.iloc[:, position]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_complex_dtype(column):
            continue
        odd = column.notna().to_numpy() & [
            not isinstance(value, (int, float, np.integer, np.floating)) for value in column
        ]
        if odd.any():
            place = odd.argmax()
            raise RotastackError(
                f"method {name!r} has a score that is not a number: {column.iloc[place]!r} "
                f"on data set {scores.index[place]!r}"
            )
    values = scores.to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.DataFrame(values, scores.index, scores.columns)


def _cell(scores: pd.DataFrame, found: np.ndarray) -> str:
    """Return the method and the data set of the first cell of a mask, for a message."""
    row, column = np.argwhere(found)[0]
    return f"of method {scores.columns[column]!r} on data set {scores.index[row]!r}"
