"""``rotastack doctor``: is all there that a run needs, here and on a cluster's nodes?"""

import getpass
import json
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError

__all__ = ["add", "add_slurm"]

_GIGABYTES = 2  # of disk that are worth a word if there are fewer
_WAIT = 120  # seconds for a node to answer
_ON_NODE = """\
import json, os, socket, sys
from pathlib import Path
about = {"node": socket.gethostname().partition(".")[0], "seen": Path(sys.argv[1]).is_file()}
try:
    import rotastack, rotastack.trees.kernel, snakemake
    about["rotastack"], about["place"] = rotastack.__version__, os.path.dirname(rotastack.__file__)
except Exception as error:
    about["error"] = f"{type(error).__name__}: {error}"
if about["seen"]:
    Path(sys.argv[2]).write_text("")
print(json.dumps(about))
"""


class ProblemError(Exception):
    """What is wrong, and what to do."""


def add(commands: Any) -> None:
    """Add the command."""
    doctor = commands.add_parser(
        "doctor", help="check that all is there that a run needs",
        description="One line for each thing that a run needs: ok, or what to do. With --slurm a node is asked, too.",
    )  # fmt: skip
    add_slurm(doctor, "look at the Slurm cluster, and at a node of it")
    doctor.set_defaults(run=_doctor)


def add_slurm(parser: Any, text: str) -> None:
    """Add the options that say which cluster."""
    parser.add_argument("--slurm", action="store_true", help=text)
    parser.add_argument("--account", metavar="A", help="with --slurm: the account that pays")
    parser.add_argument("--partition", metavar="P", help="with --slurm: the partition, if not the default one")


def _doctor(arguments: Namespace) -> int:
    wrong = 0
    for name, check in _checks(arguments):
        try:
            print(f"ok       {name}: {check()}", flush=True)
        except (ProblemError, RotastackError) as error:
            print(f"PROBLEM  {name}: {error}", flush=True)
            wrong += 1
            if name == "slurm":  # nothing below can be asked
                break
    return int(wrong > 0)


def _checks(arguments: Namespace) -> Iterator[tuple[str, Any]]:
    yield "environment", _environment
    yield "snakemake", _snakemake
    yield "folder", _folder
    if arguments.slurm:
        yield "plugin", _plugin
        yield "slurm", lambda: _cluster().as_text()
        yield "queue", _queue
        yield "partition", lambda: _partition(arguments)
        yield "node", lambda: _node(arguments)


def _environment() -> str:
    import rotastack

    try:
        import rotastack.trees.kernel
    except ImportError as error:
        raise ProblemError(f"the compiled kernel cannot be loaded ({error}); `make env` builds it") from None
    return f"rotastack {rotastack.__version__}, Python {sys.version.split()[0]} in {sys.prefix}"


def _snakemake() -> str:
    if find_spec("snakemake") is None:
        raise ProblemError("not installed; `pip install 'rotastack[workflow]'`")
    return version("snakemake")


def _folder() -> str:
    here = Path.cwd()
    if not os.access(here, os.W_OK):
        raise ProblemError(f"{here} cannot be written; run in a folder of your own")
    free = shutil.disk_usage(here).free / 1e9
    if free < _GIGABYTES:
        raise ProblemError(f"{here} has {free:.1f} GB left; make room, or run elsewhere")
    return f"{here} can be written, {free:.0f} GB free"


def _plugin() -> str:
    try:
        return f"snakemake-executor-plugin-slurm {version('snakemake-executor-plugin-slurm')}"
    except PackageNotFoundError:
        raise ProblemError(
            "snakemake-executor-plugin-slurm is not installed; `pip install 'rotastack[workflow]'` brings it"
        ) from None


def _cluster() -> Any:
    from rotastack.cli.slurm import Cluster

    return Cluster.look()


def _queue() -> str:
    """Ask what the run will ask: what answers prints its columns, even of no jobs."""
    from rotastack.cli.slurm import ask

    if not ask("squeue", "--user", getpass.getuser(), "--format=%i"):
        raise ProblemError("squeue does not answer; how jobs do cannot be seen")
    cluster = _cluster()
    if not cluster.accounting:
        from rotastack.cli.slurm import POLL_SECONDS

        if cluster.remembers < 3 * POLL_SECONDS:
            raise ProblemError(
                f"squeue forgets jobs after {cluster.remembers} s, and there is no accounting; "
                "ask for MinJobAge=300 in slurm.conf"
            )
        return f"squeue answers, and remembers jobs for {cluster.remembers} s"
    if not ask("sacct", "-X", "-o", "JobID"):
        raise ProblemError("sacct does not answer; pass `-- --slurm-status-command squeue` to the run")
    return "squeue and sacct answer"


def _partition(arguments: Namespace) -> str:
    cluster = _cluster()
    limit = cluster.limit(arguments.partition)
    default = next((name for name, (is_default, _) in cluster.partitions.items() if is_default), None)
    name = arguments.partition or default
    if name is None:
        raise ProblemError(f"there is no default; say --partition, one of {', '.join(cluster.partitions)}")
    return f"{name}, " + ("jobs of any length" if limit is None else f"jobs of up to {limit:.0f} min")


def _node(arguments: Namespace) -> str:
    """Run a few lines on a node, in this folder and with this environment."""
    here = Path.cwd()
    mark, answer = (here / f".rotastack-{word}-{os.getpid()}" for word in ("doctor", "node"))
    command = ["srun", "--ntasks=1", "--mem=1000", "--time=5", f"--immediate={_WAIT}", f"--chdir={here}"]
    command += ["--job-name=rotastack-doctor", "--quiet"]
    if arguments.partition:
        command.append(f"--partition={arguments.partition}")
    if arguments.account and _cluster().accounting:
        command.append(f"--account={arguments.account}")
    try:
        mark.write_text("")
        done = subprocess.run(
            [*command, sys.executable, "-c", _ON_NODE, str(mark), str(answer)],
            capture_output=True, text=True, timeout=_WAIT + 60,
        )  # fmt: skip
        written = answer.is_file()
    except subprocess.TimeoutExpired:
        raise ProblemError(f"no node answered in {_WAIT + 60} s; the queue may be full: try again") from None
    finally:
        mark.unlink(missing_ok=True)
        answer.unlink(missing_ok=True)
    try:
        about = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        why = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        raise ProblemError(
            f"{why} (asked with: {' '.join(command)} {sys.executable}); that Python must be on a file system that nodes share"
        ) from None
    if not about["seen"] or not written:
        raise ProblemError(f"{about['node']} does not share {here}; run in a folder that nodes see and write")
    if "error" in about:
        raise ProblemError(
            f"{about['node']} cannot import what is needed ({about['error']}); make the environment on it, or one for both"
        )
    return f"{about['node']} shares this folder and imports rotastack {about['rotastack']} from {about['place']}"
