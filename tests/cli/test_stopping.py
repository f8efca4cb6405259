"""What a command has started ends when the command is told to end; so does MLflow's own UI on the store of a folder."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, chdir

import psutil
import pytest
from tests.cli.conftest import refused
from tests.tracking.test_servers import answers, free_port
from tests.waiting import wait_for

from rotastack.cli.stopping import StoppedError, ending_with_us
from rotastack.workflow.tracking.address import VARIABLE
from rotastack.workflow.tracking.writer import Writer

pytestmark = pytest.mark.usefixtures("terminal_signals")

FAMILY = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
try:
    print(child.pid, flush=True)
    time.sleep(1000)
except KeyboardInterrupt:
    child.wait()
    print("ended as by Ctrl-C", flush=True)
"""


def ended(happens, error):
    """Start the family, and have something happen while it runs; it ends as by Ctrl-C. Return the error."""
    with (  # noqa: PT012
        pytest.raises(error) as caught,
        ending_with_us([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, text=True) as process,
    ):
        child = int(process.stdout.readline())
        happens()
        time.sleep(60)
    assert (process.poll(), process.stdout.read()) == (0, "ended as by Ctrl-C\n")
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE
    return caught.value


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_family_as_ctrl_c_does(number):
    before = [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGHUP)]
    assert ended(lambda: os.kill(os.getpid(), number), StoppedError).number == number
    assert [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGHUP)] == before


def test_so_does_an_error():
    ended(lambda: 1 / 0, ZeroDivisionError)


def test_what_nohup_has_ignored_stays_ignored():
    code = (
        "import os, signal, sys\n"
        "from rotastack.cli.stopping import ending_with_us\n"
        "with ending_with_us([sys.executable, '-c', 'pass']) as process:\n"
        "    os.kill(os.getpid(), signal.SIGHUP)\n"
        "    print(process.wait())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_a_process_that_ends_is_left_in_peace():
    with ending_with_us([sys.executable, "-c", "raise SystemExit(3)"]) as process:
        assert process.wait() == 3


# MLflow's own UI


def test_without_runs_it_is_one_line(here, capsys):
    assert "tracking database not found" in refused(capsys, "ui")
    assert not list(here.iterdir())


def test_a_server_is_opened_in_a_browser(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "http://anna:secret@example.org:5000")
    assert "the runs are on the server http://example.org:5000;" in refused(capsys, "ui")


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
        wait_for(lambda: answers(f"http://127.0.0.1:{port}"), 120, process, log.read_text)
        started = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
    assert started
    assert not psutil.wait_procs(started, 10)[1]
    place = (
        f"http://127.0.0.1:{port}/#/experiments/{number}/runs?workflowType=machine_learning&viewStateShareKey=rotastack"
    )
    assert f"shop: {place}\n" in log.read_text()
