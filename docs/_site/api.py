"""The reference of public names: a page for each, and lists of them by what they are for."""

import importlib
import inspect
from pathlib import Path

from _site.project import DOCS, ROOT

__all__ = ["GROUPS", "PACKAGES", "listed", "methods", "overview", "public_objects", "reference_name", "write_pages"]

FOLDER = "reference/api"
PACKAGES = (
    "rotastack",
    "rotastack.ensembles",
    "rotastack.views",
    "rotastack.trees",
    "rotastack.linear",
    "rotastack.combine",
    "rotastack.combine.pruning",
    "rotastack.diagnostics",
    "rotastack.resampling",
    "rotastack.stats",
    "rotastack.data",
)
"""In this order a name's page is looked for: one that several packages hand on belongs to the first."""

GROUPS = {
    "The flagship": ["RotastackClassifier", "RotastackRegressor", "ensembles.TreeFamily"],
    "Forests on random rotations": [
        "RandomRotationForestClassifier",
        "RandomRotationForestRegressor",
        "RandomRotationBoostingClassifier",
        "RandomRotationBoostingRegressor",
        "RegularizedRotationForestClassifier",
        "MultiRotationForestClassifier",
        "MultiRotationForestRegressor",
    ],
    "Forests on rotations that are fitted": [
        "RotationForestClassifier",
        "DoubleRotationForestClassifier",
        "DoubleRotationMarginForestClassifier",
    ],
    "Pools of any view, estimator and combiner": [
        "PooledEnsembleClassifier",
        "PooledEnsembleRegressor",
        "StackedRotationClassifier",
        "PrunedEnsembleClassifier",
        "AdaBoostM1Classifier",
    ],
    "Ensembles on fewer dimensions": [
        "RandomProjectionEnsembleClassifier",
        "RandomSubspaceEnsembleClassifier",
        "DiffusionMapEnsembleClassifier",
    ],
    "One member": ["NearestNeighborClassifier", "GaussianBayesClassifier"],
}
"""Estimators of ``rotastack`` by kind; all other names are listed by their package."""

TITLES = {
    "rotastack.linear": "Linear machines",
    "rotastack.views": "Views and scalers",
    "rotastack.trees": "The compiled forest",
    "rotastack.combine": "Combiners",
    "rotastack.combine.pruning": "Pruners",
    "rotastack.diagnostics": "Diagnostics",
    "rotastack.resampling": "Resampling",
    "rotastack.stats": "Statistics",
    "rotastack.data": "Data",
}


def public_objects() -> dict[str, object]:
    """Return all names that packages hand on, with the package, and what they are."""
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in sorted(module.__all__):
            if not inspect.ismodule(getattr(module, name)):
                found[f"{package}.{name}"] = getattr(module, name)
    for file in sorted((ROOT / "src/rotastack/plots").glob("[a-z]*.py")):
        module = importlib.import_module(f"rotastack.plots.{file.stem}")
        names = [name for name in module.__all__ if name.startswith(("plot_", "on_"))]
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in names}
    return found


def reference_name(name: str, objects: dict[str, object] | None = None) -> str:
    """Return the name under which the object of a public name has its page."""
    objects = objects or public_objects()
    return next(other for other, value in objects.items() if value is objects[name] and not _is_alias(other, value))


def _is_alias(name, value):
    return getattr(value, "__name__", name).rpartition(".")[2] != name.rpartition(".")[2]


def listed() -> dict[str, list[str]]:
    """Return title -> names with pages, in the order of the reference."""
    objects = public_objects()
    groups = {title: [f"rotastack.{name}" for name in names] for title, names in GROUPS.items()}
    taken = {name for names in groups.values() for name in names}
    for package, title in TITLES.items():
        members = [name for name in objects if name.rpartition(".")[0] == package]
        names = list(dict.fromkeys(reference_name(name, objects) for name in members))
        groups[title] = [name for name in names if name not in taken]
        taken.update(groups[title])
    groups["Figures"] = [name for name in objects if name.startswith("rotastack.plots.")]
    return groups


def overview(_docname: str) -> str:
    """Return the reference's front page: tables of names, each with the first line of its docstring."""
    objects = public_objects()
    lines = []
    for title, names in listed().items():
        lines += [f"## {title}", "", "| name | what |", "|---|---|"]
        for name in names:
            kind = "class" if inspect.isclass(objects[name]) else "func"
            lines.append(f"| {{py:{kind}}}`~{name}` | {_first_line(objects[name])} |")
        lines += ["", "```{toctree}", ":hidden:", "", *(f"api/{name}" for name in names), "```", ""]
    return "\n".join(lines)


def _first_line(value):
    text = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


def write_pages(_app) -> None:
    """Write a page for each public name, where it has changed, and take away those of names that went."""
    folder = DOCS / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    objects = public_objects()
    pages = {f"{name}.rst": _page(name, objects[name]) for names in listed().values() for name in names}
    for file in folder.glob("*.rst"):
        if file.name not in pages:
            file.unlink()
    for name, text in pages.items():
        _write(folder / name, text)


def _write(file: Path, text: str) -> None:
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def _page(name, value):
    _package, _, short = name.rpartition(".")
    aliases = [other for other, known in public_objects().items() if known is value and other != name]
    lines = [short, "=" * len(short), ""]
    if inspect.isclass(value):
        lines += [f".. autoclass:: {name}", ""]
        known = methods(value)
        if known:
            lines += [".. rubric:: Methods", ""]
            lines += [line for method in known for line in (f".. automethod:: {name}.{method}", "")]
    elif callable(value):
        lines += [f".. autofunction:: {name}", ""]
    else:
        lines += [f".. autodata:: {name}", ""]
    if aliases:
        lines += ["Also " + ", ".join(f"``{other}``" for other in aliases) + ".", ""]
    lines += [f".. minigallery:: {name}", "   :add-heading: Examples in the gallery", "   :heading-level: -", ""]
    return "\n".join(lines)


def methods(value):
    """Return public methods that this package defines, those of the class first."""
    found = []
    for base in value.__mro__:
        if base.__module__.startswith("rotastack"):
            for name, member in vars(base).items():
                if name.startswith("_") or name in found:
                    continue
                is_method = inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod))
                if is_method and (inspect.getdoc(getattr(value, name)) or "").strip():
                    found.append(name)
    return found
