"""Public names stay, and calls keep working; the changelog names each removal."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
public_names = importlib.import_module("public_names")
GONE = "if it is to go, say so in CHANGELOG.md and run `python tools/public_names.py`"
WRITE = "run `python tools/public_names.py`, and commit what it writes"


def parameters(called):
    """Return parameter name -> (kind, default), in their order."""
    given = ast.parse(f"def f{called}: pass").body[0].args
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    found = {a.arg: ("positional", d) for a, d in zip(plain, defaults, strict=True)}
    if given.vararg:
        found["*"] = ("rest", None)
    found |= {a.arg: ("keyword", d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)}
    if given.kwarg:
        found["**"] = ("rest", None)
    return {name: (kind, d and ast.unparse(d)) for name, (kind, d) in found.items()}


def broken(before, after):
    """Return the first call that would break; None if all calls keep working."""
    if not before:
        return None
    old, new = parameters(before), parameters(after or "()")
    if gone := [name for name in old if name not in new]:
        return f"takes {', '.join(gone)} no more"
    for name, (kind, default) in old.items():
        if kind != new[name][0] and kind != "keyword":
            return f"takes {name} by its name alone"
        if default != new[name][1] and default is not None:
            return f"{name} is {new[name][1]} by default, and was {default}"
    places = [[n for n, (kind, _) in known.items() if kind == "positional"] for known in (old, new)]
    if places[1][: len(places[0])] != places[0]:
        return f"takes its arguments in another order: {', '.join(places[1])}"
    added = [n for n, (kind, d) in new.items() if n not in old and kind != "rest" and d is None]
    return f"cannot be called without {', '.join(added)}" if added else None


def test_calls_that_worked_go_on_working():
    before, now = public_names.kept(), public_names.current()
    gone = [name for name in before if name not in now]
    assert not gone, f"{', '.join(gone)}: no longer public; {GONE}"
    for name, called in before.items():
        change = broken(called, now[name])
        assert change is None, f"{name}: {change}; {GONE}"


def test_every_public_name_is_kept():
    before, now = public_names.kept(), public_names.current()
    new = [name for name, called in now.items() if before.get(name) != called]
    assert not new, f"{', '.join(new)}: new, or called in a new way; {WRITE}"


@pytest.mark.parametrize("package", public_names.PACKAGES)
def test_type_checkers_see_what_a_package_hands_on(package):
    text = public_names.source_of(package).with_suffix(".pyi").read_text(encoding="utf-8")
    assert text == public_names.stub(package), WRITE


CLIENT = ROOT / "tests" / "typed_client.py"


@pytest.mark.slow
def test_a_typed_client_is_checked_strictly(tmp_path):
    """The types of the package are visible: correct lines pass, and each line marked as wrong fails."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file", os.devnull,
               "--cache-dir", tmp_path / "cache", CLIENT]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    lines = CLIENT.read_text(encoding="utf-8").splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("  # wrong")}
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line}
    assert expected
    assert found == expected, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ("(self, X, y=None, *, folds=5)", None),
        ("(self, X, y=None, *, folds=5, seed=0)", None),
        ("(self, X, y=None, folds=5)", None),
        ("(self, X, y=None, *, n_folds=5)", "takes folds no more"),
        ("(self, X, *, y=None, folds=5)", "takes y by its name alone"),
        ("(self, y=None, X=None, *, folds=5)", "in another order"),
        ("(self, X, y=None, *, folds=3)", "folds is 3 by default, and was 5"),
        ("(self, X, y=None, *, folds=5, seed)", "cannot be called without seed"),
    ],
)
def test_what_would_break_calls_is_seen(after, says):
    change = broken("(self, X, y=None, *, folds=5)", after)
    assert change is None if says is None else says in change
