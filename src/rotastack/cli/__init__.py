"""The ``rotastack`` command: a file for each command, which imports what is heavy when it is run."""

import argparse
import sys

from rotastack import __version__
from rotastack.cli import completion, explain, fit, lists, predict, report, run, serve, step, ui
from rotastack.errors import RotastackError, without

__all__ = ["main"]

COMMANDS = (run, fit, report, predict, explain, serve, ui, lists, completion, step)
"""In the order of the help."""
EPILOG = """\
example:
  rotastack run customers.csv --target churned

exit codes:
  0 done; 1 something failed in a run; 2 what was asked for makes no sense, and one line says why;
  130 stopped by Ctrl-C: the same command goes on from there"""


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
    except ModuleNotFoundError as error:
        if (reason := without(error.name)) is None:
            raise
        print(f"rotastack: error: {reason}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print("rotastack: stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rotastack", description="Ensembles over views of the data, and an honest verdict.", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"rotastack {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
