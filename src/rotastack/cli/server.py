"""``rotastack server``: a tracking server for several people and workflows."""

from argparse import Namespace, RawDescriptionHelpFormatter
from typing import Any

__all__ = ["add"]

EXAMPLE = """example:
  rotastack server --port 5001
  MLFLOW_TRACKING_URI=http://127.0.0.1:5001 rotastack run customers.csv --target churned"""


def add(commands: Any) -> None:
    """Add the command."""
    server = commands.add_parser(
        "server",
        help="run an MLflow server on PostgreSQL, on this machine alone",
        description="Run an MLflow server on PostgreSQL until Ctrl-C. Its database and the files of runs stay in one folder.",
        epilog=EXAMPLE,
        formatter_class=RawDescriptionHelpFormatter,
    )
    server.add_argument("--port", type=int, default=5000, help="(default: 5000)")
    server.add_argument(
        "--folder", default="results/server", help="of its database, files and logs (default: results/server)"
    )
    server.set_defaults(run=_server)


def _server(arguments: Namespace) -> None:
    import signal
    from importlib.util import find_spec
    from pathlib import Path

    for package in ("flask", "psycopg"):
        if find_spec(package) is None:
            raise ModuleNotFoundError(f"no {package}", name=package)
    from rotastack.cli.stopping import handle_end
    from rotastack.tracking.server import TrackingServer

    handle_end(signal.default_int_handler)  # ends as Ctrl-C does
    try:
        with TrackingServer(Path(arguments.folder), arguments.port) as server:
            print(
                f"rotastack: MLflow is at {server.address}, for this machine alone; Ctrl-C ends it\n"
                f"  export MLFLOW_TRACKING_URI={server.address}    and runs are brought there",
                flush=True,
            )
            server.wait()
    except KeyboardInterrupt:
        print("rotastack: the server has ended")
