"""Slurm is tested before a run: what is missing, or refused, is one line with sbatch's words."""

import os
import re
from types import SimpleNamespace

import pytest
from tests.refusals import refusal

from rotastack.workflow.run.slurm import check_slurm


def workflow(*asked, executor="slurm", group=None, **settings):
    """Return what the check reads of the workflow of a Snakemake: a job for each request, in one group if there is a group's request."""
    settings = SimpleNamespace(
        **{**vars(SimpleNamespace(partition_config=None, qos=None, reservation=None)), **settings}
    )
    made = SimpleNamespace(executor_plugin=SimpleNamespace(name=executor), executor_settings=settings)
    together = None if group is None else SimpleNamespace(resources=group)
    dag = SimpleNamespace(workflow=made, get_job_group=lambda job: together)
    jobs = [SimpleNamespace(dag=dag, is_local=False, resources=resources) for resources in asked or [{}]]
    jobs.append(SimpleNamespace(dag=dag, is_local=True, resources={"mem_mb": 10**6}))
    dag.needrun_jobs = lambda: jobs
    made.dag = dag
    return made


@pytest.fixture
def sbatch(tmp_path, monkeypatch):
    """Return a function that puts an sbatch on the PATH, which refuses requests with a word, and the function's result has all requests."""
    noted = tmp_path / "arguments"

    def make(said="", refused=""):
        ends = f'case "$*" in *"{refused}"*) echo "{said}" >&2; exit 1;; esac' if said else ""
        (tmp_path / "sbatch").write_text(f'#!/bin/sh\necho "$@" >> {noted}\n{ends}\n')
        (tmp_path / "sbatch").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return lambda: [line.removeprefix("--test-only --wrap=true").strip() for line in noted.read_text().splitlines()]

    return make


def test_a_missing_sbatch_is_named_and_other_executors_need_none(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert re.search("^sbatch not found: ", refusal(check_slurm, workflow()))
    check_slurm(workflow(executor="local"))
    check_slurm(SimpleNamespace(executor_plugin=None))


def test_a_refusal_has_sbatch_s_words_and_the_request(sbatch, monkeypatch):
    sbatch("sbatch: error: Batch job submission failed: Invalid account")
    refused = r"^Slurm refuses a test submission: sbatch: error: Batch job submission failed: Invalid account \(--account=A\)$"
    assert re.search(refused, refusal(check_slurm, workflow({"slurm_account": "A"})))
    check_slurm(workflow(partition_config="partitions.yaml"))  # the plugin chooses a partition job by job
    monkeypatch.setenv("SNAKEMAKE_SLURM_PARTITIONS", "partitions.yaml")
    check_slurm(workflow())


@pytest.mark.parametrize("state", ["Requested nodes are busy", "Requested node configuration is not available"])
def test_a_run_starts_though_all_nodes_are_drained(sbatch, state):
    """A test submission is refused then, and a real one waits."""
    sbatch(f"allocation failure: {state}")
    check_slurm(workflow({"mem_mb": 1000}))


@pytest.mark.parametrize("size", ["--mem=9000", "--cpus-per-task=4", "--time=900"])
def test_a_request_that_no_node_can_meet_is_refused_with_the_same_words(sbatch, size):
    sbatch("allocation failure: Requested node configuration is not available", size)
    jobs = [{"mem_mb": 9000, "_cores": 1}, {"mem_mb": 1000, "_cores": 4}, {"mem_mb": 1000, "runtime": 900}]
    assert re.search(f"configuration is not available .*{size}", refusal(check_slurm, workflow(*jobs)))


def test_the_largest_requests_of_each_partition_are_tested_and_nothing_is_submitted(sbatch):
    asked = sbatch()
    small, large = ({"mem_mb": size, "_cores": 1, "runtime": size // 10} for size in (500, 700))
    check_slurm(workflow(small, large, {**small, "slurm_partition": "P"}, qos="high"))
    common = "--cpus-per-task=1 --time"
    assert set(asked()) == {f"--mem=700 {common}=70 --qos=high", f"--mem=500 {common}=50 --partition=P --qos=high"}


def test_a_request_is_that_of_the_group_with_all_that_a_site_may_need(sbatch):
    asked = sbatch()
    site = {"slurm_account": "A,B", "slurm_partition": "P,Q", "constraint": "x", "slurm_extra": "--nice=1 --licenses=x"}
    check_slurm(workflow({"mem_mb": 9000}, group=site, reservation="R"))
    options = "--account=A --partition=P,Q --constraint=x --reservation=R --nice=1 --licenses=x"
    assert {frozenset(line.split()) for line in asked()} == {frozenset(options.split())}


def test_a_size_that_is_not_known_before_a_job_runs_is_no_option_of_sbatch(sbatch):
    from snakemake.common.tbdstring import TBDString

    asked = sbatch()
    check_slurm(workflow({"mem_mb": TBDString(), "runtime": 30}, {"mem_mb": 10}))
    assert set(asked()) == {"--time=30", "--mem=10"}
