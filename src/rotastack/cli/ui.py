"""``rotastack ui``: open the MLflow UI."""

from argparse import Namespace
from typing import Any

from rotastack.errors import RotastackError

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command."""
    ui = commands.add_parser("ui", help="open the MLflow UI on the tracking database")
    ui.add_argument("--port", type=int, default=5000)
    ui.add_argument("--host", default="127.0.0.1")
    ui.set_defaults(run=_ui)


def _ui(arguments: Namespace) -> int:
    import importlib.util
    import subprocess
    import sys

    if importlib.util.find_spec("mlflow.server") is None or importlib.util.find_spec("flask") is None:
        raise RotastackError("the UI needs the full MLflow: install rotastack[server]")
    from rotastack.tracking.store import tracking_uri

    command = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", tracking_uri()]
    return subprocess.call([*command, "--host", arguments.host, "--port", str(arguments.port)])
