"""Find the files of the workflow: in a checkout, or in the installed package."""

import sys
from functools import cache
from pathlib import Path

from rotastack.errors import RotastackError

__all__ = ["find_own_modules", "project_file", "project_root"]


@cache
def project_root() -> Path:
    """Return the folder that holds Snakefile, workflow and config.

    A checkout that the package is installed from in place, else the copy inside the package.
    """
    here = Path(__file__).resolve().parent
    for root in (here.parents[1], here / "_project"):
        if (root / "Snakefile").is_file() and (root / "config" / "datasets.yaml").is_file():
            return root
    raise RotastackError("the workflow's files (Snakefile, config) are missing: install rotastack again")


def project_file(name: str) -> Path:
    """Return a file below :func:`project_root`."""
    return project_root() / name


def find_own_modules() -> None:
    """Have modules of the working directory found by their names: last, so that a file there hides no package."""
    try:
        here = str(Path.cwd())
    except FileNotFoundError:  # somebody has deleted it: what needs it will say so
        return
    if here not in sys.path:
        sys.path.append(here)
