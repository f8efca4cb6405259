"""draw: the figures of a study, of its data sets, and of members."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from rotastack.data.artifacts import read_frame
from rotastack.files import read_json
from rotastack.plots.style import drawn_or_told
from rotastack.workflow.run.figures.datasets import draw_pairs, draw_scores
from rotastack.workflow.run.figures.members import FIGURES as FIGURES_OF_MEMBERS
from rotastack.workflow.run.figures.members import Methods, draw_of_members, methods_in
from rotastack.workflow.run.figures.study import draw_of_study, names_of_study
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.specs import FiguresSpec


def run(job: Job) -> None:
    """Write output ``figures`` as SVG and PNG, in the folder ``study`` and in a folder for each data set.

    Reads the study's ``scores``, ``comparison`` and ``tables``. In the slice's order of data sets, reads ``table``, ``folds``, the
    first block of each pool in ``votes`` (input ``pools``), and all ``methods`` if methods choose among members.
    The record names the figures that cannot be drawn.
    """
    spec = job.spec(FiguresSpec)
    parts = [None, *range(len(spec.datasets))]
    with job.recorded() as record:
        draw = partial(_draw, job, spec)
        if job.threads == 1:
            told = list(map(draw, parts))
        else:
            with ProcessPoolExecutor(job.threads) as pool:
                told = list(pool.map(draw, parts))
        record.failed_at([line for lines in told for line in lines])


def _draw(job: Job, spec: FiguresSpec, k: int | None) -> list[str]:
    """Write the figures of the k-th data set, or those of the study if `k` is None; return lines on the figures that failed."""
    scores, _ = read_frame(job.input("scores"))
    paths: dict[str, dict[str, list[Path]]] = {"study": {}}  # a regression on one data set has no figure of the study
    for path in job.outputs["figures"]:
        paths.setdefault(path.parent.name, {}).setdefault(path.stem, []).append(path)
    of_study = names_of_study(spec)
    if k is None:
        folder, tables = "study", {path.stem: path for path in job.inputs["tables"]}
        board = read_json(job.input("comparison"))[spec.score]
        draw = partial(draw_of_study, spec=spec, scores=scores, tables=tables, board=board)
    else:
        folder = spec.datasets[k]
        files = job.inputs.get("methods", [])
        n = len(files) // len(spec.datasets)
        methods = cache(lambda: methods_in(files[k * n : (k + 1) * n]))  # several figures show the same arrays
        draw = partial(_of_dataset, job, spec, k, scores[scores["dataset"] == folder], methods)
    names = [name for name in paths[folder] if (name in of_study) == (k is None)]  # a data set may have the name study
    return [line for name in names for line in drawn_or_told(partial(draw, name), paths[folder][name])]


def _of_dataset(
    job: Job, spec: FiguresSpec, k: int, scores: pd.DataFrame, methods: Callable[[], Methods], name: str
) -> Figure:
    """Return a figure of the k-th data set."""
    dataset, votes = spec.datasets[k], spec.votes
    if name in FIGURES_OF_MEMBERS:
        return draw_of_members(name, methods(), scores, dataset, spec.shown)
    if name != "kappa_error":
        return draw_scores(name, dataset, scores, spec.score)
    pools = dict(zip(votes, job.inputs["pools"][k * len(votes) :], strict=False))
    return draw_pairs(dataset, job.inputs["table"][k], job.inputs["folds"][k], pools, spec.silent)
