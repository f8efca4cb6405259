"""What an installed package tells of itself."""

import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import yaml

import rotastack

ROOT = Path(__file__).resolve().parents[1]


def test_the_version_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    source = ROOT / project["tool"]["hatch"]["version"]["path"]
    assert f'__version__ = "{rotastack.__version__}"' in source.read_text()
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == rotastack.__version__
    assert f"## {rotastack.__version__}" in (ROOT / "CHANGELOG.md").read_text().replace("[", "").replace(
        "]", ""
    )


def test_types_are_for_users_too():
    assert (files("rotastack") / "py.typed").is_file()


PINNED = r"[\w.-]+==[\w.+!-]+( ; .+)? \\?"
HASHED = r"    --hash=sha256:[0-9a-f]{64}( \\)?"
WANTED_BY = r"    # ( *via|  [ \w.-]+|via [\w.-]+)( \(pyproject\.toml\))?"


def test_the_lock_file_holds_versions_and_hashes_alone():
    """No place of one machine, and no address."""
    allowed = re.compile("|".join((PINNED, HASHED, WANTED_BY)))
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert [line for line in lines if not allowed.fullmatch(line)] == []
    assert sum("--hash=" in line for line in lines) > sum("==" in line for line in lines) > 100


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom rotastack.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('loaded', [n for n in ('numpy', 'pandas', 'sklearn', 'pydantic', 'mlflow', 'yaml') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded []"
