"""The shipped profiles: Snakemake accepts each profile if its plugin is installed."""

import json
import os
import re
import subprocess
from importlib.util import find_spec

import pytest
from snakemake.cli import parse_args
from tests.cli.conftest import refused
from tests.workflow.project import ROOT

from rotastack.base.documents import load_yaml
from rotastack.cli import studies
from rotastack.workflow.run import launch
from rotastack.workflow.run.modules import STEPS

PROFILES = {path.parent.name: path for path in sorted((ROOT / "workflow/profiles").glob("*/config.yaml"))}
OF_QUEUES = ("kubernetes", "pbs", "sge", "lsf")
SUBMITTED = {
    "pbs": ("qsub", "1234.server", "1234.server"),
    "kubernetes": ("kubectl", "job.batch/rotastack-x", "job.batch/rotastack-x"),
    "sge": ("qsub", "1234", "1234"),
    "lsf": ("bsub", "Job <1234> is submitted to queue <normal>.", "1234"),
}
"""Profile -> the program that submits, what it says, and the job's number."""
PBS = "Job Id: 1234\n    job_state = {}\n    Exit_status = {}"
STATES = [
    # profile, program that is asked, what it says, its exit code, and the state of the job
    ("pbs", "qstat", PBS.format("F", 0), 0, "success"),
    ("pbs", "qstat", PBS.format("F", 1), 0, "failed"),
    ("pbs", "qstat", PBS.format("R", ""), 0, "running"),
    ("pbs", "qstat", "qstat: Unknown Job Id 1234.server", 153, "success"),  # forgotten: its files show what it did
    ("pbs", "qstat", "cannot connect to server", 153, "running"),
    ("kubernetes", "kubectl", "1/", 0, "success"),
    ("kubernetes", "kubectl", "/1", 0, "failed"),
    ("kubernetes", "kubectl", "/", 0, "running"),
    ("lsf", "bjobs", "DONE", 0, "success"),
    ("lsf", "bjobs", "EXIT", 0, "failed"),
    ("lsf", "bjobs", "RUN", 0, "running"),
    ("lsf", "bjobs", "Job <1234> is not found", 255, "success"),
    ("lsf", "bjobs", "cannot connect to server", 255, "running"),
    ("sge", "qstat", "there", 0, "running"),
    ("sge", "qacct", "exit_status  0   ", 0, "success"),
    ("sge", "qacct", "exit_status  137   ", 0, "failed"),
]


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a function that puts a program of a queue on the PATH: a shell script."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def make(name, script):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)

    return make


def submission(name, threads=1, mem_mb=1, runtime=1):
    """Return the command by which a profile submits a job of these resources."""
    resources = type("", (), {"mem_mb": mem_mb, "runtime": runtime})
    return load_yaml(PROFILES[name])["cluster-generic-submit-cmd"].format(threads=threads, resources=resources)


def shell(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("name", PROFILES)
def test_keys_are_options_of_snakemake_or_of_its_plugin(name):
    from snakemake.cli import get_argument_parser

    content = load_yaml(PROFILES[name])
    known = {option for action in get_argument_parser()._actions for option in action.option_strings}
    foreign = {key for key in content if f"--{key}" not in known}
    executor = content.get("executor", "local")
    assert {key for key in foreign if not key.startswith(f"{executor}-")} == set()
    if foreign:  # the plugin is not installed
        assert find_spec(f"snakemake_executor_plugin_{executor.replace('-', '_')}") is None


def test_all_try_again_and_go_on_after_failures():
    """A kill -9 leaves Snakemake's lock behind, and lets ours go."""
    assert set(PROFILES) == {"default", "slurm", *OF_QUEUES}
    for name in ("slurm", *OF_QUEUES):
        content = load_yaml(PROFILES[name])
        assert (content["retries"], content["keep-going"], content["nolock"]) == (2, True, True)
        assert content["resources"]["mlflow_writer"] == 1
    named = set(load_yaml(PROFILES["slurm"])["set-resources"])
    assert named | {"fetch", "track"} == {*STEPS, "rotations", "table", "vote"}


@pytest.mark.parametrize("name", OF_QUEUES)
def test_submission_of_a_queue_has_the_jobs_resources(name):
    command = submission(name, 3, 1500, 90)
    assert {"1500", "90"} <= {*re.findall(r"\d+", command)}
    assert re.search(r"(ncpus=|smp |-n |\"cpu\": \")3\b", command)


@pytest.mark.parametrize(("name", "asked", "said", "code", "state"), STATES)
def test_the_state_of_a_job_is_read_from_what_the_queue_says(name, asked, said, code, state, program):
    program("qstat", "exit 1")
    program(asked, f"echo '{said}' >&{2 if code else 1}\nexit {code}")
    assert shell(f"{load_yaml(PROFILES[name])['cluster-generic-status-cmd']} '1234'") == state


@pytest.mark.parametrize("name", OF_QUEUES)
def test_the_number_of_a_job_is_read_from_what_the_queue_says_and_a_refused_job_has_failed(name, program):
    """A job without a number would count as submitted, and would never end."""
    submit, said, number = SUBMITTED[name]
    program(submit, f"echo '{said}'")
    assert shell(f'{submission(name)} "job.sh"') == number
    program(submit, "exit 255")
    with pytest.raises(subprocess.CalledProcessError):
        shell(f'{submission(name)} "job.sh"')


def test_a_pod_is_told_what_to_run(program, here):
    program("kubectl", "cat")
    told = json.loads(shell(f'{submission("kubernetes", 2, 1500, 3)} "/shared/job.sh"'))["spec"]
    assert told["activeDeadlineSeconds"] == 180
    (container,) = told["template"]["spec"]["containers"]
    assert (container["command"], container["workingDir"]) == (["sh", "/shared/job.sh"], str(here))
    assert container["resources"]["limits"] == {"memory": "1500M"}


def test_a_plugin_that_is_missing_is_named(monkeypatch, capsys):
    monkeypatch.setattr("rotastack.cli.studies.find_spec", lambda name: None)
    line = refused(capsys, "run", "tiny", "--profile", "pbs")
    assert line.startswith("profile pbs: snakemake-executor-plugin-cluster-generic is not installed; run `pip install ")
    assert studies.profile_options("default") == studies.profile_options(None)


def test_a_profile_that_is_nowhere_is_named_and_nothing_runs(here, capsys):
    """Snakemake would run all jobs on this machine without a message."""
    line = refused(capsys, "run", "tiny", "--profile", "slrum")
    assert line.startswith("--profile: 'slrum' is neither a folder nor a profile; did you mean 'slurm'")
    assert not list(here.iterdir())
    (here / "profiles" / "mine").mkdir(parents=True)
    assert studies.profile_options("mine") == ["--workflow-profile", "profiles/mine"]


@pytest.mark.parametrize("name", PROFILES)
def test_without_a_lock_of_runs_a_profile_is_the_same_but_for_its_nolock(monkeypatch, name):
    """Snakemake then locks the folder; the option ``nolock`` of a profile could not be revoked."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(studies, "find_spec", lambda name: True)
    monkeypatch.setattr(launch, "has_flock", lambda: False)
    _, given = parse_args(["--snakefile", "Snakefile", "--workflow-profile", str(PROFILES[name])])
    _, found = parse_args(["--snakefile", "Snakefile", *studies.profile_options(name)])
    assert (given.nolock, found.nolock) == (True, False)
    texts = [
        {key: repr(value).partition(" object at ")[0] for key, value in vars(args).items()} for args in (given, found)
    ]
    others = {"nolock", "workflow_profile", "logger" * (name == "default")}
    assert {key for key in texts[0] if texts[0][key] != texts[1][key]} <= others
