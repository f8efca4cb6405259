"""Measure the time for 2,000 runs of 50 metrics: to log, to query for the next writer, and to browse like MLflow's UI.

    mlflow server --port 5001 &
    python benchmarks/tracking.py --address http://127.0.0.1:5001 [--runs 2000] [--metrics 50]

Without --address the program uses an SQLite database in a temporary folder.
"""

import argparse
import os
import statistics
import tempfile
import time
from contextlib import chdir, contextmanager

from mlflow.tracking import MlflowClient

from rotastack.workflow.tracking.address import VARIABLE, tracking_uri
from rotastack.workflow.tracking.writer import Writer

DATASETS = 20
STARTED = "2026-01-01T00:00:00+00:00"


@contextmanager
def timed(what: str, times: int = 1):
    """Print the time of a block."""
    start, processor = time.perf_counter(), time.process_time()
    yield
    wall, own = time.perf_counter() - start, time.process_time() - processor
    print(f"{what:58s}{wall:9.2f} s{1000 * wall / times:10.1f} ms each{own:9.2f} s of this process", flush=True)


def bring(study: str, runs: int, metrics: int) -> None:
    """Log the runs of all data sets like a study, with a writer for each data set."""
    record = {"parameters": {"seed": 1, "n": 10}, "code": "c", "version": "0", "status": "ok", "message": ""}
    for d in range(DATASETS):
        with Writer(study, f"set-{d}") as writer:
            parent = writer.container("study", {"study": study})
            home = writer.container("dataset", {"study": study, "dataset": f"set-{d}"}, parent)
            for m in range(runs // DATASETS):
                key = {"study": study, "dataset": d, "method": m}
                run = writer.leaf("method", key, home, f"set-{d} / method {m}", record, {}, {})
                if run.is_new:
                    writer.log_metrics(run.run_id, {f"metric_{i}": i + m / runs for i in range(metrics)}, STARTED)
                writer.finish(run.run_id)
            writer.finish(home)


def browse(client: MlflowClient, study: str) -> None:
    """Send the requests of the UI: pages of runs, sorted and filtered; one run; the history of a metric."""
    experiment = client.get_experiment_by_name(study).experiment_id
    for what, arguments in {
        "list: first 100 runs": {"max_results": 100},
        "list: sorted by a metric": {"max_results": 100, "order_by": ["metrics.`metric_7` DESC"]},
        "list: of a data set": {"max_results": 100, "filter_string": "tags.dataset = 'set-3'"},
        "list: by a metric's value": {"max_results": 100, "filter_string": "metrics.`metric_7` > 7.02"},
        "list: by name": {"max_results": 100, "filter_string": "attributes.run_name LIKE '%method 9%'"},
        "list: all runs": {"max_results": 50_000},
    }.items():
        seconds = []
        for _ in range(5):
            start = time.perf_counter()
            found = client.search_runs([experiment], **arguments)
            seconds.append(time.perf_counter() - start)
        print(f"{what:58s}{statistics.median(seconds):9.3f} s (median of 5){len(found):7d} runs", flush=True)
    run = found[0].info.run_id
    with timed("one run", 20):
        for _ in range(20):
            client.get_run(run)
    with timed("history of a metric", 20):
        for _ in range(20):
            client.get_metric_history(run, "metric_7")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--metrics", type=int, default=50)
    arguments = parser.parse_args()
    if arguments.address:
        os.environ[VARIABLE] = arguments.address
    study = f"bench-{int(time.time())}"
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        with timed("the first call, which makes what is not there"), Writer(study):
            pass
        with timed(f"log {arguments.runs} runs of {arguments.metrics} metrics", arguments.runs):
            bring(study, arguments.runs, arguments.metrics)
        with timed("log them again, which changes nothing", arguments.runs):
            bring(study, arguments.runs, arguments.metrics)
        uri = tracking_uri()
        browse(MlflowClient(uri, uri), study)


if __name__ == "__main__":
    main()
