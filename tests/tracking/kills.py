"""Kill the writer at random moments, again and again, and look whether a run was lost or doubled.

    python tests/tracking/kills.py 50

Each writer is a fork of this process, which itself never talks to MLflow. After five kills one writer is left to end;
then the key of all runs changes, so that the next ones log new runs, and mark the old ones as history.
"""

import hashlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import chdir
from pathlib import Path

import pandas as pd
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.workflow.tracking.address import tracking_uri
from rotastack.workflow.tracking.logged_models import log_model, register_model
from rotastack.workflow.tracking.model_files import dump_model
from rotastack.workflow.tracking.writer import TrackedRun, Writer

X = pd.DataFrame({"a": range(20), "b": ["u", "v"] * 10})
Y = ["x", "z"] * 10
POOLS, METHODS, STEPS = 3, 8, 40
STARTED = "2026-01-01T00:00:00+00:00"
RUNS = {"study": 1, "dataset": 1, "pool": POOLS, "method": METHODS, "model": 1}
BETWEEN = 5
"""Kills before one writer is left to end."""


def bring(study: str, code: str) -> None:
    """Log 14 runs as the steps do."""
    record = {"code": code, "version": "0", "status": "ok", "message": ""}
    key = hashlib.sha256(code.encode()).hexdigest()[:32]
    with Writer(study) as writer:

        def run(kind: str, name: str, parent: str | None, key: str = key) -> TrackedRun:
            run = writer.run(kind, name, key, parent, record, {})
            if run.is_new:
                series = {"cell_error": [i / STEPS for i in range(STEPS)]} if kind in ("pool", "method") else {}
                writer.log(run.run_id, series, STARTED)
                if kind == "model":
                    log_model(writer.client, run.run_id, Path("model.skops"), X)
                writer.finish(run.run_id)
            return run

        parent = run("study", study, None).run_id
        home = run("dataset", "customers", parent, key[::-1]).run_id
        for kind, count in (("pool", POOLS), ("method", METHODS)):
            for number in range(count):
                run(kind, f"customers / {kind} {number}", home)
        register_model(writer.client, run("model", "customers / model", home).run_id, study, "as it is", {}, "")
        writer.mark_history("")


def look(study: str, versions: int) -> None:
    """Stop if a run or model is missing, there twice, not finished or not marked."""
    from mlflow.tracking import MlflowClient

    uri = tracking_uri()
    client = MlflowClient(uri, uri)
    experiment = client.get_experiment_by_name(study).experiment_id
    runs = client.search_runs([experiment], max_results=10_000)
    for mark, times in (("yes", 1), ("no", versions - 1)):
        kinds = Counter(r.data.tags["rotastack.kind"] for r in runs if r.data.tags["rotastack.current"] == mark)
        assert kinds == {k: n * times for k, n in RUNS.items() if times}, (mark, dict(kinds))
    assert len({r.data.tags["rotastack.key"] for r in runs}) == len(runs)
    assert all(r.info.status == "FINISHED" for r in runs)
    parents = {"study": None, "dataset": "study"}
    by_id = {r.info.run_id: r.data.tags for r in runs}
    for tags in by_id.values():
        parent = by_id.get(tags.get("mlflow.parentRunId"), {})
        expected = parents.get(tags["rotastack.kind"], "dataset")
        assert parent.get("rotastack.kind") == expected, tags
        assert parent.get("code") == (expected and tags["code"]), tags
    for run in runs:
        if run.data.tags["rotastack.kind"] in ("pool", "method"):
            assert len(client.get_metric_history(run.info.run_id, "cell_error")) == STEPS, run.info.run_name
    models = client.search_logged_models([experiment])
    assert [str(m.status) for m in models] == ["READY"] * versions, [m.status for m in models]
    registered = client.search_model_versions(f"name = '{study}'")
    assert len({v.run_id for v in registered}) == len(registered) == versions


def forked(work, *arguments) -> int:
    """Start a fork that does some work; return its number."""
    number = os.fork()
    if not number:
        try:
            work(*arguments)
            code = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            code = 1
        os._exit(code)
    return number


def ended(number: int) -> None:
    """Wait for a fork; stop if it failed."""
    _, status = os.waitpid(number, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit("a writer that was not killed has failed")


def main() -> None:
    """Kill and look."""
    kills, chance = int(sys.argv[1]), random.Random(0)
    study = f"kills-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        model = Pipeline([("table", TablePreprocessor()), ("classifier", GaussianNB())]).fit(X, Y)
        dump_model(model, "model.skops")
        for code in ("first", "second"):
            start = time.monotonic()
            ended(forked(bring, f"{study}-first", code))
            seconds = time.monotonic() - start
        Path("results/mlflow/mlflow.db").unlink()  # the first writers of the next study make the database, too
        versions = done = early = 0
        while done < kills:
            for _ in range(min(BETWEEN, kills - done)):
                number = forked(bring, study, f"code {versions}")
                time.sleep(chance.uniform(0, 0.7 * seconds))
                os.kill(number, signal.SIGKILL)
                early += os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0
                done += 1
            ended(forked(bring, study, f"code {versions}"))
            versions += 1
            ended(forked(look, study, versions))
    print(f"{done} kills ({early} after the end), {versions} versions of 14 runs: none lost, none doubled")


if __name__ == "__main__":
    main()
