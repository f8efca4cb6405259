"""draw_dataset: the figures of one data set."""

from pathlib import Path

from rotastack.plots.heatmap import ORDERS, plot_heatmaps
from rotastack.plots.histogram import plot_histograms
from rotastack.plots.style import save_figure
from rotastack.study.artifacts import read_frame
from rotastack.study.job import Job
from rotastack.study.results import error_matrices


def run(job: Job) -> None:
    """Read input ``scores``, write heat maps in three orders and the histogram, as SVG and PNG."""
    scores, _ = read_frame(job.input("scores"))
    matrices = error_matrices(scores)
    title = job.about["dataset"]
    with job.recorded():
        figures = {f"heatmap_{order}": plot_heatmaps(matrices, title, order) for order in ORDERS}
        figures["histogram"] = plot_histograms(matrices, f"{title}: errors over all cells")
        for path in job.outputs["figures"]:
            save_figure(figures[Path(path).stem], path)
