"""Workflow profiles: how Snakemake runs jobs, on this machine or on a cluster."""

from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError, nearest

__all__ = ["profile_names", "profile_options"]


def profile_options(name: str | None) -> list[str]:
    """Return Snakemake's options for a profile, given by the name of a shipped profile or by a folder.

    Raises
    ------
    RotastackError
        There is no such profile (Snakemake would silently run all jobs on this machine), or a plugin is missing.
    """
    from rotastack.project import project_file

    if name is None:
        return ["--workflow-profile", "none", *_as_options(project_file("workflow/profiles/default/config.yaml"))]
    shipped = project_file(f"workflow/profiles/{name}")
    folder = shipped if shipped.is_dir() else Path(name)
    if not folder.exists() and not Path("profiles", name).exists():
        names = profile_names()
        raise RotastackError(
            f"--profile: {name!r} is no folder, nor a profile of ours{nearest(name, names)}; these are {', '.join(names)}"
        )
    for needed in _missing_plugins(folder):
        raise RotastackError(f"profile {name}: {needed} is not installed; `pip install {needed}` brings it")
    return ["--workflow-profile", str(folder)]


def profile_names(**_: Any) -> list[str]:
    """Return the names of the shipped profiles."""
    from rotastack.project import project_file

    return sorted(path.name for path in project_file("workflow/profiles").iterdir() if path.is_dir())


def _as_options(file: Path) -> list[str]:
    """Return a profile as options; with a profile Snakemake would print a notice at every run."""
    from rotastack.base.documents import load_yaml

    options = []
    for key, value in load_yaml(file).items():
        pairs = [f"{name}={number}" for name, number in value.items()] if isinstance(value, dict) else value
        values = pairs if isinstance(pairs, list) else [] if value is True else [value]
        options += [f"--{key}", *map(str, values)]
    return options


def _missing_plugins(profile: Path) -> list[str]:
    """Return the Snakemake plugins that a profile needs and that are not installed."""
    from importlib.util import find_spec

    from rotastack.base.documents import load_yaml

    file = profile / "config.yaml"
    content = load_yaml(file) if file.is_file() else {}
    kinds = {"executor": "executor", "default-storage-provider": "storage"}
    plugins = [f"snakemake-{kind}-plugin-{content[key]}" for key, kind in kinds.items() if content.get(key)]
    built_in = (
        "snakemake-executor-plugin-local",
        "snakemake-executor-plugin-dryrun",
        "snakemake-executor-plugin-touch",
    )
    return [name for name in plugins if name not in built_in and find_spec(name.replace("-", "_")) is None]
