"""The tracking address: looked at before anything is computed, and never shown with its secrets."""

import os
import socket
import sqlite3
import subprocess
import sys
import threading
from contextlib import chdir, closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from tests.refusals import refusal

from rotastack.errors import RotastackError
from rotastack.workflow.tracking.address import (
    check_address,
    database_file,
    explained,
    tracking_uri,
    without_login,
    without_secrets,
)
from rotastack.workflow.tracking.writer import Writer

SECRET = "http://anna:pa%24s@example.org:5000/mlflow?token=abc"


def test_what_is_shown_has_no_secrets(monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "t0ken")
    assert without_login(SECRET) == "http://example.org:5000/mlflow"
    assert without_login("sqlite:////data/mlflow.db?timeout=60") == "sqlite:////data/mlflow.db"
    text = without_secrets(f"cannot reach {SECRET}: user anna, password pa$s, t0ken", SECRET)
    line = str(explained(OSError(f"Connection\nto {SECRET} lost"), SECRET))
    assert line.startswith(
        "http://example.org:5000/mlflow: the tracking server stopped answering; all results are kept"
    )
    assert not any(word in said for word in ("pa%24s", "pa$s", "abc", "t0ken", "\n") for said in (text, line))


def test_a_question_mark_ends_the_path_of_a_database(tmp_path, monkeypatch):
    """Options follow the mark, such as the seconds that a writer waits for another one."""
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert database_file(f"sqlite:///{tmp_path}/m.db?timeout=60") == tmp_path / "m.db"
    folder = tmp_path / "which one?"
    folder.mkdir()
    with chdir(folder):
        said = refusal(check_address, tracking_uri())
        assert f"{folder}: MLflow cannot open a database in a folder with '?' in its path; rename the folder" in said
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/m.db?timeout=60")
        check_address(tracking_uri())


def test_nobody_there_is_one_line():
    with closing(socket.create_server(("127.0.0.1", 0))) as closed:
        port = closed.getsockname()[1]
    said = refusal(check_address, f"http://anna:secret@127.0.0.1:{port}")
    assert f"http://127.0.0.1:{port}: the tracking server does not answer" in said
    assert "MLFLOW_TRACKING_URI" in said
    assert "secret" not in said


@contextmanager
def answering(code):
    """Give the address of a server that always says the same, and what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Authorization"]))
            self.send_response(code)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("code", [404, 503])
def test_somebody_else_there_is_one_line(code):
    with answering(code) as (place, _):
        assert f"the address is not a working MLflow server ({code} " in refusal(check_address, f"http://{place}")


@pytest.mark.parametrize("code", [200, 401])
def test_a_server_that_is_there_is_asked_with_the_login_of_the_address(code):
    with answering(code) as (place, asked):
        check_address(f"http://anna:secret@{place}/")
    assert asked == [("/health", "Basic YW5uYTpzZWNyZXQ=")]


def test_certificates_that_are_none_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_SERVER_CERT_PATH", str(tmp_path / "ca.pem"))
    assert "ca.pem" in refusal(check_address, "https://127.0.0.1:1")


@pytest.mark.slow
def test_a_database_that_somebody_holds_is_named(tmp_path):
    with chdir(tmp_path):
        with Writer("shop"):
            pass
        with closing(sqlite3.connect("results/mlflow/mlflow.db")) as holder:
            holder.execute("BEGIN EXCLUSIVE")
            locked = r"^[^\n]*mlflow.db: runs cannot be logged; [^\n]*database is locked[^\n]*$"
            with pytest.raises(RotastackError, match=locked), Writer("rival"):
                pass
        with Writer("rival"):
            pass


def test_mlflow_sends_no_usage_data():
    """MLflow reads the setting at its import; every module that imports MLflow imports one of ours before."""
    code = "import os, sys, rotastack.workflow.tracking.address; print(os.environ['MLFLOW_DISABLE_TELEMETRY'], 'mlflow' in sys.modules)"
    environment = {k: v for k, v in os.environ.items() if k != "MLFLOW_DISABLE_TELEMETRY"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["true", "False"]
