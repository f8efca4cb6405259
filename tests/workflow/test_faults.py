"""Damaged files, full disks, places that cannot be written to, clocks that were set back: what a run makes of them."""

import json
import os
import resource
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.workflow.project import Asked, Project

from rotastack.cli import main
from rotastack.run import integrity
from rotastack.run.launch import _hold_directory

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def copy(finished, tmp_path_factory):
    """A copy of the finished study, and its jobs. What a test damages it makes again."""
    project = Project.copy(tmp_path_factory.mktemp("faults") / "project", finished)
    return project, project.jobs()


def run(job: Asked) -> int:
    """Run a job as its shell line does; return the exit code."""
    return main(shlex.split(job.shell.partition(" 2> ")[0])[1:])


def job_of(jobs: list[Asked], file: str) -> Asked:
    return next(job for job in jobs if file in job.made)


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 0x20
    path.write_bytes(body)


IRIS = "results/tiny/iris"
STATISTICS = "results/tiny/statistics"
READERS = {
    "data/raw/iris.csv.gz": "results/datasets/iris.parquet",
    "results/datasets/iris.parquet": f"{IRIS}/folds.parquet",
    f"{IRIS}/folds.parquet": f"{IRIS}/pools/forest/RG-01-02/FG-01-02.nc",
    f"{IRIS}/rotations/RandomRotation/RG-02.nc": f"{IRIS}/pools/rotated_forest/RG-01-02/FG-01-02.nc",
    f"{IRIS}/pools/rotated_forest/RG-01-02/FG-01-02.nc": f"{IRIS}/methods/RRE.nc",
    f"{IRIS}/methods/RRE.nc": f"{IRIS}/scores.parquet",
    f"{IRIS}/methods/RF.run.json": f"{IRIS}/scores.parquet",
    f"{IRIS}/pools/forest/RG-01-02/FG-01-02.run.json": f"{IRIS}/scores.parquet",
    f"{IRIS}/scores.parquet": f"{STATISTICS}/comparison.json",
    f"{IRIS}/calibration.parquet": f"{STATISTICS}/comparison.json",
    f"{IRIS}/scores.run.json": f"{STATISTICS}/comparison.json",
    f"{STATISTICS}/comparison.json": "results/tiny/report.html",
    f"{STATISTICS}/verdict.json": "results/tiny/report.html",
    f"{STATISTICS}/variance.parquet": "results/tiny/report.html",
    "results/tiny/tables/baseline.csv": "results/tiny/report.html",
    "results/tiny/figures/iris/heatmap_by_fold_group.svg": "results/tiny/report.html",
}
"""File -> what is made of it."""
WITHOUT_DIGEST = ("data/raw/iris.csv.gz", "results/tiny/tables/baseline.csv")
"""Those of which half may be a table, too; or, the raw one, is not told from a table of other rows."""


@pytest.mark.parametrize("file", [f for f in READERS if not f.endswith((".run.json", ".svg"))])
def test_what_is_not_what_was_written_is_set_aside_and_made_again(copy, file, capsys):
    """By its digest, whatever a reader would make of it."""
    again(copy, file, flip, capsys, "not what was written there")


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        (file, damage)
        for file in READERS
        for damage in (half, empty)
        if file not in WITHOUT_DIGEST and (damage is half or not file.endswith(".svg"))  # figures take long
    ],
)
def test_so_is_what_makes_no_sense_to_its_reader(copy, file, damage, capsys, monkeypatch):
    """Where there is no digest: records do not have their own, nor have figures one."""
    monkeypatch.setattr(integrity, "_recorded", lambda path: {})
    again(copy, file, damage, capsys, "damaged (")


def again(copy, file: str, damage: Callable[[Path], None], capsys, why: str) -> None:
    project, jobs = copy
    reader, maker = job_of(jobs, READERS[file]), job_of(jobs, file)
    with project.here():
        path = Path(file)
        right = path.read_bytes()
        damage(path)
        wrong = path.read_bytes()
        for _ in range(2):  # as another job that reads it does, or a second attempt
            assert run(reader) != 0
            said = capsys.readouterr().err
            assert said.startswith(f"rotastack: error: {file}: ")
            assert said.endswith("the same command makes it again\n")
            assert said.count("\n") == 1, said
            assert (why if _ == 0 else "is kept as") in said
            assert not path.exists()
        aside = path.with_name(f"{path.name}.damaged")
        assert aside.read_bytes() == wrong
        aside.unlink()
        assert run(maker) == 0
        if not file.endswith((".run.json", ".svg")):  # which hold times, and Matplotlib's ids
            assert path.read_bytes() == right
        assert run(reader) == 0


def child(work: Callable[[], int]) -> tuple[int, str]:
    """Do something in a fork, whose limits are its own; return its exit code and what it printed."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            os.dup2(writes, 1)
            os.dup2(writes, 2)
            import sys

            sys.stdout = os.fdopen(1, "w", closefd=False)
            sys.stderr = os.fdopen(2, "w", closefd=False)
            code = work()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    os.close(writes)
    with os.fdopen(reads) as stream:
        said = stream.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


def mounted(folder: Path, *options: str) -> Path:
    """Mount a small disk in memory, or skip the test."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", folder], check=False)
    if done.returncode:  # it takes root, and a container may deny it: no other full or read-only disk binds root
        pytest.skip("file systems may not be mounted here")
    return folder


WRITERS = {
    "raw": "data/raw/iris.csv.gz",
    "Parquet": f"{IRIS}/scores.parquet",
    "netCDF": f"{IRIS}/pools/forest/RG-01-02/FG-01-02.nc",
    "tables and JSON": f"{STATISTICS}/comparison.json",
    "figures": "results/tiny/figures/iris/heatmap_by_fold_group.svg",
    "skops": f"{IRIS}/model/model.skops",
    "HTML": "results/tiny/report.html",
}


def elsewhere(job: Asked, folder: Path) -> list[str]:
    """Return a job's command, with what it makes in another folder."""
    words = shlex.split(job.shell.partition(" 2> ")[0])[1:]
    return [str(folder / w) if w in job.made else w for w in words]


@pytest.mark.parametrize("what", WRITERS)
def test_a_full_disk_is_one_line_and_leaves_nothing(copy, what, tmp_path):
    """Not a crash, as HDF5 makes of it; with room the same command goes on."""
    project, jobs = copy
    disk = mounted(tmp_path / "disk", "size=64k")
    job = job_of(jobs, WRITERS[what])
    try:
        with pytest.raises(OSError, match="No space"):
            (disk / "others").write_bytes(bytes(100_000))
        with project.here():
            code, said = child(lambda: main(elsewhere(job, disk)))
            assert code == 1, said
            assert said.count("\n") == 1, said
            assert said.startswith(f"rotastack: error: {disk}/")
            assert said.endswith(": No space left on device; make room, and the same command goes on\n")
            assert [f.name for f in disk.rglob("*") if f.is_file()] == ["others"]
            subprocess.run(["mount", "-o", "remount,size=20m", disk], check=True)
            assert child(lambda: main(elsewhere(job, disk)))[0] == 0
            if job.rule in ("fetch", "score", "train"):
                assert (disk / WRITERS[what]).read_bytes() == Path(WRITERS[what]).read_bytes()
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.mark.parametrize("what", ["netCDF", "Parquet"])
def test_a_limit_of_file_sizes_is_one_line(copy, what, tmp_path):
    """As a full disk is, where no disk can be mounted for a test."""
    project, jobs = copy

    def limited() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        return main(elsewhere(job_of(jobs, WRITERS[what]), tmp_path))

    with project.here():
        code, said = child(limited)
    assert (code, said.count("\n")) == (1, 1), said
    assert "File too large; raise the limit of file sizes" in said
    assert not [f for f in tmp_path.rglob("*") if f.is_file()]


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
                assert "Read-only file system; work in a folder that can be written to" in said
            for options in ([], ["--dry-run"]):
                code, said = child(lambda options=options: os.chdir(disk) or main(["run", "tiny", *options]))
                assert (code, said.count("\n")) == (1, 1), said
                assert "Read-only file system; work in a folder" in said
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def test_nor_where_permissions_forbid_it(tmp_path):
    """What Snakemake's own process says of it; permissions do not bind root, who becomes another user for it."""
    place = tmp_path / "mine"
    place.mkdir(mode=0o555)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder.name.startswith(("pytest-", tmp_path.name)):
            folder.chmod(0o755)

    def hold() -> int:
        os.chdir(place)
        if os.getuid() == 0:
            os.setuid(65534)
        try:
            _hold_directory()
        except PermissionError as error:
            print(error.filename)
            return 5
        return 0

    assert child(hold) == (5, ".snakemake\n")


def test_clocks_that_were_set_back_rerun_nothing(finished, tmp_path):
    """Inputs from tomorrow, records that began after they ended, outputs older than what they were made of."""
    project = Project.copy(tmp_path / "project", finished)
    tomorrow, long_ago = time.time() + 86400, 86400.0
    for k, file in enumerate(sorted((project.folder / "results").rglob("*"))):
        if file.is_file():
            os.utime(file, (tomorrow, tomorrow) if k % 2 else (long_ago, long_ago))
    for file in (project.folder / "data").rglob("*.gz"):
        os.utime(file, (2 * tomorrow, 2 * tomorrow))
    assert project.planned() == ({}, [])
    record = project.folder / f"{IRIS}/methods/RF.run.json"
    content = json.loads(record.read_text())
    record.write_text(json.dumps({**content, "started": "2199-01-01T00:00:00+00:00", "seconds": -5.0}))
    with project.here():
        for job in project.jobs():
            if job.rule in ("score", "summarize", "report") and "balance-scale" not in job.wildcards:
                assert run(job) == 0, job.name
    assert project.scores() == finished.scores()


def workers(run: psutil.Process, word: str) -> list[psutil.Process]:
    """Return the processes below a run that do a step."""
    found = []
    for process in run.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            line = process.cmdline()
            if "step" in line and word in line and "bash" not in line[0]:
                found.append(process)
    return found


@pytest.mark.slow
def test_a_worker_is_killed_and_then_the_run_is_told_to_end(finished, project):
    """The command alone is told, as systemd and schedulers do, and not its group as by Ctrl-C."""
    shutil.rmtree(project.folder / IRIS)
    (project.folder / "results/tiny/scores.parquet").unlink()
    command = ("rotastack", "run", "tiny", "--cores", "2")
    running = project.start(*command)
    family = psutil.Process(running.pid)
    for what in ("train", "combine"):
        for _ in range(1200):
            if found := workers(family, what):
                break
            time.sleep(0.05)
        else:
            pytest.fail(f"{what} is never run: {running.stdout.read()}")
        everybody = family.children(recursive=True)
        if what == "train":
            found[0].kill()
        else:
            running.terminate()
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 143, said
    assert said.endswith("rotastack: stopped by SIGTERM; the same command goes on from here\n")
    assert "Traceback" not in said
    # A step that was just begun sees the end of those that asked for it within seconds, not at once.
    _, alive = psutil.wait_procs(everybody, timeout=20)
    assert not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]
    assert not (project.folder / "results/tiny/scores.parquet").exists()
    project.call(*command)
    assert project.scores() == finished.scores()
