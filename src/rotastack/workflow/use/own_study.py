"""The study of a user's own table: its name, its content and its file."""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rotastack.base.documents import load_yaml
from rotastack.data.registry import list_datasets
from rotastack.errors import RotastackError
from rotastack.files import write_text
from rotastack.project import project_file
from rotastack.workflow.use.own_table import CONTROL, METHODS, Layout, Shape, block_of, labels_of, training_limit

__all__ = ["Place", "place_of", "study_name", "study_of", "write_study"]

_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d", "ı": "i"})


def study_name(table: str, target: str) -> str:
    """Return the name of a table's study: the file's name, in characters that folders and studies may have.

    If a study of the same table with another target exists, the target is part of the name.
    """
    name = _plain(Path(table).name.split(".")[0])
    shipped = {p.stem for p in project_file("config/studies").glob("*.yaml")}
    taken = shipped | set(list_datasets()) | {"datasets", "mlflow", "logs"}
    name = name or f"table-{_digest(Path(table).name)[:6]}"  # the file's name is in another alphabet
    name = name if name not in taken else f"my-{name}"
    path = Path("studies") / f"{name}.yaml"
    files = [source["file"] for sources in _sources(load_yaml(path)) for source in sources] if path.is_file() else []
    other = any(file["path"] == table and file["target"] != target for file in files)
    return f"{name}-{_plain(target) or 'target'}" if other else name


def _plain(text: str) -> str:
    """Return a text in lower-case ASCII letters, digits, ``_`` and ``-``; letters lose their accents."""
    bare = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
    kept = (c for c in bare if not unicodedata.combining(c))
    return "".join(c if (c.isascii() and c.isalnum()) or c in "_-" else "-" for c in kept).strip("-_")


def study_of(
    table: str,
    target: str,
    shape: Shape,
    layout: Layout,
    score: str | None = None,
    kinds: Mapping[str, str] | None = None,
    labels: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the study of a table, as the content of its YAML file."""
    name, file = study_name(table, target), Path(table).name
    labels = labels_of(shape.task) if labels is None else labels
    by_kind: dict[str, list[str]] = {}
    for column, kind in (kinds or {}).items():
        by_kind.setdefault(kind, []).append(column)
    return {
        "name": name,
        "title": f"Which method predicts {target} in {file} best, and do rotations help?",
        "description": f"Made from {file}, target {target}: {layout.test_in_words}.",
        "task": shape.task,
        "seed": 20260701,
        "datasets": [
            {
                "name": name,
                "sources": [{"file": {"path": table, "target": target}}],
                "encoding": "onehot",
                **({"kinds": {**by_kind, "others": "auto"}} if by_kind else {}),
                "roughly": {"rows": shape.rows, "columns": shape.columns},
            }
        ],
        "protocol": layout.protocol,
        "blocks": {"splits": block_of(layout, shape)},
        "pools": {
            METHODS[label].pool: {
                "estimator": METHODS[label].estimator,
                **({"parameters": parameters} if (parameters := layout.parameters(label)) else {}),
                "training_limit": training_limit(layout, label, shape),
            }
            for label in labels
        },
        "methods": {label: {"pool": METHODS[label].pool, "combiner": {"kind": "vote"}} for label in labels},
        "evaluation": {
            "control": CONTROL if CONTROL in labels else labels[0],
            **({} if score is None else {"score": score}),
        },
        "model": {"refit": "best", "explain": True},
    }


@dataclass(frozen=True)
class Place:
    """The path of a study's file, and the state of an existing file there."""

    path: Path
    edited: bool = False
    replaced: str = ""


def place_of(study: dict[str, Any]) -> Place:
    """Return the place of a study, ``studies/<name>.yaml``."""
    path = Path("studies") / f"{study['name']}.yaml"
    if not path.is_file():
        return Place(path)
    found = load_yaml(path)
    if _sources(found) != _sources(study):
        raise RotastackError(f"{path} exists and belongs to another study; move this file or rename the table")
    mark, _, body = path.read_text(encoding="utf-8").partition("\n")
    if not mark.endswith(_digest(body)):
        return Place(path, edited=True)
    if all(found.get(key) == study[key] for key in ("task", "protocol", "pools", "evaluation")):
        return Place(path)
    return Place(path, replaced=Layout(found["protocol"], 0, 0).test_in_words)


def write_study(study: dict[str, Any], place: Place) -> None:
    """Write the study's file, unless somebody has edited the existing one."""
    if not place.edited:
        body = yaml.safe_dump(study, sort_keys=False, allow_unicode=True, width=100)
        write_text(place.path, f"# Made by `rotastack run`; an edited file is kept. {_digest(body)}\n{body}")


def _sources(study: Any) -> list[Any]:
    return [d.get("sources") for d in study.get("datasets", []) if isinstance(d, dict)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
