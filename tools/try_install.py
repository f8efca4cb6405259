"""Install the wheel as users do, in an environment of its own, and run tests there: ``python tools/try_install.py --help``.

Dependencies are the newest that there are, or the oldest that pyproject.toml allows. Prints what was tried.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESOLUTIONS = {"newest": "highest", "lowest": "lowest-direct"}
TESTED_WITH = ("hypothesis", "pytest", "pyyaml")
QUICK = ("trees", "views", "combine", "ensembles", "linear", "diagnostics", "resampling", "stats")
"""Tests of the estimators, by folder."""
NEEDS_MORE = (
    "*tables.py",                        # data sets of the registry, or Parquet
    "*against_scikit_learn.py",
    "*test_libraries.py",                # peers
)  # fmt: skip
"""Tests that want an extra, or data sets."""


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


def install(environment: Path, wheel: Path, python: str, resolution: str, extras: Sequence[str]) -> Path:
    """Make an environment with the wheel and its dependencies of one resolution; return its Python."""
    run("uv", "venv", "--quiet", "--seed", "--clear", "--python", python, environment)
    interpreter = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pinned = environment / "dependencies.txt"
    wanted = [word for extra in extras for word in ("--extra", extra)]
    run(
        "uv", "pip", "compile", "--quiet", "--only-binary", ":all:", "--no-header", "--no-annotate", "--python", interpreter,
        "--resolution", RESOLUTIONS[resolution], *wanted, "--output-file", pinned, ROOT / "pyproject.toml",
    )  # fmt: skip
    run("uv", "pip", "install", "--quiet", "--python", interpreter, "--requirement", pinned)
    run("uv", "pip", "install", "--quiet", "--python", interpreter, "--no-deps", wheel)
    return interpreter


def run_tests(interpreter: Path, tests: Sequence[str], options: Sequence[str]) -> None:
    """Run tests against the installed package, from a folder that holds nothing of the checkout."""
    pinned = interpreter.parents[1] / "dependencies.txt"
    run("uv", "pip", "install", "--quiet", "--python", interpreter, "--constraint", pinned, *TESTED_WITH)
    places = [ROOT / test for test in tests] or [ROOT / "tests" / folder for folder in QUICK]
    passed_over = [] if tests else [f"--ignore-glob={pattern}" for pattern in NEEDS_MORE]
    with tempfile.TemporaryDirectory() as elsewhere:
        run(
            interpreter, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT, "-q",
            "-p", "no:cacheprovider", "-m", "not slow", *passed_over, *options, *places, cwd=Path(elsewhere),
        )  # fmt: skip


@contextmanager
def folder_of(given: Path | None) -> Iterator[Path]:
    """Yield a folder to work in: the one that is given, which stays, or one that goes."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=f"{sys.version_info[0]}.{sys.version_info[1]}", help="version, or path")
    parser.add_argument("--resolution", choices=RESOLUTIONS, default="newest", help="of dependencies")
    parser.add_argument("--extra", action="append", default=[], help="an extra to install as well; may be repeated")
    parser.add_argument("--wheel", type=Path, help="install this one; by default one is built")
    parser.add_argument("--folder", type=Path, help="keep the environment here; by default it goes")
    parser.add_argument("--install-only", action="store_true", help="run no tests")
    parser.add_argument("tests", nargs="*", help="files or folders; by default the estimators' quick tests. "
                        "After `--`, options of pytest")  # fmt: skip
    given = sys.argv[1:]
    cut = given.index("--") if "--" in given else len(given)
    arguments = parser.parse_args(given[:cut])
    with folder_of(arguments.folder) as folder:
        wheel = arguments.wheel or built_wheel(folder)
        interpreter = install(
            folder / "environment", wheel.resolve(), arguments.python, arguments.resolution, arguments.extra
        )
        run("uv", "pip", "list", "--python", interpreter)
        if not arguments.install_only:
            run_tests(interpreter, arguments.tests, given[cut + 1 :])
    print(f"works: Python {arguments.python}, {arguments.resolution} dependencies, extras: {arguments.extra or 'none'}")


if __name__ == "__main__":
    main()
