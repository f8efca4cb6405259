"""The user's own table, the study that is made of it, and the lines on both that the command prints before the training."""

from argparse import Namespace
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rotastack.base.categories import category_numbers
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.base.reading import stored_readings
from rotastack.data.copies import copies_of
from rotastack.data.divisions import division_numbers, united
from rotastack.data.scales import suggested_orders
from rotastack.data.suspicions import suspicions
from rotastack.data.tables import read_with_notes
from rotastack.errors import RotastackError, counted, nearest, not_installed_message, shortened
from rotastack.stats.metrics import NAMES, ranked_scores, score_named
from rotastack.workflow.judge.words import in_digits
from rotastack.workflow.run.folds import given_splits
from rotastack.workflow.run.progress import duration
from rotastack.workflow.run.resources import Resources
from rotastack.workflow.study.building import described
from rotastack.workflow.study.names import LONGEST
from rotastack.workflow.study.study import Study
from rotastack.workflow.use import own_study
from rotastack.workflow.use.fitted_table import read_target
from rotastack.workflow.use.study_file import division_in_words, study_file

KINDS = ("numeric", "categorical", "text", "id")
"""Kinds of ``--kind``; an id is left out."""
_LEAST_PARTS = 10
"""The fewest groups or times that can be divided into training and test rows."""
_DIVIDING = {"groups": "groups", "time": "time-column", "split 1": "split-column"}
"""Key of the protocol -> option with the column that divides the rows."""


class OwnTable:
    """The user's own table, its study with the study's file and memory, and lines and facts on table and study.

    The `arguments` are those of ``rotastack run``. A table in memory is the `source`, and ``arguments.study`` names it;
    `seed` is that of the study.
    """

    def __init__(
        self, arguments: Namespace, n_cores: int, source: pd.DataFrame | None = None, seed: int = own_study.SEED
    ):
        self.arguments, self.n_cores, self.source, self.seed = arguments, n_cores, source, seed
        self.table, self.dashes = str(arguments.study), "--" if source is None else ""
        if arguments.size not in (None, *own_study.SIZES):
            allowed = ", ".join(own_study.SIZES)
            raise RotastackError(f"{self.dashes}size: {arguments.size!r} is not a size for tables; allowed: {allowed}")
        self.limit = self._limit()
        self._read()
        self._choose_design()
        if source is None:
            self.file = study_file(self.content)

    def _limit(self) -> float | None:
        """Return the limit of the run's time in seconds, if there is one."""
        time = self.arguments.time
        with suppress(ValueError):
            if time is None or (seconds := pd.Timedelta(time).total_seconds()) >= 0.1:  # a number counts nanoseconds
                return None if time is None else seconds
        raise RotastackError(f"{self.dashes}time: {time!r} is not a duration; examples: 90s, 10m, 2h")

    def _read(self) -> None:
        """Read the table, and decide its task and the kinds of its columns."""
        arguments = self.arguments
        if arguments.target is None:
            names = read_with_notes(self.table)[0].columns
            raise RotastackError(f"{self.table}: --target COLUMN is missing; columns: {shortened(names, 20)}")
        self.read = read_target(
            self.table, arguments.target, arguments.task, declared_kinds(arguments.kind), self.source, arguments.test
        )
        if arguments.test is not None:
            arguments.split_column = str(self.read.features.columns[-1])
        self.features, self.target, self.task = self.read.features, self.read.target, self.read.task
        unread = arguments.groups if arguments.time_column is None else None, arguments.split_column
        self.dividing = [c for c in unread if c is not None]
        kinds = self.read.kinds | dict.fromkeys(self.dividing, "id")
        try:
            self.reader, told = self.read.described(TablePreprocessor(kinds, encoding="onehot"))
        except RotastackError as error:
            raise RotastackError(f"{self.table}: {str(error).removeprefix(f'{self.table}: ')}") from None
        if len(self.features) < own_study.LEAST_ROWS:
            raise RotastackError(
                f"{self.table}: the table has {len(self.features)} rows; at least {own_study.LEAST_ROWS} are needed"
            )
        self.read.notes.extend(text for text in told if not text.startswith("columns left out"))
        why = self.reader.dropped_in_words()
        self.dropped = {column: text for column, text in why.items() if column not in self.dividing}
        self.kinds: dict[str, list[str]] = {}  # kind -> used columns
        for column, kind in self.reader.kinds_.items():
            if column not in self.reader.dropped_:
                self.kinds.setdefault(kind, []).append(str(column))

    def _choose_design(self) -> None:
        """Choose the splits, the score, and the methods that fit into memory; lay out the study."""
        arguments, features = self.arguments, self.features
        self.divided_by: dict[str, Any] = dict(self._division())
        splits = self._splits() if "split 1" in self.divided_by else []
        copies = copies_of(features, self.reader.kinds_) if self.divided_by.keys() <= {"groups"} else None
        if copies is not None and "groups" in self.divided_by:
            copies = united(division_numbers(features, arguments.groups, "groups", self.table), copies)
        if copies is not None and copies.max() + 1 >= _LEAST_PARTS:
            self.divided_by["copies_together"] = True
        n_classes = self.target.nunique() if self.task == "classification" else 0
        columns, inputs = len(self.reader.get_feature_names_out()), len(self.reader.needed_)
        shape = own_study.Shape(self.task, len(features), columns, n_classes, inputs)
        known = own_study.labels_of(self.task), own_study.packages_of(self.task)
        labels, others = _methods(arguments.methods, *known, f"{self.dashes}methods")
        many = n_classes > own_study.MOST_CLASSES and arguments.methods is None
        self.slow = [label for label in labels if many and label in own_study.BOOSTERS]
        labels = [label for label in labels if label not in self.slow]
        size, self.memory = arguments.size or "medium", arguments.memory or _memory()
        self.design = own_study.choose_design(
            shape, size, self.limit, self.n_cores, labels, self.divided_by, splits, others
        )
        self.score, self.why = self._score()

        self._lay_out(labels)
        resources, name = Resources(self.study), self.study.name
        self.needed = {label: resources.usual_mb(name, method.pool) for label, method in self.study.methods.items()}
        fitting = [label for label in labels if self.needed[label] <= self.memory]
        if len(fitting) < 2:
            least = sorted(self.needed.values())[1]
            raise RotastackError(
                f"{self.table}: {self.memory:,.0f} MB of memory are available; two methods need at least {least:,.0f} MB"
            )
        if fitting != labels:
            self._lay_out(fitting)

    def _lay_out(self, labels: list[str]) -> None:
        """Make the study of the methods in `labels`: the content of its file, and the checked study."""
        self.content = own_study.study_of(
            self.table,
            self.arguments.target,
            self.design,
            self.score,
            self.read.kinds,
            labels,
            self.seed,
            self.arguments.trust,
            self.arguments.test,
        )
        self.study = Study.from_mapping(self.content, "random_state" if self.source is not None else self.table)

    def _division(self) -> Iterable[tuple[str, str]]:
        """Yield keys of the protocol with the columns by which the options divide the rows, checked."""
        if self.arguments.groups is not None and self.arguments.split_column is not None:
            raise RotastackError(f"{self.table}: --groups and --split-column exclude each other; drop one option")
        for key, option in _DIVIDING.items():
            column: str | None = getattr(self.arguments, option.replace("-", "_"))
            if column is None:
                continue
            option = f"{self.dashes}{option}"
            if column in (self.arguments.target, self.arguments.groups if key == "time" else None):
                what = "the target" if column == self.arguments.target else "the column of --groups"
                raise RotastackError(f"{self.table}: {option}: column {column!r} is {what}; name another column")
            try:
                n = int(division_numbers(self.features, column, key, self.table).max()) + 1
            except RotastackError as error:
                text = str(error).replace(f"protocol.{key}", option).replace("protocol.columns", option)
                raise RotastackError(text) from None
            least = 2 if key == "groups" and self.arguments.time_column is not None else _LEAST_PARTS
            if key != "split 1" and n < least:
                raise RotastackError(
                    f"{self.table}: {option}: column {column!r} has {n} different values; at least {least} are needed"
                )
            yield key, column

    def _splits(self) -> list[tuple[Any, Any]]:
        """Return the training and test rows of the splits in a column of the table."""
        classes, y = np.unique(self.target, return_inverse=True)
        try:
            folds = division_numbers(self.features, self.arguments.split_column, "split 1", self.table)
            return given_splits([folds], y, list(map(str, classes)) if self.task == "classification" else [])
        except RotastackError as error:
            raise RotastackError(
                f"{self.table}: {self.dashes}{'test' if self.arguments.test else 'split-column'}: {error}"
            ) from None

    def _score(self) -> tuple[str, str]:
        """Return the score that methods are ranked by, and why."""
        score, why = own_study.default_score(self.target, self.task)
        if self.arguments.score is None:
            others = [name for name in ranked_scores(self.task) if name != score]
            return score, f"{why} (--score: {', '.join(others)})"
        try:
            named = score_named(self.arguments.score, self.task)
            ranked = "; only methods that predict intervals are ranked" if named == "pinball" else ""
            return named, f"--score; default {score}, {why}{ranked}"
        except ValueError as error:
            raise RotastackError(f"{self.dashes}score: {error}") from None

    @property
    def about(self) -> dict[str, Any]:
        """Facts on the table and its study, for JSON."""
        return {
            "table": self.table,
            "rows": len(self.features),
            "target": self.arguments.target,
            "task": self.task,
            "task_reason": self.read.reason,
            "score": self.score,
            "columns": self.kinds,
            "dropped": self.dropped,
            "estimated_seconds": round(self.design.seconds),
        }

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Lines, each with its heading, on the table and on the study that is made of it."""
        return [*self._lines_of_table(), *self._lines_of_study()]

    def _lines_of_table(self) -> list[tuple[str, str]]:
        """Return lines on the table's format, target and columns, and on doubts that the user should check."""
        name, task, reason, dropped = self.arguments.target, self.task, self.read.reason, self.dropped
        other = {"classification": "regression", "regression": "classification"}[task]
        hint = f"; --task {other} for {other}" if " numbers in " in reason and self.arguments.task is None else ""
        units = {c: f"{c}{how.in_unit}" for c, how in stored_readings(self.features).items()}
        columns = {kind: [units.get(c, c) for c in names] for kind, names in self.kinds.items()}
        lines = [
            ("table", str(self.read.reading)),
            ("target", f"{units.get(name, name)}: {task} ({reason}{hint}){_values(self.target, task)}"),
            ("columns", "; ".join(f"{len(v)} {kind} ({shortened(v)})" for kind, v in columns.items())),
            *(("dropped", f"{column}: {why}") for column, why in list(dropped.items())[:10]),
        ]
        found = self.reader.kinds_
        if keep := [c for c in dropped if found[c] in ("id", "objects") and c not in self.read.kinds]:
            lines.append(("", f"to keep a column: --kind '{keep[0]}=categorical' or text"))
        if len(dropped) > 10:
            lines.append(("", f"and {len(dropped) - 10} more columns; the report lists all"))
        orders = self.reader.orders_  # a value outside of its column's order counts as missing
        gaps = {
            c: category_numbers(v, orders[c]) == len(orders[c]) if c in orders else v.isna()
            for c, v in self.features.items()
            if c not in dropped
        }
        holes = pd.DataFrame(gaps).mean().loc[lambda share: share > 0].sort_values(ascending=False).items()
        if texts := [f"{c} {share:.0%}" if share >= 0.01 else f"{c} below 1%" for c, share in holes]:
            lines.append(("missing", shortened(texts)))
        checks = [
            *suggested_orders(self.features, found),
            *suspicions(self.features, self.target, task, found, self.divided_by),
        ]
        return [*lines, *(("check", text) for text in checks), *(("note", note) for note in self.read.notes)]

    def _lines_of_study(self) -> list[tuple[str, str]]:
        """Return lines on the study's methods, score, splits, time and file."""
        file, design = self.file, self.design
        if file.edited:
            text = f"{file.path} was edited and is used as it is: options for the table have no effect (to write a new study, rename the file)"
            return [("study", f"{text}; the kinds of columns are those of the file, not those above")]
        labels = list(self.study.methods)
        sizes = {label: next(iter(design.trees(label).values()), None) for label in labels}
        trees = ", ".join(label if n is None else f"{label} {n}" for label, n in sizes.items())
        available = f"{self.memory / 1000:.1f} GB are available (--memory)"
        least = Resources(self.study).largest_mb()
        beyond = f"{available}; the largest job requests {least / 1000:.1f} GB, and runs alone"
        return [
            ("methods", f"{trees} (numbers of trees; Rotastack: trees per family)"),
            *(
                (
                    "left out",
                    f"{label} grows a tree for each of {self.target.nunique()} classes in each round (--methods names it)",
                )
                for label in self.slow
            ),
            *(
                ("left out", f"{label} needs about {megabytes / 1000:.1f} GB of memory, {available}")
                for label, megabytes in self.needed.items()
                if label not in labels
            ),
            ("score", f"{NAMES[self.score]}, {self.why}"),
            (
                "test",
                f"{division_in_words(design.protocol, self.arguments.test)}{' (shortened to meet the time limit)' * design.shortened}",
            ),
            *([("memory", beyond)] if least > self.memory else []),
            ("time", self._time(max(self.needed[label] for label in labels))),
            (
                "study",
                f"{file.path}{' (shortened name)' * (len(Path(self.table).stem) > LONGEST)}{f', replaces the old file ({file.replaced})' if file.replaced else ''}",
            ),
        ]

    def _time(self, megabytes: float) -> str:
        """Return words on the expected time and memory, with a hint at options if the time is long."""
        seconds = self.design.seconds
        text = f"about {duration(seconds)} on {counted(self.n_cores, 'core')}, up to {megabytes / 1000:.1f} GB of memory per core"
        if self.limit is not None and seconds > self.limit:
            return f"{text}: longer than --time, but no comparison is shorter"
        if (
            self.limit is None
            and seconds > 2 * own_study.BUDGETS["small"]
            and (self.arguments.size or "medium") != "small"
        ):
            return f"{text}; --size small or --time 1m is faster"
        return text


def declared_kinds(given: list[str]) -> dict[str, str | list[str]]:
    """Return column -> kind, or ordered values, of the values of ``--kind``."""
    kinds: dict[str, str | list[str]] = {}
    for item in given:
        column, _, kind = item.rpartition("=")
        order = [value.strip() for value in kind.split("<")]
        if not column or (len(order) == 1 and kind not in KINDS) or len(set(order)) < len(order) or "" in order:
            raise RotastackError(
                f"--kind: {item!r} is not COLUMN=KIND; kinds: {', '.join(KINDS)}, or an order: first<next<last"
            )
        kinds[column] = kind if len(order) == 1 else order
    return kinds


def _methods(
    given: Any, labels: list[str], packages: Mapping[str, str], option: str
) -> tuple[list[str], dict[str, own_study.OwnMethod]]:
    """Return the labels that an option chooses, in the order of `labels`, and label -> method for the user's own methods.

    The option names the methods, or begins with "all but" and names the others. The user's own methods are classes by
    their paths, estimators, and pairs of a name and an estimator.
    """
    if given is None:
        return labels, {}
    text = given if isinstance(given, str) else ""
    without = text.lower().strip().startswith("all but ")
    parts = (text.strip()[8:] if without else text).split(",") if text else given
    named, others = [], dict[str, own_study.OwnMethod]()
    for part in parts:
        if isinstance(part, str) and ("." not in part or without):
            named.append(part.strip())
            continue
        name, estimator = part if isinstance(part, tuple) else (None, part)
        spec: dict[str, Any] = {"class": part.strip()} if isinstance(part, str) else described(estimator, option)
        label = name or spec["class"].rpartition(".")[2]
        others[label] = own_study.OwnMethod(
            f"other_{len(others) + 1}", spec["class"], False, spec.get("parameters", {})
        )
    known = {label.lower(): label for label in packages}
    for name in named:
        label = known.get(name.lower())
        if label is not None and label not in labels and not without:
            raise RotastackError(f"{option}: {label}: {not_installed_message(packages[label])}")
        if label is None:
            raise RotastackError(
                f"{option}: {name!r} is not a method{nearest(name, labels)}; methods: {', '.join(labels)}"
            )
    kept = {known[name.lower()] for name in named}
    chosen = [*(label for label in labels if (label in kept) != without and label not in others), *others]
    if len(chosen) < 2:
        raise RotastackError(
            f"{option}: {given!r} leaves {len(chosen)} of {len(labels)} methods; at least 2 are needed"
        )
    return chosen, others


def _memory() -> float:
    """Return the free memory of the machine or its container, in megabytes."""
    import psutil

    limit, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    left = float(psutil.virtual_memory().available)
    if limit.is_file() and used.is_file() and (most := limit.read_text().strip()) != "max":
        left = min(left, float(most) - float(used.read_text()))
    return left / 1e6


def _values(target: Any, task: str) -> str:
    """Return text on the target: its least and largest number, or the number of rows of each class."""
    if task == "regression":
        return "; from {} to {}".format(*in_digits([target.min(), target.max()], target.std()))
    return f"; rows of each class: {shortened(f'{label}: {n}' for label, n in target.value_counts().items())}"
