"""Read the table of ``rotastack run TABLE``, lay out its study, and describe both before the training."""

from argparse import Namespace
from typing import Any, NamedTuple

from rotastack.errors import RotastackError, nearest

__all__ = ["KINDS", "OwnTable", "declared_kinds", "look_at"]

KINDS = ("numeric", "categorical", "id")
"""Kinds of ``--kind``; an id is left out."""
_LEAST_PARTS = 10
"""The fewest groups or times that can be divided into training and test rows."""


class OwnTable(NamedTuple):
    """The study of a table, its place, the megabytes of all its jobs together, and lines (heading, text) and facts on both."""

    study: dict[str, Any]
    place: Any
    megabytes: int
    lines: list[tuple[str, str]]
    about: dict[str, Any]


class _Read(NamedTuple):
    """What the table holds: its columns and their kinds, the target and its task."""

    features: Any
    target: Any
    task: Any
    reason: str
    kinds: dict[str, str]
    preprocessor: Any
    reading: Any
    notes: list[str]


class _Laid(NamedTuple):
    """What will be run: the study, its costs, and what was left out."""

    study: dict[str, Any]
    layout: Any
    score: str
    why: str
    divided_by: dict[str, Any]
    memory: float
    needed: dict[str, int]


def look_at(arguments: Namespace) -> OwnTable:
    """Read the table, lay out its study, and describe both."""
    from rotastack.workflow.use.own_study import place_of

    read = _read(arguments)
    laid = _laid_out(arguments, read)
    place = place_of(laid.study)
    kinds, dropped = _kinds(read.preprocessor), _dropped(arguments, read)
    lines = [
        *_lines_of_table(arguments, read, laid.divided_by, kinds, dropped),
        *_lines_of_study(arguments, laid, place),
    ]
    about = {
        "table": str(arguments.study), "rows": len(read.features), "target": arguments.target, "task": read.task,
        "task_reason": read.reason, "score": laid.score, "columns": kinds, "dropped": dropped,
        "estimated_seconds": round(laid.layout.seconds),
    }  # fmt: skip
    return OwnTable(laid.study, place, max(int(laid.memory), _megabytes(laid.study)[1]), lines, about)


def _read(arguments: Namespace) -> _Read:
    """Read the table, and decide its task and the kinds of its columns."""
    import warnings

    from rotastack.base.preprocessing import TablePreprocessor
    from rotastack.data.tables import read_with_notes
    from rotastack.data.target import check_target, decide_task, with_target
    from rotastack.workflow.use.own_table import LEAST_ROWS, counts_among

    table = str(arguments.study)
    if arguments.target is None:
        frame, _ = read_with_notes(table)
        raise RotastackError(f"{table}: --target COLUMN is missing; columns: {_few(map(str, frame.columns), 20)}")
    declared = declared_kinds(arguments.kind)
    frame, reading = read_with_notes(table, arguments.target, declared)
    frame, without = with_target(frame, arguments.target, table)
    task, reason = decide_task(frame["target"])
    if arguments.task and arguments.task != task:
        task, reason = arguments.task, f"--task; default {task}: {reason}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        target = check_target(frame["target"], table, task)
        features = frame.drop(columns="target")
        kinds = dict.fromkeys(counts_among(features), "numeric") | declared
        ids = dict.fromkeys(_dividing_columns(arguments), "id")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # lines of the answer name the columns that are left out
                preprocessor = TablePreprocessor(kinds | ids, encoding="onehot").fit(features)
        except RotastackError as error:
            raise RotastackError(f"{table}: {str(error).removeprefix(f'{table}: ')}") from None
    if len(frame) < LEAST_ROWS:
        raise RotastackError(f"{table}: the table has {len(frame)} rows; at least {LEAST_ROWS} are needed")
    notes = [*reading.notes, *without, *(str(w.message).removeprefix(f"{table}: ") for w in caught)]
    return _Read(features, target, task, reason, kinds, preprocessor, reading, notes)


def _laid_out(arguments: Namespace, read: _Read) -> _Laid:
    """Choose the score, the methods that fit into memory, and the splits; lay out the study."""
    from rotastack.data.divisions import division_numbers, united
    from rotastack.data.suspicions import copies_of
    from rotastack.workflow.use import own_study, own_table

    table, features, target, task = str(arguments.study), read.features, read.target, read.task
    found = {key: _dividing(arguments, key, features) for key in ("groups", "time", "split 1")}
    divided_by: dict[str, Any] = {key: column for key, column in found.items() if column is not None}
    splits = _splits(arguments, features, target, task) if "split 1" in divided_by else []
    copies = copies_of(features, read.preprocessor.kinds_) if divided_by.keys() <= {"groups"} else None
    if copies is not None and "groups" in divided_by:
        copies = united(division_numbers(features, arguments.groups, "groups", table), copies)
    if copies is not None and copies.max() + 1 >= _LEAST_PARTS:
        divided_by["copies_together"] = True
    n_columns, n_classes = len(read.preprocessor.get_feature_names_out()), target.nunique()
    shape = own_table.Shape(task, len(features), n_columns, n_classes if task == "classification" else 0)
    size, n_cores, memory = arguments.size or "medium", cores(arguments.cores), arguments.memory or _memory()
    labels = _methods(arguments.methods, own_table.labels_of(task))
    layout = own_table.laid_out(shape, size, arguments.time, n_cores, divided_by, splits, labels)
    score, why = _score(arguments.score, target, task)

    def study(labels: list[str]) -> dict[str, Any]:
        return own_study.study_of(table, arguments.target, shape, layout, score, read.kinds, labels)

    needed, _ = _megabytes(study(labels))
    fitting = [label for label in labels if needed[label] <= memory]
    if len(fitting) < 2:
        least = sorted(needed.values())[1]
        raise RotastackError(
            f"{table}: {memory:,.0f} MB of memory are available; two methods need at least {least:,.0f} MB"
        )
    return _Laid(study(fitting), layout, score, why, divided_by, memory, needed)


def _lines_of_table(
    arguments: Namespace, read: _Read, divided_by: dict[str, Any], kinds: dict[str, list[str]], dropped: dict[str, str]
) -> list[tuple[str, str]]:
    """Return lines on the table: its format, target and columns, and what to look at."""
    from rotastack.data.suspicions import suspicions

    features, target, task = read.features, read.target, read.task
    other = {"classification": "regression", "regression": "classification"}[task]
    hint = f"; --task {other} for {other}" if " numbers in " in read.reason and arguments.task is None else ""
    lines = [
        ("table", str(read.reading)),
        ("target", f"{arguments.target}: {task} ({read.reason}{hint}){_classes(target, task)}"),
        ("columns", "; ".join(f"{len(v)} {kind} ({_few(v)})" for kind, v in kinds.items() if v)),
        *(("dropped", f"{column}: {why}") for column, why in list(dropped.items())[:10]),
    ]
    found = read.preprocessor.kinds_
    keep = next((c for c in dropped if found[c] in ("id", "text") and c not in kinds), None)
    if keep is not None:
        lines.append(("", f"to keep a column: --kind '{keep}=categorical' or numeric"))
    if len(dropped) > 10:
        lines.append(("", f"and {len(dropped) - 10} more columns; the report lists all"))
    missing = features[[c for c in features if c not in dropped]].isna().mean()
    holes = missing[missing > 0].sort_values(ascending=False).items()
    if texts := [f"{c} {share:.0%}" if share >= 0.01 else f"{c} below 1%" for c, share in holes]:
        lines.append(("missing", _few(texts)))
    lines += [("look at", text) for text in suspicions(features, target, task, found, divided_by)]
    return lines + [("note", note) for note in read.notes]


def _lines_of_study(arguments: Namespace, laid: _Laid, place: Any) -> list[tuple[str, str]]:
    """Return lines on the study: its methods, score, splits, time and file."""
    from rotastack.stats.metrics import NAMES

    if place.edited:
        text = f"{place.path} was edited and is used unchanged: options of the table have no effect (to write a new study, delete the file)"
        return [("study", f"{text}; the kinds of columns are those of the file, not those above")]
    labels = list(laid.study["methods"])
    sizes = {label: next(iter(laid.layout.parameters(label).values()), None) for label in labels}
    trees = ", ".join(label if n is None else f"{label} {n}" for label, n in sizes.items())
    available = f"available are {laid.memory / 1000:.1f} GB (--memory)"
    shortened = " (shortened to keep the time limit)" if laid.layout.shortened else ""
    replaced = f", replaces the old file ({place.replaced})" if place.replaced else ""
    return [
        ("methods", f"{trees} (numbers of trees; Rotastack: trees per family)"),
        *(
            ("left out", f"{label} needs about {megabytes / 1000:.1f} GB of memory, {available}")
            for label, megabytes in laid.needed.items() if label not in labels
        ),
        ("score", f"{NAMES[laid.score]}, {laid.why}"),
        ("test", f"{laid.layout.test_in_words}{shortened}"),
        ("time", _time(laid.layout.seconds, arguments, max(laid.needed[label] for label in labels))),
        ("study", f"{place.path}{replaced}"),
    ]  # fmt: skip


def _dividing_columns(arguments: Namespace) -> list[str]:
    return [column for column in (arguments.groups, arguments.split_column) if column is not None]


def _dropped(arguments: Namespace, read: _Read) -> dict[str, str]:
    """Return column -> why it is left out, without the columns that divide the rows."""
    words = read.preprocessor.dropped_in_words()
    return {column: why for column, why in words.items() if column not in _dividing_columns(arguments)}


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
    from rotastack.workflow.run.splits.folds import given_splits

    classes, y = np.unique(target, return_inverse=True)
    try:
        folds = division_numbers(features, arguments.split_column, "split 1", str(arguments.study))
        return given_splits([folds], y, list(map(str, classes)) if task == "classification" else [])
    except RotastackError as error:
        raise RotastackError(f"{arguments.study}: --split-column: {error}") from None


def _score(given: str | None, target: Any, task: Any) -> tuple[str, str]:
    """Return the score that methods are ranked by, and why."""
    from rotastack.stats.metrics import METRICS, score_named
    from rotastack.workflow.use.own_table import default_score

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
    from rotastack.workflow.run.resources import Resources
    from rotastack.workflow.study.study import Study

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


def _time(seconds: float, arguments: Namespace, megabytes: float) -> str:
    from rotastack.workflow.judge.words import counted
    from rotastack.workflow.run.progress import duration
    from rotastack.workflow.use.own_table import BUDGETS

    text = f"about {duration(seconds)} on {counted(cores(arguments.cores), 'core')}, up to {megabytes / 1000:.1f} GB of memory per core"
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
