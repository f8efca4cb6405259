"""A copy of the project to run Snakemake in, so that code may be edited and results compared."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Project:
    """A copy of the project in a folder of its own; every command runs there and with its code."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def copy(cls, folder: Path, source: "Project | None" = None):
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

    @property
    def environment(self):
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

    def snakemake(self, *arguments, cores=2, study="config/studies/tiny.yaml", **options):
        return self.call("snakemake", *arguments, "--cores", str(cores), "--configfile", study, **options)

    def planned(self, study="config/studies/tiny.yaml"):
        """Return what a dry run would do: rule -> set of messages."""
        text = self.snakemake("--dry-run", study=study).stdout
        table = re.search(r"Job stats:\njob +count\n[- ]+\n(.*?)\n\n", text + "\n\n", re.S)
        rules = {} if table is None else dict(re.findall(r"^(\w+) +(\d+)", table[1], re.M))
        messages = re.findall(r"^Job \d+: (.*)$", text, re.M)
        return {k: int(v) for k, v in rules.items() if k not in ("total", "all")}, messages

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text()
        assert old in text, (name, old)
        path.write_text(text.replace(old, new, 1))

    def scores(self, study="tiny"):
        """Return the bytes of everything that must be reproducible."""
        root = self.folder / "results" / study
        files = [
            root / "scores.parquet",
            *sorted(root.glob("*/methods/*.nc")),
            *sorted(root.glob("statistics/*.parquet")),
        ]
        assert len(files) > 5
        return {str(f.relative_to(root)): f.read_bytes() for f in files}


@pytest.fixture(scope="session")
def run_once(tmp_path_factory):
    """Return a function that runs a command once for all workers, in a copy of the project of its own.

    The copy is not to be changed: copy it first.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def run(name, *command, study=None):
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            project = Project(shared / name)
            if not (shared / f"{name}.done").exists():
                project = Project.copy(project.folder)
                if study is not None:
                    (project.folder / f"config/studies/{name}.yaml").write_text(study)
                project.call(*command)
                (shared / f"{name}.done").touch()
        return project

    return run


@pytest.fixture(scope="session")
def finished(run_once):
    """The tiny study. Not to be changed: copy it first."""
    return run_once("tiny", "snakemake", "--cores", "2", "--configfile", "config/studies/tiny.yaml")


@pytest.fixture
def project(finished, tmp_path):
    """A copy of the finished tiny study that may be changed."""
    return Project.copy(tmp_path / "project", finished)
