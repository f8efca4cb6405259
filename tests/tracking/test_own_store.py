"""A database is made whole or not at all; two people may log at once; killed writers leave no trace."""

import fcntl
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import chdir, closing, contextmanager
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import Mock, patch

import pandas as pd
import pytest
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient

from rotastack.errors import RotastackError
from rotastack.files import lock
from rotastack.workflow.tracking.address import VARIABLE, tracking_uri
from rotastack.workflow.tracking.logged_models import dataset_input, twice
from rotastack.workflow.tracking.writer import Writer, make_database

pytestmark = pytest.mark.slow
RECORD = {"code": "c", "version": "0", "status": "ok", "message": ""}
TABLE = pd.DataFrame({"a": [1, 2], "target": ["x", "y"]})


def is_whole(path):
    """Return whether a database has all of MLflow's tables and no damage."""
    with closing(sqlite3.connect(path)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        return database.execute("PRAGMA quick_check").fetchone() == ("ok",) and {"runs", "model_versions"} <= tables


@contextmanager
def files_of_at_most(size):
    """As a full disk: no file grows beyond."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_nothing_and_is_one_line(here):
    """In the middle of MLflow's changes."""
    with (
        files_of_at_most(300_000),
        pytest.raises(
            RotastackError, match=r"^[^\n]*mlflow.db: runs cannot be logged; [^\n]*(full|disk I/O error)[^\n]*$"
        ),
        Writer("shop"),
    ):
        pass
    assert not [p for p in Path("results/mlflow").iterdir() if p.suffix not in (".lock",)]
    with Writer("shop"):
        pass
    assert is_whole(here / "results/mlflow/mlflow.db")


def test_who_comes_while_it_is_made_takes_the_one_that_is_made(tmp_path):
    """Another folder with the same address: a database of its own in its place would have none of the runs."""
    path = tmp_path / "mlflow.db"
    threads = [threading.Thread(target=make_database, args=(path,)) for _ in range(2)]
    with path.with_name(".mlflow.db.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        assert not path.exists()
    made = set()
    while any(thread.is_alive() for thread in threads):
        made |= {path.stat().st_ino} if path.exists() else set()
    assert made <= {path.stat().st_ino}


@pytest.mark.parametrize("share", [0.1, 0.7])
def test_a_kill_while_it_is_made_leaves_nothing_or_all(tmp_path, share):
    path = tmp_path / "mlflow.db"
    start, mask = time.monotonic(), os.umask(0o002)
    make_database(tmp_path / "other.db")
    os.umask(mask)
    seconds = time.monotonic() - start
    assert (tmp_path / "other.db").stat().st_mode & 0o060 == 0o060, "who shares the folder with a group shares the runs"
    maker = get_context("fork").Process(target=make_database, args=(path,))
    maker.start()
    time.sleep(share * seconds)
    maker.kill()
    maker.join()
    assert not path.exists() or is_whole(path)
    make_database(path)
    assert is_whole(path)
    assert sorted(p.name for p in tmp_path.glob("[!.]*")) == ["mlflow.db", "other.db"]


def bring(folder, key):
    """Log one method from a folder; return its run."""
    with chdir(folder), Writer("shop") as writer:
        run = writer.run("method", "iris / RF", key, None, RECORD, {"dataset": "iris"})
        if run.is_new:
            writer.log(run.run_id, {"error": 0.5}, "2026-01-01T00:00:00+00:00")
            writer.log_dataset(run.run_id, dataset_input(TABLE, "iris", "iris.parquet", "evaluation", "0123"))
            writer.finish(run.run_id)
    return run.run_id


def test_what_a_stopped_writer_left_is_done_away_with(tmp_path):
    """Half a run, a run that a repeated call has made twice, and a model that nobody finished; others' runs stay."""
    whole = bring(tmp_path, "one")
    assert VARIABLE not in os.environ
    client = MlflowClient(uri := tracking_uri(tmp_path), uri)
    run = client.get_run(whole)
    experiment = run.info.experiment_id
    client.create_run(experiment, tags=run.data.tags)
    half = client.create_run(experiment, tags={**run.data.tags, "rotastack.key": "of old"})
    client.create_logged_model(experiment, "model", half.info.run_id)
    client.create_run(experiment, run_name="a notebook's")
    assert bring(tmp_path, "one") == whole
    assert sorted(r.info.run_name for r in client.search_runs([experiment])) == ["a notebook's", "iris / RF"]
    assert not client.search_logged_models([experiment])


def test_a_table_that_another_user_logs_in_the_same_moment_is_logged(tmp_path, monkeypatch):
    """MLflow looks for the table and then inserts it, so one of two writers gets an error of the database."""
    calls, before = [], MlflowClient.log_inputs

    def log_inputs(client, run_id, tables):
        calls.append(run_id)
        if len(calls) == 1:
            raise MlflowException("(sqlite3.IntegrityError) UNIQUE constraint failed: datasets.experiment_id")
        before(client, run_id, tables)

    monkeypatch.setattr(MlflowClient, "log_inputs", log_inputs)
    run = bring(tmp_path, "one")
    assert calls == [run] * 2
    assert len(MlflowClient(tracking_uri(tmp_path)).get_run(run).inputs.dataset_inputs) == 1
    refused = Mock(side_effect=MlflowException("denied"))
    with pytest.raises(MlflowException, match="denied"):
        twice(refused)
    assert refused.call_count == 1


def test_unfinished_runs_stay_where_another_writer_may_be_at_work(tmp_path):
    """Where locks are refused; and a link shares the lock with the database."""
    run = bring(tmp_path, "one")
    client = MlflowClient(uri := tracking_uri(tmp_path), uri)
    half = client.create_run(client.get_run(run).info.experiment_id, tags={"rotastack.key": "of another"}).info.run_id
    with patch("rotastack.workflow.tracking.writer.lock", return_value=False):
        bring(tmp_path, "two")
    assert client.get_run(half).info.lifecycle_stage == "active"
    (other := tmp_path / "other/results").mkdir(parents=True)
    (other / "mlflow").symlink_to(tmp_path / "results/mlflow")
    writers = [Path(folder, "results/mlflow/.writer.lock") for folder in (tmp_path, other.parent)]
    with chdir(tmp_path), Writer("shop"), writers[1].open("w") as stream, pytest.raises(BlockingIOError):
        lock(stream, waits=False)


def test_killed_writers_lose_and_double_nothing(tmp_path):
    """``python tests/tracking/kills.py 50`` is the same at length."""
    kills = Path(__file__).with_name("kills.py")
    done = subprocess.run([sys.executable, kills, "6"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.fullmatch(r"6 kills \(\d after the end\), 2 versions of 15 runs: none lost, none doubled\n", done.stdout)
