"""The warm server of steps: a process that imports libraries once, and forks for each step.

It has one thread, so that a fork is safe, and imports before it forks what earlier steps of the same kind imported.
Steps that draw and steps that track have a process of their own, forked from the first when they come: what computes
holds none of their libraries. All end with the process that started them, however it ends, and with them the steps.
"""

import atexit
import ctypes
import gc
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from rotastack.warm.client import COMPUTE, credentials, identity

__all__ = ["serve"]

_STEPS = "rotastack.run.steps"
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def serve(folder: Path, sockets: dict[str, socket.socket], life: int, run: Callable[[list[str]], int]) -> None:
    """Run steps until `life` is closed at its other end.

    Parameters
    ----------
    folder : Path
        Of the sockets, for what steps leave to the server.
    sockets : dict of str to socket
        Kind of steps -> where they are asked for.
    life : int
        File descriptor that the starting process holds the other end of.
    run : function of list of str
        Runs a command in this process; returns the exit code.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Server(folder, sockets, life, run).serve()


class _Server:
    """One process of the server: that of the steps that compute, or of another kind.

    Parameters
    ----------
    folder, sockets, life, run
        See :func:`serve`.
    """

    def __init__(self, folder: Path, sockets: dict[str, socket.socket], life: int, run: Callable[[list[str]], int]):
        self.folder, self.sockets, self.life, self.run = folder, sockets, life, run
        self.identity = json.loads(json.dumps(identity()))
        self.clients: dict[int, socket.socket | None] = {}  # process of a step -> its client; None if it is gone
        self.known: dict[str, list[str]] = {}  # step -> what it imported, and this process has yet to
        self._listen()

    def _listen(self) -> None:
        self.process = os.getpid()
        self.ended = False
        self.selector = selectors.DefaultSelector()
        for kind, listener in self.sockets.items():
            listener.setblocking(False)
            self.selector.register(listener, selectors.EVENT_READ, (self._accept, kind))
        self.selector.register(self.life, selectors.EVENT_READ, (self._end, None))
        self.pipe = os.pipe()
        for end in self.pipe:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self.pipe[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.selector.register(self.pipe[0], selectors.EVENT_READ, (self._reap, None))

    def serve(self) -> None:
        while not self.ended:
            for key, _ in self.selector.select():
                # What came before it may have closed it, and its number may be that of another by now.
                if self.selector.get_map().get(key.fd) is key and not self.ended:
                    action, value = key.data
                    action(value)

    # What is heard

    def _accept(self, kind: str) -> None:
        """Take a request; those of another kind than this process's go to a fork of it from now on."""
        if kind != COMPUTE and len(self.sockets) > 1:
            self._split(kind)
            return
        try:
            connection, _ = self.sockets[kind].accept()
        except OSError:  # the client is gone
            return
        connection.settimeout(10)
        streams: list[int] = []
        try:
            request = _receive(connection, streams)
            if request["identity"] == self.identity and self._prepare(request["argv"]):
                self._fork(request, streams, connection)
                return
            connection.sendall(b"refused\n")
        except (OSError, ValueError):
            pass
        finally:
            for stream in streams:
                os.close(stream)
        connection.close()

    def _split(self, kind: str) -> None:
        listener = self.sockets.pop(kind)
        self.selector.unregister(listener)
        if os.fork() == 0:
            self._let_go()
            self.sockets, self.clients, self.known = {kind: listener}, {}, {}
            self._listen()
        else:
            listener.close()

    def _hear(self, process: int) -> None:
        """Hand signals of a client on to its step, which ends with the client."""
        connection = self.clients[process]
        assert connection is not None
        try:
            numbers = connection.recv(16)
        except OSError:
            numbers = b""
        for number in numbers or [signal.SIGKILL]:
            _signal(process, number)
        if not numbers:
            self._forget(process)

    def _reap(self, _: None) -> None:
        """Tell the clients of steps that have ended."""
        with suppress(BlockingIOError):
            os.read(self.pipe[0], 4096)
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                process, status = found
                if process not in self.clients:
                    continue
                self._learn(process)
                connection = self.clients[process]
                if connection is not None:
                    with suppress(OSError):
                        connection.sendall(f"ended {os.waitstatus_to_exitcode(status)}\n".encode())
                    self._forget(process)
                del self.clients[process]

    def _end(self, _: None) -> None:
        """End with all steps: so has the process that started the server."""
        self.ended = True
        for process, connection in self.clients.items():
            _signal(process, signal.SIGKILL)
            if connection is not None:
                with suppress(OSError):
                    connection.sendall(b"orphaned\n")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _forget(self, process: int) -> None:
        connection = self.clients[process]
        if connection is not None:
            self.selector.unregister(connection)
            connection.close()
            self.clients[process] = None

    # What is done

    def _prepare(self, argv: list[str]) -> bool:
        """Import what the step will; return whether it can be run in a fork, and a fork is safe."""
        step = argv[1]
        try:
            import_module(f"{_STEPS}.{step}")
        except Exception:  # it is told where the step is run, and with what it says
            return False
        for name in [*_named(argv), *self.known.pop(step, [])]:
            with suppress(Exception):  # a module that goes with another one only
                import_module(name)
        if len(list(Path("/proc/self/task").iterdir())) == 1:
            return True
        # A library started a thread: forks would have its locks without the thread that opens them.
        for listener in self.sockets.values():
            self.selector.unregister(listener)
            listener.close()
        self.sockets.clear()
        return False

    def _fork(self, request: dict[str, Any], streams: list[int], connection: socket.socket) -> None:
        gc.collect()
        gc.freeze()  # or the step's collections would write to, and so copy, all that is shared
        process = os.fork()
        if process == 0:
            self._step(request, streams, connection)
        with suppress(OSError):
            os.setpgid(process, process)
        self.clients[process] = connection
        self.selector.register(connection, selectors.EVENT_READ, (self._hear, process))

    def _step(self, request: dict[str, Any], streams: list[int], connection: socket.socket) -> NoReturn:
        """Be the process of a step, to its end."""
        code = 1
        try:
            os.setpgid(0, 0)
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != self.process:
                os._exit(1)
            self._let_go()
            connection.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.chdir(request["cwd"])
            os.umask(request["umask"])
            os.environ.clear()
            os.environ.update(request["environ"])
            if "numpy" in sys.modules:  # or all steps would go on from one state of it
                sys.modules["numpy"].random.seed()
            before = set(sys.modules)
            sys.argv[1:] = request["argv"]
            code = _code_of(self.run, request["argv"])
            self._teach(request["argv"][1], [name for name in sys.modules if name not in before])
        except BaseException:  # as the interpreter does: it is shown, and the step has failed
            sys.excepthook(*sys.exc_info())
        finally:
            _leave(code)

    def _let_go(self) -> None:
        """Close what is the server's, in a fork of it."""
        signal.set_wakeup_fd(-1)
        self.selector.close()
        for listener in self.sockets.values():
            listener.close()
        for client in self.clients.values():
            if client is not None:
                client.close()
        for end in self.pipe:
            os.close(end)

    # What steps import, of which the next ones find it imported

    def _teach(self, step: str, names: list[str]) -> None:
        """Leave the names of modules that were imported to the server: those of installed libraries, and ours."""
        taught = [name for name in names if _is_installed(getattr(sys.modules[name], "__spec__", None))]
        if taught:
            with suppress(OSError):
                file = self.folder / str(os.getpid())
                file.write_text(json.dumps({"step": step, "modules": taught}), encoding="utf-8")

    def _learn(self, process: int) -> None:
        file = self.folder / str(process)
        with suppress(OSError, ValueError):
            found = json.loads(file.read_text(encoding="utf-8"))
            self.known[found["step"]] = list(dict.fromkeys([*self.known.get(found["step"], []), *found["modules"]]))
            file.unlink()


def _receive(connection: socket.socket, streams: list[int]) -> dict[str, Any]:
    """Return a request, and add the client's streams to the list; ValueError if it is of somebody else."""
    if credentials(connection)[1] != os.getuid():
        raise ValueError("of another user")
    head, found, _, _ = socket.recv_fds(connection, 8, 3)
    streams += found
    content = bytearray()
    size = int.from_bytes(head, "big")
    while len(content) < size:
        part = connection.recv(min(size - len(content), 1 << 16))
        if not part:
            raise ValueError("cut short")
        content += part
    if len(streams) != 3:
        raise ValueError("no streams")
    return json.loads(content)


def _is_installed(spec: ModuleSpec | None) -> bool:
    """Tell whether a module is ours or of an installed library; files of the user's own are for steps alone."""
    places = (sys.prefix, sys.base_prefix, str(Path(__file__).parents[1]))
    return spec is not None and (spec.origin or "").startswith(places)


def _named(argv: list[str]) -> list[str]:
    """Return the modules of the installed classes that a step's slice names."""

    def paths(content: Any) -> Iterator[str]:
        if isinstance(content, dict):
            yield from (v for k, v in content.items() if k in ("class", "estimator") and isinstance(v, str))
        for part in content.values() if isinstance(content, dict) else content if isinstance(content, list) else ():
            yield from paths(part)

    with suppress(ValueError, ImportError):
        found = {path.rpartition(".")[0] for path in paths(json.loads(argv[argv.index("--spec") + 1]))} - {""}
        return sorted(name for name in found if _is_installed(find_spec(name.partition(".")[0])))
    return []


def _signal(process: int, number: int) -> None:
    """Send a signal to a step and the processes that it started."""
    try:
        os.killpg(process, number)
    except OSError:  # it has no group of its own yet, or is gone
        with suppress(OSError):
            os.kill(process, number)


def _code_of(run: Callable[[list[str]], int], argv: list[str]) -> int:
    """Run a command; return what a process of its own would end with."""
    try:
        return run(argv)
    except SystemExit as end:
        if isinstance(end.code, int | None):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1


def _leave(code: int) -> NoReturn:
    """End this process as the interpreter would, without taking all modules down first."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # such as a closed pipe: there is nobody to tell, so the exit code does
        code = code or 1
    os._exit(code & 255)
