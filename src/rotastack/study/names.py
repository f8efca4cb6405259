"""Names of files, and of what they hold."""

from collections.abc import Mapping
from typing import Any

__all__ = ["member_names", "ranks_name", "slug", "sweep_name"]


def member_names(pool: Mapping[str, Any]) -> list[str]:
    """Return what a pool that trains on splits has several outputs of: weightings, or sizes of the ensemble."""
    return [str(size) for size in pool["sizes"]] or list(pool["learner"].get("weightings", ["all"]))


def slug(label: str) -> str:
    """Return a label as a file name: ``S-RRE/RF`` becomes ``S-RRE_RF``."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in label)


def ranks_name(group: str) -> str:
    """Return the figure that shows the average ranks of a group of methods: ``ranks-NN`` and so on."""
    return f"ranks-{group}"


def sweep_name(number: int) -> str:
    """Return the figure that shows the study's sweep of this number, from 0: ``sweep-1`` and so on."""
    return f"sweep-{number + 1}"
