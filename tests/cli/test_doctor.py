"""What ``rotastack doctor`` says of a cluster's queue."""

import pytest

from rotastack.cli import doctor, slurm
from rotastack.cli.slurm import Cluster


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Return a function that puts a program of Slurm on the PATH: it does what a shell script says."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def make(name, script):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)

    return make


DOWN = 'case "$*" in --version) echo slurm 22.05;; *) echo unable to contact slurm controller >&2; exit 1;; esac'


@pytest.mark.parametrize("accounting", [True, False])
def test_a_queue_that_knows_its_version_may_yet_not_answer(programs, monkeypatch, accounting):
    monkeypatch.setattr(slurm.Cluster, "look", lambda: Cluster("lab", "22.05", accounting, 300, {}))
    programs("squeue", DOWN)
    with pytest.raises(doctor.ProblemError, match="squeue does not answer"):
        doctor._queue()
    programs("squeue", "echo JOBID")  # no jobs
    if accounting:
        for script in (None, DOWN):  # it is not installed, or its database is down
            if script is not None:
                programs("sacct", script)
            with pytest.raises(doctor.ProblemError, match="sacct does not answer"):
                doctor._queue()
        programs("sacct", "echo JobID")
    assert "squeue" in doctor._queue()
