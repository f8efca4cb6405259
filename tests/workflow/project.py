"""A copy of the project for runs and dry runs: tests edit code and studies, and compare results.

Snakemake is called in two ways. :meth:`Project.snakemake` starts it, as a user does. :meth:`Project.jobs` lays out the
workflow in this process, which takes a tenth of the time: Snakemake's own verdict on what is to be done again, its
parameters and shell lines. Fingerprints and configuration are then those of the copy, all other code is the one under
test.
"""

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from rotastack import project as project_module
from rotastack.base.documents import load_yaml
from rotastack.cli import main
from rotastack.data.registry import registry
from rotastack.workflow.run import fingerprint
from rotastack.workflow.run.launch import config_file, open_plan

ROOT = Path(__file__).resolve().parents[2]
TINY = "config/studies/tiny.yaml"
SCORES = "results/tiny/iris/scores.parquet"
CACHES = ("fingerprint", "_sources", "_read", "_installed", "_own_code", "_distributions")


@dataclass(frozen=True)
class Asked:
    """A job: an instance of a rule, as Snakemake would run the rule."""

    rule: str
    wildcards: tuple[str, ...]
    message: str
    params: dict[str, Any]
    input: dict[str, list[str]]
    output: dict[str, list[str]]
    log: list[str]
    threads: int
    resources: dict[str, Any]
    shell: str
    is_needed: bool

    @property
    def name(self) -> tuple[str, ...]:
        """The rule and its wildcards."""
        return (self.rule, *self.wildcards)

    @property
    def read(self) -> set[str]:
        """All input files."""
        return {file for files in self.input.values() for file in files}

    @property
    def made(self) -> set[str]:
        """All output files."""
        return {file for files in self.output.values() for file in files}

    @property
    def commands(self) -> list[list[str]]:
        """The words of each command of the shell line, without the redirection to the log; the text of ``--slice -`` is its value."""
        lines = self.shell.replace(" --slice - <<< ", " --slice ").split(" && ")
        return [shlex.split(re.sub(r" 2>>? .*$", "", line)) for line in lines]


class Project:
    """A copy of the project in a folder of its own; every command runs there and with its code."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def copy(cls, folder: Path, source: "Project | None" = None) -> "Project":
        """Copy the project; with `source`, a copy and its results."""
        if source is not None:
            shutil.copytree(source.folder, folder, symlinks=True)
            return cls(folder)
        folder.mkdir(parents=True)
        ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
        for name in ("src", "workflow", "config"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignore)
        shutil.copy(ROOT / "Snakefile", folder / "Snakefile")
        (folder / "profiles").symlink_to("workflow/profiles")
        return cls(folder)

    # Commands, each in a separate process

    @property
    def environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "PYTHONPATH": str(self.folder / "src"), "PATH": path}

    def start(self, *arguments, **options):
        """Start a command as a terminal would: in a process group, and with Ctrl-C not ignored."""
        return subprocess.Popen(
            arguments,
            cwd=self.folder,
            env={**self.environment, **options},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def call(self, *arguments, check=True, **options):
        done = subprocess.run(
            arguments, cwd=self.folder, env={**self.environment, **options}, capture_output=True, text=True
        )
        if check and done.returncode:
            raise AssertionError(f"{arguments} failed:\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}")
        return done

    def snakemake(self, *arguments, cores=2, study=TINY, **options):
        return self.call("snakemake", *arguments, "--cores", str(cores), "--configfile", study, **options)

    # Questions, answered in this process

    def jobs(self, *targets: str, study: str = TINY, cores: int = 2, **config: str) -> list[Asked]:
        """Return all jobs of the targets (default: of the study), in an order of execution."""
        with self.here():
            return self._jobs(targets, study, cores, config)

    @staticmethod
    def _jobs(targets, study, cores, config) -> list[Asked]:
        with _laid_out(targets, study, cores, config) as dag:
            order = [job for level in dag.toposorted() for job in sorted(level, key=lambda job: job.output)]
            return [_asked(job, dag) for job in order if job.rule.name != "all"]

    def planned(self, study: str = TINY, **config: str) -> tuple[dict[str, int], list[str]]:
        """Return the jobs that Snakemake would run: rule -> number of jobs, and their messages."""
        needed = [job for job in self.jobs(study=study, **config) if job.is_needed]
        return dict(Counter(job.rule for job in needed)), [job.message for job in needed]

    def refusal(self, study: str = TINY, **config: str) -> str:
        """Return the line of the error that refuses a study; AssertionError if the study is accepted."""
        said = io.StringIO()
        with self.here(), redirect_stderr(said), suppress(SystemExit):
            files = [config_file(), study]
            open_plan({k: v for f in files for k, v in load_yaml(Path(f)).items()} | config, files, is_main=True)
            raise AssertionError("the study is not refused")
        (line,) = said.getvalue().splitlines()
        assert line.startswith("rotastack: error: ")
        return line

    def make(self, *targets: str, study: str = TINY, cores: int = 2, backwards: bool = False, **config: str) -> None:
        """Run the needed jobs one after another: the shell lines of the rules, in this process.

        XGBoost is trained in another process: a fork of this one would wait for OpenMP threads that it does not have.

        Parameters
        ----------
        backwards : bool
            Run the last of the ready jobs first.
        """
        with self.here():
            needed = [job for job in self._jobs(targets, study, cores, config) if job.is_needed]
            while needed:
                missing = set().union(*(job.made for job in needed))
                ready = [job for job in needed if not missing & job.read]
                job = ready[-1 if backwards else 0]
                needed.remove(job)
                for file in [*job.made, *job.log]:
                    Path(file).parent.mkdir(parents=True, exist_ok=True)
                if job.commands[0][0] != "rotastack" or "xgboost" in job.shell:
                    subprocess.run(["bash", "-c", job.shell], check=True)
                    continue
                for words in job.commands:
                    assert main(words[1:]) == 0, job.name

    @contextmanager
    def here(self) -> Iterator[None]:
        """Work in the copy's folder, with its configuration and the fingerprints of its code."""
        with (
            chdir(self.folder),
            mock.patch.dict(os.environ),
            mock.patch.object(project_module, "project_root", return_value=self.folder),
            mock.patch.object(fingerprint, "ROOT", self.folder / "src" / "rotastack"),
        ):
            try:
                _forget()
                yield
            finally:
                _forget()

    # Files

    def edit(self, name, old, new):
        """Replace `old`, which must occur, once; without `old` add a line of code."""
        path = self.folder / name
        text = path.read_text()
        assert old in text, (name, old)
        if not old:
            text, new = text + "\n_EDITED = 1\n", ""
        path.write_text(text.replace(old, new, 1))

    def scores(self, study="tiny"):
        """Return the bytes of all files that must be reproducible."""
        root = self.folder / "results" / study
        files = [
            root / "scores.parquet",
            *sorted(root.glob("*/methods/*.nc")),
            *sorted(root.glob("statistics/*.parquet")),
        ]
        assert len(files) > 5
        return {str(f.relative_to(root)): f.read_bytes() for f in files}


def _forget() -> None:
    """Clear the caches of fingerprints and of the list of data sets."""
    registry.cache_clear()
    for name in CACHES:
        getattr(fingerprint, name).cache_clear()


@contextmanager
def _laid_out(targets, study, cores, config) -> Iterator[Any]:
    """Return Snakemake's graph of jobs in the working directory, with the jobs to run marked."""
    from snakemake.api import SnakemakeApi
    from snakemake.settings import types as settings
    from snakemake.settings.enums import Quietness, RerunTrigger

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "argv", ["layout", "--dry-run"]))
        api = stack.enter_context(SnakemakeApi(settings.OutputSettings(quiet={Quietness.ALL}, dryrun=True)))
        workflow = api.workflow(
            resource_settings=settings.ResourceSettings(cores=cores),
            config_settings=settings.ConfigSettings(config=config, configfiles=[Path(study)]),
            storage_settings=settings.StorageSettings(),
            workflow_settings=settings.WorkflowSettings(),
            snakefile=Path("Snakefile"),
            workdir=Path(),
        )
        layout = workflow.dag(
            settings.DAGSettings(
                targets=set(targets),
                rerun_triggers={RerunTrigger.PARAMS},  # as in workflow/profiles/default
                max_checksum_file_size=2**30,
            )
        )
        layout.execute_workflow(executor="dryrun", execution_settings=settings.ExecutionSettings(lock=False))
        yield layout.workflow_api._workflow.dag


def _asked(job, dag) -> Asked:
    def named(files):
        known = {}
        for name, value in files.items():
            known[name] = [str(value)] if isinstance(value, str) else list(map(str, value))
        rest = [str(f) for f in files if str(f) not in {x for v in known.values() for x in v}]
        return {**known, **({"": rest} if rest else {})}

    return Asked(
        job.rule.name,
        tuple(job.wildcards_dict.values()),
        str(job.message),
        {name: str(value) for name, value in job.params.items()},
        named(job.input),
        named(job.output),
        list(map(str, job.log)),
        job.threads,
        dict(job.resources.items()),
        str(job.shellcmd or ""),
        dag.needrun(job),
    )


def changed(before: list[Asked], after: list[Asked]) -> set[tuple[str, ...]]:
    """Return the instances whose parameters, shell line or set of inputs differ; those that are new, too."""

    def of(job):
        return job.params, job.shell, job.read

    known = {job.name: of(job) for job in before}
    return {job.name for job in after if known.get(job.name) != of(job)}


def following(jobs: list[Asked], names: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """Return these jobs and all jobs that use their outputs; `jobs` are in an order of execution."""
    found: set[tuple[str, ...]] = set()
    made: set[str] = set()
    for job in jobs:
        if job.name in names or job.read & made:
            found.add(job.name)
            made |= job.made
    return found
