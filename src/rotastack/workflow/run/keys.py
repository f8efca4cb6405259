"""Keys: what each result of a study is made from, as one hash; equal keys are equal results.

The key of a job is a hash of its slice, the fingerprint of its code, the contents of files from outside, and the keys of
the jobs that make its inputs. Rules have it as a parameter, and records keep it.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.data.loading import source_files
from rotastack.errors import RotastackError
from rotastack.files import hashes, read_json
from rotastack.project import report_texts
from rotastack.workflow.run.fingerprint import code_of
from rotastack.workflow.study.names import slug
from rotastack.workflow.study.specs import Spec, as_line

if TYPE_CHECKING:  # a plan has keys
    from rotastack.workflow.run.plan import Plan


@dataclass(frozen=True)
class Planned:
    """A job of a plan: its key, its slice as JSON, the record that it writes, and the jobs that make its inputs."""

    key: str
    slice: str
    record: str
    inputs: tuple["Planned", ...]

    @property
    def found(self) -> Mapping[str, Any]:
        """The record that exists; empty if it is damaged or missing."""
        return _read(self.record)

    @property
    def is_current(self) -> bool:
        """Whether there is a result, made from what the plan says."""
        return self.found.get("key") == self.key

    @property
    def is_stale(self) -> bool:
        """Whether there is a result that was made from something else."""
        return Path(self.record).exists() and not self.is_current


def _read(record: str) -> Mapping[str, Any]:
    try:
        return read_json(record)
    except RotastackError:
        return {}


class Keys(dict[Any, Planned]):
    """The jobs of a plan, by rule and names: ``keys["train", dataset, pool, block]``, ``keys["draw"]``."""

    def __init__(self, plan: "Plan"):
        super().__init__()
        self._plan, self._study, self._slices, self._root = plan, plan.study, plan.slices, plan.root

    def __missing__(self, name: Any) -> Planned:
        rule, *names = [name] if isinstance(name, str) else name
        self[name] = getattr(self, f"_{rule}")(*names)
        return self[name]

    def all(self) -> list[Planned]:
        """Return the jobs of the plan that write records, each after those that make its inputs."""
        plan = self._plan
        for name in [*(["published"] if plan.published_page else []), "track"]:
            self[name]
        return list({job.record: job for job in self.values() if job.record}.values())

    def stale(self) -> list[str]:
        """Return the records of results that were made from something else."""
        return [job.record for job in self.all() if job.is_stale]

    def settle_times(self) -> None:
        """Let no current result be older than its inputs, or ahead of the clock, as copies are: Snakemake compares times."""
        newest: dict[str, int] = {}
        for job in self.all():
            found = job.found
            if found.get("key") == job.key:
                least = max((newest.get(other.record, 0) for other in job.inputs), default=0)
                newest[job.record] = _settled([*found.get("files", []), job.record], least)

    def _job(self, step: str, record: str, spec: Spec, *inputs: Planned) -> Planned:
        content = spec.content()
        line, code = as_line(content), code_of(step, content)
        text = json.dumps([step, line, code, *(job.key for job in inputs)])
        return Planned(f"{hashlib.sha256(text.encode()).hexdigest()[:20]}-{code}", line, record, inputs)

    def _fetch(self, dataset: str) -> Planned:
        raw, contents = Path(self._plan.raw(dataset)), hashes(source_files(dataset, self._study.datasets[dataset]))
        record = str(raw.with_suffix(".run.json"))
        if raw.is_file() and not contents:  # the file that the table was read from may be gone
            contents = _read(record).get("parameters", {}).get("contents", {})
        return self._job("fetch", record, self._slices.fetch(dataset, contents))

    def _prepare(self, dataset: str) -> Planned:
        record = f"{self._root}/{dataset}/table.run.json"
        return self._job("prepare", record, self._slices.prepare(dataset), self["fetch", dataset])

    def _groups(self, dataset: str) -> Planned:
        record = f"{self._root}/{dataset}/groups.run.json"
        return self._job("groups", record, self._slices.groups(dataset), self["prepare", dataset])

    def _rotations(self, dataset: str, view: str, groups: str) -> Planned:
        record = f"{self._root}/{dataset}/rotations/{view}/{groups}.run.json"
        return self._job("groups", record, self._slices.rotations(dataset, view, groups), self["prepare", dataset])

    def _train(self, dataset: str, pool: str, block: str) -> Planned:
        rotations = [self["rotations", dataset, *name.split("/")] for name in self._plan.rotations_of(pool, block)]
        parts = [self["train", dataset, part, block] for part in self._study.pools[pool].of]
        record = f"{self._root}/{dataset}/pools/{pool}/{block}.run.json"
        made_from = self["prepare", dataset], self["groups", dataset], *rotations, *parts
        return self._job("train", record, self._slices.train(dataset, pool, block), *made_from)

    def _combine(self, dataset: str, label: str) -> Planned:
        study, blocks = self._study, self._study.blocks_of_method(dataset, label)
        # One job lets all methods that only vote decide, from the pools of all.
        pools = study.voted_pools if label in study.voted else [study.methods[label].pool]
        trained = [self["train", dataset, pool, block] for pool in pools for block in blocks]
        record = f"{self._root}/{dataset}/methods/{slug(label)}.run.json"
        made_from = self["prepare", dataset], self["groups", dataset], *trained
        return self._job("combine", record, self._slices.combine(dataset, label), *made_from)

    def _vote(self, dataset: str) -> Planned:
        """Return the job of the methods that only vote; each writes its own record."""
        keys = {label: self["combine", dataset, label].key for label in self._study.voted}
        return self._job("combine", "", self._slices.vote(dataset, keys))

    def _score(self, dataset: str) -> Planned:
        methods = [self["combine", dataset, label] for label in self._study.methods]
        pools = [
            self["train", dataset, pool, block]
            for pool in self._study.used_pools
            for block in self._study.blocks_of_pool(dataset, pool)
        ]
        made_from = self["prepare", dataset], self["groups", dataset], *methods, *pools
        return self._job("score", f"{self._root}/{dataset}/scores.run.json", self._slices.score(dataset), *made_from)

    def _refit(self, dataset: str) -> Planned:
        record = f"{self._root}/{dataset}/model/refit.run.json"
        return self._job("refit", record, self._slices.refit(dataset), self["fetch", dataset], self["score", dataset])

    def _explain(self, dataset: str) -> Planned:
        record, spec = f"{self._root}/{dataset}/model/explain.run.json", self._slices.explain(dataset, self._texts)
        return self._job("explain", record, spec, self["refit", dataset])

    def _summarize(self) -> Planned:
        spec = self._slices.summarize(hashes(self._plan.published_columns_files))
        return self._job("summarize", f"{self._root}/statistics/summarize.run.json", spec, *self._of_each("score"))

    def _draw(self) -> Planned:
        made_from = self["summarize"], *self._of_each("score")
        return self._job("draw", f"{self._root}/figures/draw.run.json", self._slices.draw(), *made_from)

    def _published(self) -> Planned:
        spec = self._slices.published(self._plan.skipped, hashes(self._plan.published_files) | self._texts)
        return self._job("published", f"{self._root}/published.run.json", spec, self["summarize"])

    def _report(self) -> Planned:
        spec, made_from = self._slices.report(self._plan.skipped, self._texts), (self["summarize"], self["draw"])
        return self._job("report", f"{self._root}/report.run.json", spec, *self._shown(), *made_from)

    def _track(self) -> Planned:
        spec = self._slices.report(self._plan.skipped, {}, self._plan.tracked_at)
        made_from = *self._shown(), self["summarize"], self["draw"], self["report"]
        return self._job("track", f"{self._root}/tracking.json", spec, *made_from)

    def _shown(self) -> list[Planned]:
        refitted, explained = self._plan.refitted, self._plan.explained
        models = [*(("refit", name) for name in refitted), *(("explain", name) for name in explained)]
        return [*self._of_each("score"), *(self[name] for name in models)]

    def _of_each(self, rule: str) -> list[Planned]:
        return [self[rule, dataset] for dataset in self._plan.datasets]

    @cached_property
    def _texts(self) -> dict[str, str]:
        return hashes(report_texts())


def _settled(files: Iterable[str], least: int) -> int:
    """Set the times of files that are earlier than `least`, or ahead; return the latest time, in nanoseconds."""
    now, newest = time.time_ns(), least
    for path in map(Path, files):
        with suppress(OSError):  # the file is missing, or another user's
            at = path.stat().st_mtime_ns
            if not least <= at <= now:
                at = max(least, min(at, now))
                os.utime(path, ns=(at, at))
            newest = max(newest, at)
    return newest
