"""Slurm is tested before a run: what is missing, or refused, is one line with sbatch's words."""

import os
from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.settings.types import ResourceSettings

from rotastack.errors import RotastackError
from rotastack.workflow.run.slurm import check_slurm


def workflow(*options, executor="slurm", **settings):
    """Return what the check reads of the workflow of a Snakemake with these options."""
    given = get_argument_parser().parse_args(options)
    return SimpleNamespace(
        executor_plugin=SimpleNamespace(name=executor),
        executor_settings=SimpleNamespace(**settings),
        resource_settings=ResourceSettings(
            default_resources=given.default_resources, overwrite_resources=given.set_resources
        ),
    )


@pytest.fixture
def sbatch(tmp_path, monkeypatch):
    """Return a function that puts an sbatch on the PATH, which says a text and notes its arguments, and the file of these."""
    noted = tmp_path / "arguments"

    def make(said="", code=0):
        script = f'#!/bin/sh\nprintf "%s\\n" "$@" > {noted}\necho "{said}" >&2\nexit {code}\n'
        (tmp_path / "sbatch").write_text(script)
        (tmp_path / "sbatch").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return noted

    return make


def test_a_missing_sbatch_is_named_and_other_executors_need_none(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RotastackError, match="^sbatch not found: "):
        check_slurm(workflow())
    check_slurm(workflow(executor="local"))
    check_slurm(SimpleNamespace(executor_plugin=None))


def test_a_refusal_has_sbatch_s_words(sbatch):
    sbatch("sbatch: error: Batch job submission failed: Invalid account", 1)
    refused = "^Slurm refuses a test submission: sbatch: error: Batch job submission failed: Invalid account$"
    with pytest.raises(RotastackError, match=refused):
        check_slurm(workflow())
    check_slurm(workflow(partition_config="partitions.yaml"))  # the plugin chooses a partition job by job


@pytest.mark.parametrize("state", ["Requested nodes are busy", "Requested node configuration is not available"])
def test_a_run_starts_though_all_nodes_are_drained(sbatch, state):
    """A test submission is refused then, and a real one waits."""
    sbatch(f"allocation failure: {state}", 1)
    check_slurm(workflow())


def test_the_test_has_the_account_and_the_partition_and_submits_nothing(sbatch):
    noted = sbatch()
    check_slurm(workflow())
    assert noted.read_text().split() == ["--test-only", "--wrap=true"]
    resources = (
        "slurm_account=A",
        "slurm_partition=P",
        "mem_mb=1000",
        "runtime=attempt * 30",
        "slurm_extra='--nice=1 --licenses=x'",
    )
    of_rules = ("--set-resources", "train:slurm_partition=long")
    check_slurm(workflow("--default-resources", *resources, *of_rules, qos="high", reservation=None))
    given = noted.read_text().split()
    assert given[:2] == ["--test-only", "--wrap=true"]
    assert set(given[2:]) == {"--account=A", "--partition=long", "--mem=1000", "--qos=high", "--nice=1", "--licenses=x"}


def test_an_expression_of_snakemake_is_no_option_of_sbatch(sbatch):
    noted = sbatch()
    check_slurm(workflow("--set-resources", "train:runtime=attempt", "train:mem_mb=attempt * 1000"))
    assert not [line for line in noted.read_text().splitlines() if line.startswith(("--time", "--mem"))]
