"""``rotastack step``: one step of the workflow, as its rules run it."""

import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.errors import DamagedError, RotastackError

__all__ = ["add", "cap_threads"]

_CAPS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def add(commands: Any) -> None:
    """Add the command."""
    step = commands.add_parser("step", help="run one step of the workflow, as its rules do")
    step.add_argument("step", metavar="NAME", help="a file of run/steps; `rotastack step list` lists them")
    step.add_argument("--spec", default="{}", help="JSON: the slice of the study that the step uses")
    for option, text in (("--input", "files to read"), ("--output", "files to write")):
        step.add_argument(option, nargs="+", action="append", default=[], metavar="NAME FILE", help=text)
    step.add_argument("--about", nargs="*", default=[], metavar="KEY=VALUE", help="what is worked on, for the record")
    step.add_argument("--code", default="", help="fingerprint of the code, for the record")
    step.add_argument("--threads", type=int, default=1, help="threads to use at most")
    step.set_defaults(run=_step)


def _step(arguments: Namespace) -> None:
    """Run a step of the workflow."""
    from rotastack.run.job import Job, declarations, step_names

    names = step_names()
    if arguments.step == "list":
        for name in names:
            print(f"{name:14s} {declarations(name)['help']}")
        return
    if arguments.step not in names:
        from rotastack.errors import nearest

        raise RotastackError(
            f"step {arguments.step!r} is unknown{nearest(arguments.step, names)}; there are {', '.join(names)}"
        )
    cap_threads(1 if arguments.step == "train" else arguments.threads)
    import importlib
    import json

    try:
        spec = json.loads(arguments.spec)
    except ValueError as error:
        raise RotastackError(f"--spec: not valid JSON: {error}") from None
    files = {
        option: {group[0]: [Path(f) for f in group[1:]] for group in getattr(arguments, option)}
        for option in ("input", "output")
    }
    about = dict(item.partition("=")[::2] for item in arguments.about)
    job = Job(arguments.step, spec, files["input"], files["output"], about, arguments.code, arguments.threads)
    job.check(file for files in job.inputs.values() for file in files)
    try:
        importlib.import_module(f"rotastack.run.steps.{arguments.step}").run(job)
    except DamagedError as error:
        raise job.set_aside(error) from None


def cap_threads(n_threads: int) -> None:
    """Let linear algebra use so many threads."""
    for variable in _CAPS:
        os.environ[variable] = str(n_threads)
    if n_threads > 1 and "threadpoolctl" in sys.modules:  # what is loaded does not look there again
        from threadpoolctl import threadpool_limits

        threadpool_limits(n_threads)
