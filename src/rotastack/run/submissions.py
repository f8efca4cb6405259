"""Which jobs of a study go to a cluster together: Snakemake's groups, sized by what jobs are thought to take.

A submission is a group of Snakemake's whose jobs run one after the other on one node. A data set that is done in half
an hour is one, from preprocessing to its figures, or several such data sets are. Longer ones are cut where they are
parallel: preprocessing, trainings, combiners, evaluation. Seconds are those of records of earlier runs where there are
any, else estimates.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, takewhile
from math import ceil, inf
from pathlib import Path

from rotastack.run.plan import Plan
from rotastack.run.resources import SPARE_OF_MANY
from rotastack.study.costs import JOB_SECONDS
from rotastack.study.names import slug

__all__ = ["MINUTES", "MOST", "SECONDS_OF_START", "Submissions", "Work"]

MINUTES = 20
"""Of work that a submission is to hold."""
MOST = 50
"""Submissions of a study: a larger one gets longer ones."""
SECONDS_OF_START = 4.0
"""Of each job in a submission, beside its own: Snakemake is started for it."""
ATTEMPTS = 3
"""Of a job that fails; each asks for more time, and the last one has to fit the partition, too."""
_LONGEST = 1.5  # times the minutes: up to then a data set is not cut
_MUCH = 0.2  # of all time to start jobs, from which on a word is said
_SPARE = 4  # times what is thought: the limit of a job's time, at the first attempt
_PARTS = {
    "prepare": "data", "folds": "data", "rotations": "data", "train": "train", "combine": "combine",
    "score": "evaluate", "draw_dataset": "evaluate", "draw_pruning": "evaluate", "refit": "evaluate", "explain": "evaluate",
}  # fmt: skip
"""Rules of a data set -> the part that it is of, where data sets are cut."""
_OWN_LIMITS = ("train", "combine")
"""Rules whose limits follow from the size of the block: see :mod:`~rotastack.run.resources`."""
_STUDY = ("summarize", "draw_study", "published", "report")


@dataclass(frozen=True)
class Work:
    """A job that is submitted: its rule, its data set ("" if it is over all), the first file it makes, its seconds.

    `minutes` is the limit of its time at the first attempt, where its rule states one of its own.
    """

    rule: str
    dataset: str
    file: str
    seconds: float
    minutes: int | None = None


class Submissions:
    """How the jobs of a plan are submitted.

    Parameters
    ----------
    plan : Plan
    minutes : float, default=MINUTES
        Of work in a submission.
    most_minutes : float, optional
        What the cluster allows a submission to take.
    """

    def __init__(self, plan: Plan, minutes: float = MINUTES, most_minutes: float | None = None):
        self.plan = plan
        plan.resources.spare_minutes = SPARE_OF_MANY  # as open_plan has it where jobs are grouped
        self.seconds = 60 * minutes
        self.most_minutes = inf if most_minutes is None else most_minutes
        plan.resources.most_minutes = self.most_minutes

    @cached_property
    def work(self) -> list[Work]:
        """The jobs that are to be done: those whose files are missing; all, if none is."""
        return [work for work in self._everything if not self._is_there(work)] or self._everything

    @cached_property
    def _everything(self) -> list[Work]:
        return list(self._all())

    @staticmethod
    def _is_there(work: Work) -> bool:
        return Path(work.file).is_file()

    @cached_property
    def whole(self) -> bool:
        """Whether data sets are not cut: each is done in a submission, and the cluster lets it take that long."""
        asked: dict[str, float] = {}
        for work in self.work:
            asked[work.dataset] = asked.get(work.dataset, 0.0) + self._asked(work)
        asked.pop("", None)
        longest = max(self._seconds_by("dataset").values(), default=0.0)
        allowed = self.most_minutes / ATTEMPTS
        return longest <= _LONGEST * self.seconds and max(asked.values(), default=0.0) <= allowed

    @property
    def groups(self) -> dict[str, str]:
        """Rule -> name of its group, for Snakemake's ``--groups``."""
        rules = {work.rule for work in self._everything}
        cut = {rule: "datasets" if self.whole else part for rule, part in _PARTS.items()}
        return {rule: group for rule, group in (cut | dict.fromkeys(_STUDY, "study")).items() if rule in rules}

    @cached_property
    def components(self) -> dict[str, int]:
        """Group -> how many that are independent of each other make a submission, for ``--group-components``."""
        sizes = self._sizes()
        if not sizes:
            return {}
        target = self.seconds
        while True:
            submissions = {group: min(count, max(1, ceil(total / target))) for group, (count, total) in sizes.items()}
            if sum(submissions.values()) < MOST or all(n == 1 for n in submissions.values()):
                break  # one more is that of the study
            target *= 1.1
        found = {group: ceil(sizes[group][0] / n) for group, n in submissions.items()}
        for group, limits in self._limits().items():
            found[group] = min(found[group], _fitting(limits, self.most_minutes / ATTEMPTS))
        return found

    @property
    def counts(self) -> dict[str, int]:
        """Group -> number of submissions."""
        counts = {group: ceil(count / self.components[group]) for group, (count, _) in self._sizes().items()}
        return counts | ({"study": 1} if any(w.dataset == "" for w in self.work) else {})

    @cached_property
    def minutes(self) -> dict[str, int]:
        """Rule -> limit of a job's minutes at the first attempt; rules not named state their own."""
        longest: dict[str, float] = {}
        for work in self.work:
            longest[work.rule] = max(longest.get(work.rule, 0.0), work.seconds)
        return {
            rule: max(1, ceil(_SPARE * seconds / 60)) for rule, seconds in longest.items() if rule not in _OWN_LIMITS
        }

    def _asked(self, work: Work) -> int:
        """Return the limit of a job's minutes at the first attempt."""
        return self.minutes[work.rule] if work.minutes is None else work.minutes

    def arguments(self) -> list[str]:
        """Return the options that say all this to Snakemake."""
        limits = self.minutes
        options = ["--groups", *(f"{rule}={group}" for rule, group in self.groups.items())]
        options += ["--group-components", *(f"{group}={n}" for group, n in self.components.items())]
        options += ["--set-resources", *(f"{rule}:lane=1" for rule in self.groups)]
        return options + [f"{rule}:runtime=attempt * {limits[rule]}" for rule in limits]

    def as_text(self) -> str:
        """Return what will be submitted, in a line."""
        jobs, total = len(self.work), sum(work.seconds for work in self.work)
        number = sum(self.counts.values())
        submissions = f"{number} submission{'s' * (number != 1)}"
        if all(map(self._is_there, self.work)):
            return f"all is there; what is to be made again goes as {submissions} at most"
        each = max(1, round(total / number / 60))
        starting = jobs * (SECONDS_OF_START + JOB_SECONDS) / total
        hint = f"; {starting:.0%} of it to start jobs: larger blocks in the study save that"
        shown = hint if starting > _MUCH and total > self.seconds else ""
        return f"{jobs} jobs as {submissions} (about {each} min each, as far as is known{shown})"

    # What there is to do

    def _all(self) -> Iterator[Work]:
        plan = self.plan
        protocol, resources = plan.study.protocol, plan.resources
        for dataset in plan.datasets:
            root = f"{plan.root}/{dataset}"
            yield self._of("prepare", dataset, f"results/datasets/{dataset}.parquet", JOB_SECONDS)
            yield self._of("folds", dataset, f"{root}/folds.parquet", JOB_SECONDS)
            drawn = {
                f: None
                for pool in plan.study.used_pools
                for block in plan.study.blocks
                for f in plan.rotation_files(dataset, pool, block)
            }
            for file in drawn:
                yield self._of("rotations", dataset, file, JOB_SECONDS)
            for pool in plan.study.used_pools:
                yield from self._trainings(dataset, pool)
            rows = resources.rows(dataset)
            for label in plan.study.methods:
                thought = resources.usual_combining_seconds(dataset, label)
                limit = resources.combine_minutes(dataset, label, 1)
                yield self._of("combine", dataset, f"{root}/methods/{slug(label)}.nc", thought, limit)
            scored = JOB_SECONDS + 2e-6 * rows * protocol.n_cells * len(plan.study.methods)
            yield self._of("score", dataset, f"{root}/scores.parquet", scored)
            for rule, figures in (("draw_dataset", plan.figures), ("draw_pruning", plan.pruning_figures)):
                if figures:
                    file = f"{plan.root}/figures/{dataset}/{figures[0]}.svg"
                    yield self._of(rule, dataset, file, JOB_SECONDS + len(figures))
            if dataset in plan.refitted:
                yield self._of("refit", dataset, f"{root}/model/model.skops", 2 * JOB_SECONDS)
            if dataset in plan.refitted and plan.explanations:
                yield self._of("explain", dataset, f"{root}/explain.html", 4 * JOB_SECONDS)
        yield self._of("summarize", "", f"{plan.root}/scores.parquet", JOB_SECONDS + len(plan.datasets))
        yield self._of("draw_study", "", plan.study_figure_files("svg")[0], 3 * JOB_SECONDS)
        if plan.published:
            yield self._of("published", "", plan.published[0], JOB_SECONDS)
        yield self._of("report", "", f"{plan.root}/report.html", JOB_SECONDS)

    def _trainings(self, dataset: str, pool: str) -> Iterator[Work]:
        """Give the trainings of a pool; blocks that are yet to come take in proportion what others took."""
        files = dict(zip(self.plan.study.blocks, self.plan.pool_files(dataset, pool), strict=True))
        thought = {block: self.plan.resources.usual_seconds(dataset, pool, block) for block in files}
        known = {block: took for block, file in files.items() if (took := _took(file)) is not None}
        rate = sum(known.values()) / sum(thought[block] for block in known) if known else 1.0
        limit = self.plan.resources.train_minutes(dataset, pool, 1)
        for block, file in files.items():
            yield self._of("train", dataset, file, rate * thought[block], limit)

    @staticmethod
    def _of(rule: str, dataset: str, file: str, thought: float, minutes: int | None = None) -> Work:
        took = _took(file)
        seconds = SECONDS_OF_START + (thought if took is None else JOB_SECONDS + took)
        return Work(rule, dataset, file, seconds, minutes)

    def _seconds_by(self, key: str) -> dict[str, float]:
        sums: dict[str, float] = {}
        for work in self.work:
            if work.dataset:
                name = getattr(work, key)
                sums[name] = sums.get(name, 0.0) + work.seconds
        return sums

    def _sizes(self) -> dict[str, tuple[int, float]]:
        """Return group -> how many components it has that are independent of each other, and their seconds."""
        by_dataset = self._seconds_by("dataset")
        if self.whole:
            return {"datasets": (len(by_dataset), sum(by_dataset.values()))} if by_dataset else {}
        sizes: dict[str, tuple[int, float]] = {}
        for part in dict.fromkeys(_PARTS.values()):
            works = [w for w in self.work if w.dataset and _PARTS[w.rule] == part]
            if works:
                count = len({self._component(w) for w in works})
                sizes[part] = count, sum(w.seconds for w in works)
        return sizes

    def _component(self, work: Work) -> tuple[str, str]:
        """Return the group of a job, and what it is done with there: its data set, or nothing but itself."""
        if self.whole:
            return "datasets", work.dataset
        part = _PARTS[work.rule]
        return part, work.file if part in ("train", "combine") else work.dataset

    def _limits(self) -> dict[str, list[int]]:
        """Return group -> the minutes that each of its components asks for at the first attempt."""
        asked: dict[tuple[str, str], int] = {}
        for work in self.work:
            if work.dataset:
                component = self._component(work)
                asked[component] = asked.get(component, 0) + self._asked(work)
        found: dict[str, list[int]] = {}
        for (group, _), minutes in asked.items():
            found.setdefault(group, []).append(minutes)
        return found


def _fitting(limits: list[int], most: float) -> int:
    """Return how many components may share a submission, whichever these are; one, if not even that fits."""
    within = takewhile(lambda total: total <= most, accumulate(sorted(limits, reverse=True)))
    return max(1, len(list(within)))


def _took(file: str) -> float | None:
    """Return the seconds of the record beside a file, if it has one that can be read."""
    try:
        record = json.loads(Path(file).with_suffix(".run.json").read_text(encoding="utf-8"))
        return float(record["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
