"""A server of steps: a process that imports libraries once, and runs each step in a fork of itself.

A small step takes less time than the libraries that it imports. A run starts the server by :func:`start_forks`; the
command ``rotastack step`` hands its work over by :func:`ask`, and works itself where there is no server. What a step
makes is the same. The server has one thread, so that a fork is safe; with the process that started it, it ends, and
its steps with it. Only Linux has all that this takes.

Nothing is imported here before an answer is there, but what the interpreter has at hand.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["ask", "start_forks"]

VARIABLE = "ROTASTACK_FORKS"
"""Of the environment: the socket of the server."""
_held: list = []  # the server, and the end of a pipe by which it hears that this process has ended


def start_forks() -> None:
    """Start the server, and name it in the environment of the steps."""
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
    except OSError:  # the name is too long for a socket
        return
    listener.listen(256)
    life, ours = os.pipe()
    # A fork takes one thread along: PyArrow and linear algebra are to start none.
    alone = {"JE_ARROW_MALLOC_CONF": "background_thread:false", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-m", "rotastack", "step", "serve", str(listener.fileno()), str(life)]
    # In a session of its own: Ctrl-C is for the steps, to which it is handed on.
    server = subprocess.Popen(
        command, pass_fds=(listener.fileno(), life), start_new_session=True, env={**os.environ, **alone},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(life)
    listener.close()
    _held.extend([folder, server, ours])
    os.environ[VARIABLE] = place


def ask(argv: list[str]) -> int | None:
    """Have the server run a step with this process's streams, folder and environment.

    Signals that reach this process are handed on. If this process dies, so does the step.

    Returns
    -------
    int or None
        The exit code; None where no server takes the step.
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
        except OSError:  # there is no server any more
            return None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda number, _: connection.send(bytes([number])))
        answer = connection.makefile("r", encoding="utf-8").readline().strip()
    if answer == "refused":
        return None
    code = int(answer or 1)  # nothing: the server was killed
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)  # end as the step did
    return code


def serve(listening: int, life: int, run_command: Callable[[list[str]], int]) -> int:
    """Be the server, until nobody holds the other end of `life`.

    Parameters
    ----------
    listening, life : int
        File descriptors of a socket, and of a pipe.
    run_command : callable
        Arguments of a command -> its exit code.
    """
    import multiprocessing
    import select
    import shutil
    import signal
    import socket

    fork = multiprocessing.get_context("fork")
    listener = socket.socket(fileno=listening)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    heard: list[Any] = [listener, life]
    while life not in select.select(heard, [], [])[0]:
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
        multiprocessing.active_children()  # those that have ended leave nothing behind
    shutil.rmtree(os.path.dirname(listener.getsockname()), ignore_errors=True)  # noqa: PTH120 - a killed run has left it
    return 0


def _received(connection: Any) -> tuple[dict, list[int]]:
    """Return a request, and the client's streams."""
    import json
    import socket

    connection.settimeout(10)
    streams = socket.recv_fds(connection, 1, 3)[1]
    request = json.loads(connection.makefile("r", encoding="utf-8").readline())
    connection.settimeout(None)
    return request, streams


def _import_for(argv: list[str]) -> None:
    """Import what a step will, so that it and the next ones find it imported."""
    import json
    from contextlib import suppress
    from importlib import import_module

    from rotastack.run.modules import LIBRARIES, PROTOCOLS, STEPS

    content: Any = {}
    with suppress(ValueError, IndexError):  # the step says what is wrong, here and below
        content = json.loads(argv[argv.index("--slice") + 1])
    protocol = PROTOCOLS.get(str(content.get("protocol")), {}) if isinstance(content, dict) else {}
    for name in [STEPS.get(argv[1], ""), *protocol.values(), *LIBRARIES, *_classes(content)]:
        with suppress(Exception):  # the step imports the same, and says what is wrong
            import_module(name)


def _classes(content) -> list[str]:
    """Return the modules of the installed classes that a slice names, in order."""
    if isinstance(content, list):
        return [name for part in content for name in _classes(part)]
    if not isinstance(content, dict):
        return []
    paths = [content[key] for key in ("class", "estimator") if isinstance(content.get(key), str)]
    own = [path.rpartition(".")[0] for path in paths if path.partition(".")[0] in ("rotastack", "sklearn", "xgboost")]
    return [*own, *(name for part in content.values() for name in _classes(part))]


def _watch(connection: Any, life: int, request: dict, streams: list[int], run_command: Callable) -> None:
    """Run the step in a fork, hand signals on to it, and tell its client how it ended."""
    import multiprocessing
    import select
    import signal

    step = multiprocessing.get_context("fork").Process(target=_step, args=(request, streams, run_command))
    step.start()
    assert step.pid is not None
    ended = os.pidfd_open(step.pid)
    while ended not in (ready := select.select([ended, connection, life], [], [])[0]):
        heard = connection.recv(1) if connection in ready and life not in ready else b""
        _signal(step.pid, heard[0] if heard else signal.SIGKILL)  # of nothing: the client, or the run, has ended
    step.join()
    _signal(step.pid, signal.SIGKILL)  # what it has started ends with it
    try:
        connection.sendall(f"{step.exitcode}\n".encode())
    except OSError:  # the client is gone
        return


def _signal(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:  # it has no group yet, or is gone
        try:
            os.kill(group, number)
        except ProcessLookupError:  # it is gone
            return


def _step(request: dict, streams: list[int], run_command: Callable) -> None:
    """Be the step, in the client's place."""
    import signal

    os.setpgid(0, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    import numpy as np

    np.random.seed()  # noqa: NPY002 - or all steps would go on from one state
    sys.exit(run_command(request["argv"]))
