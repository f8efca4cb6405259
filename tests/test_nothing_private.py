"""The package uses no private attributes of others and no files of Snakemake; no f-string lacks its f.

Ruff finds imports of private names, and settings of the interpreter (``banned-api`` in pyproject.toml).
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
RULES = [ROOT / "Snakefile", *sorted(p for p in (ROOT / "workflow").rglob("*") if p.is_file())]

OF_TUPLES = {"_replace", "_asdict", "_fields", "_make"}
"""Documented, for all their underscore."""
SCIKIT = ROOT / "src/rotastack/base/scikit.py"
"""The one place for scikit-learn's private functions."""


@cache
def nodes(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def ours():
    """Return the private names that the package defines: modules, functions, classes, attributes."""
    names = {part for path in SOURCES for part in (path.stem, *path.relative_to(ROOT).parts[:-1])}
    for node in (node for path in SOURCES for node in nodes(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and of_itself(node):
            names.add(node.attr)
    return names


def of_itself(node):
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def test_the_source_leaves_alone_what_is_private():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in SOURCES
        if path != SCIKIT
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and re.match("_(?!_)", node.attr) and not of_itself(node)
        if node.attr not in OF_TUPLES | ours()
    ]
    assert found == []


@pytest.mark.parametrize(
    ("pattern", "places", "example"),
    [
        (
            r"['\"]\s*(SELECT|UPDATE|INSERT|DELETE)\b[^'\"]*\b(FROM|SET|INTO|SELECT|VALUES)\b",
            SOURCES,
            "run('SELECT a FROM b')",
        ),
        (r"\.snakemake\b", [*SOURCES, *RULES], "'.snakemake/log'"),
        (r"\bsys\.argv\b", RULES, "sys.argv"),
        (r"\bos\._exit\b|\bgc\.(set_threshold|freeze|disable)\b", RULES, "gc.freeze()"),
        (r"(?<![\w)\]}'\"])(?!self\b|cls\b)[a-zA-Z]\w*\._[a-z]\w*", RULES, "workflow._rules"),
        (r"(?m)^\s*(from [\w.]*\b_|import _|from \S+ import .*\b_[a-z])", RULES, "from a import _b"),
    ],
)
def test_no_statements_of_sql_files_of_snakemake_or_private_parts(pattern, places, example):
    assert re.search(pattern, example)
    assert [str(path) for path in places if path != SCIKIT and re.search(pattern, path.read_text("utf-8"))] == []


def test_no_part_of_a_message_lacks_its_f():
    """Ruff's RUF027 looks at whole literals only; an escaped brace, {{, is meant."""
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        for node in nodes(path):
            parts = node.values if isinstance(node, ast.JoinedStr) else []
            plain = [part.value for part in parts if isinstance(part, ast.Constant)]
            if any(re.search(r"\{[^{}]*\w[^{}]*\}", part) for part in plain):
                assert "{{" in ast.get_source_segment(text, node), f"{path.name}, line {node.lineno}: {plain}"
