"""What results were made with, by their own records: Snakemake's notes in ``.snakemake`` do not always tell.

They stay behind when results are copied from a cluster, and tell of the results before where nodes went on to work
after the submitting process was killed. A record beside a result holds the parameters and the fingerprint of the code.
"""

import base64
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from rotastack.run.plan import Plan
from rotastack.study.names import slug

__all__ = ["Result", "forget_old_notes", "mark_unfinished", "outdated", "results_of"]

_NOTES = Path(".snakemake")


@dataclass(frozen=True)
class Result:
    """Files that a job makes, its record, and what gives the parameters and the code that the plan wants."""

    files: tuple[str, ...]
    record: str
    wanted: Callable[[], tuple[str, str]]

    def is_as_planned(self) -> bool:
        """Tell whether all files are there, made with these parameters and this code."""
        try:
            record = json.loads(Path(self.record).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        spec, code = self.wanted()
        return (
            isinstance(record, dict)
            and record.get("code") == code
            and record.get("parameters") == json.loads(spec)
            and all(Path(file).is_file() for file in self.files)
        )


def results_of(plan: Plan) -> Iterator[Result]:
    """Give all results of a plan that have records."""

    def result(record: str, step: str, names: tuple[str, ...], of_code: tuple[str, ...], *files: str) -> Result:
        return Result((*files, record), record, lambda: (plan.spec(step, *names), plan.code(step, *of_code)))

    for dataset in plan.datasets:
        root = f"{plan.root}/{dataset}"
        table = f"results/datasets/{dataset}"
        yield result(f"{table}.run.json", "prepare", (dataset,), (), f"{table}.parquet")
        yield result(f"{root}/folds.run.json", "folds", (dataset,), (), f"{root}/folds.parquet")
        drawn: dict[str, None] = {}
        for pool in plan.study.used_pools:
            for block in plan.study.blocks:
                drawn |= dict.fromkeys(plan.rotation_files(dataset, pool, block))
                made = f"{root}/pools/{pool}/{block}"
                yield result(f"{made}.run.json", "train", (dataset, pool, block), (pool,), f"{made}.nc")
        for file in drawn:
            view, group = Path(file).parent.name, Path(file).stem
            record = file.removesuffix(".nc") + ".run.json"
            yield result(record, "rotations", (dataset, view, group), (view,), file)
        for label in plan.study.methods:
            made = f"{root}/methods/{slug(label)}"
            yield result(f"{made}.run.json", "combine", (dataset, label), (label,), f"{made}.nc")
        scores = (f"{root}/scores.parquet", f"{root}/calibration.parquet")
        yield result(f"{root}/scores.run.json", "score", (), (), *scores)
        for model in plan.model_files(dataset, "model.skops"):
            yield result(f"{root}/model/refit.run.json", "refit", (dataset,), (), model)
            if plan.study.document.model.explain:
                files = (f"{root}/model/explanation.json", f"{root}/explain.html", f"{root}/model/explain.run.json")
                yield Result(files, files[-1], lambda: ("{}", plan.code("explain")))
        folder = f"{plan.root}/figures/{dataset}"
        yield _drawn(plan, folder, "draw_dataset", plan.figures, partial(plan.spec, "draw_dataset"))
        if plan.pruning_figures:
            yield _drawn(plan, folder, "draw_pruning", plan.pruning_figures, plan.pruning_spec)
    statistics = f"{plan.root}/statistics"
    files = (f"{statistics}/comparison.json", f"{statistics}/verdict.json", f"{statistics}/variance.parquet")
    files = (f"{plan.root}/scores.parquet", *files, *plan.tables, f"{statistics}/summarize.run.json")
    yield Result(files, files[-1], lambda: (plan.summarize_spec(), plan.code("summarize")))
    record = f"{plan.root}/figures/study/draw_study.run.json"
    files = (*plan.study_figure_files("svg"), *plan.study_figure_files("png"), record)
    yield Result(files, record, lambda: (plan.draw_study_spec(), plan.code("draw_study")))
    files = (f"{plan.root}/report.html", f"{plan.root}/report.run.json")
    yield Result(files, files[-1], lambda: (plan.report_spec(), plan.code("report")))
    for page in plan.published:
        files = (page, f"{plan.root}/tables/published.csv", f"{plan.root}/published.run.json")
        yield Result(files, files[-1], lambda: (plan.published_spec(), plan.code("published")))


def _drawn(plan: Plan, folder: str, step: str, names: tuple[str, ...], spec: Callable[[], str]) -> Result:
    """Return the figures that a step draws of a data set."""
    record = f"{folder}/{step}.run.json"
    files = (*(f"{folder}/{name}.{suffix}" for name in names for suffix in ("svg", "png")), record)
    return Result(files, record, lambda: (spec(), plan.code(step)))


def outdated(plan: Plan) -> list[str]:
    """Return files that Snakemake has no notes of, and that were made with other parameters or code by their records."""
    found: list[str] = []
    for result in results_of(plan):
        there = [file for file in result.files if Path(file).is_file()]
        if there and not any(_note("metadata", file).is_file() for file in there) and not result.is_as_planned():
            found += there
    return found


def mark_unfinished(files: list[str]) -> None:
    """Mark files as Snakemake marks those of a job that did not end: they are made again."""
    for file in files:
        path = _note("incomplete", file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"external_jobid": None}), encoding="utf-8")


def forget_old_notes(plan: Plan) -> int:
    """Take away notes that are older than the results, which are as planned; return how many.

    Jobs of a killed run end their work on a cluster, and nobody is there to write Snakemake's notes. Those of the results
    before would have them made once more.
    """
    forgotten = 0
    for result in results_of(plan):
        old = [note for file in result.files if _is_older(note := _note("metadata", file), file, result.record)]
        if old and result.is_as_planned():
            for note in old:
                note.unlink(missing_ok=True)
            forgotten += len(old)
    return forgotten


def _is_older(note: Path, file: str, record: str) -> bool:
    """Tell whether a note is of a job that had ended before the file's began; a file that was touched is no younger."""
    try:
        if note.stat().st_mtime >= Path(file).stat().st_mtime:
            return False
        began = datetime.fromisoformat(json.loads(Path(record).read_text(encoding="utf-8"))["started"])
        return json.loads(note.read_text(encoding="utf-8"))["endtime"] < began.timestamp()
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _note(kind: str, file: str) -> Path:
    """Return where Snakemake keeps a note of a file: by its name in base 64, cut to the lengths of names."""
    root = _NOTES / kind
    longest = (os.pathconf(root, "PC_NAME_MAX") if root.is_dir() else 255) - 1
    text = base64.urlsafe_b64encode(file.encode()).decode()
    parts = [text[k : k + longest] for k in range(0, len(text), longest)]
    return root.joinpath(*("@" + part for part in parts[:-1]), parts[-1])
