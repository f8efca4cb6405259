"""Building in place: once for all processes, after every edit and no more often; and what is said where it fails."""

import base64
import csv
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import rotastack

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(rotastack.__file__).parent
EXTENSIONS = sorted(path.stem for path in (PACKAGE / "trees" / "kernel").glob("*.pyx"))

MESON = """
project('rotastack', 'c', 'cython', version: '1.0', default_options: ['buildtype=debug'])
py = import('python').find_installation(pure: false)
subdir('src/rotastack/trees/kernel')
install_subdir('src/rotastack', install_dir: py.get_install_dir())
"""
KERNEL = """
foreach name : ['nearest']
  py.extension_module(name, name + '.pyx', subdir: 'rotastack/trees/kernel', install: true, limited_api: '3.11')
endforeach
"""
ASK = "from rotastack.trees.kernel import nearest; print(nearest.answer())"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A checkout of a package whose kernel says one number, built in place; to be left as it was."""
    if os.name == "nt":
        # There a module that a process has loaded cannot be replaced, either: kernels come as wheels alone.
        pytest.skip("Windows lacks the file locks by which one process builds and the others wait")
    root = tmp_path_factory.mktemp("built") / "checkout"
    kernel = root / "src/rotastack/trees/kernel"
    kernel.mkdir(parents=True)
    for folder in (kernel.parent, kernel.parents[1]):
        (folder / "__init__.py").touch()
    shutil.copy(PACKAGE / "errors.py", kernel.parents[1])
    shutil.copy(PACKAGE / "trees/kernel/__init__.py", kernel)
    shutil.copytree(ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    project = (ROOT / "pyproject.toml").read_text().partition("[project]")[0]
    (root / "pyproject.toml").write_text(project + '[project]\nname = "rotastack"\nversion = "1.0"\n')
    (root / "meson.build").write_text(MESON)
    (kernel / "meson.build").write_text(KERNEL)
    (kernel / "number.pxd").write_text("cdef inline int number() noexcept nogil:\n    return 1\n")
    (kernel / "nearest.pyx").write_text(
        "from rotastack.trees.kernel.number cimport number\n\ndef answer():\n    return number()\n"
    )
    code = "import sys; sys.path.insert(0, 'tools'); import backend; print(backend.build_editable('.'))"
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True)
    return root


@pytest.fixture
def checkout(built):
    """The same; edits of its kernel are taken back."""
    kernel = built / "src/rotastack/trees/kernel"
    before = {path: path.read_text() for path in kernel.iterdir() if path.suffix in (".pyx", ".pxd")}
    yield built
    for path, text in before.items():
        path.write_text(text)
    assert ask(built) == 1


@pytest.fixture
def copied(built, tmp_path):
    """A copy of it, to be spoilt."""
    shutil.copytree(built, tmp_path / "copy", symlinks=True)
    return tmp_path / "copy"


def start(checkout, code=ASK):
    """Start a process that imports the kernel of a checkout."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(checkout / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ask(checkout):
    """Return what the kernel answers, or the last line of what went wrong."""
    out, err = start(checkout).communicate()
    return int(out) if out else err.strip().splitlines()[-1]


def edit(checkout, name, old, new):
    path = checkout / "src/rotastack/trees/kernel" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def modules(checkout):
    """Return the built modules, and when each was written."""
    return {p.name: p.stat().st_mtime_ns for p in checkout.glob("src/rotastack/trees/kernel/*.so")}


@pytest.mark.slow
def test_processes_that_start_after_an_edit_all_see_it_whole(checkout):
    assert ask(checkout) == 1
    for number in (2, 3):
        edit(checkout, "number.pxd", f"return {number - 1}", f"return {number}")
        answers = [process.communicate()[0] for process in [start(checkout) for _ in range(6)]]
        assert answers == [f"{number}\n"] * 6


def test_nothing_is_built_without_an_edit(copied):
    before = modules(copied)
    for path in copied.rglob("*.p*"):
        os.utime(path)
    shutil.rmtree(copied / "build")
    assert ask(copied) == 1
    assert modules(copied) == before


@pytest.mark.slow
def test_sources_that_do_not_build_are_one_line_and_the_compilers_words(checkout):
    edit(checkout, "nearest.pyx", "return number()", "return numbr()")
    assert ask(checkout).endswith(f"do not build: run `make env` in {checkout}")
    done = subprocess.run([sys.executable, checkout / "tools/build_kernel.py"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "numbr" in done.stderr
    edit(checkout, "nearest.pyx", "return numbr()", "return number() + 10")
    assert ask(checkout) == 11


def test_a_checkout_that_is_not_built_says_what_to_do(copied):
    (copied / "src/rotastack/trees/kernel/.built").unlink()
    shutil.rmtree(copied / "build")
    line = f"KernelError: the kernel is not built: run `make env` in {copied}"
    assert ask(copied) == f"rotastack.errors.{line}"


def test_modules_of_another_platform_are_named(copied):
    """As if a wheel had been unpacked that is not for this one: no tools stand above it."""
    shutil.rmtree(copied / "tools")
    (module,) = modules(copied)
    (copied / "src/rotastack/trees/kernel" / module).write_bytes(b"MZ of Windows")
    line = ask(copied)
    assert line.startswith("rotastack.errors.KernelError: rotastack's compiled kernel does not load on ")
    assert "pip install --force-reinstall --no-deps rotastack" in line
    (copied / "src/rotastack/trees/kernel" / module).unlink()
    assert "nearest" in ask(copied)


def test_a_copy_of_a_checkout_does_not_build_the_sources_of_the_other(copied):
    """The folder that ninja builds in holds addresses."""
    edit(copied, "number.pxd", "return 1", "return 5")
    assert ask(copied).endswith(f"the kernel is not built: run `make env` in {copied}")


@pytest.mark.slow
def test_a_module_whose_source_is_gone_goes_too(checkout):
    """Python would take it before a module of that name that is no extension."""
    kernel = checkout / "src/rotastack/trees/kernel"
    (kernel / "older.abi3.so").touch()
    edit(checkout, "number.pxd", "return 1", "return 4")
    assert ask(checkout) == 4
    assert list(modules(checkout)) == ["nearest.abi3.so"]


def test_an_installation_in_place_holds_the_address_of_the_sources(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    about = "rotastack-1.0.dist-info"
    assert files["rotastack.pth"].decode() == f"{built}/src\n"
    assert set(files) == {"rotastack.pth", *(f"{about}/{name}" for name in ("METADATA", "WHEEL", "RECORD"))}
    for path, digest, size in csv.reader(files[f"{about}/RECORD"].decode().splitlines()):
        if path.endswith("/RECORD"):
            continue
        found = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).decode().rstrip("=")
        assert (digest, int(size)) == (f"sha256={found}", len(files[path]))


def test_every_source_is_built():
    names = (PACKAGE / "trees/kernel/meson.build").read_text().partition("foreach name : [")[2].partition("]")[0]
    assert [word.strip(" '\n") for word in names.split(",")] == EXTENSIONS
