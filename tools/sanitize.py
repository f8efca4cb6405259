#!/usr/bin/env python3
"""Run tests while the kernel is watched: tools/sanitize.py {address,thread,valgrind} [arguments of pytest].

For "address" and "thread" the kernel is built once more, below build/, with gcc's sanitizers, and imported
instead of the installed one. "address" stops at reads and writes outside of what was allocated, or after it
was freed, and at what C leaves undefined; "thread" at memory that threads share without agreement.
"valgrind" looks at the kernel as it is installed: what it reads that was never written, and what it leaks.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNEL = "src/rotastack/trees/kernel"
TESTS = {
    # Not the tests that start Python anew, with limits of their own.
    "address": ["tests/trees", *(f"--ignore=tests/trees/test_{t}.py" for t in ("interrupts", "memory"))],
    # Not the fits in other processes: a forked one may not start threads here.
    "thread": ["tests/trees/test_threads.py", "tests/trees/test_layouts.py", "-k", "not process"],
    "valgrind": ["tests/trees/test_layouts.py", "tests/trees/test_c45.py", "tests/trees/test_bagged_views.py"],
}
CHECKS = {"address": "address,undefined", "thread": "thread"}
# What is no number, or too large, made an integer: no part of "undefined".
ARGUMENTS = {
    "address": "-fsanitize=float-cast-overflow -fno-sanitize-recover=all",
    "thread": "-fno-sanitize-recover=all",
}
LIBRARIES = {"address": "libasan.so", "thread": "libtsan.so"}
OPTIONS = {
    "PYTHONMALLOC": "malloc",  # each block by itself, so that its ends are known
    "ASAN_OPTIONS": "detect_leaks=0",  # Python and the libraries keep memory to the end
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1",
}


class Finder:
    """Finds the modules of the kernel in a build folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        parent, _, module = name.rpartition(".")
        file = self.folder / KERNEL / f"{module}.abi3.so"
        if parent != "rotastack.trees.kernel" or not file.exists():
            return None
        return importlib.util.spec_from_file_location(name, file)


def folder_of(kind: str) -> Path:
    return ROOT / "build" / kind


def build(kind: str) -> None:
    """Build the kernel with the checks."""
    setup = ["meson", "setup", str(folder_of(kind)), "--buildtype=debugoptimized", "-Db_lundef=false"]
    setup += [f"-Db_sanitize={CHECKS[kind]}", f"-Dc_args={ARGUMENTS[kind]}"]
    if not (folder_of(kind) / "build.ninja").exists():
        subprocess.run(setup, cwd=ROOT, env=os.environ | {"CC": "gcc"}, check=True)
    subprocess.run(["meson", "compile", "-C", str(folder_of(kind))], check=True)


def sanitized(kind: str) -> tuple[list[str], dict[str, str]]:
    """Return what Python is started by, and in which environment."""
    build(kind)
    find = ["gcc", f"-print-file-name={LIBRARIES[kind]}"]
    library = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
    # Threads are watched at fixed places in memory, which must be free.
    starter = ["setarch", "--addr-no-randomize"] if kind == "thread" else []
    return starter, {**OPTIONS, "LD_PRELOAD": library}


def test(kind: str, arguments: list[str]) -> int:
    """Run the tests in this process."""
    import pytest

    sys.path[0] = str(ROOT)
    if kind in CHECKS:
        sys.meta_path.insert(0, Finder(folder_of(kind)))
    # A sanitizer's report is the last word of the process, and must not be captured.
    return pytest.main(["-q", "--capture=sys", "-p", "no:randomly", *arguments])


def valgrind(command: list[str]) -> int:
    """Run a command under valgrind; print what it says about the kernel."""
    log = ROOT / "build" / "valgrind.log"
    log.parent.mkdir(exist_ok=True)
    start = ["valgrind", "--quiet", "--error-limit=no", "--leak-check=full", "--show-leak-kinds=definite"]
    tests = subprocess.run([*start, f"--log-file={log}", *command], check=False, env=os.environ | OPTIONS)
    # Of the kernel: Python itself and its libraries are full of false alarms.
    reports = re.split(r"^==\d+== \n", log.read_text(), flags=re.MULTILINE)
    ours = [r for r in reports if ".abi3.so" in r and KERNEL in r]
    print(*ours, f"{len(ours)} reports of valgrind about the kernel", sep="\n")
    return tests.returncode or bool(ours)


def main(kind: str, *arguments: str) -> int:
    tests = list(arguments) or TESTS[kind]
    if os.environ.get("WATCHED") == kind:
        return test(kind, tests)
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [sys.executable, __file__, kind, *tests]
    os.environ["WATCHED"] = kind
    if kind == "valgrind":
        return valgrind(command)
    starter, environment = sanitized(kind)
    return subprocess.run([*starter, *command], check=False, env=os.environ | environment).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
