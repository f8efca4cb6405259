"""draw_study: the figures over all data sets."""

from pathlib import Path

import numpy as np
import pandas as pd

from rotastack.plots.critical_difference import plot_critical_difference
from rotastack.plots.differences import plot_differences
from rotastack.plots.style import save_figure, sentence
from rotastack.stats.comparison import compare
from rotastack.study.artifacts import read_frame
from rotastack.study.job import Job


def run(job: Job) -> None:
    """Read input ``scores`` of the study, write the rank diagram and the differences to the control."""
    scores, _ = read_frame(job.input("scores"))
    spec = job.spec
    with job.recorded():
        means = scores.pivot_table(
            index="dataset", columns="method", values="error", sort=False, dropna=False
        )
        means = means[[m for m in spec["methods"] if m in means]]
        means = means.round(12)
        complete = means.drop(columns=means.columns[means.isna().all()]).dropna()
        figures = {
            "differences": plot_differences(means, _standard_errors(scores, spec["control"]), spec["control"])
        }
        if len(complete) >= 2 and complete.shape[1] >= 2:
            figures["critical_difference"] = plot_critical_difference(compare(complete, False), spec["alpha"])
        else:
            figures["critical_difference"] = sentence(
                "Ranks need at least two data sets on which no method failed."
            )
        for path in job.outputs["figures"]:
            save_figure(figures[Path(path).stem], path)


def _standard_errors(scores: pd.DataFrame, control: str) -> pd.DataFrame:
    """Return the standard error over cells of each method's paired difference to the control."""
    cells = scores.pivot_table(
        index=["dataset", "rotation_group", "fold_group"],
        columns="method",
        values="error",
        sort=False,
        dropna=False,
    )
    difference = cells.sub(cells[control], axis=0)
    grouped = difference.groupby("dataset", sort=False)
    return (grouped.std(ddof=1) / np.sqrt(grouped.count())).fillna(0.0)
