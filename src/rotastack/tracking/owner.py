"""Whose runs are whose on a server that several people, or several folders of one person, bring theirs to."""

import getpass
import json
import os
from pathlib import Path

from rotastack.files import write_text
from rotastack.tracking.address import FOLDER, is_own

__all__ = ["NOTE", "owner"]

NOTE = FOLDER / "folder.json"
"""Where a folder notes what it was called when runs were first brought to a server from it."""


def owner(uri: str) -> dict[str, str]:
    """Return tags that tell our runs at an address from those of others; none for the database in ``results/mlflow``.

    A folder that is moved or copied with its results keeps its name, and so its runs. One whose results were deleted
    and made again has the same name, too.
    """
    if is_own(uri):
        return {}
    user = os.environ.get("MLFLOW_TRACKING_USERNAME") or _user()
    try:
        folder = str(json.loads(NOTE.read_text(encoding="utf-8"))["folder"])
    except (OSError, ValueError, KeyError, TypeError):
        folder = str(Path.cwd())
        write_text(NOTE, json.dumps({"folder": folder}) + "\n")
    return {"rotastack.owner": user, "rotastack.folder": folder}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's number without a name
        return str(os.getuid())
