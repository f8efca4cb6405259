"""draw: the figures of a study, of its data sets, and of members."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from rotastack.data.artifacts import read_frame
from rotastack.plots.style import save_figure
from rotastack.workflow.run.figures.datasets import draw_members, draw_scores
from rotastack.workflow.run.figures.members import FIGURES as FIGURES_OF_MEMBERS
from rotastack.workflow.run.figures.members import draw_of_members
from rotastack.workflow.run.figures.study import draw_of_study, names_of_study
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.specs import FiguresSpec


def run(job: Job) -> None:
    """Write output ``figures`` as SVG and PNG, in the folder ``study`` and in a folder for each data set.

    Reads the study's ``scores`` and ``tables``. In the slice's order of data sets, reads ``table``, ``folds``, the
    first block of each pool in ``votes`` (input ``pools``), and all ``methods`` if methods choose among members.
    """
    spec = job.spec(FiguresSpec)
    parts = [None, *range(len(spec.datasets))]
    with job.recorded():
        if job.threads == 1:
            for part in parts:
                _draw(job, spec, part)
            return
        with ProcessPoolExecutor(job.threads) as pool:
            list(pool.map(partial(_draw, job, spec), parts))


def _draw(job: Job, spec: FiguresSpec, k: int | None) -> None:
    """Write the figures of the k-th data set, or those of the study if `k` is None."""
    scores, _ = read_frame(job.input("scores"))
    paths: dict[str, dict[str, list[Path]]] = {}
    for path in job.outputs["figures"]:
        paths.setdefault(path.parent.name, {}).setdefault(path.stem, []).append(path)
    of_study = names_of_study(spec)
    figures: Iterable[tuple[str, Figure]]
    if k is None:
        folder, tables = "study", {path.stem: path for path in job.inputs["tables"]}
        names = [name for name in paths[folder] if name in of_study]
        figures = draw_of_study(names, spec, scores, tables).items()
    else:
        folder = spec.datasets[k]
        names = [name for name in paths[folder] if name not in of_study]  # a data set may have the name study
        figures = _of_dataset(job, spec, k, scores[scores["dataset"] == folder], names)
    for name, figure in figures:
        for path in paths[folder][name]:
            save_figure(figure, path)


def _of_dataset(
    job: Job, spec: FiguresSpec, k: int, scores: pd.DataFrame, names: list[str]
) -> Iterator[tuple[str, Figure]]:
    """Yield the names and figures of the k-th data set."""
    dataset, votes, methods = spec.datasets[k], spec.votes, job.inputs.get("methods", [])
    n_methods = len(methods) // len(spec.datasets)
    of_members = [name for name in names if name in FIGURES_OF_MEMBERS]
    for name in names:
        if name == "kappa_error":
            pools = dict(zip(votes, job.inputs["pools"][k * len(votes) :], strict=False))
            folds = job.inputs["folds"][k]
            yield name, draw_members(dataset, job.inputs["table"][k], folds, pools, spec.silent)
        elif name not in of_members:
            yield name, draw_scores(name, dataset, scores, spec.score)
    if of_members:
        files = methods[k * n_methods : (k + 1) * n_methods]
        yield from draw_of_members(of_members, files, scores, dataset, spec.shown).items()
