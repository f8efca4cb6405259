"""The metadata and files of an installed package."""

import os
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
    assert len(list(tmp_path.iterdir())) == 2
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
    runs_a_study(wheel, tmp_path / "installed", tmp_path / "elsewhere")


STUDY = """
name: own
datasets: [iris]
protocol: {kind: holdout, repeats: 2, rotations: 2}
pools:
  grove: {estimator: forest, parameters: {n_estimators: 3}}
  plain: {estimator: logistic}
methods:
  Forest: {pool: grove, combiner: {kind: vote}}
  Plain: {pool: plain, combiner: {kind: vote}}
"""


def runs_a_study(wheel, installed, folder):
    """Run a study with the package of a wheel, outside a checkout; the installed files stay unchanged."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    folder.mkdir()
    (folder / "own.yaml").write_text(STUDY)
    places = [*installed.rglob("*"), installed]
    for path in places:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.stat().st_mtime_ns for path in places}
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "rotastack", "run", "own.yaml", "--cores", "1"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "results" / "own" / "report.html").stat().st_size > 10_000
    log = (folder / "results" / "logs" / "own.log").read_text()
    assert f"{installed}/rotastack/_project/config/config.yaml" in log
    assert {path: path.stat().st_mtime_ns for path in (*installed.rglob("*"), installed)} == before
    for path in reversed(places):  # removed below
        path.chmod(0o755)


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom rotastack.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('loaded', [n for n in ('numpy', 'pandas', 'sklearn', 'pydantic', 'mlflow', 'yaml') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded []"


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


def bare(code):
    """Run code with the modules of a bare installation only."""
    wanted = needed_by("rotastack")
    there = {m for m, names in packages_distributions().items() if not {canonicalize_name(n) for n in names} & wanted}
    code = BARE.format(refused=there, code=code)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_a_bare_installation_is_small():
    """At most twelve packages besides the dependencies of scikit-learn."""
    known = needed_by("rotastack")
    added = known - needed_by("scikit-learn") - {"rotastack"}
    assert {"scikit-learn", "numpy", "scipy", "joblib", "threadpoolctl"} <= known
    assert len(added) <= 12, sorted(added)


@pytest.mark.slow
def test_a_bare_installation_does_all_that_needs_no_extra():
    """Every public name is imported, every estimator is trained; one line names a missing extra."""
    script = str(ROOT / "tests/bare_installation.py")
    done = bare(f"import runpy; runpy.run_path({script!r}, run_name='__main__')")
    assert done.returncode == 0, done.stderr
    names, estimators, commands = map(int, re.findall(r"\d+", done.stdout))
    assert names >= len(rotastack.__all__), done.stdout
    assert estimators > 0 < commands, done.stdout


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys; before = set(sys.modules); import rotastack; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()} - sys.stdlib_module_names
    assert loaded == {"rotastack", "lazy_loader"}


def extras():
    """Return extra -> names of its packages, including the packages of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = {name: [*map(Requirement, lines)] for name, lines in project["optional-dependencies"].items()}
    found = {name: {r.name for r in lines if r.name != "rotastack"} for name, lines in listed.items()}
    for _ in listed:
        for name, lines in listed.items():
            for inner in {extra for r in lines if r.name == "rotastack" for extra in r.extras}:
                found[name] |= found[inner]
    return found


def test_all_is_all_that_studies_and_their_users_need():
    found = extras()
    users = {"boosting", "plots", "server", "tables", "workflow"}
    assert found["all"] == set().union(*(found[name] for name in users))
    assert set(found) == users | {"all", "bench", "dev", "docs"}
    assert not found["all"] & {"pytest", "sphinx", "lightgbm"}


def test_an_extra_that_is_named_brings_what_was_missing():
    """The names in errors.py are modules, those in pyproject.toml packages."""
    found = extras()
    package_of = {"yaml": "pyyaml", "xgboost": "xgboost-cpu", "flask": "mlflow", "mlflow": "mlflow-skinny"}
    for module, extra in errors._EXTRAS.items():
        assert package_of.get(module, module) in found[extra], module
        assert errors.not_installed_message(f"{module}.inside").endswith(f"pip install 'rotastack[{extra}]'")
    assert errors.not_installed_message("statsmodels") is None
