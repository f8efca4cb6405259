"""Public names and their calls stay as they are kept; the changelog names each removal."""

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
WRITE = "if it is meant, run `python tools/public_names.py`, and commit what it writes"


def test_public_names_and_their_calls_are_those_that_are_kept():
    before, now = public_names.kept(), public_names.current()
    gone = [name for name in before if name not in now]
    assert not gone, f"{', '.join(gone)}: no longer public; {GONE}"
    changed = [name for name, called in now.items() if before.get(name) != called]
    assert not changed, f"{', '.join(changed)}: new, or called in a new way; {WRITE}"


@pytest.mark.parametrize("package", public_names.PACKAGES)
def test_type_checkers_see_what_a_package_hands_on(package):
    text = public_names.source_of(package).with_suffix(".pyi").read_text(encoding="utf-8")
    assert text == public_names.stub(package), WRITE


CLIENT = ROOT / "tests" / "typed_client.py"


@pytest.mark.slow
def test_a_typed_client_is_checked_strictly(tmp_path):
    """The types of the package are visible: correct lines pass, and each line marked as wrong fails."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--config-file",
        os.devnull,
        "--cache-dir",
        tmp_path / "cache",
        CLIENT,
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    lines = CLIENT.read_text(encoding="utf-8").splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("  # wrong")}
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line}
    assert expected
    assert found == expected, done.stdout + done.stderr
