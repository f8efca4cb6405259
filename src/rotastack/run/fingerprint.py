"""Fingerprints of the code that a step runs, for Snakemake's ``params``.

Snakemake sees neither an edit in an imported module nor that a checkout changed nothing. So each rule carries a hash of
the modules of the package that its step imports, directly or not: of Python the syntax trees without docstrings, of an
extension module its source and what the sources in its folder share. The versions of the libraries that compute belong
to the hash. Steps find classes by their paths; the caller names the modules of these. A foreign module stands for the
distribution that brings it, and its version.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["COMPUTING", "closure", "fingerprint"]

ROOT = Path(__file__).resolve().parents[1]

COMPUTING = {
    "cvxpy": "cvxpy", "joblib": "joblib", "numpy": "numpy", "scipy": "scipy",
    "sklearn": "scikit-learn", "xgboost": "xgboost-cpu", "pandas": "pandas",
}  # fmt: skip
ESTIMATES = "rotastack.base.facts"
"""What is imported for what a study expects of classes, by which nothing is computed."""


def closure(modules: Iterable[str]) -> list[str]:
    """Return our modules that importing `modules` imports, sorted, themselves included; foreign ones are passed over."""
    seen: set[str] = set()
    own = [name for name in modules if name.partition(".")[0] == "rotastack"]
    todo = [ancestor for name in own for ancestor in _lineage(name)]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(_imports(name)[0])
    return sorted(seen)


@cache
def fingerprint(*modules: str) -> str:
    """Return a short hash of the code and libraries behind `modules`."""
    digest = hashlib.sha256()
    libraries = {name.partition(".")[0] for name in modules} - {"rotastack"}
    for name in closure(modules):
        digest.update(f"{name}\n{_code(name)}\n".encode())
        libraries |= _imports(name)[1]
    for library in sorted(libraries):
        digest.update(f"{library} {_version(library)}\n".encode())
    return digest.hexdigest()[:16]


@cache
def _version(package: str) -> str:
    """Return the version of the distribution, or distributions, that bring a package; of one's own files, their hash."""
    with suppress(PackageNotFoundError):  # or it comes in a distribution of another name
        if package in COMPUTING:
            return version(COMPUTING[package])
    found = " ".join(version(name) for name in sorted(set(_distributions().get(package, []))))
    return found or _sources(package) or "absent"


def _sources(package: str) -> str:
    """Return a hash of the Python files of a package that no distribution brings, such as a user's own module."""
    spec = find_spec(package)
    if spec is None:
        return ""
    folders = [Path(folder) for folder in spec.submodule_search_locations or []]
    files = [p for folder in folders for p in sorted(folder.rglob("*.py"))] or [Path(spec.origin or "")]
    return hashlib.sha256(b"".join(p.read_bytes() for p in files if p.is_file())).hexdigest()[:16]


_distributions = cache(packages_distributions)


def _lineage(name: str) -> list[str]:
    """Return the packages above a module, and the module: what importing it runs."""
    parts = name.split(".")
    return [".".join(parts[:i]) for i in range(1, len(parts) + 1)]


def _path(name: str) -> Path | None:
    base = ROOT.joinpath(*name.split(".")[1:])
    for path in (base / "__init__.py", base.with_suffix(".pyx"), base.with_suffix(".py")):
        if name != "rotastack" and path.is_file():
            return path
    return ROOT / "__init__.py" if name == "rotastack" else None


def _source(name: str) -> Path:
    path = _path(name)
    if path is None:
        raise ModuleNotFoundError(name)
    return path


@cache
def _tree(path: Path) -> ast.Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in [tree, *_statements(tree)]:
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [part for part in node.body if not _is_text(part) and not _is_estimate(part)] or [ast.Pass()]
    return tree


def _statements(node: Any) -> Iterator[ast.stmt]:
    """Give the statements below a node; of expressions, which hold none, nothing."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        parts = getattr(node, block, None)
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, ast.stmt):
                yield part
            yield from _statements(part)


def _is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a string alone: the docstring of what it stands in, or of what stands before it."""
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


def _is_estimate(node: ast.stmt) -> bool:
    """Tell whether a statement says what a study expects of a class: nothing is computed by it."""
    return isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "study_facts" for t in node.targets)


@cache
def _code(name: str) -> str:
    """Return a hash of the code of a module."""
    path = _source(name)
    if path.suffix == ".py":
        return hashlib.sha256(ast.dump(_tree(path)).encode()).hexdigest()
    shared = sorted(p for p in path.parent.iterdir() if p.suffix in (".pxd", ".build"))
    return hashlib.sha256(b"\n".join(p.read_bytes() for p in [path, *shared])).hexdigest()


@cache
def _imports(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the package's modules and the computing libraries that a module imports."""
    own: set[str] = set()
    libraries: set[str] = set()
    for target in _imported_names(_source(name)):
        root = target.split(".")[0]
        if target.startswith(ESTIMATES):
            continue
        if root == "rotastack" and _path(target) is not None:
            own.update(_lineage(target))
        elif root in COMPUTING:
            libraries.add(root)
    return frozenset(own - {name}), frozenset(libraries)


def _imported_names(path: Path) -> list[str]:
    """Return the names that a module imports; of what is imported from a module, that module first."""
    if path.suffix == ".pyx":
        return ["numpy"]
    names = []
    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names
