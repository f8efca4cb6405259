"""``rotastack ui``: open the MLflow UI."""

from argparse import Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from rotastack.cli.models import say_who_may_ask

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command."""
    ui = commands.add_parser(
        "ui", help="open the MLflow UI on the tracking database", formatter_class=RawDescriptionHelpFormatter,
        epilog="example:\n  rotastack ui --port 5001",
    )  # fmt: skip
    ui.add_argument("--port", type=int, default=5000, help="(default: 5000)")
    ui.add_argument("--host", default="127.0.0.1", help="(default: 127.0.0.1, this machine alone)")
    ui.set_defaults(run=_ui)


def _ui(arguments: Namespace) -> int:
    import importlib.util
    import os
    import signal
    import subprocess
    import sys
    from contextlib import suppress

    if importlib.util.find_spec("mlflow.server") is None or importlib.util.find_spec("flask") is None:
        raise ModuleNotFoundError("no flask", name="flask")
    from rotastack.cli.stopping import handle_end
    from rotastack.errors import RotastackError
    from rotastack.tracking.address import database_file, shown
    from rotastack.tracking.making import make_database
    from rotastack.tracking.store import studies, tracking_uri

    say_who_may_ask(arguments.host)
    uri = tracking_uri()
    if uri.startswith(("http:", "https:")):
        raise RotastackError(f"runs are brought to the server at {shown(uri)}: open that in a browser")
    if (path := database_file(uri)) is not None:
        make_database(path)
        for line in _pages(studies(path), path, arguments.host, arguments.port):
            print(line, flush=True)
    command = [sys.executable, "-m", "mlflow", "ui"]
    environment = {
        **os.environ,
        "MLFLOW_BACKEND_STORE_URI": uri,  # a command line shows its password to everybody
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # queues for the judging of language models
    }
    # One worker serves one person, and starts in half the time of four.
    command += ["--host", arguments.host, "--port", str(arguments.port), "--workers", "1"]
    # MLflow's server has workers, and theirs: all are of a process group, which ends with this process.
    process = subprocess.Popen(command, start_new_session=True, env=environment)
    handle_end(lambda number, _: sys.exit(128 + number))
    try:
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)
            os.killpg(process.pid, signal.SIGKILL)


def _pages(studies: dict[str, str], database: Path, host: str, port: int) -> list[str]:
    """Return a line for each study of a database, with its address: MLflow's own first page is about language models."""
    if not studies:
        return [f"no runs in {database}: start this in the folder in which a study was run"]
    host = f"[{host}]" if ":" in host else host
    return [
        f"{name}: http://{host}:{port}/#/experiments/{number}/runs?workflowType=machine_learning"
        for name, number in studies.items()
    ]
