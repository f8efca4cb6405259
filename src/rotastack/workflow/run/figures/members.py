"""The figures of one data set on the members that pruners keep: their number, margins, errors and diversity."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from rotastack.data.artifacts import read_arrays
from rotastack.plots.members import plot_members
from rotastack.plots.pruning import OrderedVotes, plot_diversity, plot_margin_distributions, plot_ordered_curves
from rotastack.plots.style import add_note

Methods = dict[str, xr.Dataset]


def draw_of_members(name: str, methods: Methods, scores: pd.DataFrame, dataset: str, shown: Sequence[str]) -> Figure:
    """Return a figure of a data set's members, of the methods in `shown` if any; a note names the methods that failed."""
    order = list(methods)
    failed = [label for label, arrays in methods.items() if arrays.attrs["status"] != "ok"]
    wanted = shown if shown and name != "members" else order  # the figure of numbers has space for all methods
    chosen = {m: a for m, a in methods.items() if m in wanted and m not in failed}
    drawn = FIGURES[name](chosen, scores, dataset, order)
    if failed:
        add_note(drawn, f"Left out, because they failed: {', '.join(failed)}.")
    return drawn


def methods_in(paths: Sequence[Path]) -> Methods:
    """Return the arrays of methods from their files, without the outputs."""
    found = [read_arrays(path).drop_vars(["proba", "rows"], errors="ignore") for path in paths]
    return {str(arrays.attrs["method"]): arrays for arrays in found}


def _margin_distributions(known: Methods, scores: pd.DataFrame, dataset: str, order: list[str]) -> Figure:
    """Draw the cumulative margin distributions, as means over splits."""
    shares = {}
    for label, arrays in _with(known, "margin_cdf").items():
        cdf = arrays["margin_cdf"].mean("split")
        means = {part: cdf.sel(part=part).values for part in ("training", "test")}
        shares[label] = pd.DataFrame(means, arrays["margin"].values)
    return plot_margin_distributions(shares, f"{dataset}: distribution of margins", order)


def _ordered_curves(known: Methods, scores: pd.DataFrame, dataset: str, order: list[str]) -> Figure:
    """Draw the error by number of members, and the members' accuracies, as means over splits."""
    votes = {}
    for label, arrays in _with(known, "curve").items():
        errors = _by_size(arrays["curve"])
        error = errors.ffill(axis=1).mean()  # an ensemble without further members keeps its error
        accuracy = None
        if "order_accuracy" in arrays:
            single = _by_size(arrays["order_accuracy"])
            accuracy = single.mean()[single.notna().mean() >= 0.5]  # only ranks that at least half of the splits have
        votes[label] = OrderedVotes(error, float(arrays["members"].mean()), accuracy)
    return plot_ordered_curves(votes, f"{dataset}: members in the pruner's order", order)


def _members(known: Methods, scores: pd.DataFrame, dataset: str, order: list[str]) -> Figure:
    """Draw the mean errors, the members kept and the members before pruning."""
    table = scores.groupby("method", sort=False)[["error"]].mean().reindex(list(known))
    for name in ("members", "voters"):
        table[name] = [float(a[name].mean()) if name in a else np.nan for a in known.values()]
    return plot_members(table, f"{dataset}: members kept", order)


def _diversity(known: Methods, scores: pd.DataFrame, dataset: str, order: list[str]) -> Figure:
    """Draw disagreement and accuracy of the members, a point for each split."""
    columns = {"disagreement": "disagreement", "accuracy": "member_accuracy"}
    points = {
        label: pd.DataFrame({column: arrays[name].values for column, name in columns.items()})
        for label, arrays in known.items()
        if "disagreement" in arrays
    }
    return plot_diversity(points, f"{dataset}: disagreement and accuracy of members", order)


def _with(known: Methods, name: str) -> Methods:
    """Return the methods with a variable that is not missing everywhere."""
    return {m: a for m, a in known.items() if name in a and bool(a[name].notnull().any())}


def _by_size(array: xr.DataArray) -> pd.DataFrame:
    """Return a table of splits by size, on test rows, without empty splits and empty sizes."""
    of_test = array.sel(part="test") if "part" in array.dims else array
    frame = pd.DataFrame(of_test.values, columns=np.arange(1, array.sizes["size"] + 1))
    return frame.dropna(axis=0, how="all").dropna(axis=1, how="all")


FIGURES = {
    "margin_distributions": _margin_distributions,
    "ordered_curves": _ordered_curves,
    "members": _members,
    "diversity": _diversity,
}
"""Name of a figure -> the function that draws it."""
