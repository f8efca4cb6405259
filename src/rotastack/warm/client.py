"""Ask the warm server to run a step: what `rotastack step` does first, in some hundredths of a second.

Only what the interpreter has at hand is imported before the answer.
"""

import os
import sys

__all__ = ["COMPUTE", "KINDS", "VARIABLE", "ask", "credentials", "identity"]

VARIABLE = "ROTASTACK_WARM"
"""Of the environment: the folder of the server's sockets."""
COMPUTE = "compute"
KINDS = {"track": "track", "draw": "draw", "report": "draw", "published": "draw"}
"""First word of a step -> which of the server's processes runs it: those that compute hold nothing that draws or tracks."""


def identity() -> dict[str, object]:
    """Return what a process must share with the server: interpreter, code, search path and limits."""
    import resource

    from rotastack import __file__ as place
    from rotastack import __version__

    limits = ("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_STACK", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE")
    return {
        "executable": sys.executable,
        "place": place,
        "version": __version__,
        "path": sys.path,
        "options": {k: v for k, v in os.environ.items() if k.startswith("PYTHON")},
        "limits": [list(resource.getrlimit(getattr(resource, name))) for name in limits],
        "nice": os.nice(0),
    }


def ask(argv: list[str]) -> int | None:
    """Have the server run a command in this process's place; return the exit code.

    The step reads and writes this process's streams, in its folder and with its environment. Signals that reach this
    process are handed on; if it dies, so does the step; a step that is killed by a signal ends this process by the same.

    Returns
    -------
    int or None
        None if there is no server that can, or if it died: the step is then run here.
    """
    folder = os.environ.get(VARIABLE)
    if not folder or len(argv) < 2 or sys.platform != "linux":
        return None
    import json
    import socket

    umask = os.umask(0)
    os.umask(umask)
    request = json.dumps(
        {
            "argv": argv,
            "cwd": os.getcwd(),  # noqa: PTH109 - pathlib would be imported
            "environ": dict(os.environ),
            "umask": umask,
            "identity": identity(),
        }
    ).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(f"{folder}/{KINDS.get(argv[1].partition('_')[0], COMPUTE)}")
            _, uid, _ = credentials(connection)
            if uid != os.getuid():
                return None
            socket.send_fds(connection, [len(request).to_bytes(8, "big")], [0, 1, 2])
            connection.sendall(request)
        except OSError:  # there is no server, or none here
            return None
        return _wait(connection)


def _wait(connection) -> int | None:
    """Hand on signals until the step has ended; return its exit code, or end as it did."""
    import signal

    forwarded = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2]
    before = {s: signal.getsignal(s) for s in forwarded if signal.getsignal(s) is not signal.SIG_IGN}

    def forward(number, frame):
        try:  # noqa: SIM105 - contextlib would be imported
            connection.send(bytes([number]))
        except OSError:
            pass

    for number in before:
        signal.signal(number, forward)
    try:
        answer = b""
        while not answer.endswith(b"\n"):
            part = connection.recv(64)
            if not part:
                return None
            answer += part
    except OSError:
        return None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    word, _, value = answer.decode().strip().partition(" ")
    if word == "ended":
        return _end(int(value))
    if word == "orphaned":
        print("rotastack: error: the run that started this step has ended", file=sys.stderr)
        return 1
    return None  # refused: another version, other libraries


def _end(code: int) -> int:
    """Return an exit code; of a step that a signal killed, die by it, but without a second core file."""
    if code >= 0:
        return code
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if -code not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    return 128 - code  # of a signal that does not kill


def credentials(connection) -> tuple[int, int, int]:
    """Return process, user and group at the other end of a socket."""
    import socket
    import struct

    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", found)
