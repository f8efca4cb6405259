"""Start the warm server, for the steps that this process and its children will run."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rotastack.warm.client import COMPUTE, KINDS, VARIABLE

__all__ = ["start_server"]

_LONGEST = 75  # bytes of the folder: a socket's name may have 107, of which 32 are ours
_PREFIX = "rotastack-warm-"
_held: list[Any] = []  # the process, and the pipe by whose end it hears of ours


def start_server() -> None:
    """Start a server and name it in the environment; where forks are not safe, or it cannot be, there is none.

    It has imported nothing until the first step comes. On macOS system libraries do not survive a fork, and Windows
    has none: there, each step imports for itself.
    """
    os.environ.pop(VARIABLE, None)
    command = shutil.which("rotastack")
    if sys.platform != "linux" or command is None:
        return
    place = tempfile.gettempdir()
    is_short = len(os.fsencode(place)) <= _LONGEST
    place = place if is_short else "/tmp"
    _sweep(Path(place))
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    life, held = os.pipe()
    sockets: dict[str, socket.socket] = {}
    try:
        for kind in dict.fromkeys([COMPUTE, *KINDS.values()]):
            sockets[kind] = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sockets[kind].bind(str(folder / kind))
            sockets[kind].listen(256)
        about = [str(folder), str(life), *(f"{kind}={s.fileno()}" for kind, s in sockets.items())]
        process = subprocess.Popen(
            [command, "step", "serve", *about],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[life, *(s.fileno() for s in sockets.values())],
            start_new_session=True,  # Ctrl-C is for the steps: their clients hand it on
        )
    except OSError:  # no sockets in this folder, no more processes
        os.close(held)
        shutil.rmtree(folder, ignore_errors=True)
        return
    finally:
        os.close(life)
        for listener in sockets.values():
            listener.close()
    _held.extend([process, held])
    os.environ[VARIABLE] = str(folder)


def _sweep(place: Path) -> None:
    """Remove the folders of servers that were killed: nobody listens there any more."""
    for folder in place.glob(f"{_PREFIX}*"):
        if not (folder / COMPUTE).is_socket():  # another that is about to begin
            continue
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
            try:
                asked.connect(str(folder / COMPUTE))
            except ConnectionRefusedError:
                shutil.rmtree(folder, ignore_errors=True)
            except OSError:  # of somebody else, or busy
                continue
