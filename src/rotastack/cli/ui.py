"""``rotastack ui``: open the MLflow UI."""

import os
import sys
from argparse import Namespace
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from rotastack.cli.options import command
from rotastack.cli.stopping import ending_with_us
from rotastack.errors import RotastackError


def add(commands: Any) -> None:
    """Add the command."""
    example = "example:\n  rotastack ui --port 5001"
    ui = command(commands, "ui", _ui, "open the MLflow UI of the tracking database", epilog=example)
    ui.add_argument("--port", type=int, default=5000, help="port to listen on (default: 5000)")
    ui.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; the UI has no password (default: 127.0.0.1)"
    )


def _ui(arguments: Namespace) -> int:
    if find_spec("mlflow") is None or find_spec("flask") is None:
        raise ModuleNotFoundError("no flask", name="flask" if find_spec("mlflow") else "mlflow")
    from rotastack.workflow.tracking.address import existing_uri, without_login

    uri = existing_uri()
    if uri.startswith(("http:", "https:")):
        raise RotastackError(f"the runs are on the server {without_login(uri)}; open this address in a browser")
    # One worker is enough for one person, and starts in half the time of four.
    address = ["--host", arguments.host, "--port", str(arguments.port)]
    server = [sys.executable, "-m", "mlflow", "server", *address, "--workers", "1"]
    environment = {
        **os.environ,
        "MLFLOW_BACKEND_STORE_URI": uri,  # a command line would show the password to all users
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # these queues serve the evaluation of language models
    }
    # The user ends the server with Ctrl-C.
    with suppress(KeyboardInterrupt), ending_with_us(server, env=environment) as process:
        for name, place in _studies(uri).items():
            print(f"{name}: http://{arguments.host}:{arguments.port}/{place}", flush=True)
        return process.wait()
    return 0


def _studies(uri: str) -> dict[str, str]:
    """Return study -> end of the address of its methods, newest first; experiments of other programs are left out."""
    from mlflow.exceptions import MlflowException
    from mlflow.tracking import MlflowClient

    from rotastack.workflow.tracking.address import VIEW, explained, page_of

    try:
        experiments = MlflowClient(uri, uri).search_experiments(order_by=["experiment_id DESC"])
    except MlflowException as error:
        raise explained(error, uri) from None
    return {e.name: page_of(e.experiment_id) for e in experiments if f"mlflow.sharedViewState.{VIEW}" in e.tags}
