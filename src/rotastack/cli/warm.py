"""``rotastack step serve``: be the warm server, which :mod:`rotastack.warm.start` starts."""

import os
import socket
from pathlib import Path

from rotastack.cli.commands import run_command
from rotastack.cli.step import cap_threads
from rotastack.warm.server import serve

__all__ = ["serve_steps"]


def serve_steps(folder: str, life: str, *sockets: str) -> int:
    """Run steps in forks of this process until the one that started it ends.

    Parameters
    ----------
    folder : str
        Of the sockets.
    life : str
        Number of the file descriptor whose other end the starting process holds.
    *sockets : str
        Kind of steps and number of a listening socket: ``compute=5``.
    """
    cap_threads(1)  # more are started, if at all, in a step
    os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"  # for PyArrow: a fork needs a process of one thread
    numbers = dict(item.split("=") for item in sockets)
    listening = {kind: socket.socket(fileno=int(number)) for kind, number in numbers.items()}
    serve(Path(folder), listening, int(life), run_command)
    return 0
