"""Runs with damaged files, full disks and read-only folders."""

import html
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.context import ForkProcess
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from tests.workflow.project import TINY, Asked, Project

from rotastack.base.documents import load_yaml
from rotastack.cli import main
from rotastack.cli.answer import Answer
from rotastack.files import read_json
from rotastack.workflow.run.figures import study as study_figures
from rotastack.workflow.run.launch import _ends_in_one_line, _hold_folder
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.run.steps import explain as explain_step
from rotastack.workflow.study.study import Study
from rotastack.workflow.use import explanation
from rotastack.workflow.use.explaining import explain_saved

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def copy(finished, tmp_path_factory):
    """A copy of the finished study, and its jobs. Each test restores the files that it damages."""
    project = Project.copy(tmp_path_factory.mktemp("faults") / "project", finished)
    return project, project.jobs()


def run(job: Asked) -> int:
    """Run a job as its shell line does; return the exit code."""
    return max(main(words[1:]) for words in job.commands)


def job_of(jobs: list[Asked], file: str) -> Asked:
    return next(job for job in jobs if file in job.made)


IRIS = "results/tiny/iris"
STATISTICS = "results/tiny/statistics"
READERS = {
    "data/raw/iris.parquet": f"{IRIS}/model/model.skops",
    "results/tiny/iris/table.parquet": f"{IRIS}/folds.parquet",
    f"{IRIS}/folds.parquet": f"{IRIS}/pools/forest/RG-01-02/FG-01-02.nc",
    f"{IRIS}/groups.run.json": f"{IRIS}/scores.parquet",
    f"{IRIS}/rotations/RandomRotation/RG-01-02.nc": f"{IRIS}/pools/rotated_forest/RG-01-02/FG-01-02.nc",
    f"{IRIS}/pools/rotated_forest/RG-01-02/FG-01-02.inner.nc": f"{IRIS}/methods/S-RRE_RF.nc",
    f"{IRIS}/pools/forest/RG-01-02/FG-01-02.nc": f"{IRIS}/methods/RF.nc",
    f"{IRIS}/pools/forest/RG-01-02/FG-01-02.run.json": f"{IRIS}/scores.parquet",
    f"{IRIS}/methods/S-RRE_RF.nc": f"{IRIS}/scores.parquet",
    f"{IRIS}/methods/S-RRE_RF.run.json": f"{IRIS}/scores.parquet",
    f"{IRIS}/scores.parquet": f"{STATISTICS}/comparison.json",
    f"{IRIS}/calibration.parquet": f"{STATISTICS}/comparison.json",
    f"{IRIS}/scores.run.json": f"{STATISTICS}/comparison.json",
    f"{IRIS}/records.json": "results/tiny/report.html",
    f"{STATISTICS}/comparison.json": "results/tiny/report.html",
    f"{STATISTICS}/verdict.json": "results/tiny/report.html",
    f"{STATISTICS}/variance.parquet": "results/tiny/report.html",
}
"""File -> what is made of it."""


@pytest.mark.parametrize("file", READERS)
def test_what_makes_no_sense_to_its_reader_is_one_line(copy, file, capsys):
    """Half a file, and an empty one."""
    project, jobs = copy
    reader, maker = job_of(jobs, READERS[file]), job_of(jobs, file)
    with project.here():
        path = Path(file)
        right = path.read_bytes()
        for share in (0.5, 0):
            path.write_bytes(right[: int(share * len(right))])
            assert run(reader) == 2
            said = capsys.readouterr().err
            assert re.fullmatch(rf"rotastack: error: {file}: damaged \(.*; delete it and run again\n", said)
        path.unlink()
        assert run(maker) == 0
        if not file.endswith(".run.json") and path.name != "records.json":  # files with times
            assert path.read_bytes() == right
        assert run(reader) == 0


def test_a_figure_or_an_explanation_that_fails_is_named_and_the_rest_is_delivered(project, monkeypatch):
    """The calibration and a figure of one model fail, and the explanation of the other model."""

    def explained(model, raw, study, dataset, score, trusted):
        if dataset == "iris":
            raise KeyError("$_{ $")
        return explain_saved(model, raw, study, dataset, score, trusted)

    def fail(*given):
        raise ValueError("no place for\n$_{ $")

    project.edit(TINY, "evaluation:", "model: {explain: true}\nevaluation:")
    names = [
        "figures/draw.run.json",
        *(f"{d}/model/explain.run.json" for d in ("iris", "balance-scale")),
        "report.html",
    ]
    jobs = project.jobs()
    made = [job_of(jobs, f"results/tiny/{name}") for name in names]
    monkeypatch.setattr(study_figures, "plot_calibration", fail)
    monkeypatch.setattr(explain_step, "explain_saved", explained)
    monkeypatch.setattr(explanation, "plot_dependence", fail)
    with project.here():
        for job in made:
            assert run(job) == 0
            assert all(Path(file).stat().st_size for file in job.made)
        told = [read_json(Path(f"results/tiny/{name}"))["message"] for name in names[:3]]
        answer = Answer(Plan(Study.from_mapping(load_yaml(Path(TINY)), TINY), {}))
        page = html.unescape(Path("results/tiny/report.html").read_text())
    assert told == [
        "results/tiny/figures/study/calibration.svg could not be drawn: ValueError: no place for $_{ $",
        "The model of iris could not be explained: KeyError: '$_{ $'",
        "results/tiny/balance-scale/model/dependence.svg could not be drawn: ValueError: no place for $_{ $",
    ]
    assert answer.failed == told
    assert all(f"<li>{line}</li>" in page and f"failed    {line}" in answer.as_text() for line in told)


def child(work: Callable[[], int]) -> tuple[int, str]:
    """Run a function in a fork with separate limits; return the exit code and the printed text."""

    def printing() -> None:
        for number in (1, 2):
            os.dup2(said.fileno(), number)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", 1, closefd=False) for number in (1, 2))
        sys.exit(work())

    with TemporaryFile("w+") as said:
        fork = ForkProcess(target=printing)
        fork.start()
        fork.join()
        said.seek(0)
        return fork.exitcode, said.read()


def mounted(folder: Path, *options: str) -> Path:
    """Mount a small disk in memory, or skip the test."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", folder], check=False)
    if done.returncode:  # mounting needs root, and a container may refuse; no other full or read-only disk limits root
        pytest.skip("file systems may not be mounted here")
    return folder


WRITERS = {
    "Parquet": f"{IRIS}/scores.parquet",
    "netCDF": f"{IRIS}/pools/forest/RG-01-02/FG-01-02.nc",
    "tables and JSON": f"{STATISTICS}/comparison.json",
    "figures": "results/tiny/figures/study/differences.svg",
    "skops": f"{IRIS}/model/model.skops",
    "HTML": "results/tiny/report.html",
}


def elsewhere(job: Asked, folder: Path) -> list[str]:
    """Return a job's first command, with its output in another folder."""
    return [str(folder / w) if w in job.made else w for w in job.commands[0][1:]]


def stored(job: Asked, folder: Path) -> tuple[int, str]:
    """Run a job with its output in another folder; a refit in a new process, as XGBoost waits in a fork for threads of its parent."""
    words = elsewhere(job, folder)
    if job.rule != "refit":
        return child(lambda: main(words))
    done = subprocess.run([sys.executable, "-m", "rotastack", *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("what", WRITERS)
def test_a_full_disk_is_one_line_and_leaves_nothing(copy, what, tmp_path):
    """HDF5 would crash; with free space the repeated command continues."""
    project, jobs = copy
    disk = mounted(tmp_path / "disk", "size=64k")
    job = job_of(jobs, WRITERS[what])
    try:
        with pytest.raises(OSError, match="No space"):
            (disk / "others").write_bytes(bytes(100_000))
        with project.here():
            code, said = stored(job, disk)
            assert (code, said.count("\n")) == (1, 1), said
            assert re.match(rf"rotastack: error: {disk}/.*: No space left on device; free disk space", said)
            assert [f.name for f in disk.rglob("*") if f.is_file()] == ["others"]
            subprocess.run(["mount", "-o", "remount,size=20m", disk], check=True)
            if job.rule in ("table", "score", "train"):
                assert stored(job, disk)[0] == 0
                assert (disk / WRITERS[what]).read_bytes() == Path(WRITERS[what]).read_bytes()
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["netCDF", "Parquet"])
def test_a_limit_of_file_sizes_is_one_line(copy, what, tmp_path):
    """Like a full disk, for systems on which tests cannot mount a disk."""
    project, jobs = copy

    def limited() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        return main(elsewhere(job_of(jobs, WRITERS[what]), tmp_path))

    with project.here():
        code, said = child(limited)
    assert (code, said.count("\n")) == (1, 1), said
    assert "File too large; raise the limit of file sizes" in said
    assert not [f for f in tmp_path.rglob("*") if f.is_file()]


@pytest.mark.slow
def test_a_place_that_cannot_be_written_to_is_one_line(copy, tmp_path):
    project, jobs = copy
    disk = mounted(tmp_path / "disk", "size=4m")
    try:
        shutil.copytree(project.folder / "config", disk / "config")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with project.here():
            for file in ("netCDF", "figures"):
                code, said = child(lambda file=file: main(elsewhere(job_of(jobs, WRITERS[file]), disk)))
                assert (code, said.count("\n")) == (1, 1), said
                assert "Read-only file system; work in a writable folder" in said
            for options in ([], ["--dry-run"]):
                code, said = child(lambda options=options: os.chdir(disk) or main(["run", "tiny", *options]))
                assert (code, said.count("\n")) == (2, 1), said
                assert f"{disk} is not writable; run in a folder of your own" in said
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def test_nor_where_permissions_forbid_it(tmp_path):
    """The message of Snakemake's process; root ignores permissions, so the test becomes another user."""
    place = tmp_path / "mine"
    place.mkdir(mode=0o555)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder.name.startswith(("pytest-", tmp_path.name)):
            folder.chmod(0o755)

    def hold() -> int:
        os.chdir(place)
        if os.getuid() == 0:
            os.setuid(65534)
        with _ends_in_one_line():
            _hold_folder(False)
        return 0

    assert child(hold) == (2, "rotastack: error: results: Permission denied; a run needs a writable folder\n")
