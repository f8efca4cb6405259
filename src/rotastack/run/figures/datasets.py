"""The figures of one data set: its scores, and pairs of members."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from rotastack.data.artifacts import read_frame, read_prepared
from rotastack.diagnostics.pairs import KappaError, kappa_error
from rotastack.judge.results import score_matrices
from rotastack.plots.boxes import plot_boxes
from rotastack.plots.heatmap import plot_heatmaps
from rotastack.plots.histogram import plot_histograms
from rotastack.plots.kappa_error import plot_kappa_error
from rotastack.plots.style import add_note
from rotastack.run.figures.votes import first_cell_votes
from rotastack.stats.metrics import NAMES, higher_is_better

__all__ = ["draw_members", "draw_scores"]


def draw_scores(name: str, dataset: str, scores: pd.DataFrame, primary: str) -> Figure:
    """Return a figure of a data set's scores.

    Parameters
    ----------
    name : str
        ``boxes``, ``histogram``, or a heat map with its order: ``heatmap_drawn``, ``heatmap_by_rotation_group``, ...
    dataset : str
    scores : DataFrame
        Scores of the data set, a row for each method and cell.
    primary : str
        The score that is drawn.
    """
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
    """Return a figure of kappa and error of each pool's pairs of members, on the test rows of the first cell.

    Parameters
    ----------
    dataset : str
    table, folds : Path
    pools : mapping of str to Path
        The first block of each pool that holds votes.
    silent : sequence of str
        Pools that hold no votes.
    """
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
    figure = plot_kappa_error(clouds, f"{dataset}: members, two by two")
    notes = (
        [f"A panel for each pool, a point for each pair of its members, on the test rows of {cells[0]}."]
        if cells
        else []
    )
    notes += [f"Left out, as they failed: {', '.join(failed)}."] if failed else []
    notes += (
        [f"Left out, as they hold the ensemble's outputs and no votes of members: {', '.join(silent)}."]
        if silent
        else []
    )
    add_note(figure, " ".join(notes))
    return figure
