"""What several steps read from a study's scores."""

from collections.abc import Container, Mapping
from typing import Any

import pandas as pd

__all__ = ["best_method", "complete", "error_matrices", "group_table"]


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


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows on which no method failed, without the methods that failed on all."""
    return table.drop(columns=table.columns[table.isna().all()]).dropna()


def group_table(means: pd.DataFrame, group: Mapping[str, Any]) -> pd.DataFrame:
    """Return the scores of a group of methods: a row per data set and part, a column per label.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_methods)
        Methods that are not there have failed.
    group : mapping
        One of a study's ``groups_of_methods``: ``parts``, and pairs of a label and its method in each
        part as ``methods``.
    """
    parts = {}
    for k, name in enumerate(group["parts"]):
        part = means.reindex(columns=[methods[k] for _, methods in group["methods"]])
        parts[name] = part.set_axis([label for label, _ in group["methods"]], axis=1)
    if len(parts) > 1:
        parts = {name: part.rename(index=lambda d, n=name: f"{d}, {n}") for name, part in parts.items()}
    return pd.concat(parts.values())
