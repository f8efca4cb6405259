"""Public names, for tests and type checkers: ``python tools/public_names.py`` writes both files anew.

Names are listed once, in the packages' ``__init__.py``, which import them on first use; a test compares the list of
docs/reference/api.md. ``tests/public_names.txt`` keeps how they are called, so that no call breaks unseen; type checkers,
which cannot follow imports on first use, read ``__init__.pyi`` beside each ``__init__.py``.
"""

import ast
import importlib
import inspect
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "tests" / "public_names.txt"
ABOUT = "# Public names, and how they are called. tests/test_public_names.py says when tools/public_names.py may write this anew.\n"
STUB = "# For type checkers: what __init__.py hands on. Written by tools/public_names.py.\n"

PACKAGES = (
    "rotastack",
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
"""The packages with public names."""

PLOTS = ("rotastack.plots.critical_difference.plot_critical_difference", "rotastack.plots.screen.on_screen")
"""The public functions of modules without a package that hands them on."""


def public_objects() -> dict[str, object]:
    """Return the public names, with the package, and their objects."""
    objects = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in sorted(module.__all__):
            if not inspect.ismodule(getattr(module, name)):
                objects[f"{package}.{name}"] = getattr(module, name)
    for path in PLOTS:
        module, _, name = path.rpartition(".")
        objects[path] = getattr(importlib.import_module(module), name)
    return objects


def methods(value: type) -> list[str]:
    """Return the documented public methods that this package defines, those of the class first."""
    names = []
    for base in value.__mro__:
        if base.__module__.startswith("rotastack"):
            for name, member in vars(base).items():
                if name.startswith("_") or name in names:
                    continue
                is_method = inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod))
                if is_method and (inspect.getdoc(getattr(value, name)) or "").strip():
                    names.append(name)
    return names


def signature(value: object) -> str:
    """Return how something is called, without types; empty for what is not called."""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    text = str(found.replace(parameters=plain, return_annotation=found.empty))
    return re.sub(r"<(?:function|class) '?([\w.]+)[^>]*>", r"\1", text)


def current() -> dict[str, str]:
    """Return public name -> signature, also of the public methods of classes."""
    signatures = {}
    for name, value in public_objects().items():
        signatures[name] = signature(value) if callable(value) else ""
        if inspect.isclass(value):
            for method in methods(value):
                signatures[f"{name}.{method}"] = signature(getattr(value, method))
    return dict(sorted(signatures.items()))


def kept() -> dict[str, str]:
    """Return the same as the file has it."""
    lines = [line for line in KEPT.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {name: bracket + rest for name, bracket, rest in (line.partition("(") for line in lines)}


def stub(package: str) -> str:
    """Return the stub of a package: imports of what its ``__init__.py`` hands on."""
    tree = ast.parse(source_of(package).read_text(encoding="utf-8"))
    (call,) = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "lazy_loader.attach")
    given = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    lines = [STUB]
    root = call.args[0].value if isinstance(call.args[0], ast.Constant) else package
    modules = given.get("submodules", [])
    if modules:
        lines += [f"from {package} import {name} as {name}\n" for name in modules]
    for module, names in given.get("submod_attrs", {}).items():
        lines += [f"from {root}.{module} import {name} as {name}\n" for name in names]
    lines += ["\n", *(["__version__: str\n"] if package == "rotastack" else []), "__all__: list[str]\n"]
    return "".join(lines)


def source_of(package: str) -> Path:
    """Return the ``__init__.py`` of a package."""
    return ROOT.joinpath("src", *package.split("."), "__init__.py")


def main() -> None:
    """Write the files."""
    lines = [f"{name}{called}\n" for name, called in current().items()]
    KEPT.write_text(ABOUT + "".join(lines), encoding="utf-8")
    for package in PACKAGES:
        source_of(package).with_suffix(".pyi").write_text(stub(package), encoding="utf-8")
    print(f"{KEPT.relative_to(ROOT)}: {len(lines)} names; {len(PACKAGES)} stubs")


if __name__ == "__main__":
    main()
