"""The server of steps: what a step makes and how it ends is the same with it and without, and nothing outlives its run."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.run.running import has_ended, pool_slice

from rotastack.workflow.run.forks import VARIABLE
from rotastack.workflow.study.specs import SplitTrainingSpec

# On other systems start_forks starts no server and each step is a process of its own, which the other tests of steps cover.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the server of steps exists on Linux only"),
]

SLICE = {"protocol": "splits", "kind": "holdout", "repeats": 3, "train": 0.6, "seed": 1, "dataset": "d"}
SLOW = """
import os, time
from pathlib import Path

from sklearn.dummy import DummyClassifier

class Slow(DummyClassifier):
    def fit(self, X, y):
        Path("pid").write_text(str(os.getpid()))
        time.sleep(1000)
"""
RUN = """
import os, sys, time
from rotastack.workflow.run.forks import VARIABLE, start_forks

start_forks()
print(os.environ[VARIABLE], flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def run():
    """A process that is a run: it has started a server, and ends as its standard input does."""
    with subprocess.Popen([sys.executable, "-c", RUN], stdin=-1, stdout=-1, text=True) as process:
        yield {**os.environ, VARIABLE: process.stdout.readline().strip()}
        process.stdin.close()


def groups(slice_=SLICE, name="folds"):
    """Return the command of a step that draws splits of iris."""
    return [
        sys.executable,
        "-m",
        "rotastack",
        "step",
        "groups",
        "--slice",
        slice_ if isinstance(slice_, str) else json.dumps(slice_),
        "--about",
        "dataset=d",
        "--input",
        "table",
        "table",
        "--output",
        "folds",
        name,
        "--output",
        "record",
        f"{name}.run.json",
    ]


def done(command, folder, environment):
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_a_step_gives_the_same_bytes_and_runs_in_a_fork_of_the_server(folder, run):
    for environment, name in [({**os.environ, VARIABLE: "/nowhere/steps"}, "alone"), (run, "asked")]:
        ended = done(groups(name=name), folder, environment)
        assert (ended.returncode, ended.stderr) == (0, "")
    assert (folder / "alone").read_bytes() == (folder / "asked").read_bytes()
    told = [json.loads((folder / f"{name}.run.json").read_text()) for name in ("alone", "asked")]
    differ = {key for key in told[0] if told[0][key] != told[1][key]}
    assert differ <= {"seconds", "processor_seconds", "peak_memory_mb", "libraries_mb", "started", "files"}


@pytest.mark.parametrize(
    ("slice_", "code", "said"),
    [
        ({"seed": 1}, 2, "rotastack: error: --slice: top level: key 'dataset' is missing\n"),
        ("{", 2, "rotastack: error: --slice: not valid JSON"),
        ({**SLICE, "seed": -1}, 1, "Traceback"),
    ],
)
def test_its_exit_code_and_what_it_says_are_the_step_s(folder, run, slice_, code, said):
    ended = done(groups(slice_), folder, run)
    assert ended.returncode == code
    assert said in ended.stderr


@pytest.mark.parametrize(("step", "slice_"), [("nothing", "{}"), ("report", '{"protocol": {}}'), ("groups", "[1]")])
def test_the_server_outlives_a_step_that_it_cannot_import_for(folder, run, step, slice_):
    ended = done([sys.executable, "-m", "rotastack", "step", step, "--slice", slice_], folder, run)
    assert ended.returncode > 0
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(run[VARIABLE])  # refused where nobody listens


def test_a_client_that_sends_nothing_keeps_nobody_waiting(folder, run):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(run[VARIABLE])
        start = time.monotonic()
        assert [done(groups(name=f"f{k}"), folder, run).returncode for k in range(2)] == [0, 0]
        assert time.monotonic() - start < 9, "a step takes less than a second"
        silent.shutdown(socket.SHUT_WR)
        silent.settimeout(10)
        assert silent.recv(1) == b""
    assert done(groups(), folder, run).returncode == 0


@pytest.fixture
def slow(folder, run):
    """Return a step that goes on for ever: the process of its client, and that of the step."""
    (folder / "slow.py").write_text(SLOW)
    slice_ = SplitTrainingSpec(
        protocol="splits",
        seed=1,
        dataset="d",
        name="p",
        splits=[0, 1, 2],
        repeats=3,
        members=["all"],
        pool=pool_slice("slow.Slow"),
    ).content()
    command = [
        sys.executable,
        "-m",
        "rotastack",
        "step",
        "train",
        "--slice",
        json.dumps(slice_),
        "--input",
        "table",
        "table",
        "--input",
        "folds",
        "folds",
        "--output",
        "pool",
        "p.nc",
        "--output",
        "record",
        "p.run.json",
    ]

    def started(environment=run):
        with suppress(FileNotFoundError):
            (folder / "pid").unlink()
        client = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
        while not (folder / "pid").is_file() or not (folder / "pid").read_text():
            assert client.poll() is None, (folder / "p.run.json").read_text() or client.stderr.read()
            time.sleep(0.05)
        return client, psutil.Process(int((folder / "pid").read_text()))

    return started


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)]
)
@pytest.mark.usefixtures("terminal_signals")
def test_a_signal_to_the_client_ends_the_step(slow, number, code):
    """Its training, too, which is a process of its own; by SIGKILL the client says nothing, and is missed."""
    client, training = slow()
    client.send_signal(number)
    assert client.wait(60) == code
    assert has_ended(training.pid)
    client.stderr.close()


def test_a_step_that_is_killed_by_a_signal_ends_its_client_by_it(slow):
    client, training = slow()
    training.parent().send_signal(signal.SIGTERM)
    assert client.wait(60) == -signal.SIGTERM
    assert has_ended(training.pid)
    client.stderr.close()


@pytest.mark.parametrize("killed", [None, "run", "server"])
def test_steps_end_with_the_run_and_with_the_server(slow, killed):
    with subprocess.Popen([sys.executable, "-c", RUN], stdin=-1, stdout=-1, text=True) as process:
        place = process.stdout.readline().strip()
        (server,) = psutil.Process(process.pid).children()
        client, training = slow({**os.environ, VARIABLE: place})
        step = training.parent()
        if killed == "run":
            process.kill()
        elif killed == "server":
            server.kill()
        process.stdin.close()
    assert client.wait(60) != 0
    assert has_ended(training.pid)
    assert has_ended(step.pid)
    assert has_ended(server.pid)
    if killed != "server":  # a killed server leaves its folder
        assert not Path(place).parent.exists()
    client.stderr.close()
