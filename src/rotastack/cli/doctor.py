"""``rotastack doctor``: check that everything a run needs is in place."""

import os
import shutil
import sys
from argparse import Namespace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from rotastack.cli.options import command
from rotastack.files import lock

__all__ = ["add"]

_GIGABYTES = 2  # less free disk space is a problem


def add(commands: Any) -> None:
    """Add the command."""
    text = "Print one line for each requirement of a run: ok, or the problem and its remedy."
    command(commands, "doctor", _doctor, "check the requirements of a run", description=text)


def _doctor(arguments: Namespace) -> int:
    wrong = 0
    for name, check in (("environment", _environment), ("snakemake", _snakemake), ("folder", _folder)):
        is_fine, text = check()
        print(f"{'ok     ' if is_fine else 'PROBLEM'}  {name}: {text}", flush=True)
        wrong += not is_fine
    return int(wrong > 0)


def _environment() -> tuple[bool, str]:
    import rotastack

    try:
        import rotastack.trees.kernel  # noqa: F401
    except ImportError as error:
        return False, f"the compiled kernel cannot be loaded ({error}); run `make env` to build it"
    return True, f"rotastack {rotastack.__version__}, Python {sys.version.split()[0]} in {sys.prefix}"


def _snakemake() -> tuple[bool, str]:
    if find_spec("snakemake") is None:
        return False, "not installed; run `pip install 'rotastack[workflow]'`"
    return True, version("snakemake")


def _folder() -> tuple[bool, str]:
    here = Path.cwd()
    if not os.access(here, os.W_OK):
        return False, f"{here} is not writable; run in a folder of your own"
    free = shutil.disk_usage(here).free / 1e9
    if free < _GIGABYTES:
        return False, f"{here} has {free:.1f} GB free; free disk space, or run in another folder"
    with TemporaryFile(dir=here) as stream:
        how = "" if lock(stream) else "; the file system refuses flock, so Snakemake alone locks a run"
    return True, f"{here} is writable, {free:.0f} GB free{how}"
