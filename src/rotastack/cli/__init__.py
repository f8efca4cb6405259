"""The ``rotastack`` command, which imports slow modules only if no server of steps has done the work."""

import os
import sys
from io import TextIOWrapper
from itertools import pairwise

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run a command and return the exit code; a RotastackError is printed as one line."""
    args = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):  # as Python 3.15 does: other encodings lack letters of tables
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    serves = args[:2] == ["step", "serve"]
    # Rules hand a spec on by standard input (`--slice -`): Linux allows an argument of 128 KiB, and a spec may be longer.
    args = [sys.stdin.read() if pair == ("--slice", "-") else pair[1] for pair in pairwise(["", *args])]
    # The server of steps, if there is one, spares this process the slow imports.
    if len(args) > 1 and args[0] == "step" and not serves and (code := _ask_server(args)) is not None:
        return code
    from rotastack.cli.commands import run_command

    if serves:
        from rotastack.workflow.run.forks import serve

        return serve(int(args[2]), int(args[3]), run_command)
    return run_command(args)


def _ask_server(argv: list[str]) -> int | None:
    """Let the server run a step with this process's streams, folder and environment; None if no server takes the step.

    Signals to this process are passed to the step. If this process dies, the step dies as well.
    """
    if not (place := os.environ.get("ROTASTACK_FORKS")):  # VARIABLE of rotastack.workflow.run.forks
        return None
    import json
    import signal
    import socket

    request = {"argv": argv, "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(place)
            socket.send_fds(connection, [b"0"], [0, 1, 2])
            connection.sendall(json.dumps(request).encode() + b"\n")
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
