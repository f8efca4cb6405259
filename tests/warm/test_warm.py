"""The warm server of steps: what a step finds, how it ends, and what becomes of it when others end.

Server and clients are the command's own; in place of a step's code runs what stands behind ``--spec``.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from rotastack.warm import client, server, start

pytestmark = [
    # start_server makes none where forks are not safe: all other tests of steps go the way that is taken there.
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no server, and steps import for themselves"),
    pytest.mark.usefixtures("terminal_signals"),
]

COMMAND = """\
#!{python}
import sys
from rotastack.cli import commands, main
from rotastack.warm.client import KINDS
KINDS["train"] = "draw"  # a step that imports little, as one that draws
commands.run_command = lambda argv: exec(argv[3], {{"argv": argv}}) or 0
sys.exit(main())
"""
MASTER = """\
import os, sys
from rotastack.warm.start import _held, start_server
start_server()
print(os.environ.get("ROTASTACK_WARM"), _held[0].pid if _held else 0, flush=True)
sys.stdin.read()
"""
WHO = "import os; print(os.getpid(), os.getppid(), flush=True)\n"
SLEEP = WHO + "import time; time.sleep(60)"


class Run:
    """A process that has started a server, and may be killed."""

    def __init__(self, folder: Path):
        folder.mkdir()
        self.command = folder / "rotastack"
        self.command.write_text(COMMAND.format(python=sys.executable))
        self.command.chmod(0o755)
        self.environ = {
            **os.environ,
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")])),
        }
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", MASTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environ
        )  # fmt: skip
        sockets, pid = self.process.stdout.readline().split()
        self.sockets, self.server = Path(sockets), int(pid)
        self.environ["ROTASTACK_WARM"] = sockets

    def start(self, code, step="folds", **options):
        """Start a step."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": self.environ, **options}
        return subprocess.Popen([self.command, "step", step, "--spec", code], **options)

    def call(self, code, step="folds", **options):
        """Run a step; return exit code, output and errors."""
        process = self.start(code, step, **options)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def who(self, step="folds", **options):
        """Return the processes of a step, and above it: the server, or this one."""
        return tuple(map(int, self.call(WHO, step, **options)[1].split()))

    def end(self):
        """End it as usual."""
        self.process.communicate("", timeout=60)


@pytest.fixture
def run(tmp_path):
    found = Run(tmp_path / "run")
    yield found
    found.end()


def gone(*processes):
    """Wait for processes to end; tell whether they did."""
    return happens(lambda: not any(is_running(p) for p in processes))


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_step_has_the_clients_streams_folder_environment_and_words(run, tmp_path):
    code = """if True:
        import os, sys
        mask = os.umask(0)
        print(os.getppid(), os.getcwd(), os.environ["COLOUR"], "ROTASTACK_HERE" in os.environ, mask, sys.argv[1:3])
        print(sys.stdin.read(), file=sys.stderr)
    """
    environ = {**run.environ, "COLOUR": "blue"}
    (tmp_path / "said").write_text("something")
    with (tmp_path / "said").open() as said:
        code, out, err = run.call(code, cwd=tmp_path, env=environ, umask=0o27, stdin=said)
    assert (code, err) == (0, "something\n")
    assert out == f"{run.server} {tmp_path} blue False {0o27} ['step', 'folds']\n"


@pytest.mark.parametrize(
    ("code", "expected", "said"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('so it is')", 1, "so it is\n"),
        ("raise MemoryError('too much')", 1, "MemoryError: too much\n"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", -11, ""),
        ("import atexit; atexit.register(print, 'the last word')", 0, ""),
    ],
)
def test_a_step_ends_as_a_process_of_its_own_does(run, code, expected, said):
    """Without a server, too."""
    alone = {k: v for k, v in run.environ.items() if k != client.VARIABLE}
    for environ in (run.environ, alone):
        found, out, err = run.call(code, env=environ)
        assert found == expected
        assert err.endswith(said)
        assert ("the last word" in out) == ("atexit" in code)
    assert run.who()[1] == run.server


def test_a_signal_reaches_the_step(run):
    stopped = "except KeyboardInterrupt:\n    print('stopped')\n    exit(130)"
    code = f"import time\ntry:\n    {WHO}    time.sleep(60)\n{stopped}"
    process = run.start(code)
    child = int(process.stdout.readline().split()[0])
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped\n"
    assert process.returncode == 130
    process = run.start(SLEEP)
    other = int(process.stdout.readline().split()[0])
    process.terminate()
    assert process.wait(60) == -signal.SIGTERM
    assert gone(child, other)


def test_a_step_ends_with_its_client(run):
    code = "import subprocess; print(subprocess.Popen(['sleep', '60']).pid, flush=True)\n" + SLEEP
    process = run.start(code)
    started = int(process.stdout.readline())
    step, above = map(int, process.stdout.readline().split())
    process.kill()
    assert gone(step, started)
    assert run.who()[1] == above == run.server


def test_all_end_with_the_process_that_started_the_server(run):
    """As by kill -9 of Snakemake; nothing is run in its stead."""
    processes = [run.start(SLEEP, step) for step in ("folds", "train")]
    steps = [int(p.stdout.readline().split()[0]) for p in processes]
    servers = {int(Path(f"/proc/{s}/stat").read_text().rpartition(")")[2].split()[1]) for s in steps}
    assert len(servers) == 2
    run.process.kill()
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (1, "")
        assert err == "rotastack: error: the run that started this step has ended\n"
    assert gone(*steps, *servers)
    assert not run.sockets.exists()


def test_a_step_of_a_server_that_dies_is_run_by_its_client(run):
    process = run.start(WHO + f"import time; time.sleep(60 if os.getppid() == {run.server} else 0)")
    step, above = map(int, process.stdout.readline().split())
    assert above == run.server
    os.kill(run.server, signal.SIGKILL)
    out, _ = process.communicate(timeout=60)
    assert list(map(int, out.split())) == [process.pid, os.getpid()]
    assert process.returncode == 0
    assert gone(step)
    assert run.who()[1] == os.getpid()


def test_what_was_heard_of_a_socket_is_not_of_the_next_one_with_its_number():
    """Its client is gone and another one has come before it was its turn."""
    loop = object.__new__(server._Server)
    loop.ended, loop.selector = False, selectors.DefaultSelector()
    (first, told), (old, tells), (new, speaks) = pairs = [socket.socketpair() for _ in range(3)]
    heard = []

    def replace(_):
        number = old.fileno()
        loop.selector.unregister(old)
        os.dup2(new.fileno(), number)
        loop.selector.register(number, selectors.EVENT_READ, (end, "new"))
        first.recv(1)

    def end(value):
        heard.append(value)
        loop.ended = True

    loop.selector.register(first, selectors.EVENT_READ, (replace, None))
    loop.selector.register(old, selectors.EVENT_READ, (heard.append, "old"))
    for each in (told, tells, speaks):
        each.send(b"x")
    loop.serve()
    assert heard == ["new"]
    loop.selector.close()
    for each in [s for pair in pairs for s in pair]:
        each.close()


def taught(run, module):
    """Return a step that leaves a module to the server: the next step of its kind waits for its import."""
    lesson = json.dumps({"step": "folds", "modules": [module]})
    return f"import os, pathlib; pathlib.Path({str(run.sockets)!r}, str(os.getpid())).write_text({lesson!r})"


def happens(what):
    """Wait for something; tell whether it came."""
    for _ in range(600):
        if what():
            return True
        time.sleep(0.05)
    return False


def test_a_long_name_of_the_folder_for_temporary_files_is_no_hindrance(tmp_path, monkeypatch):
    """A socket's name has 107 bytes at most."""
    folder = tmp_path / "x"
    while len(str(folder)) < 85:
        folder = Path(f"{folder}x")
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    run = Run(tmp_path / "run")
    try:
        assert run.who()[1] == run.server
    finally:
        run.end()


@pytest.mark.parametrize(
    "change", [{"PYTHONHASHSEED": "1"}, {client.VARIABLE: "/nowhere"}, {"PYTHONPATH": "/elsewhere"}]
)
def test_other_processes_run_their_steps_themselves(run, change):
    """Their interpreter is set up in another way, or the server is on another machine."""
    assert run.who()[1] == run.server
    assert run.who(env={**run.environ, **change})[1] == os.getpid()


def test_other_users_are_refused(monkeypatch):
    ours, theirs = socket.socketpair()
    socket.send_fds(theirs, [(2).to_bytes(8, "big")], [0, 1, 2])
    theirs.sendall(b"{}")
    streams = []
    assert server._receive(ours, streams) == {}
    assert len(streams) == 3
    for stream in streams:
        os.close(stream)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.raises(ValueError, match="another user"):
        server._receive(ours, [])


def test_what_a_step_imports_the_next_one_finds(run):
    """And those of another kind do not: what computes holds nothing that draws."""
    code = "import sys; print('wave' in sys.modules); import wave"
    found = [run.call(code, step)[1].strip() for step in ("folds", "train", "folds", "train", "combine")]
    assert found == ["False", "False", "True", "True", "True"]
    assert run.who("folds")[1] == run.who("combine")[1] != run.who("train")[1]


def test_a_library_that_starts_a_thread_ends_the_server(run):
    """A fork would have its locks, and nobody to open them."""
    (run.folder / "restless.py").write_text("import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n")  # fmt: skip
    assert run.call(taught(run, "restless"))[0] == 0
    for _ in range(2):
        assert run.who()[1] == os.getpid()


def test_generators_differ_and_caps_are_the_steps(run):
    code = """if True:
        import numpy, threadpoolctl
        from rotastack.cli.step import cap_threads
        cap_threads(int(argv[3][-1]))
        found = {lib["num_threads"] for lib in threadpoolctl.threadpool_info()}
        print(*found, numpy.random.random())
        # """
    said = [run.call(code + n)[1].split() for n in "1231"]
    assert [line[0] for line in said] == ["1", "2", "3", "1"]
    assert len({line[1] for line in said}) == 4


def test_there_is_none_where_a_fork_is_not_safe(monkeypatch):
    monkeypatch.setenv(client.VARIABLE, "/left/over")
    monkeypatch.setattr(sys, "platform", "darwin")
    start.start_server()
    assert client.VARIABLE not in os.environ


@pytest.mark.parametrize(
    ("words", "main", "expected"),
    [
        ("--cores 2", True, True),
        ("--cores 2", False, False),
        ("--target-jobs combine:method=A,dataset=iris combine:method=B,dataset=iris --mode remote", False, True),
        ("--target-jobs combine:method=A,dataset=iris --mode remote", False, False),
        ("--target-jobs a: b: --executor slurm-jobstep --mode remote", False, False),
    ],
)
def test_where_many_steps_will_run_there_is_one(monkeypatch, words, main, expected):
    """In a cluster's job, which has the variables of the process that submitted it, its server is never asked."""
    from rotastack.run import launch

    started = []
    monkeypatch.setattr(launch, "start_server", lambda: started.append(True))
    monkeypatch.setattr(sys, "argv", ["snakemake", *words.split()])
    monkeypatch.setenv(client.VARIABLE, "/left/over")
    launch._warm(main)
    assert bool(started) == expected
    assert client.VARIABLE not in os.environ


def test_installed_classes_of_a_slice_are_imported_before(tmp_path, monkeypatch):
    """A user's own module is not: it may have been edited since."""
    (tmp_path / "own_estimators.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    pool = {"estimator": "sklearn.svm.SVC", "view": {"class": "own_estimators.View", "parameters": {"a": [{"class": "wave.Wave"}]}}}  # fmt: skip
    argv = ["step", "train", "--spec", json.dumps({"pool": pool, "class": 3}), "--threads", "1"]
    assert server._named(argv) == ["sklearn.svm", "wave"]
    assert server._named(["step", "train", "--spec", "{"]) == server._named(["step", "list"]) == []


@pytest.fixture
def short():
    """A folder whose name leaves room for that of a socket, as pytest's own does not."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_what_killed_servers_left_is_removed_and_what_works_stays(short):
    folders = {name: short / f"rotastack-warm-{name}" for name in ("dead", "alive", "begins")}
    sockets = {}
    for name, folder in folders.items():
        folder.mkdir()
        if name != "begins":
            sockets[name] = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sockets[name].bind(str(folder / "compute"))
    sockets["alive"].listen(1)
    sockets["dead"].close()
    start._sweep(short)
    assert {name for name, folder in folders.items() if folder.exists()} == {"alive", "begins"}
    sockets["alive"].close()
