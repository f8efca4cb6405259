"""Read the table of ``rotastack run TABLE``, lay out its study, and describe both before the training."""

from argparse import Namespace
from dataclasses import dataclass, field
from typing import Any

from rotastack.errors import RotastackError, nearest

__all__ = ["KINDS", "OwnTable", "declared_kinds", "look_at"]

KINDS = ("numeric", "categorical", "id")
"""Kinds of ``--kind``; an id is left out."""
_LEAST_PARTS = 10
"""The fewest groups or times that can be divided into training and test rows."""


@dataclass
class OwnTable:
    """A table as the program reads it, and the study made from it.

    Attributes
    ----------
    study : dict
    place : Place
        Where the study is written.
    megabytes : int
        Memory for all jobs together: the free memory, or the request of the largest job if that is more.
    lines : list of tuple of str
        Lines printed before the run: a heading and its text.
    about : dict
        The facts in `lines`, for programs.
    """

    study: dict[str, Any]
    place: Any
    megabytes: int
    lines: list[tuple[str, str]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The lines, with their headings in one column."""
        return "\n".join(f"{word:10s}{text}" for word, text in self.lines)


def look_at(arguments: Namespace) -> OwnTable:
    """Read the table, decide its task and the kinds of its columns, and lay out its study.

    Raises
    ------
    RotastackError
        The table cannot be used; the message says why.
    """
    import warnings

    from rotastack.base.preprocessing import TablePreprocessor
    from rotastack.data.divisions import division_numbers, united
    from rotastack.data.suspicions import copies_of, suspicions
    from rotastack.data.tables import read_with_notes
    from rotastack.data.target import check_target, decide_task, with_target
    from rotastack.stats.metrics import NAMES
    from rotastack.use import own_study, own_table

    table = arguments.study
    if arguments.target is None:
        frame, _ = read_with_notes(table)
        raise RotastackError(f"{table}: --target COLUMN is missing; columns: {_few(map(str, frame.columns), 20)}")
    declared = declared_kinds(arguments.kind)
    frame, reading = read_with_notes(table, arguments.target, declared)
    frame, without = with_target(frame, arguments.target, str(table))
    task, reason = decide_task(frame["target"])
    if arguments.task and arguments.task != task:
        task, reason = arguments.task, f"--task; default {task}: {reason}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        target = check_target(frame["target"], str(table), task)
        features = frame.drop(columns="target")
        kinds = dict.fromkeys(own_table.counts_among(features), "numeric") | declared
        try:
            groups = [column for column in (arguments.groups, arguments.split_column) if column is not None]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # lines below name the columns that are left out
                preprocessor = TablePreprocessor(kinds | dict.fromkeys(groups, "id"), encoding="onehot").fit(features)
            n_columns = len(preprocessor.get_feature_names_out())
        except RotastackError as error:
            raise RotastackError(f"{table}: {str(error).removeprefix(f'{table}: ')}") from None
    if len(frame) < own_table.LEAST_ROWS:
        raise RotastackError(f"{table}: the table has {len(frame)} rows; at least {own_table.LEAST_ROWS} are needed")
    divided_by: dict[str, Any] = {
        key: column
        for key in ("groups", "time", "split 1")
        if (column := _dividing(arguments, key, features)) is not None
    }
    splits = _splits(arguments, features, target, task) if "split 1" in divided_by else []
    copies = copies_of(features, preprocessor.kinds_) if divided_by.keys() <= {"groups"} else None
    if copies is not None and "groups" in divided_by:
        copies = united(division_numbers(features, arguments.groups, "groups", str(table)), copies)
    if copies is not None and copies.max() + 1 >= _LEAST_PARTS:
        divided_by["copies_together"] = True
    n_classes = target.nunique() if task == "classification" else 0
    shape = own_table.Shape(task, len(frame), n_columns, n_classes)
    n_cores, memory = cores(arguments.cores), arguments.memory or _memory()
    labels = _methods(arguments.methods, own_table.labels_of(task))
    layout = own_table.laid_out(shape, arguments.size or "medium", arguments.time, n_cores, divided_by, splits, labels)
    score, why = _score(arguments.score, target, task)
    study = own_study.study_of(arguments.study, arguments.target, shape, layout, score, kinds, labels)
    needed, _ = _megabytes(study)
    left_out = {label: needed[label] for label in labels if needed[label] > memory}
    if len(labels) - len(left_out) < 2:
        least = sorted(needed.values())[1]
        raise RotastackError(
            f"{table}: {memory:,.0f} MB of memory are available; two methods need at least {least:,.0f} MB"
        )
    labels = [label for label in labels if label not in left_out]
    study = own_study.study_of(arguments.study, arguments.target, shape, layout, score, kinds, labels)
    place = own_study.place_of(study)
    own = OwnTable(study, place, max(int(memory), _megabytes(study)[1]))
    own.lines.append(("table", str(reading)))
    other = {"classification": "regression", "regression": "classification"}[task]
    hint = f"; --task {other} for {other}" if " numbers in " in reason and arguments.task is None else ""
    own.lines.append(("target", f"{arguments.target}: {task} ({reason}{hint}){_classes(target, task)}"))
    kinds = _kinds(preprocessor)
    own.lines.append(("columns", "; ".join(f"{len(v)} {kind} ({_few(v)})" for kind, v in kinds.items() if v)))
    dropped = preprocessor.dropped_in_words()
    for column in groups:
        dropped.pop(column, None)
    own.lines += [("dropped", f"{column}: {why}") for column, why in list(dropped.items())[:10]]
    keep = next(
        (column for column in dropped if preprocessor.kinds_[column] in ("id", "text") and column not in kinds), None
    )
    if keep is not None:
        own.lines.append(("", f"to keep a column: --kind '{keep}=categorical' or numeric"))
    if len(dropped) > 10:
        own.lines.append(("", f"and {len(dropped) - 10} more columns; the report lists all"))
    missing = features[[c for c in features if c not in dropped]].isna().mean()
    holes = missing[missing > 0].sort_values(ascending=False)
    if len(holes):
        own.lines.append(
            ("missing", _few([f"{c} {share:.0%}" if share >= 0.01 else f"{c} below 1%" for c, share in holes.items()]))
        )
    own.lines += [("look at", text) for text in suspicions(features, target, task, preprocessor.kinds_, divided_by)]
    notes = [*reading.notes, *without, *(str(w.message).removeprefix(f"{table}: ") for w in caught)]
    own.lines += [("note", note) for note in notes]
    if place.edited:
        text = f"{place.path} was edited and is used unchanged: options of the table have no effect (to write a new study, delete the file)"
        own.lines.append(("study", f"{text}; the kinds of columns are those of the file, not those above"))
    else:
        sizes = {label: next(iter(layout.parameters(label).values()), None) for label in labels}
        trees = ", ".join(label if n is None else f"{label} {n}" for label, n in sizes.items())
        own.lines.append(("methods", f"{trees} (numbers of trees; Rotastack: trees per family)"))
        own.lines += [
            (
                "left out",
                f"{label} needs about {megabytes / 1000:.1f} GB of memory, available are {memory / 1000:.1f} GB (--memory)",
            )
            for label, megabytes in left_out.items()
        ]
        shortened = " (shortened to keep the time limit)" if layout.shortened else ""
        own.lines.append(("score", f"{NAMES[score]}, {why}"))
        own.lines.append(("test", f"{layout.test_in_words}{shortened}"))
        own.lines.append(("time", _time(layout.seconds, arguments, n_cores, max(needed[label] for label in labels))))
        replaced = f", replaces the old file ({place.replaced})" if place.replaced else ""
        own.lines.append(("study", f"{place.path}{replaced}"))
    own.about = {
        "table": str(table), "rows": len(frame), "target": arguments.target, "task": task, "task_reason": reason, "score": score,
        "columns": kinds, "dropped": dropped, "estimated_seconds": round(layout.seconds),
    }  # fmt: skip
    return own


def _dividing(arguments: Namespace, key: str, features: Any) -> str | None:
    """Return the column that divides the rows, checked; None if its option is not given."""
    from rotastack.data.divisions import division_numbers

    option = {"groups": "--groups", "time": "--time-column", "split 1": "--split-column"}[key]
    column: str | None = getattr(arguments, option[2:].replace("-", "_"))
    if column is None:
        return None
    if column == arguments.target:
        raise RotastackError(f"{arguments.study}: {option}: column {column!r} is the target; name another column")
    try:
        n = int(division_numbers(features, column, key, str(arguments.study)).max()) + 1
    except RotastackError as error:
        raise RotastackError(
            str(error).replace(f"protocol.{key}", option).replace("protocol.columns", option)
        ) from None
    if key != "split 1" and n < _LEAST_PARTS:
        raise RotastackError(
            f"{arguments.study}: {option}: column {column!r} has {n} different values; at least {_LEAST_PARTS} are needed"
        )
    return column


def _splits(arguments: Namespace, features: Any, target: Any, task: str) -> list[tuple[Any, Any]]:
    """Return the training and test rows of the splits in a column of the table."""
    import numpy as np

    from rotastack.data.divisions import division_numbers
    from rotastack.run.splits.folds import given_splits

    classes, y = np.unique(target, return_inverse=True)
    try:
        folds = division_numbers(features, arguments.split_column, "split 1", str(arguments.study))
        return given_splits([folds], y, list(map(str, classes)) if task == "classification" else [])
    except RotastackError as error:
        raise RotastackError(f"{arguments.study}: --split-column: {error}") from None


def _score(given: str | None, target: Any, task: Any) -> tuple[str, str]:
    """Return the score that methods are ranked by, and why."""
    from rotastack.stats.metrics import METRICS, score_named
    from rotastack.use.own_table import default_score

    score, why = default_score(target, task)
    if given is None:
        others = ", ".join(name for name, higher in METRICS[task].items() if name != score and higher is not None)
        return score, f"{why} (--score: {others})"
    try:
        return score_named(given, task), f"--score; default {score}, {why}"
    except ValueError as error:
        raise RotastackError(f"--score: {error}") from None


def declared_kinds(given: list[str]) -> dict[str, str]:
    """Return column -> kind of the values of ``--kind``."""
    kinds = {}
    for item in given:
        column, _, kind = item.rpartition("=")
        if not column or kind not in KINDS:
            raise RotastackError(f"--kind: {item!r} is not COLUMN=KIND; kinds: {', '.join(KINDS)}")
        kinds[column] = kind
    return kinds


def _methods(given: str | None, labels: list[str]) -> list[str]:
    """Return the labels that ``--methods`` names, or leaves if it begins with "all but", in their order."""
    if given is None:
        return labels
    without = given.lower().strip().startswith("all but ")
    named = [part.strip() for part in (given.strip()[8:] if without else given).split(",")]
    known = {label.lower(): label for label in labels}
    for name in named:
        if name.lower() not in known:
            raise RotastackError(
                f"--methods: {name!r} is not a method{nearest(name, labels)}; methods: {', '.join(labels)}"
            )
    kept = {known[name.lower()] for name in named}
    chosen = [label for label in labels if (label in kept) != without]
    if len(chosen) < 2:
        raise RotastackError(
            f"--methods: {given!r} leaves {len(chosen)} of {len(labels)} methods; at least two are compared"
        )
    return chosen


def cores(given: str) -> int:
    """Return the number of cores for ``--cores``, which is a number or ``all``."""
    import os

    if given == "all":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not given.isdigit() or int(given) < 1:
        raise RotastackError(f"--cores must be all or a whole number of at least 1, found {given!r}")
    return int(given)


def _megabytes(study: dict[str, Any]) -> tuple[dict[str, int], int]:
    """Return the estimated memory of training each method, and the largest request of any job."""
    from rotastack.run.resources import Resources
    from rotastack.study.study import Study

    checked = Study.from_mapping(study, study["name"])
    resources = Resources(checked, checked.datasets)
    usual = {label: resources.usual_mb(study["name"], method["pool"]) for label, method in study["methods"].items()}
    return usual, resources.largest_mb()


def _memory() -> float:
    """Return the free memory of the machine or its container, in megabytes."""
    from pathlib import Path

    import psutil

    limit, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    left = float(psutil.virtual_memory().available)
    if limit.is_file() and used.is_file() and (most := limit.read_text().strip()) != "max":
        left = min(left, float(most) - float(used.read_text()))
    return left / 1e6


def megabytes_of(text: str) -> float:
    """Return a size such as ``500M`` or ``8G`` in megabytes; raise ValueError for any other text."""
    unit = {"m": 1.0, "g": 1e3, "t": 1e6}.get(text.lower().removesuffix("b")[-1:], 0.0)
    number = float(text.lower().removesuffix("b")[:-1]) if unit else 0.0
    if not number > 0:
        raise ValueError(text)
    return number * unit


def _time(seconds: float, arguments: Namespace, n_cores: int, megabytes: float) -> str:
    from rotastack.run.progress import duration
    from rotastack.use.own_table import BUDGETS

    text = f"about {duration(seconds)} on {n_cores} core{'s' * (n_cores > 1)}"
    text += f", up to {megabytes / 1000:.1f} GB of memory per core"
    if arguments.time is not None and seconds > arguments.time:
        return f"{text}: longer than --time; no shorter comparison exists"
    if arguments.time is None and seconds > 2 * BUDGETS["small"] and (arguments.size or "medium") != "small":
        return f"{text}; --size small or --time 1m is faster"
    return text


def _kinds(preprocessor: Any) -> dict[str, list[str]]:
    """Return kind of column -> names of the used columns of this kind."""
    kinds: dict[str, list[str]] = {}
    for column, kind in preprocessor.kinds_.items():
        if column not in preprocessor.dropped_:
            kinds.setdefault(kind, []).append(str(column))
    return kinds


def _classes(target: Any, task: str) -> str:
    """Return text on the target: its least and largest number, or the number of rows of each class."""
    if task == "regression":
        return f"; from {target.min():.6g} to {target.max():.6g}"
    counts = target.value_counts()
    return f"; rows of each class: {_few([f'{label}: {n}' for label, n in counts.items()])}"


def _few(names: Any, most: int = 8) -> str:
    names = list(names)
    return ", ".join(names[:most]) + (f", ... ({len(names) - most} more)" if len(names) > most else "")


def seconds_of(text: str) -> float:
    """Return a time such as ``90s``, ``10m`` or ``1.5h`` in seconds; raise ValueError for any other text."""
    unit = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(text[-1:], 0.0)
    number = float(text[:-1] if unit else text)
    if not (unit and number > 0):
        raise ValueError(text)
    return number * unit
