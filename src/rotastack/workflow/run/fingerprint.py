"""Fingerprints of the code that a job runs, a part of the job's key.

A fingerprint is a hash of the files that a step and the classes of a study import, directly or through other files, without
comments and docstrings, and of the versions of the libraries that compute.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError
from rotastack.workflow.run.modules import PROTOCOLS, STEPS
from rotastack.workflow.study.building import REFITTED
from rotastack.workflow.study.catalogue import public_modules

ROOT = Path(__file__).resolve().parents[2]
COMPUTING = {
    "cvxpy": "cvxpy",
    "joblib": "joblib",
    "numpy": "numpy",
    "pandas": "pandas",
    "piqp": "piqp",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "xgboost": "xgboost-cpu",
}
"""Package -> its distribution."""

_LATE = {"data/registry": "data/sources/*.py", "trees/kernel": "trees/kernel/*"}
"""Module or package -> files that its imports do not show: the modules of sources, and the sources of compiled modules."""


def code_of(step: str, content: Mapping[str, Any]) -> str:
    """Return the fingerprint of a job, by its step and the content of its slice."""
    return fingerprint(*_modules(step, content))


def _modules(step: str, content: Mapping[str, Any]) -> list[str]:
    """Return the modules behind a job: of its step, the trainings of its protocol, and the classes that its slice names."""
    named = named_modules(step, content) if step in ("groups", "train", "combine", "refit") else ()
    trains = [module for name, module in PROTOCOLS.items() if step == "train" and content.get("protocol") == name]
    return sorted({STEPS[step], *trains, *named})


def named_modules(step: str, content: Any) -> Iterator[str]:
    """Yield the modules of the classes that a slice names, at any depth, and of the kinds of its combiners."""
    for key, value in content.items() if isinstance(content, Mapping) else ():
        if key in ("class", "estimator") and isinstance(value, str) and "." in value:
            yield value.rpartition(".")[0]
        elif (key, value) == ("kind", "prune"):
            yield "rotastack.workflow.run.pruned"
        if key == "kind" and step == "refit" and value in REFITTED:
            yield REFITTED[value]
    for value in content.values() if isinstance(content, Mapping) else content if isinstance(content, list) else ():
        yield from named_modules(step, value)


def check_code(step: str, content: Mapping[str, Any], code: str) -> None:
    """Raise a RotastackError that names the edited file if a job's code is no longer the `code` of the plan."""
    for cached in (fingerprint, _read, _own_code):
        cached.cache_clear()
    if code_of(step, content) != code:
        names = states(*_modules(step, content))
        paths = [path for name in names for path in ([ROOT / name] if "." in name else _own_files(name))]
        newest = max(paths, key=lambda path: path.stat().st_ctime)
        raise RotastackError(f"{os.path.relpath(newest)} changed during the run; repeat the command")


@cache
def fingerprint(*modules: str) -> str:
    """Return a short hash of the code and libraries behind `modules`."""
    lines = "".join(f"{name} {state}\n" for name, state in states(*modules).items())
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def states(*modules: str) -> dict[str, str]:
    """Return the files and libraries behind `modules`: name -> hash of the code, or version; of the user's own files a hash."""
    files: dict[str, str] = {}
    libraries, waiting = set[str](), list(modules)
    while waiting:
        module = waiting.pop()
        if (top := module.partition(".")[0]) not in {"rotastack", *libraries}:
            libraries.add(top)
            waiting += _ours_behind(top)
        for file in _sources(module):
            if file not in files:
                files[file], imported = _read(file)
                waiting += [name for name in imported if name.partition(".")[0] in ("rotastack", *COMPUTING)]
    versions = {name: _installed(name) or _own_code(name) for name in sorted(libraries)}
    return dict(sorted(files.items())) | versions


@cache
def _sources(module: str) -> list[str]:
    """Return the files of a module of the package; lists of names, in ``__init__.py``, do not count."""
    top, _, rest = module.partition(".")
    place = rest.replace(".", "/")
    patterns = [f"{place}.py", *(more for key, more in _LATE.items() if f"{place}/".startswith(f"{key}/"))]
    found = [path for pattern in patterns for path in ROOT.glob(pattern)] if top == "rotastack" else []
    kinds = (".py", ".pyx", ".pxd", ".build")
    return [path.relative_to(ROOT).as_posix() for path in found if path.suffix in kinds and path.name != "__init__.py"]


@cache
def _read(file: str) -> tuple[str, frozenset[str]]:
    """Return a hash of the code in a file of the package, and the names that the file imports."""
    return _parsed((ROOT / file).read_bytes(), Path(file).suffix)


@cache
def _parsed(source: bytes, suffix: str) -> tuple[str, frozenset[str]]:
    """Return a hash of a source file, and the names that the file imports; comments and docstrings of Python do not count."""
    imported: Iterable[str] = ()
    if suffix == ".py":
        parts: list[str] = []
        with suppress(SyntaxError, ValueError):  # a user's folder may hold a file that is no Python
            tree = ast.parse(source)
            _write_parts(tree, parts)
            source, imported = " ".join(parts).encode(), _imports(tree)
    return hashlib.sha256(source).hexdigest(), frozenset(imported)


def _imports(node: ast.AST) -> Iterator[str]:
    """Yield the names that a syntax tree imports, also in functions, but not for type checkers alone."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield from (str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names))
    for_checkers = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    for child in () if for_checkers else ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _imports(child)


def _write_parts(value: Any, parts: list[str]) -> None:
    """Append the parts of a syntax tree without docstrings; this takes a quarter of the time of ``ast.dump``."""
    if isinstance(value, ast.AST):
        parts.append(type(value).__name__)
        for name in value._fields:
            _write_parts(getattr(value, name, None), parts)
    elif isinstance(value, list):
        parts.append("[")
        for item in value:
            if not (isinstance(item, ast.Expr) and isinstance(getattr(item.value, "value", None), str)):
                _write_parts(item, parts)
        parts.append("]")
    else:
        parts.append(repr(value))


_distributions = cache(packages_distributions)


@cache
def _installed(package: str) -> str:
    """Return the versions of the distributions that install a package; empty for files that the user may edit."""
    with suppress(PackageNotFoundError):  # another distribution may install the package
        if package in COMPUTING:
            return version(COMPUTING[package])
    names = sorted(set(_distributions().get(package, [])))
    origins = [json.loads(distribution(name).read_text("direct_url.json") or "{}") for name in names]
    if any(origin.get("dir_info", {}).get("editable") for origin in origins):
        return ""
    return " ".join(version(name) for name in names)


def _ours_behind(package: str) -> set[str]:
    """Return the modules of Rotastack that a user's package may import; a package of ours is all its public classes."""
    named = {name for path in _own_files(package) for name in _parsed(path.read_bytes(), ".py")[1]}
    ours = [name for name in named if name.partition(".")[0] == "rotastack"]
    return {*ours, *(m for m in public_modules().values() for name in ours if f"{m}.".startswith(f"{name}."))}


@cache
def _own_code(package: str) -> str:
    """Return a hash of the code in the user's files of a module or package."""
    code = "".join(_parsed(path.read_bytes(), path.suffix)[0] for path in _own_files(package))
    return hashlib.sha256(code.encode()).hexdigest()[:16] if code else "absent"


def _own_files(package: str, known: Iterable[str] = ()) -> list[Path]:
    """Return the files of a user's module or package, and of the user's other modules that these import."""
    others = package in known or package in sys.stdlib_module_names or package == "rotastack" or _installed(package)
    if others or (spec := find_spec(package)) is None:
        return []
    folders = [Path(folder) for folder in spec.submodule_search_locations or []]
    files = [p for folder in folders for p in sorted(folder.rglob("*.py"))] or [Path(spec.origin or "")]
    files = [path for path in files if path.is_file()]
    imported = sorted({name.partition(".")[0] for path in files for name in _parsed(path.read_bytes(), ".py")[1]})
    return files + [file for name in imported for file in _own_files(name, {*known, package})]
