"""Others' servers: runs are brought to MLflow's on PostgreSQL, and a model is served by ``mlflow models serve``."""

import os
import shutil
import socket
import subprocess
import sys
from contextlib import chdir, closing, contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from urllib.request import urlopen

import pytest
from mlflow.tracking import MlflowClient
from tests.refusals import refusal
from tests.tracking.small_study import job_of
from tests.tracking.test_writer import log
from tests.waiting import wait_for

from rotastack.workflow.run.steps import track
from rotastack.workflow.tracking.address import VARIABLE, check_address
from rotastack.workflow.tracking.writer import check_store

pytest.importorskip("flask")
pytestmark = pytest.mark.slow

INITDB = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)


def free_port():
    with closing(socket.create_server(("127.0.0.1", 0))) as closed:
        return closed.getsockname()[1]


def answers(address):
    """Return whether a server answers."""
    with suppress(OSError), urlopen(f"{address}/health", timeout=5):
        return True


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
        wait_for(lambda: answers(address), 120, process, log.read_text)
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
            (run,) = client.search_runs([client.get_experiment_by_name("shop").experiment_id])
            assert run.info.artifact_uri.startswith("mlflow-artifacts:/")
            assert client.get_model_version_by_alias("customers", "champion").run_id == run.info.run_id == found[0]
        assert "does not answer" in refusal(check_address, address)
        assert "stopped answering; all results are kept" in refusal(log, project)
    assert found[0] == found[1]
    assert not (project / "results/mlflow/mlflow.db").exists()


def test_two_users_log_one_study_to_postgresql_at_once(database, tmp_path, monkeypatch):
    """On a fresh server, so that each experiment, table and registered model is made by both in the same moment."""
    server = ("server", "--backend-store-uri", database, "--artifacts-destination", str(tmp_path / "artifacts"))
    with served(tmp_path, *server, MLFLOW_SERVER_ENABLE_JOB_EXECUTION="false") as address:
        monkeypatch.setenv(VARIABLE, address)

        def work(folder):
            folder.mkdir()
            with chdir(folder):
                check_store("s")
                track.run(job_of({"KNN": 0.3, "RF": 0.2}, ("iris", "wine")))

        users = [get_context("fork").Process(target=work, args=(tmp_path / name,)) for name in ("anna", "berta")]
        for act in ("start", "join"):
            for user in users:
                getattr(user, act)()
        assert [user.exitcode for user in users] == [0, 0]
        client = MlflowClient(address, address)
        runs = client.search_runs([client.get_experiment_by_name("s").experiment_id])
        assert {run.info.status for run in runs} == {"FINISHED"}
        assert {model.name for model in client.search_registered_models()} == {"s.iris", "s.wine"}
