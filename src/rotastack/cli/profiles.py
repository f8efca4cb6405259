"""Workflow profiles: how Snakemake runs jobs, here or on a cluster."""

from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError, nearest

__all__ = ["profile_names", "profile_options"]


def profile_options(name: str | None) -> list[str]:
    """Return the options by which Snakemake takes a profile: a shipped one by its name, or a folder.

    Raises
    ------
    RotastackError
        There is none, which Snakemake would not say, and run everything here; or a plugin that it asks for is missing.
    """
    from rotastack.project import project_file

    if name is None:
        return ["--workflow-profile", "none", *_as_options(project_file("workflow/profiles/default/config.yaml"))]
    shipped = project_file(f"workflow/profiles/{name}")
    folder = shipped if shipped.is_dir() else Path(name)
    if not folder.exists() and not Path("profiles", name).exists():
        known = profile_names()
        raise RotastackError(
            f"--profile: {name!r} is no folder, nor a profile of ours{nearest(name, known)}; these are {', '.join(known)}"
        )
    for needed in _missing_plugins(folder):
        raise RotastackError(f"profile {name}: {needed} is not installed; `pip install {needed}` brings it")
    return ["--workflow-profile", str(folder)]


def profile_names(**_: Any) -> list[str]:
    """Return the names of the shipped profiles."""
    from rotastack.project import project_file

    return sorted(path.name for path in project_file("workflow/profiles").iterdir() if path.is_dir())


def _as_options(file: Path) -> list[str]:
    """Return a profile as options: of a profile Snakemake says each time that it is used."""
    from rotastack.base.documents import load_yaml

    options = []
    for key, value in load_yaml(file).items():
        pairs = [f"{name}={number}" for name, number in value.items()] if isinstance(value, dict) else value
        values = pairs if isinstance(pairs, list) else [] if value is True else [value]
        options += [f"--{key}", *map(str, values)]
    return options


def _missing_plugins(profile: Path) -> list[str]:
    """Return the packages that a profile asks Snakemake for, and that are not here."""
    from importlib.util import find_spec

    from rotastack.base.documents import load_yaml

    file = profile / "config.yaml"
    content = load_yaml(file) if file.is_file() else {}
    kinds = {"executor": "executor", "default-storage-provider": "storage"}
    asked = [f"snakemake-{kind}-plugin-{content[key]}" for key, kind in kinds.items() if content.get(key)]
    own = ("snakemake-executor-plugin-local", "snakemake-executor-plugin-dryrun", "snakemake-executor-plugin-touch")
    return [name for name in asked if name not in own and find_spec(name.replace("-", "_")) is None]
