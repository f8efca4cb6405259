#!/usr/bin/env python3
"""Build the kernel's extension modules and copy them beside their sources: ``make env`` does so after every edit.

``pip install --editable .`` has configured the build folder. Its import hook is replaced by the path of the sources:
the hook would ask ninja for edits in every process, and Snakemake does not find plugins behind a hook.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))
from rotastack.files import hashes, read_json, write_text  # noqa: E402 - the package is not installed yet

KERNEL = ROOT / "src/rotastack/trees/kernel"
BUILD = ROOT / "build" / f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"


def is_configured() -> bool:
    """Return whether the build folder is for this checkout, and not for one that it was copied from."""
    about = BUILD / "meson-info/meson-info.json"
    if not (BUILD / "build.ninja").is_file() or not about.is_file():
        return False
    return json.loads(about.read_text(encoding="utf-8"))["directories"]["source"] == str(ROOT)


def main() -> None:
    """Configure the build if that has not been done here, build, and copy the modules."""
    scripts = sysconfig.get_path("scripts")
    tools = {**os.environ, "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")])}
    if not is_configured():
        shutil.rmtree(BUILD, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
        subprocess.run([*pip, f"-Cbuild-dir={BUILD}", "--editable", ROOT], env=tools, check=True)
    sources, built = hashes(p for p in KERNEL.iterdir() if p.suffix in (".pyx", ".pxd", ".build")), KERNEL / ".built"
    known = read_json(built) if built.is_file() else {}
    for name, _ in sources.items() - known.items():
        (KERNEL / name).touch()  # ninja goes by times, and a replaced source may be older than the one before
    done = subprocess.run(["ninja", "-C", BUILD], env=tools, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}the kernel does not build")
    modules = [file for file in (BUILD / "src/rotastack/trees/kernel").iterdir() if file.suffix in (".so", ".pyd")]
    for file in [*KERNEL.glob("*.so"), *KERNEL.glob("*.pyd")]:
        if file.name not in {module.name for module in modules}:
            file.unlink()  # its source is gone
    for module in modules:
        beside = KERNEL / f"{module.name}.{os.getpid()}"
        shutil.copy(module, beside)
        beside.replace(KERNEL / module.name)  # processes that run keep the module that they have loaded
    write_text(built, json.dumps(sources, indent=1))  # what the modules were built from, for the check before a study
    packages = Path(sysconfig.get_path("purelib"))
    (packages / "rotastack-editable.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
