"""What several steps read from a study's scores."""

from collections.abc import Container

import pandas as pd

__all__ = ["best_method", "error_matrices"]


def error_matrices(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return method -> result matrix (rows fold groups, columns rotation groups) of one data set."""
    matrices = {}
    for method, part in scores.groupby("method", sort=False):
        columns = list(dict.fromkeys(part["rotation_group"]))
        rows = list(dict.fromkeys(part["fold_group"]))
        matrix = part.pivot(index="fold_group", columns="rotation_group", values="error")
        matrices[str(method)] = matrix.loc[rows, columns].rename_axis(index=None, columns=None)
    return matrices


def best_method(scores: pd.DataFrame, among: Container[str]) -> str | None:
    """Return the method with the smallest mean error; among equals the first; None if all failed."""
    scores = scores[[method in among for method in scores["method"]]]
    means = scores.groupby("method", sort=False)["error"].apply(lambda e: e.mean(skipna=False)).dropna()
    return None if means.empty else str(means.idxmin())
