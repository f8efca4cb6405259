"""The figures of one data set on the members that pruners keep: their number, margins, errors and diversity."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from rotastack.data.artifacts import read_arrays
from rotastack.plots.members import plot_members
from rotastack.plots.pruning import OrderedVotes, plot_diversity, plot_margin_distributions, plot_ordered_curves
from rotastack.plots.style import add_note

__all__ = ["draw_of_members"]

Methods = dict[str, xr.Dataset]


def draw_of_members(
    names: Sequence[str], paths: Sequence[Path], scores: pd.DataFrame, dataset: str, only: Mapping[str, Sequence[str]]
) -> dict[str, Figure]:
    """Return name -> figure of a data set's members; a note names the methods that failed.

    Parameters
    ----------
    names : sequence of str
        Names of the figures.
    paths : sequence of Path
        Files of the methods, in the order of the study.
    scores : DataFrame
        Scores of the data set, a row for each method and cell.
    dataset : str
    only : mapping
        Figure -> the methods that it shows, if not all.
    """
    methods: Methods = {}
    failed, order = [], []
    for path in paths:
        arrays = read_arrays(path)
        label = str(arrays.attrs["method"])
        order.append(label)
        if arrays.attrs["status"] == "ok":
            methods[label] = arrays.drop_vars(["proba", "rows"], errors="ignore")
        else:
            failed.append(label)
    drawn = {}
    for name in names:
        shown = only.get(name, order)
        chosen = {label: arrays for label, arrays in methods.items() if label in shown}
        drawn[name] = FIGURES[name](chosen, scores, dataset, order)
        if failed:
            add_note(drawn[name], f"Left out, because they failed: {', '.join(failed)}.")
    return drawn


def _margin_distributions(known: Methods, scores: pd.DataFrame, dataset: str, order: list[str]) -> Figure:
    """Draw the cumulative margin distributions, as means over splits."""
    shares = {}
    for label, arrays in _with(known, "margin_cdf").items():
        means = {}
        for part in ("training", "test"):
            cdf = _part(arrays["margin_cdf"], part)
            means[part] = cdf.mean([d for d in cdf.dims if d != "margin"])
        grid = _labels(arrays, "margin", np.linspace(-1, 1, arrays.sizes["margin"]))
        shares[label] = pd.DataFrame({part: mean.values for part, mean in means.items()}, grid)
    return plot_margin_distributions(shares, f"{dataset}: distribution of margins", order)


def _ordered_curves(known: Methods, scores: pd.DataFrame, dataset: str, order: list[str]) -> Figure:
    """Draw the error by number of members, and the members' accuracies, as means over splits."""
    votes = {}
    for label, arrays in _with(known, "curve").items():
        errors = _by_size(arrays, "curve")
        error = errors.ffill(axis=1).mean()  # an ensemble without further members keeps its error
        accuracy = None
        if "order_accuracy" in arrays:
            single = _by_size(arrays, "order_accuracy")
            accuracy = single.mean()[single.notna().mean() >= 0.5]  # only ranks that at least half of the splits have
        kept = float(arrays["members"].mean()) if "members" in arrays else float("nan")
        votes[label] = OrderedVotes(error, kept, accuracy)
    return plot_ordered_curves(votes, f"{dataset}: members in the pruner's order", order)


def _members(known: Methods, scores: pd.DataFrame, dataset: str, order: list[str]) -> Figure:
    """Draw the mean errors, the members kept and the members before pruning."""
    errors = scores.groupby("method", sort=False)["error"].mean()
    table = pd.DataFrame(
        {
            "error": errors.reindex(list(known)),
            **{
                name: [float(a[name].mean()) if name in a else np.nan for a in known.values()]
                for name in ("members", "voters")
            },
        },
        index=list(known),
    )
    return plot_members(table, f"{dataset}: members kept", order)


def _diversity(known: Methods, scores: pd.DataFrame, dataset: str, order: list[str]) -> Figure:
    """Draw disagreement and accuracy of the members, a point for each split."""
    points = {}
    for label, arrays in known.items():
        if "disagreement" in arrays and "member_accuracy" in arrays:
            names = {"disagreement": "disagreement", "accuracy": "member_accuracy"}
            points[label] = pd.DataFrame(
                {
                    column: arrays[name].mean([d for d in arrays[name].dims if d != "split"]).values
                    for column, name in names.items()
                }
            )
    return plot_diversity(points, f"{dataset}: disagreement and accuracy of members", order)


def _with(known: Methods, name: str) -> Methods:
    """Return the methods with a variable that is not missing everywhere."""
    return {m: a for m, a in known.items() if name in a and bool(a[name].notnull().any())}


def _part(array: xr.DataArray, name: str) -> xr.DataArray:
    """Return the values of the training or the test rows; without labels, training comes first."""
    return array.sel(part=name) if "part" in array.coords else array.isel(part=int(name == "test"))


def _labels(arrays: xr.Dataset, axis: str, otherwise: np.ndarray) -> np.ndarray:
    """Return the labels of an axis, or else `otherwise`; a variable may have the axis's name and be no label."""
    if axis in arrays.coords and arrays[axis].dims == (axis,):
        return arrays[axis].values
    return otherwise


def _by_size(arrays: xr.Dataset, name: str) -> pd.DataFrame:
    """Return a table of splits by size, on test rows, without empty splits and empty sizes."""
    array = _part(arrays[name], "test") if "part" in arrays[name].dims else arrays[name]
    values = array.transpose(..., "size").values
    sizes = _labels(arrays, "size", np.arange(1, values.shape[-1] + 1))
    frame = pd.DataFrame(values.reshape(-1, len(sizes)), columns=sizes)
    return frame.dropna(axis=0, how="all").dropna(axis=1, how="all")


FIGURES = {
    "margin_distributions": _margin_distributions,
    "ordered_curves": _ordered_curves,
    "members": _members,
    "diversity": _diversity,
}
"""Name of a figure -> the function that draws it."""
