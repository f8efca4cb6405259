#!/usr/bin/env python3
"""Build the kernel's extension modules beside their sources, where these have changed since.

A checkout runs in place. The modules are built by ninja in a folder below `build`, which installing in place
(`backend.py`) lays out, and are then copied beside their sources, each in one step. A hash of what they were built from
lies there too, so that each process that imports the kernel sees at once whether there is anything to do. Of
processes that start together after an edit one builds, and the others wait for it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "src" / "rotastack" / "trees" / "kernel"
FOLDER = ROOT / "build" / f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"
STAMP = KERNEL / ".built"


def is_up_to_date() -> bool:
    """Tell whether the modules were built from these very sources, for this platform."""
    return STAMP.is_file() and STAMP.read_text(encoding="utf-8") == hash_of_sources()


def is_laid_out() -> bool:
    """Tell whether the folder is for building this checkout, and not for one that it was copied from."""
    about = FOLDER / "meson-info" / "meson-info.json"
    return about.is_file() and _read(about)["directories"]["source"] == str(ROOT)


def bring_up_to_date() -> None:
    """Build what is not up to date; ImportError, in one line, where that cannot be."""
    if is_up_to_date():
        return
    if not is_laid_out():
        raise ImportError(f"the kernel is not built: run `make env` in {ROOT}")
    with alone():
        if not is_up_to_date():  # another process may have built while this one waited
            before = hash_of_sources()
            _run_ninja()
            put_beside_sources(before)


def put_beside_sources(before: str) -> None:
    """Copy what was built to where Python finds it; `before` is the hash of the sources as the build began."""
    STAMP.unlink(missing_ok=True)
    targets = _read(FOLDER / "meson-info" / "intro-targets.json")
    built = [Path(f) for t in targets if t["type"] == "shared module" for f in t["filename"]]
    for path in [*KERNEL.glob("*.so"), *KERNEL.glob("*.pyd")]:
        if path.name not in {b.name for b in built}:
            path.unlink()  # of a source that is gone
    for path in built:
        beside = KERNEL / f"{path.name}.{os.getpid()}"
        shutil.copy(path, beside)
        beside.replace(KERNEL / path.name)
    STAMP.write_text(before, encoding="utf-8")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def hash_of_sources() -> str:
    digest = hashlib.sha256(FOLDER.name.encode())
    sources = (p for p in KERNEL.iterdir() if p.suffix in (".pyx", ".pxd") or p.name == "meson.build")
    for path in [ROOT / "meson.build", *sorted(sources)]:
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _run_ninja() -> None:
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    ninja = shutil.which("ninja", path=places)
    if ninja is None:
        raise ImportError(f"the kernel's sources have changed, and there is no ninja: run `make env` in {ROOT}")
    done = subprocess.run([ninja, "-C", FOLDER], capture_output=True, text=True, env={**os.environ, "PATH": places})
    if done.returncode:
        error = ImportError(f"the kernel's sources have changed and do not build: run `make env` in {ROOT}")
        error.add_note(done.stdout + done.stderr)
        raise error


@contextmanager
def alone() -> Iterator[None]:
    """Keep other processes from building at the same time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows has no such lock: build there before several processes start
        yield
        return
    with (FOLDER / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Build what is not up to date, and lay out the folder for it where that has not been done."""
    if not is_up_to_date() and not is_laid_out():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
        sys.exit(subprocess.call([*pip, "--editable", ROOT]))
    try:
        bring_up_to_date()
    except ImportError as error:
        sys.exit("\n".join([str(error), *getattr(error, "__notes__", [])]))


if __name__ == "__main__":
    main()
