"""The study of the user's own table as a file: its name, the file, and the words for its protocol."""

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rotastack.base.documents import load_mapping
from rotastack.data.registry import registry
from rotastack.errors import RotastackError
from rotastack.files import write_text
from rotastack.project import project_file
from rotastack.workflow.study.names import cut_to_fit


def division_in_words(protocol: Mapping[str, Any], test: str | None = None) -> str:
    """Return the division of the rows by a protocol in words; the file `test` may have the test rows."""
    if protocol["kind"] == "given":
        n, column = protocol["splits"], protocol["columns"][0]
        of_one = (
            f"the training and test rows of column {column}"
            if test is None
            else f"tested on the rows of {Path(test).name}"
        )
        return f"the {n} splits of column {column}" if n > 1 else of_one
    repeats, folds = protocol["repeats"], protocol.get("folds")
    groups, time = protocol.get("groups"), protocol.get("time")
    together = f", rows of one {groups} together" if groups and not time else f"; series by {groups}" if groups else ""
    together += ", copies of a row together" if protocol.get("copies_together") else ""
    if folds and time:
        return f"{folds} spans of {time}, each tested after training on earlier rows{together}"
    if folds:
        return f"{folds}-fold cross-validation" + (f", {repeats} times" if repeats > 1 else "") + together
    train, test = protocol["train"], protocol.get("test")
    share = f"{train:.0%}" if train < 1 else f"{train:,}"
    tested = f" and {test:,} for test" if test else ""
    kind = f"spans of {time}" if time else "random splits"
    return f"{repeats} {kind}, {share} of the rows for training{tested}{together}"


_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d", "ı": "i"})


def study_name(table: str, target: str) -> str:
    """Return the name of a table's study: the file's name, in characters and a length that folders and studies may have.

    If a study of the same table with another target exists, the target is part of the name.
    """
    name = cut_to_fit(_plain(Path(table).name.split(".")[0]))
    shipped = {p.stem for p in project_file("config/studies").glob("*.yaml")}
    taken = shipped | registry().keys() | {"datasets", "mlflow", "logs"}
    name = name or f"table-{_digest(Path(table).name)[:6]}"  # the file's name is in another alphabet
    name = name if name not in taken else f"my-{name}"
    path = Path("studies") / f"{name}.yaml"
    sources = _sources(load_mapping(path)) if path.is_file() else []
    files = [source["file"] for of_one in sources for source in of_one if "file" in source]
    other = any(file["path"] == table and file["target"] != target for file in files)
    return cut_to_fit(f"{name}-{_plain(target) or 'target'}") if other else name


def _plain(text: str) -> str:
    """Return a text in lower-case ASCII letters, digits, ``_`` and ``-``; letters lose their accents."""
    bare = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
    kept = (c for c in bare if not unicodedata.combining(c))
    return "".join(c if (c.isascii() and c.isalnum()) or c in "_-" else "-" for c in kept).strip("-_")


@dataclass(frozen=True)
class StudyFile:
    """The path of a study's file, and the state of an existing file there."""

    path: Path
    edited: bool = False  # by somebody, so that it is kept
    replaced: str = ""  # how the existing study tests, if it differs and will be replaced


def study_file(study: dict[str, Any]) -> StudyFile:
    """Return the file of a study, ``studies/<name>.yaml``."""
    path = Path("studies") / f"{study['name']}.yaml"
    if not path.is_file():
        return StudyFile(path)
    found = load_mapping(path)
    if _sources(found) != _sources(study):
        raise RotastackError(f"{path} exists and belongs to another study; move this file or rename the table")
    mark, _, body = path.read_text(encoding="utf-8").partition("\n")
    if not mark.endswith(_digest(body)):
        return StudyFile(path, edited=True)
    if all(found.get(key) == study[key] for key in ("task", "protocol", "pools", "evaluation")):
        return StudyFile(path)
    test = found["datasets"][0]["sources"][0]["file"].get("test")
    return StudyFile(path, replaced=division_in_words(found["protocol"], test))


def write_study(study: dict[str, Any], file: StudyFile) -> None:
    """Write the study's file, unless somebody has edited the existing one."""
    if not file.edited:
        body = yaml.safe_dump(study, sort_keys=False, allow_unicode=True, width=100)
        write_text(file.path, f"# Made by `rotastack run`; an edited file is kept. {_digest(body)}\n{body}")


def _sources(study: Any) -> list[Any]:
    """Return the sources of each data set of a study, without files of test rows."""
    found = [d.get("sources") or [] for d in study.get("datasets") or [] if isinstance(d, dict)]
    return [[{k: _without_test(v) for k, v in source.items()} for source in of_one] for of_one in found]


def _without_test(source: Any) -> Any:
    return {k: v for k, v in source.items() if k != "test"} if isinstance(source, Mapping) else source


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
