"""The server of steps: a process that imports libraries once, and runs each step in a fork of itself.

A small step takes less time than the import of its libraries. A run starts the server by :func:`start_forks`. The
command ``rotastack step`` sends its work to the server by :func:`ask`, or does the work itself if there is no server;
the results are the same. The server has one thread, so a fork is safe. The server ends with the process that started
it, and its steps end with the server. All this needs Linux.

Before the server has answered, this module imports only modules that the interpreter has already loaded.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["ask", "start_forks"]

VARIABLE = "ROTASTACK_FORKS"
"""Environment variable that holds the path of the server's socket."""
_held: list = []  # the folder, the server, and the pipe by which the server sees this process end


def start_forks() -> None:
    """Start the server, and put its socket into the environment of the steps."""
    import socket
    import subprocess
    import tempfile

    os.environ.pop(VARIABLE, None)
    if sys.platform != "linux":
        return
    folder = tempfile.TemporaryDirectory(prefix="rotastack-")
    place = f"{folder.name}/steps"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(place)
    except OSError:  # the path is too long for a socket
        return
    listener.listen(256)
    life, ours = os.pipe()
    # A fork keeps only one thread, so PyArrow and linear algebra must not start others.
    alone = {"JE_ARROW_MALLOC_CONF": "background_thread:false", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-m", "rotastack", "step", "serve", str(listener.fileno()), str(life)]
    # The server has its own session, so Ctrl-C does not end it; the clients pass Ctrl-C to the steps.
    server = subprocess.Popen(
        command, pass_fds=(listener.fileno(), life), start_new_session=True, env={**os.environ, **alone},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(life)
    listener.close()
    _held.extend([folder, server, ours])
    os.environ[VARIABLE] = place


def ask(argv: list[str]) -> int | None:
    """Let the server run a step with this process's streams, folder and environment.

    Signals to this process are passed to the step. If this process dies, the step dies as well.

    Returns
    -------
    int or None
        The exit code of the step; None if no server runs the step.
    """
    place = os.environ.get(VARIABLE)
    if not place or len(argv) < 2:
        return None
    import json
    import signal
    import socket

    request = {"argv": argv, "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(place)
            socket.send_fds(connection, [b"0"], [0, 1, 2])
            with connection.makefile("w", encoding="utf-8") as stream:
                stream.write(json.dumps(request) + "\n")
        except OSError:  # the server has ended
            return None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda number, _: connection.send(bytes([number])))
        answer = connection.makefile("r", encoding="utf-8").readline().strip()
    if answer == "refused":
        return None
    code = int(answer or 1)  # an empty answer: the server was killed
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)  # end by the same signal as the step
    return code


def serve(listening: int, life: int, run_command: Callable[[list[str]], int]) -> int:
    """Run the server until the other end of the pipe `life` is closed; return the exit code.

    Parameters
    ----------
    listening, life : int
        File descriptors of the socket and of the pipe.
    run_command : callable
        Runs a command, given its arguments, and returns its exit code.
    """
    import multiprocessing
    import select
    import shutil
    import signal
    import socket

    fork = multiprocessing.get_context("fork")
    listener = socket.socket(fileno=listening)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watched: list[Any] = [listener, life]
    while life not in select.select(watched, [], [])[0]:
        connection, _ = listener.accept()
        with connection:
            try:
                request, streams = _received(connection)
            except (OSError, ValueError):  # the client is gone
                continue
            _import_for(request["argv"])
            if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 - a library has started a thread
                connection.sendall(b"refused\n")
            else:
                fork.Process(target=_watch, args=(connection, life, request, streams, run_command)).start()
            for stream in streams:
                os.close(stream)
        multiprocessing.active_children()  # this call reaps the children that have ended
    shutil.rmtree(os.path.dirname(listener.getsockname()), ignore_errors=True)  # noqa: PTH120 - a killed run leaves it
    return 0


def _received(connection: Any) -> tuple[dict, list[int]]:
    """Return the client's request and its streams."""
    import json
    import socket

    connection.settimeout(10)
    streams = socket.recv_fds(connection, 1, 3)[1]
    request = json.loads(connection.makefile("r", encoding="utf-8").readline())
    connection.settimeout(None)
    return request, streams


def _import_for(argv: list[str]) -> None:
    """Import the modules of a step and of the classes that it names, so that this step and later ones find them loaded."""
    import re
    from contextlib import suppress
    from importlib import import_module

    from rotastack.workflow.run.modules import LIBRARIES, PROTOCOLS, STEPS

    text = " ".join(argv)
    protocols = [parts.values() for name, parts in PROTOCOLS.items() if f'"protocol":"{name}"' in text]
    classes = re.findall(r'"((?:rotastack|sklearn|xgboost)\.[\w.]*)\.\w+"', text)
    for name in [STEPS.get(argv[1], ""), *(part for parts in protocols for part in parts), *LIBRARIES, *classes]:
        with suppress(Exception):  # the step imports the same module, and reports the error
            import_module(name)


def _watch(connection: Any, life: int, request: dict, streams: list[int], run_command: Callable) -> None:
    """Run the step in a fork, pass signals to it, and send its exit code to the client."""
    import multiprocessing
    import select
    import signal
    from contextlib import suppress

    step = multiprocessing.get_context("fork").Process(target=_step, args=(request, streams, run_command))
    step.start()
    assert step.pid is not None
    os.setpgid(step.pid, step.pid)  # a group of its own, of the processes that the step will start
    ended = os.pidfd_open(step.pid)
    while ended not in (ready := select.select([ended, connection, life], [], [])[0]):
        received = connection.recv(1) if connection in ready and life not in ready else b""
        os.killpg(step.pid, received[0] if received else signal.SIGKILL)  # no byte: the client or the run has ended
    with suppress(ProcessLookupError):  # all processes of the step have ended
        os.killpg(step.pid, signal.SIGKILL)
    step.join()
    with suppress(OSError):  # the client is gone
        connection.sendall(f"{step.exitcode}\n".encode())


def _step(request: dict, streams: list[int], run_command: Callable) -> None:
    """Run the step in this fork, with the client's streams, folder and environment."""
    import signal

    os.setpgid(0, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    import numpy as np

    np.random.seed()  # noqa: NPY002 - else all steps would start from the same state
    sys.exit(run_command(request["argv"]))
