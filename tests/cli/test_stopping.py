"""What a command has started ends when the command is told to end."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from rotastack.cli.stopping import StoppedError, ending_with_us

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


def gone(pid):
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def ended(happens):
    """Start the family, and have something happen while it runs."""
    with ending_with_us([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, text=True) as process:
        STARTED[:] = [process, int(process.stdout.readline())]
        happens()
        time.sleep(60)


STARTED = []


def check_ended():
    process, child = STARTED
    assert process.poll() == 0
    assert process.stdout.read() == "ended as by Ctrl-C\n"
    assert gone(child)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_family_as_ctrl_c_does(number):
    before = [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGHUP)]
    with pytest.raises(StoppedError) as stopped:
        ended(lambda: os.kill(os.getpid(), number))
    assert stopped.value.number == number
    check_ended()
    assert [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGHUP)] == before


def test_so_does_an_error():
    with pytest.raises(ZeroDivisionError):
        ended(lambda: 1 / 0)
    check_ended()


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
