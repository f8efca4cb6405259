"""The kernel is built in place by one command, and stale or foreign modules are reported in one line."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from tests.refusals import refusal

import rotastack
from rotastack.files import hashes
from rotastack.workflow.run import fingerprint
from rotastack.workflow.run.launch import check_kernel

ROOT = Path(__file__).resolve().parents[1]
KERNEL = Path(rotastack.__file__).parent / "trees/kernel"
# Tests may run against an installed wheel (tools/try_install.py), whose kernel is not built from this checkout.
checkout = pytest.mark.skipif(
    not (ROOT / "src/rotastack/trees/kernel").samefile(KERNEL), reason="an installed package has nothing to build"
)


@checkout
def test_modules_stand_beside_their_sources_and_a_module_without_a_source_goes():
    older = KERNEL / "older.abi3.so"
    older.touch()
    build = runpy.run_path(str(ROOT / "tools/build_kernel.py"))
    build["main"]()
    assert not older.exists()
    assert {path.name.partition(".")[0] for path in KERNEL.glob("*.so")} == {path.stem for path in KERNEL.glob("*.pyx")}
    done = subprocess.run(
        [sys.executable, "-c", "import rotastack; print(rotastack.__file__)"], capture_output=True, cwd="/"
    )
    assert done.stdout.decode().strip() == str(ROOT / "src/rotastack/__init__.py")


def test_a_touched_kernel_is_accepted_and_an_edited_one_is_refused_whatever_the_times(tmp_path, monkeypatch):
    kernel = tmp_path / "src/rotastack/trees/kernel"
    kernel.mkdir(parents=True)
    for path in (kernel / "discriminants.pyx", kernel / "discriminants.abi3.so", tmp_path / "tools/build_kernel.py"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (kernel / ".built").write_text(json.dumps(hashes([kernel / "discriminants.pyx"])))
    monkeypatch.setattr(fingerprint, "ROOT", tmp_path / "src/rotastack")
    os.utime(kernel / "discriminants.abi3.so", (0, 0))
    check_kernel()
    (kernel / "discriminants.pyx").write_text("edited")
    os.utime(kernel / "discriminants.pyx", (0, 0))
    assert re.search(r"discriminants.pyx has changed since .*; run `make env`", refusal(check_kernel))
    (kernel / ".built").unlink()
    assert "discriminants.pyx has changed" in refusal(check_kernel)


def test_a_module_of_another_platform_is_reported_in_one_line(tmp_path):
    kernel = tmp_path / "rotastack/trees/kernel"
    kernel.mkdir(parents=True)
    for folder in (kernel.parent, kernel.parents[1]):
        (folder / "__init__.py").touch()
    for name in ("errors.py", "trees/kernel/__init__.py"):
        (tmp_path / "rotastack" / name).write_text((Path(rotastack.__file__).parent / name).read_text())
    (kernel / "discriminants.abi3.so").write_bytes(b"MZ of Windows")
    done = subprocess.run(
        [sys.executable, "-c", "import rotastack.trees.kernel"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    line = done.stderr.strip().splitlines()[-1]
    assert line.startswith("rotastack.errors.KernelError: rotastack's compiled kernel does not load on ")
    assert "pip install --force-reinstall --no-deps rotastack" in line
