"""The figures of one data set: its scores, and pairs of members."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rotastack.data.artifacts import read_arrays, read_frame, read_prepared
from rotastack.diagnostics.pairs import KappaError, kappa_error
from rotastack.plots.cells import plot_boxes, plot_heatmaps, plot_histograms
from rotastack.plots.pruning import plot_kappa_error
from rotastack.plots.style import add_note, default_style
from rotastack.stats.metrics import NAMES, higher_is_better
from rotastack.workflow.judge.results import axes_of, score_matrices


@default_style
def draw_scores(name: str, dataset: str, scores: pd.DataFrame, primary: str) -> Figure:
    """Return a figure of a data set's scores."""
    score = NAMES[primary]
    plural = "errors" if primary == "error" else score
    if name == "boxes":
        by_method = {str(m): part[primary] for m, part in scores.groupby("method", sort=False)}
        return plot_boxes(by_method, f"{dataset}: {plural} over all splits", score)
    matrices = score_matrices(scores, primary, axes_of(scores))
    if name == "histogram":
        return plot_histograms(matrices, f"{dataset}: {plural} over all cells", score=score)
    return plot_heatmaps(matrices, dataset, name.removeprefix("heatmap_"), score, bool(higher_is_better(primary)))


def draw_pairs(dataset: str, table: Path, folds: Path, pools: Mapping[str, Path], silent: Sequence[str]) -> Figure:
    """Return a figure of kappa and error of each pool's pairs of members, on the test rows of the first cell."""
    y = read_prepared(table).y
    groups, _ = read_frame(folds)
    clouds: dict[str, KappaError] = {}
    cells, failed = [], []
    for pool, path in pools.items():
        block = read_arrays(path)
        if block.attrs["status"] != "ok":
            failed.append(pool)
            continue
        votes, rows, cell = first_cell_votes(block, groups)
        cells.append(cell)
        clouds[pool] = kappa_error(votes, y[rows], votes >= 0)
    figure = plot_kappa_error(clouds, f"{dataset}: pairs of members")
    notes = [f"One panel per pool, one point per pair of members, on the test rows of {cells[0]}."] if cells else []
    notes += [f"Left out, because they failed: {', '.join(failed)}."] if failed else []
    if silent:
        notes += [f"Left out, because they store no votes of members: {', '.join(silent)}."]
    add_note(figure, " ".join(notes))
    return figure


def first_cell_votes(block: xr.Dataset, folds: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.intp], str]:
    """Return a pool's votes (row, member) in its first cell, -1 where a member has none, the rows' numbers, and the cell's name.

    If the block has an ensemble's own votes, these are returned; else each member votes for its most probable class.
    In nested cross-validation a row's vote comes from the model trained without the row's fold alone.
    """
    if "split" not in block.dims:
        cell = block.isel(rotation_group=0, fold_group=0)
        group = str(cell.fold_group.values)
        rows = np.arange(cell.sizes["row"])
        outputs = cell["proba"].transpose("other_fold", "row", "member", "class").values
        return outputs[folds[group].to_numpy(), rows].argmax(axis=-1), rows, f"{cell.rotation_group.values}, {group}"
    cell = block.isel(split=0)
    is_row = cell["rows"].values >= 0
    if "votes" in cell:
        votes = cell["votes"].transpose("row", "voter").values[is_row].astype(np.int64)
        votes = votes[:, (votes >= 0).any(axis=0)]  # other splits may have more voters
    else:
        votes = cell["proba"].transpose("row", "member", "class").values[is_row].argmax(axis=-1)
    return votes, cell["rows"].values[is_row], str(cell.split.values)
