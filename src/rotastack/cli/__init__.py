"""The ``rotastack`` command."""

import sys

from rotastack.run import forks

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run a command; return the exit code. A RotastackError is printed as one line."""
    given = sys.argv[1:] if argv is None else argv
    serves = given[:2] == ["step", "serve"]
    if given[:1] == ["step"] and not serves and (code := forks.ask(given)) is not None:  # before all other imports
        return code
    from rotastack.cli.commands import run_command

    if serves:
        return forks.serve(int(given[2]), int(given[3]), run_command)
    return run_command(given)
