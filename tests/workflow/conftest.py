"""Studies that are run once, and shared by the tests that only read their results."""

import fcntl
import os

import pytest
from tests.workflow.project import SCORES, Project


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Return a function that makes a project once for all workers; tests copy the project before a change."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def make(name, run, study=None):
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            project = Project(shared / name)
            if not (shared / f"{name}.done").exists():
                project = Project.copy(project.folder)
                if study is not None:
                    (project.folder / f"config/studies/{name}.yaml").write_text(study)
                run(project)
                (shared / f"{name}.done").touch()
        return project

    return make


@pytest.fixture(scope="session")
def finished(once):
    """The tiny study, run by Snakemake; tests copy the project before a change."""
    return once("tiny", lambda project: project.snakemake())


@pytest.fixture(scope="session")
def scored(once):
    """The scores of one data set of the tiny study, run by Snakemake: in a third of the time."""
    return once("scored", lambda project: project.snakemake(SCORES))


def pytest_collection_modifyitems(items):
    """Count tests of the whole study as slow, because its run takes half a minute."""
    for item in items:
        if "finished" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


@pytest.fixture
def project(finished, tmp_path):
    """A copy of the finished tiny study that may be changed."""
    return Project.copy(tmp_path / "project", finished)


@pytest.fixture
def blank(tmp_path):
    """A copy of the project without results, for dry runs."""
    return Project.copy(tmp_path / "blank")
