"""The ``rotastack`` command: a file for each command, which imports what is heavy when it is run."""

import argparse
import sys

from rotastack import __version__
from rotastack.cli import explain, lists, predict, report, run, serve, step, ui
from rotastack.errors import RotastackError

__all__ = ["main"]

COMMANDS = (run, report, predict, explain, serve, ui, lists, step)
"""In the order of the help."""


def main(argv: list[str] | None = None) -> int:
    """Run a command; return the exit code. A RotastackError is printed as one line."""
    given = sys.argv[1:] if argv is None else argv
    cut = given.index("--") if "--" in given else len(given)
    arguments = _parser().parse_args(given[:cut])
    arguments.rest = given[cut + 1 :]
    try:
        return arguments.run(arguments) or 0
    except RotastackError as error:
        print(f"rotastack: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print("rotastack: stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rotastack", description="Ensembles over views of the data, and an honest verdict."
    )
    parser.add_argument("--version", action="version", version=f"rotastack {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
