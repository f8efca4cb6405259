"""A PostgreSQL of one's own: its files in one folder, reached by a socket that nobody else can open."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from rotastack.errors import RotastackError, in_one_line

__all__ = ["Postgres", "programs"]

USER, DATABASE = "mlflow", "mlflow"
ACCOUNT = "postgres"
"""Whom PostgreSQL runs as if we are root, which it refuses."""

START, STOP = 60, 30
"""Seconds."""


def programs() -> Path:
    """Return the folder of PostgreSQL's programs, the newest if there are several.

    Raises
    ------
    RotastackError
        It is not installed.
    """
    found = [p.parent for p in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    for folder in sorted(found, key=lambda p: float(p.parent.name), reverse=True):
        if (folder / "postgres").exists():
            return folder
    path = shutil.which("initdb")
    if path is not None and shutil.which("postgres"):
        return Path(path).resolve().parent
    raise RotastackError(
        "PostgreSQL is not installed (no initdb, no postgres); on Debian and Ubuntu: apt-get install postgresql"
    )


class Postgres:
    """A PostgreSQL that runs while the context does; it listens on no network.

    Parameters
    ----------
    folder : Path
        Of its files and its log; made if missing.
    """

    def __init__(self, folder: Path):
        self.folder = folder.resolve()
        self.data = self.folder / "postgres"
        self.log = self.folder / "postgres.log"
        self.process: subprocess.Popen | None = None

    def __enter__(self) -> "Postgres":
        self.programs = programs()
        self._as = self._account()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._refuse_second()
        self.socket = Path(tempfile.mkdtemp(prefix="rotastack-"))  # its path must be short
        if self._as:
            shutil.chown(self.socket, self._as)
        try:
            if not self.data.is_dir():
                self._make()
            self._start()
            self._make_database()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # fast: transactions are rolled back, files are closed
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP)
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait()
        shutil.rmtree(self.socket, ignore_errors=True)

    def uri(self, database: str = DATABASE) -> str:
        """Return the address for SQLAlchemy."""
        return f"postgresql+psycopg://{USER}@/{database}?host={self.socket}"

    def _account(self) -> str | None:
        if os.geteuid():
            return None
        try:
            pwd.getpwnam(ACCOUNT)
        except KeyError:
            raise RotastackError(
                f"PostgreSQL refuses to run as root, and there is no account {ACCOUNT!r} to run it as; run this as another user"
            ) from None
        return ACCOUNT

    def _run(self, *command: str | Path) -> subprocess.Popen:
        """Start a program in a session of its own, so that Ctrl-C reaches this process alone."""
        group = pwd.getpwnam(self._as).pw_gid if self._as else None
        with self.log.open("a") as log:
            return subprocess.Popen(
                [str(part) for part in command],
                stdout=log, stderr=log, start_new_session=True, cwd="/", env={**os.environ, "LC_ALL": "C.UTF-8"},
                user=self._as, group=group, extra_groups=[] if self._as else None,
            )  # fmt: skip

    def _refuse_second(self) -> None:
        try:
            number = int((self.data / "postmaster.pid").read_text().splitlines()[0])
            is_there = b"postgres" in Path(f"/proc/{number}/cmdline").read_bytes()
        except (OSError, ValueError, IndexError):
            return
        if is_there:
            raise RotastackError(
                f"{self.folder}: a server works with this folder (process {number}); stop it: kill -INT {number}"
            )

    def _make(self) -> None:
        """Make its files: under another name, as a half of them is of no use."""
        new = self.folder / "postgres.new"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        if self._as:
            shutil.chown(new, self._as)
        options = ["--username", USER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C"]
        if self._run(self.programs / "initdb", "--pgdata", new, *options).wait():
            raise RotastackError(f"PostgreSQL's files could not be made: {self._last()}")
        new.replace(self.data)

    def _start(self) -> None:
        """Start it, and wait until it answers."""
        # Who may open the socket may read the database: the folder of the socket is ours alone.
        quiet = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self.socket}"]
        self.process = self._run(self.programs / "postgres", "-D", self.data, *quiet)
        end = time.monotonic() + START
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            if not self._run(
                self.programs / "pg_isready", "-q", "-h", self.socket, "-U", USER, "-d", "postgres"
            ).wait():
                return
            time.sleep(0.1)
        raise RotastackError(f"PostgreSQL does not start: {self._last()}")

    def _make_database(self) -> None:
        """Make the database as MLflow wants it: under another name, as a half of it is of no use."""
        import psycopg

        from rotastack.tracking.making import fill_database

        with psycopg.connect(host=str(self.socket), user=USER, dbname="postgres", autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                return
            connection.execute("DROP DATABASE IF EXISTS half_made WITH (FORCE)")
            connection.execute("CREATE DATABASE half_made")
            fill_database(self.uri("half_made"))
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'half_made'")
            connection.execute(f"ALTER DATABASE half_made RENAME TO {DATABASE}")

    def _last(self) -> str:
        """Return the last line of the log, and where it is."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines() if self.log.exists() else []
        return f"{in_one_line(lines[-1]) if lines else 'it says nothing'} ({self.log})"
