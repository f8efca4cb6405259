"""Fingerprints of the code that a job runs, a part of the job's key.

A fingerprint is a hash of the files that a step and the classes of a study may import, as the import contracts allow
(:data:`CODE`), without comments and docstrings, and of the versions of the libraries that compute.
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

ROOT = Path(__file__).resolve().parents[2]
COMPUTING = {
    "cvxpy": "cvxpy", "joblib": "joblib", "numpy": "numpy", "pandas": "pandas", "piqp": "piqp", "scipy": "scipy",
    "sklearn": "scikit-learn", "xgboost": "xgboost-cpu",
}  # fmt: skip
"""Package -> its distribution."""

_STATISTICS = "stats/*.py workflow/judge/*.py workflow/study/published_tables.py"
_MEMBERS = "ensembles/*.py ensembles/pooled/*.py trees/**/* views/*.py resampling/*.py diagnostics/*.py"
_MODELS = f"data/**/* stats/*.py combine/*.py workflow/tracking/model_files.py workflow/tracking/model_types.py workflow/judge/results.py {_MEMBERS}"
_PRUNERS = "combine/pruning/*.py cvxpy piqp"
CODE = {
    "workflow.run.steps": "*.py base/*.py workflow/run/job.py workflow/run/modules.py workflow/tracking/records.py data/artifacts.py"
    " data/frames.py workflow/study/building.py workflow/study/names.py workflow/study/specs.py joblib numpy pandas scipy sklearn",
    "workflow.run.steps.fetch workflow.run.steps.prepare": "data/**/*",
    "workflow.run.steps.groups workflow.run.nested.folds": "resampling/*.py views/*.py",
    "workflow.run.steps.train": f"workflow/run/watching.py workflow/run/mixed.py {_MEMBERS}",
    "workflow.run.steps.combine": "workflow/run/watching.py combine/*.py diagnostics/*.py",
    "workflow.run.steps.score": "stats/*.py data/divisions.py workflow/judge/words.py workflow/judge/intervals.py",
    "workflow.run.steps.summarize workflow.run.steps.published workflow.run.steps.report": _STATISTICS,
    "workflow.run.steps.report": "plots/curves.py plots/style.py",
    "workflow.run.steps.draw": "plots/*.py diagnostics/*.py stats/*.py workflow/judge/results.py workflow/run/figures/*.py",
    "workflow.run.steps.refit": f"workflow/run/watching.py {_MODELS}",
    "workflow.run.steps.explain": f"workflow/use/*.py workflow/study/costs.py plots/*.py workflow/judge/pages.py workflow/judge/words.py workflow/judge/intervals.py"
    f" ensembles/flagship/*.py {_MODELS}",
    "workflow.run.steps.track": "data/**/* workflow/tracking/*.py workflow/run/tracked/*.py stats/*.py workflow/judge/results.py workflow/judge/intervals.py",
    "workflow.run.splits.folds": "resampling/*.py views/*.py data/divisions.py",
    "workflow.run.splits.training": "workflow/run/splits/fitting.py workflow/run/splits/folds.py data/divisions.py",
    "views": "views/*.py",
    "trees combine.best_groups combine.stacking": "trees/**/*",
    "linear": "linear/*.py cvxpy piqp",
    "combine": "combine/*.py diagnostics/*.py",
    "combine.pruning ensembles.pruned ensembles.forests.double workflow.run.splits.pruned": _PRUNERS,
    "ensembles": f"ensembles/**/* combine/*.py {_MEMBERS}",
    "ensembles.pooled.boosting": "xgboost",
}
"""Modules, or packages above them -> the files that they may import, and the libraries."""


def code_of(step: str, content: Mapping[str, Any]) -> str:
    """Return the fingerprint of a job: of its step, the step's part of its protocol, and the classes that its slice names."""
    return fingerprint(*_modules(step, content))


def _modules(step: str, content: Mapping[str, Any]) -> list[str]:
    protocol = content.get("protocol")  # the report has all its keys
    parts = PROTOCOLS[protocol] if isinstance(protocol, str) else {}
    builds = step in ("groups", "train", "combine", "refit")
    named = named_modules(step, content) if builds else ()
    return sorted({STEPS[step], *([parts[step]] if step in parts else []), *named})


def named_modules(step: str, content: Any) -> Iterator[str]:
    """Yield the modules of the classes that a slice names, at any depth, and of the kinds of its combiners."""
    for key, value in content.items() if isinstance(content, Mapping) else ():
        if key in ("class", "estimator") and isinstance(value, str) and "." in value:
            yield value.rpartition(".")[0]
        elif (key, value) == ("kind", "prune"):
            yield "rotastack.workflow.run.splits.pruned"
        if key == "kind" and step == "refit" and value in REFITTED:
            yield REFITTED[value]
    for value in content.values() if isinstance(content, Mapping) else content if isinstance(content, list) else ():
        yield from named_modules(step, value)


def check_code(step: str, content: Mapping[str, Any], code: str) -> None:
    """Raise a RotastackError that names the edited file if the code of a job is not the `code` that it was planned with."""
    for cached in (fingerprint, _files, _own_code):
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
    """Return the files and libraries behind `modules`: name -> hash of the code, or version."""
    wanted: set[str] = set()
    for module in modules:
        top, *names = module.split(".")
        wanted |= {"/".join(names) + ".py"} if top == "rotastack" else {top}
        for keys, words in CODE.items():
            if any(f"{module}.".startswith(f"rotastack.{key}.") for key in keys.split()):
                wanted.update(words.split())
    libraries = {name for name in wanted if "." not in name and "*" not in name}
    files = {file: code for pattern in wanted - libraries for file, code in _files(pattern).items()}
    return dict(sorted(files.items())) | {name: _version(name) for name in sorted(libraries)}


@cache
def _files(pattern: str) -> dict[str, str]:
    """Return file -> hash of its code; lists of names, in ``__init__.py``, do not count."""
    kinds = (".py", ".pyx", ".pxd", ".build")
    paths = [path for path in ROOT.glob(pattern) if path.suffix in kinds and path.name != "__init__.py"]
    return {path.relative_to(ROOT).as_posix(): _code(path.read_bytes(), path.suffix) for path in paths}


@cache
def _code(source: bytes, suffix: str) -> str:
    """Return a hash of a source file; of Python, without comments and docstrings."""
    if suffix == ".py":
        parts: list[str] = []
        with suppress(SyntaxError, ValueError):  # a user's folder may hold a file that is no Python
            _write_parts(ast.parse(source), parts)
            source = " ".join(parts).encode()
    return hashlib.sha256(source).hexdigest()


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


def _version(package: str) -> str:
    """Return the versions of the distributions that install a package, or else a hash of the code in the user's own files."""
    return _installed(package) or _own_code(package)


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


@cache
def _own_code(package: str) -> str:
    code = "".join(_code(path.read_bytes(), path.suffix) for path in _own_files(package))
    return hashlib.sha256(code.encode()).hexdigest()[:16] if code else "absent"


def _own_files(package: str, known: Iterable[str] = ()) -> list[Path]:
    """Return the files of a user's module or package, and of others of the user's that it imports."""
    others = package in known or package in sys.stdlib_module_names or package == "rotastack" or _installed(package)
    if others or (spec := find_spec(package)) is None:
        return []
    folders = [Path(folder) for folder in spec.submodule_search_locations or []]
    files = [p for folder in folders for p in sorted(folder.rglob("*.py"))] or [Path(spec.origin or "")]
    files = [path for path in files if path.is_file()]
    imported = sorted({name for path in files for name in _imports(path.read_bytes())})
    return files + [file for name in imported for file in _own_files(name, {*known, package})]


@cache
def _imports(source: bytes) -> set[str]:
    """Return the names of the top packages that Python code imports."""
    named: list[str] = []
    with suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(source)):
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [str(node.module)] if isinstance(node, ast.ImportFrom) and not node.level else []
    return {name.partition(".")[0] for name in named}
