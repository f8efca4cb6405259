"""The shipped profiles: Snakemake accepts each profile if its plugin is installed."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from tests.workflow.project import ROOT, TINY

from rotastack.base.documents import load_yaml
from rotastack.cli import main, studies
from rotastack.workflow.run.modules import STEPS

PROFILES = {path.parent.name: path for path in sorted((ROOT / "workflow/profiles").glob("*/config.yaml"))}
OF_QUEUES = ("kubernetes", "pbs", "sge", "lsf")
ANSWERS = {
    "pbs": ("qsub", "1234.server", "qstat", "Job Id: 1234\n    job_state = {0}\n    Exit_status = {1}", [("F", 0), ("F", 1), ("R", "")]),
    "kubernetes": ("kubectl", "job.batch/rotastack-x", "kubectl", "{0}/{1}", [(1, ""), ("", 1), ("", "")]),
    "lsf": ("bsub", "Job <1234> is submitted to queue <normal>.", "bjobs", "{0}", [("DONE",), ("EXIT",), ("RUN",)]),
}  # fmt: skip


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a function that puts a program of a queue on the PATH; the program prints a text."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def make(name, text):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n")
        path.chmod(0o755)

    return make


def test_all_are_there():
    assert set(PROFILES) == {"default", "slurm", *OF_QUEUES}


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


def test_snakemake_shows_a_line_of_progress_and_the_answer_by_the_default_profile():
    assert load_yaml(PROFILES["default"])["logger"] == "rotastack"
    assert "--logger" not in studies.profile_options(None), "the command names the log's file"


@pytest.mark.parametrize("name", [n for n in PROFILES if n != "default"])
def test_all_try_again_and_go_on_after_failures(name):
    content = load_yaml(PROFILES[name])
    assert content["retries"] == 2
    assert content["keep-going"] is True
    assert content["resources"]["mlflow_writer"] == 1
    assert content["nolock"] is True, "a kill -9 leaves Snakemake's lock behind, and lets ours go"
    assert {"rerun-triggers", "rerun-incomplete", "max-checksum-file-size"} <= set(content)


def test_slurm_polls_often_and_runs_one_job_after_the_other_in_a_submission():
    content = load_yaml(PROFILES["slurm"])
    assert content["slurm-init-seconds-before-status-checks"] <= 10
    assert content["set-resource-scopes"] == {"lane": "local"}
    assert set(content["set-resources"]) == {*STEPS, "rotations", "table", "vote"} - {"fetch", "track"}


@pytest.mark.parametrize("name", OF_QUEUES)
def test_submission_of_a_queue_has_the_jobs_resources(name):
    command = load_yaml(PROFILES[name])["cluster-generic-submit-cmd"]
    filled = command.format(threads=3, resources=type("", (), {"mem_mb": 1500, "runtime": 90}))
    assert "1500" in filled
    assert "90" in filled
    assert re.search(r"(ncpus=|smp |-n |\"cpu\": \")3\b", filled)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_state_of_a_job_is_read_from_what_the_queue_says(name, program):
    submit, said, status, answer, states = ANSWERS[name]
    content = load_yaml(PROFILES[name])
    program(submit, said)
    command = content["cluster-generic-submit-cmd"].format(
        threads=1, resources=type("", (), {"mem_mb": 1, "runtime": 1})
    )
    number = _shell(f'{command} "job.sh"')
    assert number in ("1234.server", "1234", "job.batch/rotastack-x")
    found = []
    for state in states:
        program(status, answer.format(*state))
        found.append(_shell(f"{content['cluster-generic-status-cmd']} '{number}'"))
    assert found == ["success", "failed", "running"]


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [("pbs", "qstat", "qstat: Unknown Job Id 1234.server"), ("lsf", "bjobs", "Job <1234> is not found")],
)
def test_a_job_that_the_queue_forgot_has_ended(name, status, said, tmp_path, program):
    """The job's files show its success; a queue without an answer is a different case."""
    command = load_yaml(PROFILES[name])["cluster-generic-status-cmd"]
    for text, state in [(said, "success"), ("cannot connect to server", "running")]:
        (tmp_path / status).write_text(f"#!/bin/sh\necho '{text}' >&2\nexit 153\n")
        (tmp_path / status).chmod(0o755)
        assert _shell(f"{command} '1234'") == state


@pytest.mark.parametrize("name", OF_QUEUES)
def test_a_job_that_the_queue_refuses_has_failed(name, program, tmp_path):
    """A job without a number would count as submitted, and would never end."""
    submit = ANSWERS.get(name, ("qsub",))[0]
    (tmp_path / submit).write_text("#!/bin/sh\nexit 255\n")
    (tmp_path / submit).chmod(0o755)
    command = load_yaml(PROFILES[name])["cluster-generic-submit-cmd"]
    filled = command.format(threads=1, resources=type("", (), {"mem_mb": 1, "runtime": 1}))
    with pytest.raises(subprocess.CalledProcessError):
        _shell(f'{filled} "job.sh"')


def test_a_pod_is_told_what_to_run(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kubectl").write_text("#!/bin/sh\ncat\n")
    (tmp_path / "kubectl").chmod(0o755)
    command = load_yaml(PROFILES["kubernetes"])["cluster-generic-submit-cmd"]
    filled = command.format(threads=2, resources=type("", (), {"mem_mb": 1500, "runtime": 3}))
    told = json.loads(_shell(f'{filled} "/shared/job.sh"'))["spec"]
    assert told["activeDeadlineSeconds"] == 180
    (container,) = told["template"]["spec"]["containers"]
    assert container["command"] == ["sh", "/shared/job.sh"]
    assert container["workingDir"] == str(tmp_path)
    assert container["resources"]["limits"] == {"memory": "1500M"}


def test_the_state_of_a_job_of_grid_engine(program, tmp_path):
    command = load_yaml(PROFILES["sge"])["cluster-generic-status-cmd"]
    program("qstat", "there")
    assert _shell(f"{command} '7'") == "running"
    (tmp_path / "qstat").write_text("#!/bin/sh\nexit 1\n")
    program("qacct", "exit_status  0   ")
    assert _shell(f"{command} '7'") == "success"
    program("qacct", "exit_status  137   ")
    assert _shell(f"{command} '7'") == "failed"


def _shell(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout.strip()


def test_a_plugin_that_is_missing_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("rotastack.cli.studies.find_spec", lambda name: None)
    assert main(["run", "tiny", "--profile", "pbs"]) == 2
    assert (
        "profile pbs: snakemake-executor-plugin-cluster-generic is not installed; run `pip install "
        in capsys.readouterr().err
    )
    assert studies._missing_plugins(PROFILES["default"].parent) == []


def test_a_profile_that_is_nowhere_is_named_and_nothing_runs(monkeypatch, tmp_path, capsys):
    """Snakemake would run all jobs on this machine without a message."""
    monkeypatch.chdir(tmp_path)
    assert main(["run", "tiny", "--profile", "slrum"]) == 2
    said = capsys.readouterr().err
    assert "--profile: 'slrum' is neither a folder nor a profile; did you mean 'slurm'" in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())
    (tmp_path / "profiles" / "mine").mkdir(parents=True)
    assert studies.profile_options("mine") == ["--workflow-profile", "mine"]


@pytest.mark.slow
@pytest.mark.workflow
@pytest.mark.parametrize("name", ["kubernetes", "pbs"])
def test_a_dry_run_takes_the_profile(name, tmp_path):
    pytest.importorskip("snakemake_executor_plugin_cluster_generic")
    command = [sys.executable, "-m", "rotastack", "run", str(ROOT / TINY), "--profile", name, "--dry-run", "--verbose"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "This was a dry-run" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {".snakemake"}
