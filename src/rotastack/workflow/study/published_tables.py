"""Published results in ``config/published``: their files, and the scores by data set in these."""

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rotastack.base.documents import load_yaml
from rotastack.errors import RotastackError, nearest
from rotastack.files import read_text
from rotastack.project import project_file

WHOLE = "all"
"""Entry of the column ``dataset`` that marks the mean over a source's data sets."""


def published_paths(name: str, key: str = "") -> list[Path]:
    """Return the existing files of a published table, which a `key` names: its cells (CSV), and its source and remarks (YAML).

    Cells that Rotastack may not redistribute are in the mirror folder (``DATA_MIRROR``), in the file that the remarks
    name by ``mirror``.
    """
    paths = [project_file(f"config/published/{name}.{suffix}") for suffix in ("csv", "yaml")]
    if not paths[0].is_file() and paths[1].is_file():
        paths[0] = Path(os.environ.get("DATA_MIRROR", "."), load_yaml(paths[1])["mirror"])
    elif not paths[0].is_file():
        known = sorted({path.stem for path in paths[0].parent.iterdir()})
        raise RotastackError(
            f"{key}{name!r} is not a table of config/published{nearest(name, known)}; tables: {', '.join(known)}"
        )
    return [path for path in paths if path.is_file()]


def scores_of(path: Path, metric: str, remarks: Mapping[str, Any] = {}) -> list[dict[str, Any]]:
    """Return the cells of a score in a published table, a mapping each; ``sd`` is empty where none is printed.

    The file of a source has a row for each data set and method if the `remarks` name its ``columns``: that of the methods,
    and those of scores. Any other file of a source has accuracies in percent, a column for each method.
    """
    rows = list(csv.DictReader(io.StringIO(read_text(path), newline="")))
    about = {"table": path.stem, "metric": metric, "repeats": str(remarks.get("repeats", 1)), "note": ""}
    if columns := remarks.get("columns"):
        if metric not in columns:
            return []
        method, value = columns["method"], columns[metric]
        for name in ("dataset", method, value):
            if rows and name not in rows[0]:
                raise RotastackError(f"{path}: column {name!r} not found; columns: {', '.join(rows[0])}")
        rows = [
            {**about, "dataset": row["dataset"], "method": row[method], "value": row[value]}
            for row in rows
            if row[value]
        ]
    elif rows and "metric" not in rows[0]:
        about["metric"] = "error"
        rows = [
            {**about, "dataset": row["dataset"], "method": method, "value": f"{1 - float(accuracy) / 100:.6f}"}
            for row in rows
            for method, accuracy in row.items()
            if method != "dataset" and accuracy
        ]
    spread = {(r["table"], r["dataset"], r["method"]): r["value"] for r in rows if r["metric"] == f"{metric}_sd"}
    return [
        {**row, "sd": spread.get((row["table"], row["dataset"], row["method"]), "")}
        for row in rows
        if row["metric"] == metric and row["dataset"] != WHOLE
    ]


def column_label(method: str, suffix: str) -> str:
    """Return the label of a published method beside the methods of a study: ``RF (published)``."""
    return f"{method} ({suffix})"


def check_published(name: str | None, columns: Sequence[Mapping[str, Any]], metric: str) -> None:
    """Check that the published tables of a study exist, and hold the score and the methods that the study names."""
    if name is not None:
        published_paths(name, "published: ")
    seen: dict[str, str] = {}
    for k, column in enumerate(columns):
        key, table = f"evaluation.published_columns.{k}", column["table"]
        paths = published_paths(table, f"{key}.table: ")
        if paths[0].suffix != ".csv":  # the mirror folder is missing, and its data sets with it
            continue
        remarks = load_yaml(paths[1]) if len(paths) > 1 else {}
        methods = list(dict.fromkeys(cell["method"] for cell in scores_of(paths[0], metric, remarks)))
        if not methods:
            raise RotastackError(f"{key}.table: {table!r} has no {metric}; name another table")
        for method in column["methods"]:
            if method not in methods:
                raise RotastackError(
                    f"{key}.methods: {method!r} has no {metric} in {table!r}{nearest(method, methods)}; "
                    f"methods: {', '.join(methods)}"
                )
        for method in column["methods"] or methods:
            label = column_label(method, column["as"])
            if label in seen:
                raise RotastackError(f"{key}.as: {label!r} is also a column of {seen[label]!r}; choose another label")
            seen[label] = table
