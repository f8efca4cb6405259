"""Install the wheel as users do, in an environment of its own, and run tests there: ``python tools/try_install.py --help``.

Dependencies are the newest that there are, or the oldest that pyproject.toml allows. Prints what was tried.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESOLUTIONS = {"newest": "highest", "lowest": "lowest-direct"}
EXTRAS = ("tables", "workflow")
"""What the tests of the estimators read data, draw and keep models with."""
TESTED_WITH = ("hypothesis", "polars", "pytest", "pyyaml", "scikit-posthocs")
QUICK = ("base", "trees", "views", "combine", "ensembles", "linear", "diagnostics", "resampling", "stats")
"""Tests of the estimators and of the reading of tables, by folder."""
CELLS = """\
from sklearn.datasets import load_breast_cancer
load_breast_cancer(as_frame=True).frame.to_csv("cells.csv", index=False)
"""
"""The table of README.md."""
BARE = ROOT / "tests" / "bare_installation.py"
"""What is asked of an installation without extras."""


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> None:
    """Run a command; stop with its exit code if it fails."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, env={**os.environ, **variables})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command[:4]))} ...: exit code {done.returncode}")


def built_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout in a folder; return it."""
    run("uv", "build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def named_dependencies() -> list[str]:
    """Return what pyproject.toml names: of these the oldest wheel is wanted, and not an older one's sources."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.match(r"[\w.-]+", line)[0] for lines in lists for line in lines}
    return sorted(names - {project["name"]})


def install(environment: Path, wheel: Path, python: str, resolution: str, extras: Sequence[str]) -> Path:
    """Make an environment with the wheel and its dependencies of one resolution; return its Python."""
    run("uv", "venv", "--quiet", "--seed", "--python", python, environment)
    interpreter = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pinned = environment / "dependencies.txt"
    binary = [word for name in named_dependencies() for word in ("--only-binary", name)]
    wanted = [word for extra in extras for word in ("--extra", extra)]
    run(
        "uv",
        "pip",
        "compile",
        "--quiet",
        *binary,
        "--no-header",
        "--no-annotate",
        "--python",
        interpreter,
        "--resolution",
        RESOLUTIONS[resolution],
        *wanted,
        "--output-file",
        pinned,
        ROOT / "pyproject.toml",
    )
    run("uv", "pip", "install", "--quiet", "--python", interpreter, "--requirement", pinned)
    run("uv", "pip", "install", "--quiet", "--python", interpreter, "--no-deps", wheel)
    return interpreter


def run_tests(interpreter: Path, cwd: Path) -> None:
    """Run tests against the installed package, from a folder that holds nothing of the checkout."""
    pinned = interpreter.parents[1] / "dependencies.txt"
    run("uv", "pip", "install", "--quiet", "--python", interpreter, "--constraint", pinned, *TESTED_WITH)
    run(
        interpreter,
        "-m",
        "pytest",
        "-c",
        ROOT / "pyproject.toml",
        "--rootdir",
        ROOT,
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow",
        *(ROOT / "tests" / folder for folder in QUICK),
        cwd=cwd,
    )


def run_a_table(interpreter: Path, cwd: Path) -> None:
    """Run README's command for a table, and predict with its model."""
    command = interpreter.with_name("rotastack")
    run(interpreter, "-c", CELLS, cwd=cwd)
    run(command, "run", "cells.csv", "--target", "target", "--size", "small", cwd=cwd)
    run(command, "predict", "--study", "cells", "cells.csv", "--output", "predicted.csv", cwd=cwd)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=f"{sys.version_info[0]}.{sys.version_info[1]}", help="version, or path")
    parser.add_argument("--resolution", choices=RESOLUTIONS, default="newest", help="of dependencies")
    parser.add_argument("--bare", action="store_true", help=f"no extra, and {BARE.name} in place of tests")
    given = parser.parse_args()
    extras = () if given.bare else EXTRAS
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        interpreter = install(folder / "environment", built_wheel(folder), given.python, given.resolution, extras)
        run("uv", "pip", "list", "--python", interpreter)
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        if given.bare:
            run(interpreter, BARE, cwd=elsewhere)
        else:
            if os.name != "nt":  # the workflow's rules need bash
                run_a_table(interpreter, elsewhere)
            run_tests(interpreter, elsewhere)
    print(f"works: Python {given.python}, {given.resolution} dependencies, extras: {', '.join(extras) or 'none'}")


if __name__ == "__main__":
    main()
