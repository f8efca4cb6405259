"""The programs of benchmarks/, which are run by hand: the names that they import exist."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "program", sorted((Path(__file__).parents[1] / "benchmarks").rglob("*.py")), ids=lambda path: path.stem
)
def test_imported_names_exist(program):
    for node in ast.walk(ast.parse(program.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rotastack"):
            module = import_module(node.module)
            unknown = [alias.name for alias in node.names if not hasattr(module, alias.name)]
            if hasattr(module, "__path__"):  # the names may be modules of a package
                unknown = [name for name in unknown if find_spec(f"{node.module}.{name}") is None]
            assert unknown == []
