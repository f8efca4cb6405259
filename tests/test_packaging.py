"""The metadata and files of an installed package."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import rotastack
from rotastack import errors

ROOT = Path(__file__).resolve().parents[1]


def test_the_version_stands_in_one_place():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"] == ["version"]
    told = subprocess.run([sys.executable, ROOT / "tools" / "version.py"], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == rotastack.__version__
    assert rotastack.__version__ not in (ROOT / "meson.build").read_text()
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == rotastack.__version__
    assert re.search(rf"## \[?{re.escape(rotastack.__version__)}", (ROOT / "CHANGELOG.md").read_text())


def tracked(*places):
    """Return the files that git tracks below places of the repository."""
    done = subprocess.run(["git", "-C", ROOT, "ls-files", *places], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.slow
# The files of both are compared with the files that git tracks, so the test needs a checkout.
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="meson makes source distributions of git checkouts only")
def test_a_release_is_one_wheel_for_every_python_and_one_source_distribution(tmp_path):
    """Both are made of the committed files, and contain the workflow, its configuration and the kernel's sources."""
    options = ("--no-isolation", "--skip-dependency-check", "-Csetup-args=-Doptimization=0")  # compiled in less time
    subprocess.run([sys.executable, "-m", "build", *options, "--outdir", tmp_path, ROOT], check=True)
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    assert wheel.name.startswith(f"rotastack-{rotastack.__version__}-cp311-abi3-")
    assert wheel.stat().st_size < 3e6
    found = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    kernel = "rotastack/trees/kernel/"
    modules = {name for name in found if name.endswith((".so", ".pyd"))}
    assert {name.removeprefix(kernel).partition(".")[0] for name in modules} == {
        Path(name).stem for name in tracked("src/rotastack/*.pyx")
    }
    inside = {name.removeprefix("src/") for name in tracked("src")}
    inside |= {f"rotastack/_project/{name}" for name in tracked("Snakefile", "workflow", "config")}
    profiles = tracked("workflow/profiles")
    inside |= {f"rotastack/_project/{name.removeprefix('workflow/')}" for name in profiles}
    assert found - modules == inside
    with tarfile.open(source) as archive:
        files = {m.name.partition("/")[2] for m in archive.getmembers() if not m.isdir()}
    assert files - {"PKG-INFO"} == tracked() - {"profiles"}  # a link, for checkouts


BARE = """
import sys, warnings
from importlib.abc import MetaPathFinder

class Refused(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refused())
warnings.simplefilter("ignore")
{code}
"""


def needed_by(package):
    """Return a package and its dependencies without extras, by the metadata of the environment."""
    wanted, todo = {package}, [package]
    while todo:
        for requirement in map(Requirement, requires(todo.pop()) or []):
            name = canonicalize_name(requirement.name)
            if (not requirement.marker or requirement.marker.evaluate({"extra": ""})) and name not in wanted:
                wanted.add(name)
                todo.append(name)
    return wanted


def test_a_bare_installation_is_small():
    """At most twelve packages besides the dependencies of scikit-learn."""
    known = needed_by("rotastack")
    added = known - needed_by("scikit-learn") - {"rotastack"}
    assert len(added) <= 12, sorted(added)


@pytest.mark.slow
def test_a_bare_installation_does_all_that_needs_no_extra():
    """Every public name is imported, every estimator is trained; one line names a missing extra."""
    script = str(ROOT / "tests/bare_installation.py")
    wanted = needed_by("rotastack")
    there = {m for m, names in packages_distributions().items() if not {canonicalize_name(n) for n in names} & wanted}
    code = BARE.format(refused=there, code=f"import runpy; runpy.run_path({script!r}, run_name='__main__')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names, estimators, commands = map(int, re.findall(r"\d+", done.stdout))
    assert names >= len(rotastack.__all__), done.stdout
    assert estimators > 0 < commands, done.stdout


@pytest.mark.parametrize("action", ["import rotastack", "from rotastack.cli import main; main(['--version'])"])
def test_importing_the_package_and_asking_for_its_version_import_nothing_heavy(action):
    code = f"import sys; before = set(sys.modules)\ntry:\n    {action}\nexcept SystemExit:\n    pass\n"
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()} - sys.stdlib_module_names
    assert loaded == {"rotastack", "lazy_loader"}


def packages(extra, listed):
    """Return the names of an extra's packages, including those of the extras that it names."""
    lines = [*map(Requirement, listed[extra])]
    inner = [packages(name, listed) for line in lines if line.name == "rotastack" for name in line.extras]
    return {line.name for line in lines}.union(*inner)


def test_an_extra_that_is_named_brings_what_was_missing():
    """The names in errors.py are modules, those in pyproject.toml packages."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    package_of = {"yaml": "pyyaml", "xgboost": "xgboost-cpu", "flask": "mlflow", "mlflow": "mlflow-skinny"}
    for module, extra in errors._EXTRAS.items():
        assert package_of.get(module, module) in packages(extra, listed), module
        assert errors.not_installed_message(f"{module}.inside").endswith(f"pip install 'rotastack[{extra}]'")
    assert errors.not_installed_message("statsmodels") is None
