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
SQL = re.compile(r"\s*(SELECT|UPDATE|INSERT|DELETE)\b.*\b(FROM|SET|INTO|SELECT|VALUES)\b", re.DOTALL)


@cache
def nodes(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def is_private(name):
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


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


def private_attributes(path):
    for node in nodes(path):
        if (
            isinstance(node, ast.Attribute)
            and is_private(node.attr)
            and node.attr not in OF_TUPLES | ours()
            and not of_itself(node)
        ):
            yield node, ast.unparse(node)


def texts(path):
    """Yield the texts of a module, each with its node; the parts of an f-string are joined."""
    inner = {id(part) for node in nodes(path) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes(path):
        if isinstance(node, ast.JoinedStr):
            yield node, "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node, node.value


def sql(path):
    return ((node, text[:60]) for node, text in texts(path) if SQL.match(text))


def folders_of_snakemake(path):
    return ((node, ".snakemake") for node, text in texts(path) if ".snakemake" in text)


@pytest.mark.parametrize("offences", [private_attributes, sql, folders_of_snakemake])
def test_the_source_leaves_alone(offences):
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {what}"
        for path in SOURCES
        if path != SCIKIT
        for node, what in offences(path)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        (r"\.snakemake\b", "Snakemake's folder"),
        (r"\bsys\.argv\b", "the command line"),
        (r"\bos\._exit\b|\bgc\.(set_threshold|freeze|disable)\b", "a switch of the interpreter"),
        (r"(?<![\w)\]}'\"])(?!self\b|cls\b)[a-zA-Z]\w*\._[a-z]\w*", "a private part"),
        (r"^\s*(from [\w.]*\b_|import _|from \S+ import .*\b_[a-z])", "a private import"),
    ],
)
def test_the_rules_leave_alone(pattern, what):
    lines = [
        (path, n, line) for path in RULES for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    found = [f"{path.relative_to(ROOT)}:{n}: {line.strip()}" for path, n, line in lines if re.search(pattern, line)]
    assert found == [], what


def test_the_looks_find_what_they_look_for(tmp_path):
    """One example of each kind, to test the checks."""
    odd = tmp_path / "odd.py"
    odd.write_text(
        "sys._getframe(1)\nrun._asdict()\nself._mine\n'SELECT a FROM b'\nf'UPDATE {t} SET a'\n"
        "'select one from these'\n'.snakemake/log'\n"
    )
    assert [what for _, what in private_attributes(odd)] == ["sys._getframe"]
    assert len(list(sql(odd))) == 2
    assert len(list(folders_of_snakemake(odd))) == 1


def test_no_part_of_a_message_lacks_its_f():
    """Ruff's RUF027 looks at whole literals only; an escaped brace, {{, is meant."""
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        for node in nodes(path):
            parts = node.values if isinstance(node, ast.JoinedStr) else []
            plain = [part.value for part in parts if isinstance(part, ast.Constant)]
            if any(re.search(r"\{[^{}]*\w[^{}]*\}", part) for part in plain):
                assert "{{" in ast.get_source_segment(text, node), f"{path.name}, line {node.lineno}: {plain}"
