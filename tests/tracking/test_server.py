"""A server on PostgreSQL: started and ended by one command, and found out at once when it is gone."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import chdir, closing
from pathlib import Path

import pytest
from mlflow.tracking import MlflowClient

from rotastack.errors import RotastackError
from rotastack.tracking.address import VARIABLE, check_address
from rotastack.tracking.postgres import programs
from rotastack.tracking.writer import Writer

pytest.importorskip("psycopg")
pytest.importorskip("flask")
try:
    programs()
except RotastackError as error:
    # PostgreSQL is the system's, and no part of the lock file; the error says which program is missing.
    pytest.skip(str(error), allow_module_level=True)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("terminal_signals")]
RECORD = {"parameters": {"seed": 1}, "code": "c", "version": "0", "status": "ok", "message": ""}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder into which PostgreSQL's own account may look, and a free port."""
    folder = tmp_path_factory.mktemp("server")
    if os.geteuid() == 0:
        for parent in (folder, *folder.parents):
            parent.chmod(parent.stat().st_mode | 0o011)
    with closing(socket.create_server(("127.0.0.1", 0))) as closed:
        return folder, closed.getsockname()[1]


def start(place):
    """Start the command, and wait until it says that the server is there."""
    folder, port = place
    command = [sys.executable, "-m", "rotastack", "server", "--port", str(port), "--folder", folder / "data"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    line = process.stdout.readline()
    assert f"http://127.0.0.1:{port}" in line, line + process.communicate()[0]
    return process


def end(process):
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[0]
    assert "the server has ended" in said, said
    assert process.returncode == 0


def bring(folder, methods, after=lambda number: None):
    """Log methods of a study from a folder."""
    folder.mkdir(exist_ok=True)
    with chdir(folder), Writer("shop", "iris") as writer:
        home = writer.container("dataset", {"study": "shop", "dataset": "iris"})
        for number in range(methods):
            key = {"study": "shop", "dataset": "iris", "method": number}
            run = writer.leaf("method", key, home, f"iris / {number}", RECORD, {})
            writer.log_metrics(run.run_id, {"error": 0.5}, "2026-01-01T00:00:00+00:00")
            writer.finish(run.run_id)
            after(number)
        writer.log_text(home, "a file that goes through the server", "note.txt")
        writer.finish(home)


def test_a_server_that_ends_in_the_middle_is_one_line_and_the_same_goes_on(place, monkeypatch):
    folder, port = place
    address = f"http://127.0.0.1:{port}"
    monkeypatch.setenv(VARIABLE, address)
    first = start(place)
    try:
        check_address(address)
        for what, words in {
            ("--port", str(port), "--folder", "other"): "cannot listen there",
            ("--port", "0", "--folder", "data"): "a server works with this folder",
        }.items():
            done = subprocess.run(
                [sys.executable, "-m", "rotastack", "server", *what], cwd=folder, capture_output=True, text=True
            )
            assert done.returncode == 2
            assert re.fullmatch(rf"rotastack: error: [^\n]*{words}[^\n]*\n", done.stderr), done.stderr
        begun = time.monotonic()
        with pytest.raises(
            RotastackError, match=r"^[^\n]*does not answer any more; nothing that was computed is lost[^\n]*$"
        ):
            bring(folder / "a", 5, lambda number: end(first) if number == 2 else None)
        assert first.poll() is not None
        assert time.monotonic() - begun < 120
        with pytest.raises(RotastackError, match="does not answer"):
            check_address(address)
    finally:
        first.kill() if first.poll() is None else None
    second = start(place)
    try:
        # the same again, and another person's study of the same name at the same time
        both = [threading.Thread(target=_brought, args=(folder / name,)) for name in "ab"]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        client = MlflowClient(address, address)
        experiment = client.get_experiment_by_name("shop").experiment_id
        runs = client.search_runs([experiment], max_results=1000)
        names = [(r.info.run_name, r.data.tags["rotastack.folder"]) for r in runs]
        assert len(set(names)) == len(names) == 2 * 6
        assert {r.info.status for r in runs} == {"FINISHED"}
        home = next(r for r in runs if r.info.run_name == "iris")
        assert home.info.artifact_uri.startswith("mlflow-artifacts:/")
        with chdir(folder):
            assert "through the server" in Path(client.download_artifacts(home.info.run_id, "note.txt")).read_text()
    finally:
        end(second)


def _brought(folder):
    """Log in a process of its own: the working directory is the process's."""
    code = f"from pathlib import Path; from tests.tracking.test_server import bring; bring(Path({str(folder)!r}), 5)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
