"""The tracking address: looked at before anything is computed, never shown with its secrets, and part of the receipts' name."""

import socket
import sqlite3
import threading
from contextlib import chdir, closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from rotastack.errors import RotastackError
from rotastack.tracking.address import check_address, receipt_name, shown, without_secrets
from rotastack.tracking.making import make_database

SECRET = "http://anna:pa%24s@example.org:5000/mlflow?token=abc"


def test_what_is_shown_has_no_secrets(monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "t0ken")
    assert shown(SECRET) == "http://example.org:5000/mlflow"
    text = without_secrets(f"cannot reach {SECRET}: user anna, password pa$s, t0ken", SECRET)
    assert not any(word in text for word in ("pa%24s", "pa$s", "abc", "t0ken"))


def test_an_address_has_receipts_of_its_own(tmp_path):
    with chdir(tmp_path):
        own = f"sqlite:///{tmp_path}/results/mlflow/mlflow.db"
        assert receipt_name(None) == receipt_name("") == receipt_name(own) == "tracking.json"
        names = {receipt_name(a) for a in (SECRET, "http://example.org:5000", f"sqlite:///{tmp_path}/other.db")}
        assert len(names) == 3
        assert "tracking.json" not in names
        # who asks, by which password, and a slash are no other address
        assert receipt_name("http://bob@example.org:5000/mlflow/") == receipt_name(SECRET)


def refused(uri):
    """Return the one line by which an address is refused."""
    with pytest.raises(RotastackError) as error:
        check_address(uri)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_nobody_there_is_one_line():
    with closing(socket.create_server(("127.0.0.1", 0))) as closed:
        port = closed.getsockname()[1]
    said = refused(f"http://anna:secret@127.0.0.1:{port}")
    assert f"http://127.0.0.1:{port}: the tracking server does not answer" in said
    assert "MLFLOW_TRACKING_URI" in said
    assert "secret" not in said
    pytest.importorskip("psycopg")
    said = refused(f"postgresql+psycopg://anna:secret@127.0.0.1:{port}/mlflow")
    assert f"127.0.0.1:{port}/mlflow: the database does not answer" in said
    assert "secret" not in said


@contextmanager
def answering(code, text):
    """Give the address of a server that always says the same, and what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(dict(self.headers))
            self.send_response(code)
            self.end_headers()
            self.wfile.write(text)

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
    ("code", "text", "words"),
    [
        (200, b"<html>", "no MLflow server"),
        (404, b"", "no MLflow server"),
        (401, b"", "refuses this user"),
        (503, b"", "in trouble"),
    ],
)
def test_somebody_else_there_is_one_line(code, text, words):
    with answering(code, text) as (place, _):
        assert words in refused(f"http://{place}")


def test_a_server_is_asked_with_the_login_of_the_address():
    with answering(200, b"{}") as (place, asked):
        check_address(f"http://anna:secret@{place}/")
    assert asked[0]["Authorization"] == "Basic YW5uYTpzZWNyZXQ="


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_are_none_are_named(tmp_path, monkeypatch, content):
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("MLFLOW_TRACKING_SERVER_CERT_PATH", str(path))
    assert f"MLFLOW_TRACKING_SERVER_CERT_PATH: {path}: " in refused("https://127.0.0.1:1")


def test_certificates_may_be_a_folder_of_them(tmp_path, monkeypatch):
    """As MLflow takes it."""
    monkeypatch.setenv("MLFLOW_TRACKING_SERVER_CERT_PATH", str(tmp_path))
    assert "does not answer" in refused("https://127.0.0.1:1")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A database as it was just made."""
    path = tmp_path_factory.mktemp("made") / "mlflow.db"
    make_database(path)
    assert [p.name for p in path.parent.glob("[!.]*")] == ["mlflow.db"]
    return path


def half_made(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE _alembic_tmp_model_version_tags (a)")
        database.commit()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-5000]), "malformed"),
        (lambda path: path.write_bytes(b"no database" * 1000), "not a database"),
        (lambda path: path.write_bytes(b""), "half-made"),
        (half_made, "half-made"),
    ],
)
def test_a_database_that_cannot_be_used_is_named_with_the_remedy(whole, tmp_path, damage, words):
    path = tmp_path / "results/mlflow/mlflow.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(whole.read_bytes())
    with chdir(tmp_path):
        check_address(None)
        check_address(f"sqlite:///{path}")
        damage(path)
        said = refused(None)
    assert "mlflow.db: the tracking database is damaged" in said
    assert words in said
    assert "move it away and delete the receipts" in said


def test_a_database_that_somebody_holds_is_named(whole, tmp_path, monkeypatch):
    monkeypatch.setattr("rotastack.tracking.address.PATIENCE", 0.1)
    path = tmp_path / "mlflow.db"
    path.write_bytes(whole.read_bytes())
    with closing(sqlite3.connect(path)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        assert "locked by another process" in refused(f"sqlite:///{path}")
    check_address(f"sqlite:///{path}")
