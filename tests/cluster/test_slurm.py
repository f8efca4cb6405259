"""Studies on a real Slurm of two nodes: the bytes of a local run, whatever happens to jobs, nodes and the submitting process."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest
from tests.waiting import wait_for
from tests.workflow.project import Project

pytestmark = pytest.mark.cluster

SPECK = """\
name: speck
datasets: [iris, balance-scale]
protocol: {kind: holdout, repeats: 2}
blocks: {splits: 2}
pools:
  forest: {estimator: forest, parameters: {n_estimators: 4}}
methods:
  RF: {pool: forest, combiner: {kind: vote}}
  Hard: {pool: forest, combiner: {kind: vote, voting: hard}}
model: {refit: none}
"""
FAULTS = ("cancelled", "killed", "time", "memory", "node")
POOL = "  {0}: {{estimator: faulty.FaultyClassifier, parameters: {{fault: {0}}}}}\n"
METHOD = "  M-{0}: {{pool: {0}, combiner: {{kind: vote}}}}\n"
MET = f"""\
name: met
datasets: [iris]
protocol: {{kind: holdout, repeats: 1}}
pools:
{"".join(map(POOL.format, FAULTS))}
methods:
{"".join(map(METHOD.format, FAULTS))}
model: {{refit: none}}
"""
NODE = ("--set-threads", "draw=1")  # it has one processor
SLURM = ("rotastack", "run", "speck", "--profile", "slurm", "--", *NODE, "--slurm-status-command", "squeue")
MEND = ("rotastack", "run", "met", "--profile", "slurm", "--", "--slurm-status-command", "squeue")
SCORES = "results/speck/scores.parquet"


@pytest.fixture(scope="module")
def speck(described):
    """The smallest study, done on this machine."""
    project = described("local", SPECK)
    project.make(SCORES, study="config/studies/speck.yaml")
    return project


@pytest.fixture(scope="module")
def met(described):
    """A study of four pools, each of which will meet with a fault; done on this machine, where it does not."""
    project = described("met-local", MET)
    project.make(*pools(), study="config/studies/met.yaml")
    return project


def pools(faults=FAULTS):
    return [f"results/met/iris/pools/{fault}/S-01.nc" for fault in faults]


def submitted(project):
    """Return the ids that Slurm gave, by job or group of jobs, over all runs in the folder."""
    found = {}
    for log in sorted(project.folder.glob(".snakemake/log/*.log")):
        for job, number in re.findall(r"Job (\S+) has been submitted with SLURM jobid (\d+)", log.read_text()):
            found.setdefault(job, []).append(number)
    return found


def test_a_study_is_few_submissions_and_the_same_bytes_with_a_node_drained(idle, speck, described):
    project = described("drained", SPECK)
    process = project.start(*SLURM, "results/speck/report.html")
    node = wait_for(lambda: idle.ask("squeue", "-h", "-t", "R", "-o", "%N")).split()[0]
    subprocess.run(["scontrol", "update", f"nodename={node}", "state=drain", "reason=test"], check=True)
    try:
        said, _ = process.communicate(timeout=900)
        assert "drain" in idle.ask("sinfo", "-h", "-n", node, "-o", "%T")
    finally:
        subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"], check=True)
    assert process.returncode == 0, said
    assert [len(ids) for ids in submitted(project).values()] == [1, 1, 1, 1]  # data, trainings, scores, study
    assert project.scores("speck") == speck.scores("speck")
    assert (project.folder / "results/speck/report.html").is_file()


def test_faults(idle, met, tmp_path):
    """A job cancelled, killed, out of time or memory; a node that goes down: all are tried again, to the same bytes."""
    project = Project.copy(tmp_path / "met", met)
    shutil.rmtree(project.folder / "results/met/iris/pools")
    faults = project.folder / "faults"
    faults.mkdir()
    process = project.start(
        *("snakemake", *pools(), "--workflow-profile", "slurm", "--configfile", "config/studies/met.yaml"),
        *("--slurm-status-command", "squeue", "--group-components", "train=1"),
        *("--set-resources", "train:runtime=attempt", "train:mem_mb=attempt * 1000"),
    )
    did, lost = {}, None
    until = time.monotonic() + 900
    while process.poll() is None and time.monotonic() < until:
        for fault in ("cancelled", "killed", "node"):
            mark = faults / fault
            if fault in did or not mark.is_file() or len(about := mark.read_text().split()) < 3:
                continue
            pid, number, node = about
            did[fault] = number
            if fault == "cancelled":
                subprocess.run(["scancel", number], check=True)
            elif fault == "killed":
                os.kill(int(pid), signal.SIGKILL)
            else:
                idle.kill_node(node)
                lost = node
        if lost is not None and "down" in idle.ask("sinfo", "-h", "-n", lost, "-o", "%T"):
            idle.start_node(lost)
            lost = None
        time.sleep(0.3)
    said, _ = process.communicate(timeout=10)
    assert process.returncode == 0, said[-5000:]
    assert set(did) == {"cancelled", "killed", "node"}
    assert [len(ids) for ids in submitted(project).values()] == [2] * len(FAULTS)
    ended = set(idle.ask("squeue", "-h", "-t", "all", "-o", "%T").split())
    assert ended >= {"CANCELLED", "TIMEOUT", "NODE_FAIL", "FAILED", "COMPLETED"}, ended
    number = (faults / "memory").read_text().split()[1]
    assert idle.ask("squeue", "-h", "-t", "all", "-j", number, "-o", "%T").strip() != "TIMEOUT"
    for file in pools():
        assert (project.folder / file).read_bytes() == (met.folder / file).read_bytes(), file


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--default-resources slurm_partition=nowhere", "sbatch: error: invalid partition specified: nowhere"),
        (
            "--set-resources train:mem_mb=9000",
            "allocation failure: Requested node configuration is not available (--mem=",
        ),
    ],
)
def test_a_request_that_cannot_be_met_ends_the_run_with_sbatch_s_words(idle, met, tmp_path, option, words):
    project = Project.copy(tmp_path / "refused", met)
    shutil.rmtree(project.folder / "results/met/iris/pools")
    done = project.call(*MEND, *option.split(), check=False)
    assert done.returncode == 2
    assert f"refuses a test submission: {words}" in done.stderr
    assert submitted(project) == {}


def begun(project, faults, *options):
    """Start a run of pools that wait for faults; return its process, and the numbers of their jobs on Slurm."""
    (project.folder / "faults").mkdir()
    for file in pools(faults):
        (project.folder / file).unlink()
    process = project.start(*MEND, *pools(faults), "--retries", *options)
    marks = [project.folder / "faults" / fault for fault in faults]
    wait_for(lambda: all(mark.is_file() and len(mark.read_text().split()) == 3 for mark in marks))
    return process, [mark.read_text().split()[1] for mark in marks]


def test_a_second_attempt_that_no_node_can_meet_and_a_controller_that_does_not_answer(idle, met, tmp_path):
    """Without its controller the plugin forgets its jobs, and the run would never end."""
    project = Project.copy(tmp_path / "met", met)
    options = (
        "--group-components",
        "train=1",
        "--set-resources",
        "train:mem_mb=attempt * 4000",
        "--slurm-status-attempts",
        "2",
    )
    process, (first, second) = begun(project, ["cancelled", "killed"], "1", *options)
    subprocess.run(["scancel", first], check=True)
    log = project.folder / "results/logs/met.log"
    wait_for(lambda: log.read_text().count("Error in group train") == 2)
    idle.kill_controller()
    try:
        said, _ = process.communicate(timeout=300)
    finally:
        idle.start_controller()
    assert process.returncode == 1
    words = "allocation failure: Requested node configuration is not available (--mem=8000 --cpus-per-task=1 --time="
    assert f"rotastack: error: Slurm refuses a test submission: {words}" in said
    assert "wait until they end (squeue --me), then repeat the command" in said
    assert said.count("rotastack: error") == 2, "logs of jobs that never ran are not named"
    assert idle.ask("squeue", "-h", "-j", second, "-o", "%T").strip() == "RUNNING"
