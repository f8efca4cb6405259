"""Kill the writer at random moments, again and again, and look whether a run was lost or doubled.

    python tests/tracking/kills.py 50

Each writer is a fork of this process, which itself never talks to MLflow. After five kills one writer is left to end;
then the key of all runs changes, so that the next ones log new runs, and mark the old ones as history.
"""

import os
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import chdir
from multiprocessing.context import ForkProcess
from pathlib import Path

from rotastack.workflow.run.steps import track
from rotastack.workflow.tracking.address import tracking_uri

METHODS = {f"m{k}": 0.1 + k / 100 for k in range(6)}
RUNS = {"study": 1, "dataset": 1, "pool": len(METHODS), "method": len(METHODS), "model": 1}
STEPS = 40
"""Cells of each method in the first version of a study; each later version has one more."""
BETWEEN = 5
"""Kills before one writer is left to end."""


def look(study: str, versions: int) -> None:
    """Stop if a run or model is missing, there twice, not finished or not marked."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(uri := tracking_uri(), uri)
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
        assert parent.get("rotastack.current") == (expected and tags["rotastack.current"]), tags
    methods = [r.info.run_id for r in runs if r.data.tags["rotastack.kind"] == "method"]
    steps = Counter(len(client.get_metric_history(run, "cells/error")) for run in methods)
    assert steps == {STEPS + version: len(METHODS) for version in range(versions)}, steps
    models = client.search_logged_models([experiment])
    assert [str(m.status) for m in models] == ["READY"] * versions, [m.status for m in models]
    registered = client.search_model_versions(f"name = '{study}.iris'")
    assert len({v.run_id for v in registered}) == len(registered) == versions


def forked(work, *arguments) -> ForkProcess:
    """Start a fork that does some work."""
    process = ForkProcess(target=work, args=arguments)
    process.start()
    return process


def ended(process: ForkProcess) -> None:
    """Wait for a fork; stop if it failed."""
    process.join()
    if process.exitcode:
        raise SystemExit("a writer that was not killed has failed")


def main() -> None:
    """Kill and look."""
    from small_study import job_of  # beside this program

    kills, chance = int(sys.argv[1]), random.Random(0)
    study = f"kills-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for repeats in (STEPS, STEPS + 1):
            job = job_of(METHODS, repeats=repeats, study=f"{study}-first")
            start = time.monotonic()
            ended(forked(track.run, job))
            seconds = time.monotonic() - start
        Path("results/mlflow/mlflow.db").unlink()  # the first writers of the next study make the database, too
        versions = done = early = 0
        while done < kills:
            job = job_of(METHODS, repeats=STEPS + versions, study=study)
            for _ in range(min(BETWEEN, kills - done)):
                process = forked(track.run, job)
                time.sleep(chance.uniform(0, 0.7 * seconds))
                process.kill()
                process.join()
                early += process.exitcode == 0
                done += 1
            ended(forked(track.run, job))
            versions += 1
            ended(forked(look, study, versions))
    print(f"{done} kills ({early} after the end), {versions} versions of 15 runs: none lost, none doubled")


if __name__ == "__main__":
    main()
