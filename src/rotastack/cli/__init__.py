"""The ``rotastack`` command."""

import sys

from rotastack.workflow.run import forks

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run a command and return the exit code; a RotastackError is printed as one line."""
    args = sys.argv[1:] if argv is None else argv
    serves = args[:2] == ["step", "serve"]
    # The server of steps, if there is one, spares this process the slow imports.
    if args[:1] == ["step"] and not serves and (code := forks.ask(args)) is not None:
        return code
    from rotastack.cli.commands import run_command

    if serves:
        return forks.serve(int(args[2]), int(args[3]), run_command)
    return run_command(args)
