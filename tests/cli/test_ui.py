"""``rotastack ui``: MLflow's own UI on the store of a folder, which ends with the command."""

import signal
import subprocess
import sys
from contextlib import ExitStack, chdir

import psutil
import pytest
from tests.tracking.test_servers import free_port, wait_for

from rotastack.cli import main
from rotastack.workflow.tracking.address import VARIABLE
from rotastack.workflow.tracking.writer import Writer


def test_without_runs_it_is_one_line(tmp_path, capsys):
    with chdir(tmp_path):
        assert main(["ui"]) == 2
    assert "tracking database not found" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_server_is_opened_in_a_browser(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "http://anna:secret@example.org:5000")
    assert main(["ui"]) == 2
    said = capsys.readouterr().err
    assert "the runs are on the server http://example.org:5000; open this address in a browser" in said


@pytest.mark.slow
def test_it_names_the_studies_and_ends_with_all_that_it_started(tmp_path):
    with chdir(tmp_path), Writer("shop") as writer:
        writer.show(["test/error"], True)
        number = writer.experiment_id
    port = free_port()
    command = [sys.executable, "-m", "rotastack", "ui", "--port", str(port)]
    log = tmp_path / "ui.log"
    with (
        log.open("w") as said,
        subprocess.Popen(command, cwd=tmp_path, stdout=said, stderr=said) as process,
        ExitStack() as stack,
    ):
        stack.callback(process.kill)  # after a failed check, which would else wait for ever
        wait_for(process, f"http://127.0.0.1:{port}", log)
        started = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
    assert started
    assert not psutil.wait_procs(started, 10)[1]
    place = (
        f"http://127.0.0.1:{port}/#/experiments/{number}/runs?workflowType=machine_learning&viewStateShareKey=rotastack"
    )
    assert f"shop: {place}\n" in log.read_text()
