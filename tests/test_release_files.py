"""The recipe of conda-forge agrees with pyproject.toml."""

import re
import sys
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import recipe  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def required(lines):
    return {requirement.name: str(requirement.specifier) for requirement in map(Requirement, lines)}


def conda(lines):
    """Return package -> versions, without packages outside pip's metadata."""
    plain = [line for line in lines if isinstance(line, str) and "{{" not in line]
    return required(re.sub(r"\s+", "", line) for line in plain if line not in ("python", "pip"))


def test_the_recipe_has_the_requirements_of_the_package():
    written = yaml.safe_load(recipe.RECIPE.read_text(encoding="utf-8"))
    assert conda(written["requirements"]["run"]) == required(PROJECT["project"]["dependencies"])
    assert conda(written["requirements"]["host"]) == required(PROJECT["build-system"]["requires"])
    (crossing,) = (line for line in written["requirements"]["build"] if isinstance(line, dict))
    assert conda(crossing["then"]) == {"cython": required(PROJECT["build-system"]["requires"])["cython"]}
    ((name, target),) = PROJECT["project"]["scripts"].items()
    assert written["build"]["python"]["entry_points"] == [f"{name} = {target}"]
