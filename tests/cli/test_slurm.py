"""What commands know of a cluster, with its own commands replaced by what they print."""

import pytest

from rotastack.cli import main, slurm
from rotastack.cli.slurm import Cluster, failed_submissions, slurm_options
from rotastack.cli.studies import plan_of
from rotastack.errors import RotastackError
from rotastack.project import project_file

CONFIG = """\
Configuration data as of 2026-01-01T00:00:00
AccountingStorageType   = accounting_storage/{kind}
ClusterName             = lab
MinJobAge               = 300 sec
SLURM_VERSION           = 24.05.1
"""
PARTITIONS = """\
PartitionName=short AllowGroups=ALL Default=YES MaxTime=01:00:00 State=UP
PartitionName=long AllowGroups=ALL Default=NO MaxTime=7-00:00:00 State=UP
PartitionName=free AllowGroups=ALL Default=NO MaxTime=UNLIMITED State=UP
"""


@pytest.fixture
def answers(monkeypatch):
    """Have the commands of Slurm print these texts."""
    monkeypatch.setattr(slurm.shutil, "which", lambda name: f"/usr/bin/{name}")
    texts = {"config": CONFIG.format(kind="slurmdbd"), "partition": PARTITIONS, "job": ""}
    monkeypatch.setattr(slurm, "ask", lambda *command: texts[command[3 if "--oneliner" in command else 2]])
    return texts


def test_a_cluster_with_accounting(answers):
    found = Cluster.look()
    assert found == Cluster("lab", "24.05.1", True, 300, {"short": (True, 60.0), "long": (False, 10080.0), "free": (False, None)})  # fmt: skip
    assert found.status_command == "sacct"
    assert found.limit(None) == 60
    assert found.limit("long") == 10080
    assert found.limit("free") is None
    with pytest.raises(RotastackError, match="there is no 'lon' here; there are short, long, free"):
        found.limit("lon")


def test_without_accounting_squeue_is_asked_although_sacct_is_there(answers):
    answers["config"] = CONFIG.format(kind="none")
    assert Cluster.look().status_command == "squeue"
    assert "no accounting, so that squeue is asked" in Cluster.look().as_text()


@pytest.mark.parametrize(("kind", "kept"), [("slurmdbd", True), ("none", False)])
def test_an_account_is_passed_on_where_accounts_are_kept(answers, kind, kept):
    answers["config"] = CONFIG.format(kind=kind)
    plan = plan_of(project_file("config/studies/tiny.yaml"), None)
    options, submissions = slurm_options(Cluster.look(), plan, "acc", "long")
    assert ("slurm_account='acc'" in options) == kept
    assert "slurm_partition='long'" in options
    assert options[options.index("--slurm-status-command") + 1] == ("sacct" if kept else "squeue")
    assert options[options.index("--slurm-jobname-prefix") + 1] == "rotastack-tiny"
    assert submissions.most_minutes == 10080


def test_slurm_that_does_not_answer(answers, monkeypatch, capsys):
    answers["config"] = ""
    with pytest.raises(RotastackError, match="Slurm does not answer"):
        Cluster.look()
    monkeypatch.setattr(slurm.shutil, "which", lambda name: None)
    with pytest.raises(RotastackError, match="sbatch is not on the PATH"):
        Cluster.look()


@pytest.mark.parametrize("name", ["x; rm -rf ~", "a' + b", ""])
def test_names_that_are_none(answers, name):
    with pytest.raises(RotastackError, match="--account: .* is no name"):
        slurm._word(name, "--account")


def test_options_that_go_with_slurm_alone(capsys):
    assert main(["run", "tiny", "--account", "a"]) == 2
    assert "--account goes with --slurm" in capsys.readouterr().err
    assert main(["run", "tiny", "--slurm", "--minutes", "0"]) == 2


def test_failures_are_those_that_no_later_attempt_made_good(answers, tmp_path):
    logs = ".snakemake/slurm_logs/rule_train"
    lines = []
    for job, number in [("1", 7), ("2", 8), ("1", 9), ("2", 10)]:
        lines.append(f"Job {job} has been submitted with SLURM jobid {number} (log: {tmp_path}/{logs}/{number}.log).")
        if number != 10:
            lines.append(f"    log: {tmp_path}/{logs}/{number}.log (check log file(s) for error details)")
    (tmp_path / logs).mkdir(parents=True)
    (tmp_path / logs / "9.log").write_text("Building DAG\nrotastack: error: no such thing\nExiting\n")
    answers["job"] = "JobId=9 JobState=OUT_OF_MEMORY Reason=None"
    (text,) = failed_submissions("\n".join(lines), tmp_path)
    assert (
        text
        == f"Slurm job 9 failed, after 1 others: out of memory; the end of {logs}/9.log:\n  rotastack: error: no such thing"
    )
    assert failed_submissions("SLURM sbatch failed. The error message was 'Invalid account'.", tmp_path) == [
        "sbatch refused: Invalid account"
    ]
