"""What commands share that are about studies: find one, and hand it to Snakemake."""

import os
import subprocess
import sys
from pathlib import Path

from rotastack.errors import RotastackError, nearest
from rotastack.project import project_file

__all__ = ["snakemake", "study_file"]


def study_file(name: str) -> Path:
    """Return the YAML file of a study: a file, or a name of ``config/studies``.

    Raises
    ------
    RotastackError
        There is none.
    """
    for path in (
        Path(name),
        Path("config/studies") / f"{name}.yaml",
        project_file(f"config/studies/{name}.yaml"),
    ):
        if path.suffix in (".yaml", ".yml") and path.is_file():
            return path
    known = sorted(p.stem for p in project_file("config/studies").glob("*.yaml"))
    raise RotastackError(f"study {name!r} is unknown{nearest(name, known)}; there are {', '.join(known)}")


def snakemake(arguments: list[str]) -> int:
    """Run Snakemake on the project's workflow in the working directory; return its exit code."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(project_file("Snakefile")), *arguments]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
    }
    return subprocess.call(command, env=environment)
