"""The recipe of conda-forge agrees with pyproject.toml, and links of pages for contributors lead to existing files."""

import hashlib
import io
import re
import sys
import tarfile
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
    assert written["build"]["skip"] == ['match(python, "<3.11")']
    assert written["about"]["license"] == PROJECT["project"]["license"]


def test_the_recipe_of_a_release_is_of_the_file_that_was_uploaded(tmp_path):
    source = tmp_path / "rotastack-1.2.3.tar.gz"
    about = b"Metadata-Version: 2.4\nName: rotastack\nVersion: 1.2.3\nSummary: What it is: all of it.\n\nText\n"
    with tarfile.open(source, "w:gz") as archive:
        member = tarfile.TarInfo("rotastack-1.2.3/PKG-INFO")
        member.size = len(about)
        archive.addfile(member, io.BytesIO(about))
    text = recipe.filled(source, "http://files.example/rotastack.tar.gz", "http://page.example", ["one", "two"])
    written = yaml.safe_load(text)
    sha = hashlib.sha256(source.read_bytes()).hexdigest()
    assert written["source"] == {"url": "http://files.example/rotastack.tar.gz", "sha256": sha}
    assert written["context"]["version"] == "1.2.3"
    assert (written["about"]["homepage"], written["about"]["summary"]) == (
        "http://page.example",
        "What it is: all of it.",
    )
    assert written["extra"]["recipe-maintainers"] == ["one", "two"]
    assert not re.search(r": (VERSION|URL|SHA256|SUMMARY|HOMEPAGE|MAINTAINERS)$", text, re.M)


def test_a_lower_bound_stands_beside_every_dependency():
    """The oldest versions are tested in an environment that tools/try_install.py --resolution lowest makes."""
    lists = [PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values()]
    free = {r.name for lines in lists for r in map(Requirement, lines) if not r.specifier}
    assert free <= {"rotastack", "types-pyyaml"}
