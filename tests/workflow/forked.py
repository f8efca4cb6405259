"""Commands of this Python in forks of this process, which has imported their libraries: a run then takes a third of the time.

Nothing else differs: each command is a process with its own folder, environment and streams, and every command that it
starts by ``python -P -m MODULE`` (Snakemake, the server of steps) is a fork as well.
"""

import functools
import gc
import inspect
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace

LIBRARIES = (
    "snakemake.cli",
    "snakemake.executors.local",
    "snakemake_logger_plugin_rotastack",
    "rotastack.cli.commands",
    "rotastack.cli.answer",
    "rotastack.cli.dry_run",
    "rotastack.cli.studies",
    "rotastack.workflow.run.launch",
    "rotastack.workflow.run.resources",
    "rotastack.workflow.study.classes",
    "rotastack.workflow.use.saved_model",
    "rotastack.workflow.tracking.writer",
    "rotastack.plots.style",
    "matplotlib.pyplot",
    "sklearn.ensemble",
    "sklearn.naive_bayes",
    "scipy.stats",
    "h5netcdf.legacyapi",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "xarray.backends.h5netcdf_",
    "psutil",
)
MODULES = {"snakemake": "snakemake.cli", "rotastack": "rotastack.cli"}
"""Module after ``python -m`` -> the module of its function ``main``."""
REAL = subprocess.Popen
_NAMES = list(inspect.signature(REAL._execute_child).parameters)[2:]


def import_libraries() -> None:
    """Import, with one thread each, what commands and steps need."""
    os.environ |= {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
    }
    from rotastack.workflow.run.modules import PROTOCOLS, STEPS

    for name in [*LIBRARIES, *STEPS.values(), *PROTOCOLS.values()]:
        with suppress(ModuleNotFoundError):
            import_module(name)


class Forked(REAL):
    """A process; a fork of this one if its command is ``python -P -m`` with a known module."""

    def _execute_child(self, args, *others):
        asked = SimpleNamespace(**dict(zip(_NAMES, others, strict=True)))
        known = (
            not isinstance(args, str) and [*map(str, args[:3])] == [sys.executable, "-P", "-m"] and args[3] in MODULES
        )
        if not known or asked.shell:
            super()._execute_child(args, *others)
            return
        self.pid = os.fork()
        if self.pid == 0:
            _become([*map(str, args[3:])], asked)
        self._child_created = True
        ends = asked.p2cread, asked.p2cwrite, asked.c2pread, asked.c2pwrite, asked.errread, asked.errwrite
        self._close_pipe_fds(*ends)


def _forget(folder: str) -> None:
    """Forget the modules of a folder, and what the package has cached: the server of steps is a fork of Snakemake."""
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]
    for thing in gc.get_objects():
        if isinstance(thing, functools._lru_cache_wrapper) and (thing.__module__ or "").startswith("rotastack"):
            thing.cache_clear()


def _become(words, asked) -> None:
    """Be the command in this fork, and end."""
    code = 1
    try:
        if asked.preexec_fn:
            asked.preexec_fn()
        for number, stream in enumerate((asked.p2cread, asked.c2pwrite, asked.errwrite)):
            if stream >= 0:
                os.dup2(stream, number)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
            if number > 2 and number not in (nothing, *asked.pass_fds):  # not closed: objects of this process own them
                with suppress(OSError):
                    os.dup2(nothing, number, inheritable=False)
        if asked.start_new_session:
            os.setsid()
        if asked.cwd is not None:
            os.chdir(asked.cwd)
        if asked.env is not None:
            os.environ.clear()
            os.environ.update(asked.env)
        _forget(f"{os.getcwd()}{os.sep}")  # noqa: PTH109
        subprocess.Popen = Forked
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            handler = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, handler)
        sys.stdin, sys.stdout, sys.stderr = (open(n, mode, buffering=1, closefd=False) for n, mode in enumerate("rww"))  # noqa: SIM115
        sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
        sys.argv = [f"{words[0]}/__main__.py", *words[1:]]
        code = import_module(MODULES[words[0]]).main()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        code = 130
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))
