"""The server of steps: a process that imports libraries once, and runs each step in a fork of itself.

A small step takes less time than the import of its libraries. A run starts the server by :func:`start_forks`. The
command ``rotastack step`` sends its work to the server, or does the work itself if there is no server; the results are
the same. The server has one thread, so a fork is safe. The server ends with the process that started it, and its steps
end with the server. All this needs Linux.
"""

import ctypes
import json
import multiprocessing
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from rotastack.workflow.run.fingerprint import code_of
from rotastack.workflow.run.modules import PROTOCOLS, STEPS

VARIABLE = "ROTASTACK_FORKS"
"""Environment variable that holds the path of the server's socket."""
_LIBRARIES = (
    "h5netcdf.legacyapi",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "scipy.stats",
    "sklearn.ensemble",
    "xarray.backends.h5netcdf_",
)
"""Modules that libraries import late and nearly all steps need."""
_PARENT_DEATH_SIGNAL = 1
_held: list = []  # the folder, the server, and the pipe by which the server sees this process end


def start_forks() -> None:
    """Start the server, and put its socket into the environment of the steps."""
    os.environ.pop(VARIABLE, None)
    if sys.platform != "linux":
        return
    folder = tempfile.TemporaryDirectory(prefix="rotastack-")
    place = f"{folder.name}/steps"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
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
            command,
            pass_fds=(listener.fileno(), life),
            start_new_session=True,
            env={**os.environ, **alone},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    os.close(life)
    _held.extend([folder, server, ours])
    os.environ[VARIABLE] = place


def serve(listening: int, life: int, run_command: Callable[[list[str]], int]) -> int:
    """Run steps by `run_command` for the clients of a socket, until the other end of the pipe `life` is closed."""
    listener = socket.socket(fileno=listening)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    steps: dict[Any, tuple[Any, socket.socket]] = {}  # file descriptor of a step -> its process and its client
    clients: dict[Any, Any] = {}  # clients that are there -> process of the step, None before they have sent anything
    while life not in (ready := select.select([listener, life, *steps, *clients], [], [])[0]):
        for each in ready:
            if each is listener:
                clients[listener.accept()[0]] = None
            elif each in clients and clients[each] is None:
                del clients[each]
                if begun := _begun(each, run_command):
                    process, client = begun
                    steps[os.pidfd_open(process.pid)] = begun
                    clients[client] = process
            elif each in steps:
                process, client = steps.pop(each)
                clients.pop(client, None)
                os.close(each)
                _kill(process)  # also processes that the step has left
                process.join()
                with client, suppress(OSError):  # the client is gone
                    client.sendall(f"{process.exitcode}\n".encode())
            elif each in clients:
                process = clients[each]
                try:
                    number = each.recv(1)[0]
                except (OSError, IndexError):  # the client has ended
                    number = signal.SIGKILL
                    del clients[each]
                _kill(process, number)
    for process, _ in steps.values():
        _kill(process)
    shutil.rmtree(Path(listener.getsockname()).parent, ignore_errors=True)  # a killed run leaves the folder
    return 0


def _kill(process: Any, number: int = signal.SIGKILL) -> None:
    """Send a signal to a step and to the processes that it has started."""
    with suppress(ProcessLookupError):  # all have ended
        os.killpg(process.pid, number)


def _begun(client: socket.socket, run_command: Callable) -> tuple[Any, socket.socket] | None:
    """Begin a step for a client in a fork, whose streams are the client's; None if there can be no fork."""
    client.settimeout(10)
    try:
        streams = socket.recv_fds(client, 1, 3)[1]
        request = json.loads(client.makefile("r", encoding="utf-8").readline())
    except (OSError, ValueError):  # the client is gone
        client.close()
        return None
    client.settimeout(None)
    _import_for(request["argv"])
    process = None
    if len(os.listdir("/proc/self/task")) == 1:  # noqa: PTH208
        process = multiprocessing.get_context("fork").Process(target=_step, args=(request, streams, run_command))
        process.start()
        assert process.pid is not None
        os.setpgid(process.pid, process.pid)  # a group of its own, of the processes that the step will start
    else:  # a library has started a thread
        with client:
            client.sendall(b"refused\n")
    for stream in streams:
        os.close(stream)
    return None if process is None else (process, client)


def _import_for(argv: list[str]) -> None:
    """Import the modules of a step and of the classes in its slice, for this step and later ones."""
    text = " ".join(argv)
    protocols = [module for name, module in PROTOCOLS.items() if f'"protocol":"{name}"' in text]
    classes = re.findall(r'"((?:rotastack|sklearn|xgboost)\.[\w.]*)\.\w+"', text)
    with suppress(Exception):  # the step checks its code, and finds the files of the package parsed
        code_of(argv[1], json.loads(argv[argv.index("--slice") + 1]))
    for name in [STEPS.get(argv[1], ""), *protocols, *_LIBRARIES, *classes]:
        with suppress(Exception):  # the step imports the same module, and reports the error
            import_module(name)


def _step(request: dict, streams: list[int], run_command: Callable) -> None:
    """Run the step in this fork, with the client's streams, folder and environment."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)  # a server that is killed takes its steps along
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
