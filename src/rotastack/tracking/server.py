"""MLflow's server on PostgreSQL, for this machine: several people and workflows bring their runs to it at once."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from rotastack.errors import RotastackError
from rotastack.tracking.postgres import Postgres

__all__ = ["HOST", "TrackingServer"]

HOST = "127.0.0.1"
START, STOP = 120, 15
"""Seconds."""


class TrackingServer:
    """An MLflow server that runs while the context does; files of runs go through it, so that clients need no shared folder.

    Parameters
    ----------
    folder : Path
        Of database, files of runs, and logs; made if missing.
    port : int
    """

    def __init__(self, folder: Path, port: int):
        self.folder = folder.resolve()
        self.port = port
        self.log = self.folder / "mlflow.log"
        self.postgres = Postgres(self.folder)
        self.process: subprocess.Popen | None = None

    @property
    def address(self) -> str:
        """What ``MLFLOW_TRACKING_URI`` is to be."""
        return f"http://{HOST}:{self.port}"

    def __enter__(self) -> "TrackingServer":
        self._refuse_taken()
        with ExitStack() as stack:
            stack.enter_context(self.postgres)
            stack.callback(self._stop)
            self._start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        self._stack.close()

    def wait(self) -> None:
        """Wait until one of the two ends by itself.

        Raises
        ------
        RotastackError
            It did.
        """
        assert self.process is not None
        assert self.postgres.process is not None
        while self.process.poll() is None and self.postgres.process.poll() is None:
            time.sleep(0.5)
        log = self.log if self.process.poll() is not None else self.postgres.log
        raise RotastackError(f"the tracking server has ended by itself; {log} says why")

    def _refuse_taken(self) -> None:
        try:
            with socket.socket() as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind((HOST, self.port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise RotastackError(
                f"{HOST}:{self.port}: cannot listen there: {reason}; take another port, --port N"
            ) from None

    def _start(self) -> None:
        files = self.folder / "artifacts"
        files.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "mlflow", "server", "--host", HOST, "--port", str(self.port), "--workers", "2",
                   "--serve-artifacts", "--artifacts-destination", str(files)]  # fmt: skip
        environment = {
            **os.environ,
            "MLFLOW_BACKEND_STORE_URI": self.postgres.uri(),
            "MLFLOW_DISABLE_TELEMETRY": "true",
            "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # queues for the judging of language models
        }
        environment.pop("MLFLOW_TRACKING_URI", None)
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, env=environment, cwd=self.folder
            )
        end = time.monotonic() + START
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            with suppress(URLError, OSError), urlopen(f"{self.address}/health", timeout=5):
                return
            time.sleep(0.2)
        raise RotastackError(f"MLflow's server does not start; {self.log} says why")

    def _stop(self) -> None:
        """End the server with its workers: all are of its process group."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP)
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
