"""The figures of one data set: its scores, and pairs of members."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rotastack.data.artifacts import read_arrays, read_frame, read_prepared
from rotastack.diagnostics.pairs import KappaError, kappa_error
from rotastack.plots.cells import plot_boxes, plot_heatmaps, plot_histograms
from rotastack.plots.pruning import plot_kappa_error
from rotastack.plots.style import add_note
from rotastack.stats.metrics import NAMES, higher_is_better
from rotastack.workflow.judge.results import score_matrices


def draw_scores(name: str, dataset: str, scores: pd.DataFrame, primary: str) -> Figure:
    """Return a figure of a data set's scores."""
    score = NAMES[primary]
    plural = "errors" if primary == "error" else score
    if name == "boxes":
        by_method = {str(m): part[primary] for m, part in scores.groupby("method", sort=False)}
        return plot_boxes(by_method, f"{dataset}: {plural} over all splits", score)
    axes = [axis for axis in ("rotation_group", "fold_group", "split") if axis in scores]
    matrices = score_matrices(scores, primary, axes)
    if name == "histogram":
        return plot_histograms(matrices, f"{dataset}: {plural} over all cells", score=score)
    return plot_heatmaps(matrices, dataset, name.removeprefix("heatmap_"), score, bool(higher_is_better(primary)))


def draw_members(dataset: str, table: Path, folds: Path, pools: Mapping[str, Path], silent: Sequence[str]) -> Figure:
    """Return a figure of kappa and error of each pool's pairs of members, on the test rows of the first cell."""
    y = read_prepared(table).y
    groups, _ = read_frame(folds)
    clouds: dict[str, KappaError] = {}
    cells, failed = [], []
    for pool, path in pools.items():
        pool_votes = first_cell_votes(path, y, groups)
        if pool_votes is None:
            failed.append(pool)
            continue
        cells.append(pool_votes.cell)
        clouds[pool] = kappa_error(pool_votes.votes, pool_votes.y, pool_votes.votes >= 0)
    figure = plot_kappa_error(clouds, f"{dataset}: pairs of members")
    notes = [f"One panel per pool, one point per pair of members, on the test rows of {cells[0]}."] if cells else []
    notes += [f"Left out, because they failed: {', '.join(failed)}."] if failed else []
    notes += (
        [f"Left out, because they have outputs of the ensemble without votes of members: {', '.join(silent)}."]
        if silent
        else []
    )
    add_note(figure, " ".join(notes))
    return figure


class PoolVotes(NamedTuple):
    """The votes of a pool's members on rows that they were not trained on.

    Attributes
    ----------
    votes : ndarray of int of shape (n_rows, n_members)
        Class numbers; -1 where a member has no vote.
    y : ndarray of int of shape (n_rows,)
        Classes of the rows.
    cell : str
        Name of the cell, such as ``S-01`` or ``RG-01, FG-01``.
    """

    votes: NDArray[np.int64]
    y: NDArray[np.int64]
    cell: str


def first_cell_votes(path: Path, y: NDArray[np.intp], folds: pd.DataFrame) -> PoolVotes | None:
    """Return the votes of the first cell; None if the pool failed.

    If the file has an ensemble's own votes, these are returned; else each member votes for its most probable class.
    In nested cross-validation a row's vote comes from the model trained without the row's fold alone.

    Parameters
    ----------
    path : Path
        File of the pool's first block.
    y : ndarray of int of shape (n_rows,)
        Classes of the data set's rows.
    folds : DataFrame
        The data set's folds, a column for each fold group.
    """
    block = read_arrays(path)
    if block.attrs["status"] != "ok":
        return None
    if "split" in block.dims:
        return _of_split(block, y)
    cell = block.isel(rotation_group=0, fold_group=0)
    group = str(cell.fold_group.values)
    fold = folds[group].to_numpy()
    outputs = cell["proba"].transpose("other_fold", "row", "member", "class").values
    votes = outputs[fold, np.arange(len(y))].argmax(axis=-1)
    return PoolVotes(votes, np.asarray(y), f"{cell.rotation_group.values}, {group}")


def _of_split(block: xr.Dataset, y: NDArray[np.intp]) -> PoolVotes:
    cell = block.isel(split=0)
    rows = cell["rows"].values
    is_row = rows >= 0
    if "votes" in cell:
        votes = cell["votes"].transpose("row", "voter").values[is_row].astype(np.int64)
        votes = votes[:, (votes >= 0).any(axis=0)]  # other splits may have more voters
    else:
        votes = cell["proba"].transpose("row", "member", "class").values[is_row].argmax(axis=-1)
    return PoolVotes(votes, np.asarray(y)[rows[is_row]], str(cell.split.values))
