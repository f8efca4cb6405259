"""The jobs of a study, each with its spec, its inputs, and the key that names its result; equal keys are equal results.

The key of a job is a hash of its slice (the spec as JSON), the fingerprint of its code, the contents of files from outside, and
the keys of the jobs that make its inputs. A rule has the key as a parameter, and the record keeps the key.
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
from rotastack.workflow.study import specs
from rotastack.workflow.study.names import outer, slug, sweep_name
from rotastack.workflow.study.study import size_in

if TYPE_CHECKING:  # a plan has jobs
    from rotastack.workflow.run.plan import Plan


@dataclass(frozen=True)
class Planned:
    """A job of a plan: its step, its spec, the path of its record, and the jobs that make its inputs."""

    step: str
    spec: Any  # the model of the step in study/specs.py
    record: str
    inputs: tuple["Planned", ...]

    @cached_property
    def slice(self) -> str:
        """The spec as JSON on one line."""
        return self.spec.line()

    @cached_property
    def key(self) -> str:
        """The name of the result: a hash of all parts that make it, a hyphen, and the fingerprint of the code."""
        code = code_of(self.step, json.loads(self.slice))
        text = json.dumps([self.step, self.slice, code, *(job.key for job in self.inputs)])
        return f"{hashlib.sha256(text.encode()).hexdigest()[:20]}-{code}"

    @property
    def found(self) -> Mapping[str, Any]:
        """The content of the record; empty if the record is damaged or missing."""
        return _read(self.record)

    @property
    def is_current(self) -> bool:
        """Whether there is a result of this key."""
        return self.found.get("key") == self.key

    @property
    def is_stale(self) -> bool:
        """Whether there is a result of another key."""
        return Path(self.record).exists() and not self.is_current


def _read(record: str) -> Mapping[str, Any]:
    try:
        return read_json(record)
    except RotastackError:
        return {}


class Jobs(dict[Any, Planned]):
    """The jobs of a plan, by rule and names: ``jobs["train", dataset, pool, block]``, ``jobs["draw"]``.

    A job is made at its first use, by the method with the name of its rule (``_train``): the method selects the part of the
    study for the job, its spec, and lists the jobs that make its inputs. Data sets that are dropped from the study are in no
    later spec.
    """

    def __init__(self, plan: "Plan"):
        super().__init__()
        self._plan, self._study, self._root, self._entries = plan, plan.study, plan.root, plan.entries
        self._document, self._protocol = plan.study.document, plan.study.protocol

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
        """Return the records of results of other keys."""
        return [job.record for job in self.all() if job.is_stale]

    def settle_times(self) -> None:
        """Set the times of current results, so that none is older than its inputs or ahead of the clock: Snakemake compares times."""
        newest: dict[str, int] = {}
        for job in self.all():
            found = job.found
            if found.get("key") == job.key:
                least = max((newest.get(other.record, 0) for other in job.inputs), default=0)
                newest[job.record] = _settled([*found.get("files", []), job.record], least)

    def _job(self, step: str, record: str, spec: specs.Spec, *inputs: Planned) -> Planned:
        return Planned(step, spec, f"{self._root}/{record}.run.json", inputs)

    def _divided(self, dataset: str) -> tuple[Planned, Planned]:
        """Return the jobs that make the table of a data set, and its folds."""
        return self["prepare", dataset], self["groups", dataset]

    def _is_own(self, dataset: str) -> bool:
        """Return whether the user's own file has the table of a data set."""
        return any("file" in source for source in self._entries[dataset]["sources"])

    def _fetch(self, dataset: str) -> Planned:
        entry, raw = self._entries[dataset], Path(self._plan.raw(dataset))
        record, contents = str(raw.with_suffix(".run.json")), hashes(source_files(dataset, entry))
        if raw.is_file() and not contents:  # the file that the table was read from may be gone
            contents = _read(record).get("parameters", {}).get("contents", {})
        keys = ["sources", "mirror", "rows", "columns", "classes", "homepage"]
        keys += ["kinds"] if self._is_own(dataset) else []  # declared categories stay text
        spec = specs.FetchSpec(dataset=dataset, entry={k: entry[k] for k in keys if k in entry}, contents=contents)
        return Planned("fetch", spec, record, ())

    def _prepare(self, dataset: str) -> Planned:
        entry, protocol = self._entries[dataset], self._protocol
        more: dict[str, Any] = {key: entry[key] for key in ("kinds", "encoding", "smallest_class") if key in entry}
        if entry.get("noise_columns"):
            more |= {"noise_columns": entry["noise_columns"], "seed": self._document.seed}
        spec = specs.PrepareSpec(
            dataset=dataset,
            task=self._document.task,
            divided_by=protocol.divided_by,
            is_own=self._is_own(dataset),
            copies_together=getattr(protocol, "copies_together", False),
            **more,
        )
        return self._job("prepare", f"{dataset}/table", spec, self["fetch", dataset])

    def _groups(self, dataset: str) -> Planned:
        spec = self._protocol.folds_spec(self._document.seed, dataset)
        return self._job("groups", f"{dataset}/groups", spec, self["prepare", dataset])

    def _rotations(self, dataset: str, view: str, groups: str) -> Planned:
        spec = specs.RotationsSpec(
            seed=self._document.seed,
            dataset=dataset,
            view=next(drawn for drawn in self._study.drawn_views if drawn.key == view),
            groups=self._study.rotation_groups[groups],
            rotations=self._protocol.rotations,
        )
        return self._job("groups", f"{dataset}/rotations/{view}/{groups}", spec, self["prepare", dataset])

    def _train(self, dataset: str, pool: str, block: str) -> Planned:
        study, document = self._study, self._study.pools[pool]
        spec = self._protocol.training_spec(
            document,
            study.blocks[outer(block)],
            block != outer(block),
            study.selections_of(pool),
            seed=self._document.seed,
            dataset=dataset,
            name=pool,
            pool=document,
            rotations=1 if document.view is None else self._protocol.rotations,
        )
        rotations = [self["rotations", dataset, *name.split("/")] for name in self._plan.rotations_of(pool, block)]
        parts = [self["train", dataset, part, block] for part in document.of]
        return self._job("train", f"{dataset}/pools/{pool}/{block}", spec, *self._divided(dataset), *rotations, *parts)

    def _combine(self, dataset: str, label: str) -> Planned:
        study, method = self._study, self._study.methods[label]
        spec = specs.CombiningSpec(
            protocol=self._protocol.name,
            seed=self._document.seed,
            dataset=dataset,
            method=label,
            combiner=method.combiner,
        )
        # The job of rule vote combines all methods that only vote, so each of them depends on the pools of all.
        pools = study.voted_pools if label in study.voted else [method.pool]
        blocks = study.blocks_of_method(dataset, label)
        trained = [self["train", dataset, pool, block] for pool in pools for block in blocks]
        return self._job("combine", f"{dataset}/methods/{slug(label)}", spec, *self._divided(dataset), *trained)

    def _vote(self, dataset: str) -> Planned:
        """Return the job of the methods that only vote; each writes its own record."""
        study, jobs = self._study, {label: self["combine", dataset, label] for label in self._study.voted}
        votes = [
            specs.VotedMethod(spec=job.spec, pool=study.methods[label].pool, key=job.key) for label, job in jobs.items()
        ]
        spec = specs.VotingSpec(votes=votes, pools=study.voted_pools, blocks=len(study.blocks_of[dataset]))
        return Planned("combine", spec, "", ())

    def _score(self, dataset: str) -> Planned:
        study, protocol = self._study, self._protocol
        spec = specs.ScoringSpec(
            dataset=dataset,
            score=study.score,
            protocol=protocol.name,
            axes=list(protocol.axes),
            methods=list(study.methods),
            pools=study.used_pools,
            is_own=self._is_own(dataset),
            copies_together=getattr(protocol, "copies_together", False),
        )
        methods = [self["combine", dataset, label] for label in study.methods]
        pools = [
            self["train", dataset, pool, block]
            for pool in study.used_pools
            for block in study.blocks_of_pool(dataset, pool)
        ]
        return self._job("score", f"{dataset}/scores", spec, *self._divided(dataset), *methods, *pools)

    def _refit(self, dataset: str) -> Planned:
        study, document, protocol = self._study, self._document, self._protocol
        choosing: dict[str, Any] = {"axes": list(protocol.axes), "alpha": document.evaluation.alpha}
        spec = specs.RefitSpec(
            task=document.task,
            score=study.score,
            seed=document.seed,
            dataset=dataset,
            refit=document.model.refit,
            threshold=document.model.threshold,
            kinds=self._entries[dataset].get("kinds", "auto"),
            methods={label: method for label, method in study.method_specs.items() if label in study.refittable},
            rotations=protocol.rotations,
            rotation_groups=getattr(protocol, "rotation_groups", 1),
            divided_by=protocol.divided_by,
            folds=getattr(protocol, "folds", 5),
            trusted=document.trusted,
            **(choosing if document.model.refit == "best" else {}),
        )
        return self._job("refit", f"{dataset}/model/refit", spec, self["fetch", dataset], self["score", dataset])

    def _explain(self, dataset: str) -> Planned:
        study = self._study
        spec = specs.ExplainSpec(
            study=study.name, dataset=dataset, score=study.score, trusted=self._document.trusted, contents=self._texts
        )
        return self._job("explain", f"{dataset}/model/explain", spec, self["refit", dataset])

    def _compared(self) -> dict[str, Any]:
        """Return the part of the study that the specs of ``summarize`` and ``draw`` share."""
        study, evaluation = self._study, self._document.evaluation
        return {
            "task": study.task.name,
            "score": study.score,
            "axes": list(self._protocol.axes),
            "alpha": evaluation.alpha,
            "control": study.control,
            "methods": list(study.methods),
            "optimistic": study.optimistic,
            "groups": study.groups_of_methods,
            "average": evaluation.average,
            "left_out": {d: why for d, why in evaluation.left_out.items() if d in study.datasets},
        }

    def _summarize(self) -> Planned:
        study, evaluation, model = self._study, self._document.evaluation, self._document.model
        columns = [
            {k: v for k, v in column.dump().items() if (k, v) != ("failed", "missing")}
            for column in evaluation.published_columns
        ]
        mirrored = {
            entry["mirror"]: name
            for name, entry in self._entries.items()
            if entry.get("mirror") and not entry["sources"]
        }
        rows = {dataset: size_in(self._entries[dataset], "rows") for dataset in study.datasets}
        spec = specs.SummarySpec(
            **self._compared(),
            pairs=evaluation.pairs,
            claims=evaluation.claims,
            published_columns=columns,
            printed_names=mirrored if columns else {},
            rotation_pairs=study.rotation_pairs,
            titles={name: group.title for name, group in evaluation.groups.items()},
            test_to_train={dataset: self._protocol.test_to_train(n) for dataset, n in rows.items()},
            threshold=model.threshold,
            chooses=model.refit == "best",
            contents=hashes(self._plan.published_columns_files),
        )
        return self._job("summarize", "statistics/summarize", spec, *self._scored())

    def _draw(self) -> Planned:
        study, evaluation = self._study, self._document.evaluation
        spec = specs.FiguresSpec(
            **self._compared(),
            shown=evaluation.shown,
            datasets=list(study.datasets),
            votes=study.pools_with_votes,
            sweeps={sweep_name(k): sweep for k, sweep in enumerate(evaluation.sweeps)},
            silent=[p for p in study.used_pools if p not in study.pools_with_votes],
        )
        return self._job("draw", "figures/draw", spec, self["summarize"], *self._scored())

    def _published(self) -> Planned:
        document, about = self._document, self._document.evaluation
        spec = specs.PublishedSpec(
            title=document.title or document.name,
            alpha=about.alpha,
            average=about.average,
            groups=self._study.groups_of_methods,
            skipped=self._plan.skipped,
            contents=hashes(self._plan.published_files) | self._texts,
        )
        return self._job("published", "published", spec, self["summarize"])

    def _report(self) -> Planned:
        return self._job("report", "report", self._report_spec(contents=self._texts), *self._shown())

    def _track(self) -> Planned:
        spec = self._report_spec(tracked_at=self._plan.tracked_at)
        return Planned("track", spec, f"{self._root}/tracking.json", (*self._shown(), self["report"]))

    def _report_spec(self, **more: Any) -> specs.ReportSpec:
        """Return the spec of the steps ``report`` and ``track``: the study as it was written, and facts that follow from it."""
        study = self._study
        content = {k: v for k, v in self._document.dump().items() if k not in ("blocks", "sizes")}
        return specs.ReportSpec(
            **content,
            score=study.score,
            control=study.control,
            optimistic=study.optimistic,
            rotated=study.rotated,
            cells=self._protocol.cells,
            skipped=self._plan.skipped,
            **more,
        )

    def _shown(self) -> list[Planned]:
        """Return the jobs whose results the report shows."""
        refitted = [self["refit", dataset] for dataset in self._plan.refitted]
        explained = [self["explain", dataset] for dataset in self._plan.explained]
        return [*self._scored(), *refitted, *explained, self["summarize"], self["draw"]]

    def _scored(self) -> list[Planned]:
        """Return the jobs that score the methods, one for each data set."""
        return [self["score", dataset] for dataset in self._plan.datasets]

    @cached_property
    def _texts(self) -> dict[str, str]:
        """The hashes of the templates of pages."""
        return hashes(report_texts())


def _settled(files: Iterable[str], least: int) -> int:
    """Set the times of files that are earlier than `least`, or ahead of the clock; return the latest time, in nanoseconds."""
    now, newest = time.time_ns(), least
    for path in map(Path, files):
        with suppress(OSError):  # the file is missing, or another user's
            at = path.stat().st_mtime_ns
            if not least <= at <= now:
                at = max(least, min(at, now))
                os.utime(path, ns=(at, at))
            newest = max(newest, at)
    return newest
