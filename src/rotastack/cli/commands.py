"""The commands of ``rotastack``: each has a module, which imports heavy packages only when the command runs."""

import argparse
import errno
import sys

from rotastack import __version__
from rotastack.cli import explain, fit, lists, predict, report, run, step, tables, ui
from rotastack.cli.stopping import StoppedError
from rotastack.errors import RotastackError, not_installed_message
from rotastack.project import find_own_modules

COMMANDS = (run, fit, report, tables, predict, explain, ui, lists, step)
"""The modules of the commands, in the order of the help."""
NAME_CLASSES = ("run", "report", "tables", "fit", "step")
"""Commands that import the classes named in a study, also from modules in the working directory."""
EPILOG = """\
example:
  rotastack run customers.csv --target churned

exit codes:
  0 success, also if a method failed (the answer names the method); 1 a step of a run failed;
  2 an option, a file or the study is wrong; one line gives the reason;
  130 stopped by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP: the same command continues the run"""


NOT_OURS = {
    errno.ENOSPC: "free disk space, then repeat the command to continue",
    errno.EDQUOT: "free disk space, then repeat the command to continue",
    errno.EFBIG: "raise the limit of file sizes (ulimit -f), then repeat the command to continue",
    errno.EROFS: "work in a writable folder",
    errno.EACCES: "change the permissions, or work in a folder of your own",
    errno.EPERM: "change the permissions, or work in a folder of your own",
    errno.EIO: "the device or its connection failed; reconnect the device, then repeat the command to continue",
    errno.ESTALE: "the device or its connection failed; reconnect the device, then repeat the command to continue",
    errno.EMFILE: "raise the limit of open files (ulimit -n), then repeat the command to continue",
}
"""Error number of the operating system -> what the user can do about the error."""


def run_command(given: list[str]) -> int:
    """Run a command in this process and return the exit code; a RotastackError is printed as one line."""
    if given[:1] and given[0] in NAME_CLASSES:
        find_own_modules()
    cut = given.index("--") if "--" in given else len(given)
    arguments = _parser().parse_args(given[:cut])
    arguments.rest = given[cut + 1 :]
    if getattr(arguments, "trust", None):  # else no file of the folder may run
        find_own_modules(getattr(arguments, "project", "."))
    try:
        return arguments.run(arguments) or 0
    except (RotastackError, ModuleNotFoundError) as error:
        reason = error if isinstance(error, RotastackError) else not_installed_message(error.name)
        if reason is None:
            raise
        _say(f"rotastack: error: {reason}")
        return 2
    except BrokenPipeError:
        return 0
    except OSError as error:
        if error.errno not in NOT_OURS:
            raise
        _say(f"rotastack: error: {error.filename or 'a file'}: {error.strerror}; {NOT_OURS[error.errno]}")
        return 1
    except StoppedError as stopped:
        print(f"rotastack: stopped by {stopped}; repeat the command to continue", file=sys.stderr)
        return 128 + stopped.number
    except KeyboardInterrupt:
        print("rotastack: stopped; repeat the command to continue", file=sys.stderr)
        return 130


def _say(line: str) -> None:
    """Print a line on standard error, or on standard output if standard error is a file on a full disk."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        print(line, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rotastack",
        description="Train ensembles on views of the data, and compare methods with statistical tests.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rotastack {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
