"""draw_dataset: the figures of one data set."""

from pathlib import Path

from matplotlib.figure import Figure

from rotastack.plots.boxes import plot_boxes
from rotastack.plots.heatmap import plot_heatmaps
from rotastack.plots.histogram import plot_histograms
from rotastack.plots.style import save_figure
from rotastack.stats.metrics import NAMES, PRIMARY
from rotastack.study.artifacts import read_frame
from rotastack.study.job import Job
from rotastack.study.results import score_matrices

INPUTS = ("scores",)
OUTPUTS = ("figures", "record")
ABOUT = ("dataset",)
FIGURES = {
    "nested": ("heatmap_drawn", "heatmap_by_rotation_group", "heatmap_by_fold_group", "histogram"),
    "splits": ("boxes",),
}
"""Of each protocol."""


def run(job: Job) -> None:
    """Read input ``scores``, write the figures asked for: heat maps, histogram or boxes, as SVG and PNG."""
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
            elif name == "histogram":
                drawn[name] = plot_histograms(matrices, f"{title}: {plural} over all cells", score=name_of)
            else:
                drawn[name] = plot_heatmaps(matrices, title, name.removeprefix("heatmap_"), score=name_of)
            save_figure(drawn[name], path)
