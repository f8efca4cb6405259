"""The registry of data sets: what each is, where it can be had, what it must look like."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rotastack.data.sources.base import Source
from rotastack.errors import RotastackError, nearest
from rotastack.project import project_file
from rotastack.schema import load_yaml, validate

__all__ = ["entry", "list_datasets", "make_sources", "registry", "source_kinds"]


def registry() -> dict[str, dict[str, Any]]:
    """Return the entries of ``config/datasets.yaml``, checked against the schema."""
    path = project_file("config/datasets.yaml")
    entries = load_yaml(path)
    validate(entries, "datasets", str(path))
    return entries


def list_datasets() -> list[str]:
    """List the names of the registered data sets.

    Examples
    --------
    >>> "iris" in list_datasets()
    True
    """
    return list(registry())


def entry(name: str) -> dict[str, Any]:
    """Return one entry.

    Raises
    ------
    RotastackError
        No such data set; the nearest name is suggested.
    """
    entries = registry()
    if name not in entries:
        raise RotastackError(
            f"data set {name!r} is unknown{nearest(name, list(entries))}; `rotastack datasets` lists all"
        )
    return entries[name]


def source_kinds() -> list[str]:
    """List the kinds of sources: the files of ``data/sources``."""
    folder = Path(__file__).parent / "sources"
    return sorted(p.stem for p in folder.glob("*.py") if p.stem not in ("__init__", "base", "net"))


def make_sources(name: str, spec: Mapping[str, Any]) -> list[Source]:
    """Return the sources of an entry, in order of preference.

    Raises
    ------
    RotastackError
        An unknown kind of source.
    """
    columns = spec.get("columns")
    names = columns if isinstance(columns, list) else None
    made = []
    for item in spec["sources"]:
        ((kind, value),) = item.items()
        if kind not in source_kinds():
            raise RotastackError(
                f"{name}: source {kind!r} is unknown{nearest(kind, source_kinds())}; "
                f"there are {', '.join(source_kinds())}"
            )
        module = importlib.import_module(f"rotastack.data.sources.{kind}")
        made.append(getattr(module, f"{kind.capitalize()}Source")(value, name, names))
    return made
