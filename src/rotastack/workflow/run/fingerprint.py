"""Fingerprints of the code that a step runs, for Snakemake's ``params``, because Snakemake sees no edit of an imported module.

A fingerprint is a hash of the files that a step and the classes of a study may import, as the import contracts allow
(:data:`CODE`), without comments and docstrings, and of the versions of the libraries that compute.
"""

import ast
import hashlib
from contextlib import suppress
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

from rotastack.workflow.run.modules import PROTOCOLS, STEPS
from rotastack.workflow.study.building import REFITTED, combiner_modules, pool_modules
from rotastack.workflow.study.study import Study

__all__ = ["CODE", "COMPUTING", "Codes", "fingerprint", "states"]

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
        with suppress(SyntaxError, ValueError):  # a user's folder may hold a file that is no Python
            source = ast.dump(_WithoutDocstrings().visit(ast.parse(source))).encode()
    return hashlib.sha256(source).hexdigest()


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(getattr(node.value, "value", None), str) else node


_distributions = cache(packages_distributions)


@cache
def _version(package: str) -> str:
    """Return the versions of the distributions that install a package, or else a hash of the code in the user's own files."""
    with suppress(PackageNotFoundError):  # another distribution may install the package
        if package in COMPUTING:
            return version(COMPUTING[package])
    if versions := " ".join(version(name) for name in sorted(set(_distributions().get(package, [])))):
        return versions
    if (spec := find_spec(package)) is None:
        return "absent"
    folders = [Path(folder) for folder in spec.submodule_search_locations or []]
    files = [p for folder in folders for p in sorted(folder.rglob("*.py"))] or [Path(spec.origin or "")]
    return hashlib.sha256("".join(_code(p.read_bytes(), p.suffix) for p in files if p.is_file()).encode()).hexdigest()[
        :16
    ]


class Codes:
    """The fingerprints of a study's steps."""

    def __init__(self, study: Study):
        self.study = study

    def step(self, name: str, *modules: str) -> str:
        """Return the fingerprint of a step, in this study's protocol, that also imports `modules`."""
        protocol = PROTOCOLS[self.study.protocol.package]
        return fingerprint(STEPS[name], *([protocol[name]] if name in protocol else []), *modules)

    def train(self, pool: str) -> str:
        """Return the fingerprint of training a pool."""
        return self.step("train", *self._pools[pool])

    def combine(self, label: str) -> str:
        """Return the fingerprint of a method's combiner."""
        return self.step("combine", *self._combiners[label])

    def refit(self) -> str:
        """Return the fingerprint of refitting any method that may become the model."""
        methods = {label: self.study.methods[label] for label in self.study.refittable}
        modules = [m for label, method in methods.items() for m in self._pools[method.pool] + self._combiners[label]]
        kinds = {method.combiner.kind for method in methods.values()}
        return self.step("refit", *sorted({*modules, *(REFITTED[kind] for kind in kinds & REFITTED.keys())}))

    @cached_property
    def _pools(self) -> dict[str, list[str]]:
        estimators = self.study.task.estimators
        return {name: pool_modules(pool.resolved(estimators)) for name, pool in self.study.pools.items()}

    @cached_property
    def _combiners(self) -> dict[str, list[str]]:
        estimators = self.study.task.estimators
        return {m: combiner_modules(method.combiner.resolved(estimators)) for m, method in self.study.methods.items()}
