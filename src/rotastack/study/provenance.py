"""What results were made with, by their own records: Snakemake's notes in ``.snakemake`` do not always tell.

They stay behind when results are copied from a cluster, and they call unfinished what nodes went on to make after the
submitting process was killed. A record beside a result holds the parameters and the fingerprint of the code.
"""

import base64
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rotastack.study.names import slug
from rotastack.study.plan import Plan

__all__ = ["Mark", "Result", "adopt", "mark_unfinished", "marks", "note_plan", "outdated", "results_of"]

_NOTES = Path(".snakemake")
_PLAN = _NOTES / "rotastack.plan"
_WITHOUT_RECORD = ("draw_dataset", "draw_pruning", "draw_study", "published", "report", "explain")


class Mark(NamedTuple):
    """Snakemake's mark of a file that a job is to make: where it is, since when, and the id that the cluster gave the job."""

    path: Path
    since: float
    job: str | None


@dataclass(frozen=True)
class Result:
    """Files that a job makes, its record, and what the record says if they are as the plan wants them."""

    files: tuple[str, ...]
    record: str
    spec: str
    code: str

    def is_as_planned(self) -> bool:
        """Tell whether all files are there, made with these parameters and this code."""
        try:
            record = json.loads(Path(self.record).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        same = isinstance(record, dict) and record.get("code") == self.code
        return (
            same
            and record.get("parameters") == json.loads(self.spec)
            and all(map(os.path.isfile, self.files))
        )


def results_of(plan: Plan) -> Iterator[Result]:
    """Give all results of a plan that have records."""

    def result(
        record: str, step: str, names: tuple[str, ...], of_code: tuple[str, ...], *files: str
    ) -> Result:
        return Result((*files, record), record, plan.spec(step, *names), plan.code(step, *of_code))

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
    statistics = f"{plan.root}/statistics"
    files = (f"{statistics}/comparison.json", f"{statistics}/verdict.json", f"{statistics}/variance.parquet")
    files = (f"{plan.root}/scores.parquet", *files, *plan.tables, f"{statistics}/summarize.run.json")
    yield Result(files, files[-1], plan.summarize_spec(), plan.code("summarize"))


def outdated(plan: Plan) -> list[str]:
    """Return files that Snakemake has no notes of, and that were made with other parameters or code by their records."""
    found: list[str] = []
    for result in results_of(plan):
        there = [file for file in result.files if Path(file).is_file()]
        if (
            there
            and not any(_note("metadata", file).is_file() for file in there)
            and not result.is_as_planned()
        ):
            found += there
    return found


def marks() -> dict[str, Mark]:
    """Return the marks of all files that some job was started for, and not seen to end."""
    root = _NOTES / "incomplete"
    found: dict[str, Mark] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            with suppress(OSError, ValueError):  # not a mark, or gone by now
                parts = [part.removeprefix("@") for part in path.relative_to(root).parts]
                file = base64.urlsafe_b64decode("".join(parts)).decode()
                about = json.loads(path.read_text(encoding="utf-8"))
                found[file] = Mark(path, path.stat().st_mtime, about.get("external_jobid"))
    return found


def mark_unfinished(files: list[str]) -> None:
    """Mark files as Snakemake marks those of a job that did not end: they are made again."""
    for file in files:
        path = _note("incomplete", file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"external_jobid": None}), encoding="utf-8")


def note_plan(plan: Plan) -> None:
    """Note what results without records are made with from now on."""
    _PLAN.parent.mkdir(exist_ok=True)
    _PLAN.write_text(_about_pages(plan), encoding="utf-8")


def adopt(plan: Plan) -> int:
    """Take the marks off what the jobs of a killed run made to the end on a cluster; return of how many files.

    What counts is made since the mark was set, with the parameters and the code that the plan asks for now.
    """
    marked = {file: mark for file, mark in marks().items() if mark.job is not None}
    if not marked:
        return 0
    with_records: set[str] = set()
    taken: list[str] = []
    for result in results_of(plan):
        with_records.update(result.files)
        mine = [file for file in result.files if file in marked]
        if mine and all(_made_since(file, marked[file]) for file in mine) and result.is_as_planned():
            taken += mine
    try:
        same_pages = _PLAN.read_text(encoding="utf-8") == _about_pages(plan)
    except OSError:
        same_pages = False
    if same_pages:
        taken += [f for f, mark in marked.items() if f not in with_records and _made_since(f, mark)]
    for file in taken:
        marked[file].path.unlink(missing_ok=True)
        _note("metadata", file).unlink(missing_ok=True)  # of what was there before
    return len(taken)


def _made_since(file: str, mark: Mark) -> bool:
    try:
        return Path(file).stat().st_mtime >= mark.since
    except OSError:
        return False


def _note(kind: str, file: str) -> Path:
    """Return where Snakemake keeps a note of a file: by its name in base 64, cut to the lengths of names."""
    root = _NOTES / kind
    longest = (os.pathconf(root, "PC_NAME_MAX") if root.is_dir() else 255) - 1
    text = base64.urlsafe_b64encode(file.encode()).decode()
    parts = [text[k : k + longest] for k in range(0, len(text), longest)]
    return root.joinpath(*("@" + part for part in parts[:-1]), parts[-1])


def _about_pages(plan: Plan) -> str:
    """Return a digest of what figures, tables and pages are made with."""
    pages = [plan.code(step) for step in _WITHOUT_RECORD]
    pages += [plan.report_spec(), plan.draw_study_spec(), plan.published_spec(), plan.pruning_spec()]
    return hashlib.sha256("\n".join([*pages, plan.spec("draw_dataset")]).encode()).hexdigest()
