"""Fingerprints of the code that a step runs, for Snakemake's ``params``.

Snakemake sees neither an edit in an imported module nor that a checkout changed nothing. So each rule has a hash of the
package's modules that its step imports, directly or not. A Python module counts by its syntax tree without docstrings,
an extension module by its source and the shared sources of its folder. The versions of the computing libraries are part
of the hash. Steps also import classes by their dotted paths; the caller passes the modules of these classes. A foreign
module counts by the version of its distribution.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError
from rotastack.files import hashes, read_json
from rotastack.run.modules import PROTOCOLS, STEPS
from rotastack.study.building import REFITTED, combiner_modules, pool_modules
from rotastack.study.study import Study

__all__ = ["COMPUTING", "Codes", "check_kernel", "closure", "fingerprint", "states"]

ROOT = Path(__file__).resolve().parents[1]

COMPUTING = {
    "cvxpy": "cvxpy", "joblib": "joblib", "numpy": "numpy", "pandas": "pandas", "piqp": "piqp", "scipy": "scipy",
    "sklearn": "scikit-learn", "xgboost": "xgboost-cpu",
}  # fmt: skip
ESTIMATES = "rotastack.base.facts"
"""The module of the facts by which a study estimates time and memory; no result depends on it."""


def closure(modules: Iterable[str]) -> list[str]:
    """Return the sorted names of `modules` and of the package's modules they import; foreign modules are left out."""
    seen: set[str] = set()
    roots = [name for name in modules if name.partition(".")[0] == "rotastack"]
    todo = [ancestor for name in roots for ancestor in _lineage(name)]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(_imports(name)[0])
    return sorted(seen)


@cache
def fingerprint(*modules: str) -> str:
    """Return a short hash of the code and libraries behind `modules`."""
    lines = "".join(f"{name} {state}\n" for name, state in states(*modules).items())
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def states(*modules: str) -> dict[str, str]:
    """Return the modules and libraries behind `modules`: name -> hash of the code, or version."""
    libraries = {name.partition(".")[0] for name in modules} - {"rotastack"}
    of_modules = {}
    for name in closure(modules):
        of_modules[name] = _code(name)
        libraries |= _imports(name)[1]
    return of_modules | {library: _version(library) for library in sorted(libraries)}


@cache
def _version(package: str) -> str:
    """Return the versions of the distributions that install a package, or else a hash of the user's own files."""
    with suppress(PackageNotFoundError):  # another distribution may install the package
        if package in COMPUTING:
            return version(COMPUTING[package])
    versions = " ".join(version(name) for name in sorted(set(_distributions().get(package, []))))
    return versions or _sources(package) or "absent"


def _sources(package: str) -> str:
    """Return a hash of the Python files of a package without a distribution, such as a user's own module."""
    spec = find_spec(package)
    if spec is None:
        return ""
    folders = [Path(folder) for folder in spec.submodule_search_locations or []]
    files = [p for folder in folders for p in sorted(folder.rglob("*.py"))] or [Path(spec.origin or "")]
    return hashlib.sha256(b"".join(p.read_bytes() for p in files if p.is_file())).hexdigest()[:16]


_distributions = cache(packages_distributions)


def _lineage(name: str) -> list[str]:
    """Return the packages above a module, and the module: importing the module runs all of them."""
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
    """Yield the statements below a node; expressions contain none."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        parts = getattr(node, block, None)
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, ast.stmt):
                yield part
            yield from _statements(part)


def _is_text(node: ast.stmt) -> bool:
    """Return whether a statement is a lone string: a docstring, of a block or of the statement before it."""
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


def _is_estimate(node: ast.stmt) -> bool:
    """Return whether a statement sets ``study_facts``, on which no result depends."""
    return isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "study_facts"


@cache
def _code(name: str) -> str:
    """Return a hash of the code of a module; lists of names for ``lazy_loader`` do not count."""
    path = _source(name)
    if path.name == "__init__.py" and "lazy_loader" in path.read_text(encoding="utf-8"):
        return "names"
    if path.suffix == ".py":
        return hashlib.sha256(ast.dump(_tree(path)).encode()).hexdigest()
    sources = [path, *sorted(p for p in path.parent.iterdir() if p.suffix in (".pxd", ".build"))]
    return hashlib.sha256(b"\n".join(source.read_bytes() for source in sources)).hexdigest()


def check_kernel() -> None:
    """Raise RotastackError if a source of the kernel in a checkout is not the one that was compiled."""
    kernel = ROOT / "trees/kernel"
    if not (ROOT.parents[1] / "tools/build_kernel.py").is_file() or not list(kernel.glob("*.so")):
        return  # an installed package
    built = read_json(kernel / ".built") if (kernel / ".built").is_file() else {}
    now = hashes(p for p in kernel.iterdir() if p.suffix in (".pyx", ".pxd", ".build"))
    for name in sorted(built.keys() | now.keys()):
        if built.get(name) != now.get(name):
            raise RotastackError(
                f"{kernel / name} has changed since the kernel was compiled; run `make env` to build the kernel"
            )


@cache
def _imports(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the package's modules and the computing libraries that a module imports."""
    modules: set[str] = set()
    libraries: set[str] = set()
    for target in _imported_names(_source(name)):
        root = target.split(".")[0]
        if target.startswith(ESTIMATES):
            continue
        if root == "rotastack" and _path(target) is not None:
            modules.update(_lineage(target))
        elif root in COMPUTING:
            libraries.add(root)
    return frozenset(modules - {name}), frozenset(libraries)


def _imported_names(path: Path) -> list[str]:
    """Return the names that a module imports; ``from a import b`` gives ``a`` and ``a.b``."""
    if path.suffix == ".pyx":
        return ["numpy"]
    names = []
    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


class Codes:
    """The fingerprints of a study's steps.

    Parameters
    ----------
    study : Study
    """

    def __init__(self, study: Study):
        self.study = study
        self._datasets = dict(study.datasets)  # a copy, which keeps the data sets that are dropped later

    def step(self, name: str) -> str:
        """Return the fingerprint of a step that runs the same code in every study."""
        return fingerprint(STEPS[name])

    def fetch(self, dataset: str) -> str:
        """Return the fingerprint of fetching a table from its sources."""
        return fingerprint(STEPS["fetch"], *self._sources(dataset))

    def groups(self) -> str:
        """Return the fingerprint of drawing folds."""
        return fingerprint(STEPS["groups"], self._protocol("groups"))

    def rotations(self, view: str) -> str:
        """Return the fingerprint of drawing the rotations of a view."""
        return fingerprint(STEPS["groups"], *self._views.get(view, ()))

    def train(self, pool: str) -> str:
        """Return the fingerprint of training a pool."""
        return fingerprint(STEPS["train"], self._protocol("train"), *self._pools[pool])

    def combine(self, label: str) -> str:
        """Return the fingerprint of a method's combiner."""
        return fingerprint(STEPS["combine"], self._protocol("combine"), *self._combiners[label])

    def score(self) -> str:
        """Return the fingerprint of scoring, and of the methods whose combiner learns nothing."""
        modules = [self._protocol("groups")]
        for label in self.study.quick:
            modules += [self._protocol("combine"), *self._combiners[label]]
        return fingerprint(STEPS["score"], *modules)

    def refit(self) -> str:
        """Return the fingerprint of refitting any method that may become the model."""
        return fingerprint(STEPS["refit"], *self._refitted)

    def states(self) -> dict[str, str]:
        """Return all modules and libraries behind the study's results: name -> hash of the code, or version."""
        modules = [*STEPS.values(), *PROTOCOLS[self.study.protocol.package].values(), *self._refitted]
        for dataset in self._datasets:
            modules += self._sources(dataset)
        for parts in (self._views, self._pools, self._combiners):
            modules += chain.from_iterable(parts.values())
        return states(*modules)

    def _protocol(self, step: str) -> str:
        return PROTOCOLS[self.study.protocol.package][step]

    def _sources(self, dataset: str) -> list[str]:
        return [f"rotastack.data.sources.{next(iter(s))}" for s in self._datasets[dataset]["sources"]]

    @cached_property
    def _views(self) -> dict[str, list[str]]:
        """Key of a drawn view -> its modules."""
        return {view.key: [view.entry.module] for view in self.study.drawn_views}

    @cached_property
    def _refitted(self) -> list[str]:
        """Modules of the methods that may become the model."""
        modules: list[str] = []
        for label in self.study.refittable:
            method = self.study.methods[label]
            modules += [*self._pools[method.pool], *self._combiners[label]]
            modules += [REFITTED[kind] for kind in [method.combiner.kind] if kind in REFITTED]
        return modules

    @cached_property
    def _pools(self) -> dict[str, list[str]]:
        """Pool -> modules of its estimator and view."""
        estimators = self.study.task.estimators
        return {name: pool_modules(pool.resolved(estimators)) for name, pool in self.study.pools.items()}

    @cached_property
    def _combiners(self) -> dict[str, list[str]]:
        """Method -> modules of its combiner."""
        estimators = self.study.task.estimators
        return {m: combiner_modules(method.combiner.resolved(estimators)) for m, method in self.study.methods.items()}
