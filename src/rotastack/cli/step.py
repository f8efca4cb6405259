"""``rotastack step``: one step of the workflow, as the rules run steps."""

import json
import os
import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from typing import Any

from rotastack.cli.options import command
from rotastack.errors import RotastackError, nearest

_CAPS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def add(commands: Any) -> None:
    """Add the command."""
    step = command(commands, "step", _step, "run one step of the workflow, as its rules do")
    step.add_argument("step", metavar="NAME", help="name of the step; `rotastack step list` lists all")
    step.add_argument("--slice", default="{}", help="JSON of the study that the step uses; - reads standard input")
    for option, text in (("--input", "files to read"), ("--output", "files to write")):
        step.add_argument(option, nargs="+", action="append", default=[], metavar="NAME FILE", help=text)
    text = "data set, pool and method of the job, for the record"
    step.add_argument("--about", nargs="*", default=[], metavar="KEY=VALUE", help=text)
    step.add_argument(
        "--key",
        default="",
        help="hash of what the outputs are made from, for the record; its end is the fingerprint of the code, which is checked",
    )
    step.add_argument("--threads", type=int, default=1, help="largest number of threads")


def _step(arguments: Namespace) -> None:
    from rotastack.workflow.run.modules import STEPS

    if arguments.step == "list":
        print("\n".join(STEPS))
        return
    if arguments.step not in STEPS:
        raise RotastackError(
            f"step {arguments.step!r} is unknown{nearest(arguments.step, list(STEPS))}; allowed: {', '.join(STEPS)}"
        )
    _cap_threads(1 if arguments.step == "train" else arguments.threads)  # before the imports of libraries
    from rotastack.workflow.run.fingerprint import check_code
    from rotastack.workflow.run.job import Job

    try:
        content = json.loads(arguments.slice)
    except ValueError as error:
        raise RotastackError(f"--slice: not valid JSON: {error}") from None
    inputs, outputs = (
        {name: list(map(Path, files)) for name, *files in given} for given in (arguments.input, arguments.output)
    )
    about = dict(item.partition("=")[::2] for item in arguments.about)
    job = Job(arguments.step, content, inputs, outputs, about, arguments.key, arguments.threads)
    if job.key:
        check_code(job.step, content, job.code)
    import_module(STEPS[job.step]).run(job)
    if job.key:  # once more, because a module may have been edited just before the step imported it
        check_code(job.step, content, job.code)


def _cap_threads(n_threads: int) -> None:
    """Limit linear algebra to `n_threads` threads."""
    os.environ.update(dict.fromkeys(_CAPS, str(n_threads)))
    if n_threads > 1 and "threadpoolctl" in sys.modules:  # a loaded library does not read the environment again
        from threadpoolctl import threadpool_limits

        threadpool_limits(n_threads)
