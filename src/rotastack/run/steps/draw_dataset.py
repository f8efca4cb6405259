"""draw_dataset: the figures of one data set."""

from pathlib import Path

from matplotlib.figure import Figure

from rotastack.data.artifacts import read_frame, read_prepared
from rotastack.diagnostics.pairs import KappaError, kappa_error
from rotastack.judge.results import score_matrices
from rotastack.plots.boxes import plot_boxes
from rotastack.plots.heatmap import plot_heatmaps
from rotastack.plots.histogram import plot_histograms
from rotastack.plots.kappa_error import plot_kappa_error
from rotastack.plots.style import add_note, save_figure
from rotastack.run.job import Job
from rotastack.run.pool_votes import first_cell_votes
from rotastack.stats.metrics import NAMES, PRIMARY

INPUTS = ("scores", "table", "folds", "pools")
OUTPUTS = ("figures", "record")
ABOUT = ("dataset",)
FIGURES = {
    "nested": ("heatmap_drawn", "heatmap_by_rotation_group", "heatmap_by_fold_group", "histogram"),
    "splits": ("boxes",),
}
"""Of each protocol. Where pools hold votes, there is ``kappa_error`` as well."""


def run(job: Job) -> None:
    """Read input ``scores``, write the figures asked for: heat maps, histogram or boxes, as SVG and PNG.

    Of input ``pools``, the first blocks of those that hold votes, ``kappa_error`` shows the members of the first cell;
    slice ``votes`` names these pools, ``silent`` those that hold none. It also reads ``table`` and ``folds``.
    """
    scores, _ = read_frame(job.input("scores"))
    title = job.about["dataset"]
    primary = PRIMARY[job.spec["task"]]
    name_of = NAMES[primary]
    plural = "errors" if primary == "error" else name_of
    with job.recorded():
        axes = [name for name in ("rotation_group", "fold_group", "split") if name in scores]
        matrices = score_matrices(scores, primary, axes)
        drawn: dict[str, Figure] = {}
        for path in job.outputs["figures"]:
            name = Path(path).stem
            if name in drawn:  # for a file of the other kind
                pass
            elif name == "boxes":
                errors = {str(m): part[primary] for m, part in scores.groupby("method", sort=False)}
                drawn[name] = plot_boxes(errors, f"{title}: {plural} over all splits", name_of)
            elif name == "kappa_error":
                drawn[name] = _members(job, f"{title}: members, two by two")
            elif name == "histogram":
                drawn[name] = plot_histograms(matrices, f"{title}: {plural} over all cells", score=name_of)
            else:
                drawn[name] = plot_heatmaps(matrices, title, name.removeprefix("heatmap_"), score=name_of)
            save_figure(drawn[name], path)


def _members(job: Job, title: str) -> Figure:
    """Draw kappa and error of the pairs of each pool's members, and say of which pools there are none."""
    y = read_prepared(job.input("table")).y
    folds, _ = read_frame(job.input("folds"))
    clouds: dict[str, KappaError] = {}
    cells, failed = [], []
    Job.check(job.inputs["pools"])
    for pool, path in zip(job.spec["votes"], job.inputs["pools"], strict=True):
        found = first_cell_votes(path, y, folds)
        if found is None:
            failed.append(pool)
            continue
        cells.append(found.cell)
        clouds[pool] = kappa_error(found.votes, found.y, found.votes >= 0)
    figure = plot_kappa_error(clouds, title)
    notes = (
        [f"A panel for each pool, a point for each pair of its members, on the test rows of {cells[0]}."]
        if cells
        else []
    )
    if failed:
        notes.append(f"Left out, as they failed: {', '.join(failed)}.")
    if silent := job.spec["silent"]:
        notes.append(f"Left out, as they hold the ensemble's outputs and no votes of members: {', '.join(silent)}.")
    add_note(figure, " ".join(notes))
    return figure
