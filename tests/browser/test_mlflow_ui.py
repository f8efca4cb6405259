"""MLflow's UI as `rotastack ui` opens it: a study, its runs in charts and tables, and the page of its model."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import chdir, suppress
from urllib.error import URLError
from urllib.request import urlopen

import pandas as pd
import pytest

pytest.importorskip("flask", reason="MLflow's UI is not installed: pip install 'rotastack[server]'")

from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.run.steps.track import study_views
from rotastack.run.tracked.notes import method_note, run_metrics, study_note
from rotastack.tracking.model_files import dump_model
from rotastack.tracking.writer import Writer

pytestmark = pytest.mark.slow

STARTED = "2026-01-01T00:00:00+00:00"
ERRORS = {"RF": [0.2, 0.3, 0.4], "S-RRE/RF": [0.1, 0.2, 0.3]}
RECORD = {"parameters": {}, "code": "c0de", "version": "0.1", "seed": 7, "status": "ok", "message": ""}
SPEC = {
    "name": "shop", "title": "Who buys?", "description": "", "task": "classification", "score": "error", "datasets": ["customers"],
    "pools": {"forest": {"parameters": {"n_estimators": 10}}, "rotated": {"parameters": {"n_estimators": 20}}},
    "methods": {m: {"pool": "forest", "combiner": {"kind": "vote"}} for m in ERRORS},
}  # fmt: skip
HARMLESS = ("users/current", "AG Grid", "[Report Only]")
"""What MLflow's own pages complain of, whatever they show."""


def log(folder):
    """Log a small study as its steps do; return the number of its experiment and the runs by name."""
    X = pd.DataFrame({"age": range(20), "city": ["Bonn", "Köln"] * 10})
    y = ["yes", "no"] * 10
    model = folder / "model.skops"
    dump_model(Pipeline([("table", TablePreprocessor()), ("model", GaussianNB())]).fit(X, y), model)
    (folder / "report.html").write_text("<h1>Report of the shop</h1>", encoding="utf-8")
    with chdir(folder), Writer("shop", "customers") as writer:
        runs = {"study": writer.container("study", {"study": "shop"})}
        home = writer.container("dataset", {"study": "shop", "dataset": "customers"}, runs["study"])
        for method, errors in ERRORS.items():
            cells = pd.DataFrame(
                {
                    "error": errors,
                    "balanced_accuracy": 0.5,
                    "roc_auc": 0.5,
                    "average_precision": 0.5,
                    "f1": 0.5,
                    "log_loss": 0.6,
                    "brier": 0.3,
                }
            )
            numbers = {**run_metrics(cells, "classification", "error"), "time/fit_seconds": len(method)}
            run = writer.leaf("method", {"m": method}, home, f"customers / {method}", RECORD, {"method": method}, {})
            writer.log_metrics(run.run_id, {**numbers, "test/rank": 1.0}, STARTED)
            writer.log_steps(run.run_id, "cells/error", errors, STARTED)
            writer.describe(run.run_id, method_note(method, "customers", numbers, "error", 3, 1.0, 2))
            writer.finish(run.run_id)
            runs[method] = run.run_id
        run = writer.leaf("model", {"m": "model"}, home, "customers / model", RECORD, {"method": "RF"}, {})
        writer.log_metrics(run.run_id, {"test/error": 0.3}, STARTED)
        writer.log_dataset(
            run.run_id, X.assign(target=y), "customers", "data/raw/customers.parquet", "training", "f00d"
        )
        writer.log_model(run.run_id, model, X)
        writer.finish(run.run_id)
        writer.register_model(
            run.run_id, "customers", "**RF** for the table\n\n### Limits\n\n- Few rows.", {"study": "shop"}, "Who buys."
        )
        views = study_views(SPEC, "error")
        links = {view.name: view.address(writer.experiment_id, mode) for view, mode in views}
        writer.about.describe(study_note(SPEC, ["S-RRE/RF wins."], {"means": {}}, links, "results/shop/report.html"))
        for number, (view, _) in enumerate(views):
            writer.about.save_view(view, number)
        writer.log_artifacts(runs["study"], [folder / "report.html"], "report")
        writer.finish(home)
        writer.finish(runs["study"])
        return writer.experiment_id, runs


@pytest.fixture(scope="module")
def ui(chromium, tmp_path_factory):
    """The UI's address, the experiment's number, runs by name, and the output of the command."""
    folder = tmp_path_factory.mktemp("shop")
    experiment, runs = log(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, command = (f"http://127.0.0.1:{port}", [sys.executable, "-m", "rotastack", "ui", "--port", str(port)])
    environment = {k: v for k, v in os.environ.items() if k != "MLFLOW_TRACKING_URI"}
    with (folder / "ui.log").open("w") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, env=environment)
    try:
        end = time.monotonic() + 120
        while True:
            with suppress(URLError, OSError), urlopen(f"{address}/health", timeout=5):
                break
            if process.poll() is not None or time.monotonic() > end:
                pytest.fail(f"rotastack ui does not start: {(folder / 'ui.log').read_text()[-500:]}")
            time.sleep(0.2)
        yield address, experiment, runs, (folder / "ui.log").read_text()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def shows(browser, *parts):
    """Wait until the page shows all these texts, with any text between their words."""
    for part in parts:
        browser.wait(f"document.body.innerText.replace(/\\s+/g, '').includes({''.join(part.split())!r})")


def clean(browser):
    """The page has no errors and no requests to other machines."""
    assert [line for line in browser.complaints() if not any(word in line for word in HARMLESS)] == []
    assert browser.requests() == []


def test_the_command_says_where_the_study_is(ui):
    address, experiment, _, said = ui
    view = "viewStateShareKey=methods&compareRunsMode=TABLE&workflowType=machine_learning"
    assert f"shop: {address}/#/experiments/{experiment}/runs?{view}" in said


def test_the_study_has_its_verdict_and_links_to_its_views(ui, browser):
    address, experiment, *_ = ui
    browser.open(f"{address}/#/experiments/{experiment}/runs?workflowType=machine_learning")
    shows(browser, "Who buys?")
    links = browser.wait(
        "[...document.querySelectorAll('a')].map(a => a.hash).filter(h => h.includes('viewStateShareKey')).length === 4"
        " && [...document.querySelectorAll('a')].filter(a => a.hash.includes('viewStateShareKey')).map(a => a.hash)"
    )
    assert [link.partition("viewStateShareKey=")[2].partition("&")[0] for link in links] == [
        "overall", "methods", "models", "pools",
    ]  # fmt: skip
    assert browser.run("return document.body.textContent.includes('S-RRE/RF wins.')")
    clean(browser)


def test_a_view_has_its_runs_columns_and_charts(ui, browser):
    address, experiment, *_ = ui
    view = f"{address}/#/experiments/{experiment}/runs?viewStateShareKey=methods&workflowType=machine_learning"
    browser.open(f"{view}&compareRunsMode=TABLE", width=1900)
    shows(browser, "customers / RF", "customers / S-RRE/RF", "2 matching runs")
    heads = (  # from left to right, not in the order of the page; the elements are nested
        "[...new Set([...document.querySelectorAll('[role=columnheader]')]"
        ".sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left)"
        ".map(h => h.innerText.trim()))].filter(h => !['', 'Tags', 'Metrics'].includes(h))"
    )
    wanted = ["dataset", "method", "test/rank", "test/error", "test/balanced_accuracy"]
    browser.wait(f"{heads}.join().includes({','.join(wanted)!r})")
    browser.open("about:blank")
    browser.open(f"{view}&compareRunsMode=CHART", width=1900)
    shows(browser, "Methods on each data set (5)")
    browser.wait("document.querySelectorAll('.js-plotly-plot .bars .point').length >= 2")
    clean(browser)


def test_a_run_has_a_line_over_its_cells(ui, browser):
    address, experiment, runs, _ = ui
    browser.open(f"{address}/#/experiments/{experiment}/runs/{runs['RF']}/model-metrics")
    shows(browser, "customers / RF", "cells (1)", "test (")
    points = browser.wait(
        "(() => { const d = [...document.querySelectorAll('.js-plotly-plot')].flatMap(p => p.data)"
        ".find(d => d.x && d.x.length === 3 && d.y && d.y.length === 3); return d && [...d.y]; })()"
    )
    assert points == ERRORS["RF"]
    clean(browser)


def test_the_model_has_a_champion_and_a_card(ui, browser):
    address, *_ = ui
    browser.open(f"{address}/#/models/customers")
    shows(browser, "Who buys.", "Version 1", "@ champion", "@ current")
    browser.open("about:blank")
    browser.open(f"{address}/#/models/customers/versions/1")
    shows(browser, "RF for the table", "Limits", "Few rows.", "customers / model")
    clean(browser)
