"""What ``rotastack run TABLE`` does before anything is trained: read, decide, lay out, and say so."""

from argparse import Namespace
from dataclasses import dataclass, field
from typing import Any

from rotastack.errors import RotastackError

__all__ = ["OwnTable", "look_at"]


@dataclass
class OwnTable:
    """A table as it is understood, and the study that is made of it.

    Attributes
    ----------
    study : dict
    place : Place
        Where it is written.
    lines : list of tuple of str
        What is said before the run: a word, and what is to be said of it.
    about : dict
        The same for programs.
    """

    study: dict[str, Any]
    place: Any
    lines: list[tuple[str, str]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The lines, their words in one column."""
        return "\n".join(f"{word:10s}{text}" for word, text in self.lines)


def look_at(arguments: Namespace) -> OwnTable:
    """Read the table, decide what its target and columns are, and lay out the study.

    Raises
    ------
    RotastackError
        The table cannot be used, and why.
    """
    import warnings

    from rotastack.data.preprocessing import TablePreprocessor
    from rotastack.data.tables import move_target_last, read_with_notes
    from rotastack.data.target import check_target, decide_task
    from rotastack.use import own_table

    table = arguments.study
    if arguments.target is None:
        frame, _ = read_with_notes(table)
        raise RotastackError(
            f"{table}: say which column is to be predicted: --target COLUMN; columns are {_few(map(str, frame.columns), 20)}"
        )
    frame, reading = read_with_notes(table, arguments.target)
    frame = move_target_last(frame, arguments.target, str(table))
    task, reason = decide_task(frame["target"])
    if arguments.task and arguments.task != task:
        task, reason = arguments.task, f"--task; else it would be {task}, as {reason}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        target = check_target(frame["target"], str(table), task)
        features = frame.drop(columns="target")
        counted = own_table.counts_among(features)
        try:
            preprocessor = TablePreprocessor(dict.fromkeys(counted, "numeric")).fit(features)
        except RotastackError as error:
            raise RotastackError(f"{table}: {error}") from None
    if len(frame) < own_table.LEAST_ROWS:
        raise RotastackError(
            f"{table}: {len(frame)} rows are too few to train and test on; {own_table.LEAST_ROWS} are the least"
        )
    n_classes = target.nunique() if task == "classification" else 0
    shape = own_table.Shape(task, len(frame), len(preprocessor.get_feature_names_out()), n_classes)
    n_cores = cores(arguments.cores)
    layout = own_table.laid_out(shape, arguments.size or "medium", arguments.time, n_cores)
    study = own_table.study_of(arguments.study, arguments.target, shape, layout, counted)
    place = own_table.place_of(study)
    own = OwnTable(study, place)
    own.lines.append(("table", str(reading)))
    other = {"classification": "regression", "regression": "classification"}[task]
    hint = f" (--task {other} for {other})" if reason.startswith("it holds") and "number" in reason else ""
    own.lines.append(("target", f"{arguments.target}: {task}, as {reason}{hint}{_classes(target, task)}"))
    kinds = _kinds(preprocessor)
    own.lines.append(("columns", "; ".join(f"{len(v)} {kind} ({_few(v)})" for kind, v in kinds.items() if v)))
    dropped = preprocessor.dropped_in_words()
    own.lines += [("dropped", f"{column}: {why}") for column, why in list(dropped.items())[:10]]
    if len(dropped) > 10:
        own.lines.append(("", f"and {len(dropped) - 10} more columns; the report names all"))
    missing = features[[c for c in features if c not in dropped]].isna().mean()
    holes = missing[missing > 0].sort_values(ascending=False)
    if len(holes):
        own.lines.append(
            ("missing", _few([f"{c} {share:.0%}" if share >= 0.01 else f"{c} below 1%" for c, share in holes.items()]))
        )
    notes = [*reading.notes, *(str(w.message).removeprefix(f"{table}: ") for w in caught)]
    own.lines += [("note", note) for note in notes]
    if place.edited:
        text = f"{place.path}, edited by you, and run as it is: --size and --time change nothing in it"
        own.lines.append(("study", f"{text}, and its kinds of columns count, not those above"))
    else:
        sizes = {label: next(iter(layout.parameters(label).values())) for label in study["methods"]}
        trees = ", ".join(f"{label} {n}" for label, n in sizes.items())
        own.lines.append(("methods", f"{trees} (trees; of Rotastack in each of its families)"))
        shortened = " (shortened to fit into the time)" if layout.shortened else ""
        own.lines.append(("test", f"{layout.test_in_words}{shortened}"))
        own.lines.append(("time", _time(layout.seconds, arguments, n_cores, shape)))
        replaced = f", in place of the one there ({place.replaced})" if place.replaced else ""
        own.lines.append(("study", f"{place.path}{replaced}"))
    own.about = {
        "table": str(table), "rows": len(frame), "target": arguments.target, "task": task, "task_reason": reason,
        "columns": kinds, "dropped": dropped, "estimated_seconds": round(layout.seconds),
    }  # fmt: skip
    return own


def cores(given: str) -> int:
    """Return a number of cores from what was asked for: a number, or all."""
    import os

    if given == "all":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not given.isdigit() or int(given) < 1:
        raise RotastackError(f"--cores: must be all or a number from 1, found {given!r}")
    return int(given)


def _time(seconds: float, arguments: Namespace, n_cores: int, shape: Any) -> str:
    from rotastack.run.progress import duration
    from rotastack.use.own_table import BUDGETS

    text = f"about {duration(seconds)} on {n_cores} core{'s' * (n_cores > 1)}"
    megabytes = 500 + 8e-6 * shape.rows * shape.columns * 16
    text += f", up to {megabytes / 1000:.1f} GB of memory for each"
    if arguments.time is not None and seconds > arguments.time:
        return f"{text}: more than was asked for, but the least that compares at all"
    if arguments.time is None and seconds > 2 * BUDGETS["small"] and (arguments.size or "medium") != "small":
        return f"{text}; --size small or --time 1m makes it shorter"
    return text


def _kinds(preprocessor: Any) -> dict[str, list[str]]:
    """Return kind -> columns that are used."""
    kinds: dict[str, list[str]] = {}
    for column, kind in preprocessor.kinds_.items():
        if column not in preprocessor.dropped_:
            kinds.setdefault(kind, []).append(str(column))
    return kinds


def _classes(target: Any, task: str) -> str:
    """Return what the target holds: numbers from and to, or classes with their rows."""
    if task == "regression":
        return f"; from {target.min():.6g} to {target.max():.6g}"
    counts = target.value_counts()
    return f"; rows of each class: {_few([f'{label}: {n}' for label, n in counts.items()])}"


def _few(names: Any, most: int = 8) -> str:
    names = list(names)
    return ", ".join(names[:most]) + (f", ... ({len(names) - most} more)" if len(names) > most else "")


def seconds_of(text: str) -> float:
    """Return a time such as ``90s``, ``10m`` or ``1.5h`` in seconds; ValueError if it is none."""
    unit = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(text[-1:], 0.0)
    number = float(text[:-1] if unit else text)
    if not (unit and number > 0):
        raise ValueError(text)
    return number * unit
