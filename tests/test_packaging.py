"""What an installed package tells of itself."""

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


def test_the_lock_file_names_no_place_of_one_machine():
    lock = (ROOT / "requirements.lock").read_text()
    assert not [
        word for word in ("--index-url", "--extra-index-url", "--find-links", "file:", "://") if word in lock
    ]


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom rotastack.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('loaded', [n for n in ('numpy', 'pandas', 'sklearn', 'pydantic', 'mlflow', 'yaml') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded []"
