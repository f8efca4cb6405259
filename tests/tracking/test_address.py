"""The tracking address: looked at before anything is computed, and never shown with its secrets."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from contextlib import chdir, closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from mlflow.exceptions import MlflowException
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
from rotastack.workflow.tracking.writer import Writer, check_store

SECRET = "http://anna:pa%24s@example.org:5000/mlflow?token=abc"


def test_what_is_shown_has_no_secrets(monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "t0ken")
    assert without_login(SECRET) == "http://example.org:5000/mlflow"
    assert without_login("sqlite:////data/mlflow.db?timeout=60") == "sqlite:////data/mlflow.db"
    text = without_secrets(f"cannot reach {SECRET}: user anna, password pa$s, t0ken", SECRET)
    line = str(explained(OSError(f"Connection\nto {SECRET} lost"), SECRET))
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
    assert "secret" not in said


@contextmanager
def answering(code, answers=None, refused="-"):
    """Give the address of a server and what it was asked.

    It always says the same; with `answers`, to each path its answer or nothing, and 403 to a path that ends in `refused`.
    """
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Authorization"]))
            found = next((answer for name, answer in (answers or {}).items() if name in self.path), {})
            is_refused = self.path.endswith(refused)
            self.send_response(403 if is_refused else code)
            self.end_headers()
            self.wfile.write(b"<p>No</p>" if answers is None or is_refused else json.dumps(found).encode())

        do_POST = do_GET  # noqa: N815  # the names are those of the base class

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (401, "the server refuses the user or the password; all results are kept: set MLFLOW_TRACKING_USERNAME and"),
        (403, "the account has no permission; "),
        (404, "no MLflow server, or one before version 3.0; all results are kept: set another address"),
    ],
)
def test_a_server_that_refuses_is_one_line_before_the_first_step(here, monkeypatch, code, text):
    with answering(code) as (place, _):
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://anna:secret@{place}")
        line = refusal(check_store, "shop")
    assert f"http://{place}: {text}" in line
    assert not any(word in line for word in ("\n", "secret", "<"))


NO_STORE = ": not the address of a server or a database; all results are kept: set"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("localhost:5000", f"localhost:5000{NO_STORE}"),
        ("http//localhost:5000", NO_STORE),
        ("ftp://localhost/runs", NO_STORE),
        ("mlruns", NO_STORE),
        ("postgres://anna:secret@localhost/runs", f"postgres://localhost/runs{NO_STORE}"),
        ("sqlite://runs.db", NO_STORE),
        ("http:///runs", NO_STORE),
        ("mssql+pymssql://localhost/runs", "the database needs another package"),
        (
            "postgresql+psycopg://anna:secret@127.0.0.1:1/runs",
            "psycopg://127.0.0.1:1/runs: the tracking server stopped",
        ),
    ],
)
def test_an_address_of_no_store_is_one_line_before_the_first_step(here, monkeypatch, address, words):
    if "+" in address:
        pytest.importorskip("psycopg", reason="psycopg is missing, which is in the extra dev")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    line = refusal(check_store, "shop")
    assert words in line
    assert "secret" not in line


@pytest.mark.parametrize(
    ("refused", "line"),
    [
        (
            "set-experiment-tag",
            "the experiment shop belongs to anna; change the key name of the study's file, or ask for the permission EDIT",
        ),
        ("set-tag", "the registered model shop.customers belongs to berta; change the key name"),
    ],
)
def test_what_belongs_to_another_user_is_named_before_the_first_step(here, monkeypatch, refused, line):
    """A model of a study whose name is a pattern of ours is no reason."""

    def of(user):
        return {"tags": [{"key": "rotastack.user", "value": user}]}

    models = [{"name": "shop.customers", **of("berta")}, {"name": "shop2.customers", **of("carla")}]
    experiment = {"experiment_id": "7", "name": "shop", **of("anna")}
    answers = {"experiments/get": {"experiment": experiment}, "registered-models/search": {"registered_models": models}}
    with answering(200, answers, refused) as (place, asked):
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://berta@{place}")
        assert f"http://{place}: {line}" in refusal(check_store, "shop")
    assert not any("carla" in path for path, _ in asked)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            MlflowException("(psycopg.errors.UniqueViolation) duplicate key value violates unique constraint"),
            "another user wrote in the same moment; all results are kept: repeat the command (",
        ),
        (PermissionError(13, "Permission denied", "/shared/7"), "a folder refuses the files of a run; "),
        (
            MlflowException("failed with error code 502 != 200. Response body: '<html> Bad Gateway </html>'"),
            "remove the cause, then repeat the command (failed with error code 502 != 200.)",
        ),
    ],
)
def test_words_of_an_error_decide_about_the_remedy(error, words):
    assert words in str(explained(error, "http://localhost:5000"))


@pytest.mark.parametrize("code", [200, 401])
def test_a_server_that_is_there_is_asked_with_the_login_of_the_address(code):
    with answering(code) as (place, asked):
        check_address(f"http://anna:secret@{place}/")
    assert asked == [("/health", "Basic YW5uYTpzZWNyZXQ=")]


def test_certificates_that_are_none_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_SERVER_CERT_PATH", str(tmp_path / "ca.pem"))
    assert "ca.pem" in refusal(check_address, "https://127.0.0.1:1")


@pytest.mark.slow
def test_a_database_that_somebody_holds_is_named(here):
    with Writer("shop"):
        pass
    with closing(sqlite3.connect("results/mlflow/mlflow.db")) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        locked = r"^[^\n]*mlflow.db: runs cannot be logged; [^\n]*database is locked[^\n]*$"
        with pytest.raises(RotastackError, match=locked), Writer("rival"):
            pass


def test_mlflow_sends_no_usage_data():
    """MLflow reads the setting at its import; every module that imports MLflow imports one of ours before."""
    code = "import os, sys, rotastack.workflow.tracking.address; print(os.environ['MLFLOW_DISABLE_TELEMETRY'], 'mlflow' in sys.modules)"
    environment = {k: v for k, v in os.environ.items() if k != "MLFLOW_DISABLE_TELEMETRY"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["true", "False"]
