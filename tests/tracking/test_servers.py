"""Others' servers: runs are brought to MLflow's on PostgreSQL, and a model is served by ``mlflow models serve``."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import chdir, closing, contextmanager, suppress
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from mlflow.tracking import MlflowClient
from tests.tracking.test_writer import X, log

from rotastack.errors import RotastackError
from rotastack.workflow.tracking.address import VARIABLE, check_address, tracking_uri
from rotastack.workflow.tracking.model_files import load_model

pytest.importorskip("flask")
pytestmark = pytest.mark.slow

INITDB = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)


def free_port():
    with closing(socket.create_server(("127.0.0.1", 0))) as closed:
        return closed.getsockname()[1]


def wait_for(process, address, log):
    """Wait until a server answers, for at most two minutes."""
    end = time.monotonic() + 120
    while True:
        with suppress(OSError), urlopen(f"{address}/health", timeout=5):
            return
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.2)


@contextmanager
def served(folder, *arguments, **environment):
    """Give the address of a server that MLflow's command line starts."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "mlflow", *arguments, "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # as where it is activated
    log = folder / "server.log"
    with log.open("w") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, env={**os.environ, **environment})
    try:
        wait_for(process, address, log)
        yield address
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def database(tmp_path):
    """The address of a new database of PostgreSQL, which listens on a socket in a file alone."""
    pytest.importorskip("psycopg", reason="psycopg is missing, which is in the extra dev")
    if INITDB is None:
        # PostgreSQL is a program of the system, and no part of the lock file; tests of SQLite cover the same writer.
        pytest.skip("PostgreSQL is missing: apt-get install postgresql")
    # It refuses to run as root; Debian's package has an account for it.
    who = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    folder = Path("/tmp") / f"rotastack-{os.getpid()}"  # short, as paths of sockets are
    folder.mkdir()
    if who:
        shutil.chown(folder, "postgres", "postgres")
    programs = Path(INITDB).resolve().parent

    def call(program, *words):
        command = [programs / program, *map(str, words)]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **who)

    try:
        call("initdb", "-D", folder / "data", "-U", "mlflow", "-A", "trust", "--no-sync")
        options = f"-c listen_addresses='' -k {folder}"
        call("pg_ctl", "-D", folder / "data", "-l", folder / "log", "-o", options, "-w", "start")
        try:
            call("createdb", "-h", folder, "-U", "mlflow", "mlflow")
            yield f"postgresql+psycopg://mlflow@/mlflow?host={folder}"
        finally:
            call("pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


def test_runs_go_to_a_server_on_postgresql_and_come_again_after_it_was_away(database, tmp_path, monkeypatch):
    project = tmp_path / "project"
    project.mkdir()
    server = ("server", "--backend-store-uri", database, "--artifacts-destination", str(tmp_path / "artifacts"))
    found = []
    for _ in range(2):
        with served(tmp_path, *server, MLFLOW_SERVER_ENABLE_JOB_EXECUTION="false") as address:
            monkeypatch.setenv(VARIABLE, address)
            check_address(address)
            found.append(log(project))
            client = MlflowClient(address, address)
            runs = client.search_runs([client.get_experiment_by_name("shop").experiment_id])
            assert sorted(r.info.run_name for r in runs) == ["customers / model"]
            assert runs[0].info.artifact_uri.startswith("mlflow-artifacts:/")
            version = client.get_model_version_by_alias("customers", "champion")
            assert version.run_id == found[0]
        with pytest.raises(RotastackError, match="does not answer"):
            check_address(address)
        with pytest.raises(RotastackError, match=r"^[^\n]*stopped answering; all results are kept[^\n]*$"):
            log(project)
    assert found[0] == found[1]
    assert not (project / "results/mlflow/mlflow.db").exists()


def test_a_model_is_served_by_mlflow(tmp_path):
    log(tmp_path)
    with chdir(tmp_path):
        uri = tracking_uri()
    serve = ("models", "serve", "-m", "models:/customers@champion", "--env-manager", "local")
    with served(tmp_path, *serve, MLFLOW_TRACKING_URI=uri) as address:
        body = json.dumps({"dataframe_split": X.to_dict("split", index=False)}).encode()
        with urlopen(
            Request(f"{address}/invocations", body, {"Content-Type": "application/json"}), timeout=60
        ) as answer:
            found = json.loads(answer.read())
    assert found == {"predictions": load_model(tmp_path / "model.skops").predict(X).tolist()}
