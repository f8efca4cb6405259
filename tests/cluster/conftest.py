"""A Slurm cluster of two nodes for the tests of this folder, which `make test-cluster` runs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.workflow.project import Project
from tools.slurm_cluster import CannotStartError, SlurmCluster

FAULTY = Path(__file__).with_name("faulty.py")


@pytest.fixture(scope="session")
def cluster():
    """The cluster; where it cannot be had the tests are skipped, and one line says why."""
    slurm = SlurmCluster()
    try:
        slurm.start()
    except CannotStartError as reason:
        # Slurm needs Debian's packages, root and daemons, which the lock file cannot bring.
        # Only the start is skipped: a failure on a running cluster fails the test.
        pytest.skip(f"no Slurm here: {reason}")
    yield slurm
    slurm.stop()


@pytest.fixture
def idle(cluster):
    """The cluster with both nodes up and nothing to do."""
    for number in cluster.ask("squeue", "-h", "-o", "%i").split():
        subprocess.run(["scancel", number], check=False)
    cluster.wait_until_idle()
    return cluster


@pytest.fixture(scope="session")
def described(tmp_path_factory):
    """Return a function that makes a project with a study of this text, and the faulty estimator beside the package."""
    folder = tmp_path_factory.mktemp("projects")
    sys.path.insert(0, str(FAULTY.parent))  # for what is done in this process

    def describe(name, text):
        project = Project.copy(folder / name)
        shutil.copy(FAULTY, project.folder / "src/faulty.py")
        study = text.partition("name: ")[2].split()[0]
        (project.folder / f"config/studies/{study}.yaml").write_text(text)
        return project

    yield describe
    sys.path.remove(str(FAULTY.parent))
