"""Find the files of the workflow: in a checkout, or in the installed package."""

import sys
from functools import cache
from pathlib import Path

from rotastack.errors import RotastackError


@cache
def project_root() -> Path:
    """Return the folder that holds Snakefile, workflow and config.

    It is the checkout of an editable install, or else the copy inside the package.
    """
    here = Path(__file__).resolve().parent
    for root in (here.parents[1], here / "_project"):
        if (root / "Snakefile").is_file() and (root / "config" / "datasets.yaml").is_file():
            return root
    raise RotastackError("the workflow's files (Snakefile, config) are missing; install rotastack again")


def project_file(name: str) -> Path:
    """Return the path of a file below :func:`project_root`."""
    return project_root() / name


def report_texts() -> list[Path]:
    """Return the templates, scripts and captions of the report."""
    return [p for p in sorted(project_file("workflow/report").iterdir()) if p.suffix in (".rst", ".j2", ".js")]


def find_own_modules(folder: str | Path = ".") -> None:
    """Make modules of a folder importable; it comes last in the path, so its files hide no package."""
    try:
        here = str(Path(folder).resolve())
    except FileNotFoundError:  # the folder was deleted: code that needs it will raise
        return
    if here not in sys.path:
        sys.path.append(here)
