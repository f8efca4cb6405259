"""What pip calls: meson-python, but for installing in place, which is another thing here.

meson-python's own way of that has every process that imports the package ask ninja for edits. Processes that start
together after an edit then build together, and read what others have half written. So here Python finds the sources
where they stand, with the built modules beside them; `build_kernel.py` says how these keep up with edits.
"""

import base64
import hashlib
import os
import shutil
import sysconfig
import zipfile
from pathlib import Path

import build_kernel
import mesonpy
from mesonpy import (  # handed on to pip
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

# The tools of an environment that nobody activated.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build a wheel, whose modules hold no symbols; return its name."""
    settings = {"setup-args": "-Dstrip=true", **(config_settings or {})}
    return mesonpy.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the kernel beside its sources, and a wheel that holds their address; return its name."""
    settings = {**(config_settings or {}), "build-dir": str(build_kernel.FOLDER.relative_to(build_kernel.ROOT))}
    if not build_kernel.is_laid_out() and build_kernel.FOLDER.exists():
        shutil.rmtree(build_kernel.FOLDER)
    with build_kernel.alone():
        before = build_kernel.hash_of_sources()
        name = mesonpy.build_editable(wheel_directory, settings, metadata_directory)
        build_kernel.put_beside_sources(before)
    _point_to_sources(Path(wheel_directory) / name)
    return name


def _point_to_sources(wheel: Path) -> None:
    """Have a wheel hold the sources' address in place of meson-python's finder; what tells of the package stays."""
    with zipfile.ZipFile(wheel) as old:
        kept = {n: old.read(n) for n in old.namelist() if ".dist-info/" in n and not n.endswith("/RECORD")}
        (record,) = (n for n in old.namelist() if n.endswith(".dist-info/RECORD"))
    kept = {"rotastack.pth": f"{build_kernel.ROOT / 'src'}\n".encode(), **kept}
    with zipfile.ZipFile(wheel, "w") as new:
        for path, content in kept.items():
            new.writestr(path, content)
        new.writestr(record, "".join(f"{_row(*item)}\n" for item in kept.items()) + f"{record},,\n")


def _row(path: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{path},sha256={digest},{len(content)}"
