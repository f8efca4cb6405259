"""Rules agree with their steps: one shell line from inputs, outputs and params, and the caption of each figure."""

import json

import pytest
from tests.workflow.project import TINY, Project
from tests.workflow.test_pruning import STUDY as PRUNED
from tests.workflow.test_random_splits import STUDY as SPLITS

from rotastack.cli.commands import _parser
from rotastack.workflow.run.launch import plan_of
from rotastack.workflow.run.modules import STEPS

pytestmark = pytest.mark.workflow


NAMES = ["tiny", "downloaded", "splits", "pruned"]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Studies with different protocols and sources."""
    blank = Project.copy(tmp_path_factory.mktemp("rules") / "blank")
    downloaded = (blank.folder / TINY).read_text().replace("[iris, balance-scale]", "[glass]")
    for name, text in {"downloaded": downloaded, "splits": SPLITS, "pruned": PRUNED}.items():
        (blank.folder / f"config/studies/{name}.yaml").write_text(text)
    return blank


@pytest.fixture(scope="module")
def studies(project):
    """The jobs of the studies: instances of all rules."""
    return [project.jobs(study=f"config/studies/{name}.yaml") for name in NAMES]


@pytest.fixture(scope="module")
def plans(project, studies):
    """The plans of the same studies."""
    with project.here():
        found = [plan_of(f"config/studies/{name}.yaml") for name in NAMES]
        for plan in found:
            if plan.skips:
                plan.drop_unavailable()
        yield found


@pytest.fixture(scope="module")
def jobs(studies):
    return [job for jobs in studies for job in jobs]


def test_every_step_has_a_rule_and_every_rule_a_step(jobs):
    assert {job.rule for job in jobs} == {*STEPS, "rotations", "table", "own_table", "vote"}


def test_outputs_and_logs_are_unique(studies):
    for jobs in studies:
        made = [file for job in jobs for file in [*job.made, *job.log]]
        assert len(made) == len(set(made))
        assert len({job.message for job in jobs}) == len(jobs)


def options(words):
    """Return what the command reads of its words; of --input and --output, name -> files."""
    assert words[:2] == ["rotastack", "step"]
    found = _parser().parse_args(words[1:])
    for files in (found.input, found.output):
        assert len({name for name, *_ in files}) == len(files)
    found.input, found.output = ({name: rest for name, *rest in files} for files in (found.input, found.output))
    found.about = dict(pair.split("=", 1) for pair in found.about)
    return found


def test_the_shell_line_names_what_the_rule_has(jobs):
    for job in jobs:
        assert len(job.log) == 1
        if job.rule in ("own_table", "table"):
            continue
        assert job.shell.endswith(f" 2> {job.log[0]}")
        (words,) = job.commands
        said = options(words)
        assert said.step == {"rotations": "groups", "vote": "combine"}.get(job.rule, job.rule)
        assert json.loads(said.slice) == json.loads(job.params.get("slice", "{}"))
        published = said.input.pop("published", [])  # files from outside count by their content alone
        assert all(file.startswith("config/published/") for file in published)
        assert said.input == {name: job.input[name] for name in said.input}
        assert set(job.input) == set(said.input), job.rule
        assert (said.key, said.threads, said.output) == (job.params["key"], job.threads, job.output)
        for key, value in said.about.items():
            assert value == job.params.get(key, "") or value in job.wildcards
        assert set(job.params) - {"slice", "key"} <= set(said.about), job.rule


def test_keys_are_of_all_records_and_reach_all_jobs(studies, plans):
    for jobs, plan in zip(studies, plans, strict=True):
        records = {file for job in jobs for file in job.made if file.endswith((".run.json", "tracking.json"))}
        assert {job.record for job in plan.jobs.all()} == records
        known = {plan.jobs["vote", dataset].key for dataset in plan.datasets if plan.voted}
        known |= {job.key for job in plan.jobs.all()}
        assert {value for job in jobs for name, value in job.params.items() if name.endswith("key")} <= known


def test_a_key_has_the_keys_of_the_inputs(studies, plans):
    """The planned inputs of a job are those of its rule, and of their rules in turn."""
    for jobs, plan in zip(studies, plans, strict=True):
        makers = {file: job for job in jobs for file in job.made}
        record_of = {job.name: {f for f in job.made if f.endswith((".run.json", "tracking.json"))} for job in jobs}
        for job in plan.jobs.all():
            read = {
                record for file in makers[job.record].read if file in makers for record in record_of[makers[file].name]
            }
            if makers[job.record].rule == "vote":  # of all methods that vote
                continue
            assert read <= {other.record for other in behind(job)}, job.record


def behind(job):
    """Return the jobs that a job is made from, at any distance."""
    return [*job.inputs, *(other for part in job.inputs for other in behind(part))]


def test_a_table_at_hand_goes_through_both_steps(jobs):
    for job in (job for job in jobs if job.rule in ("table", "own_table")):
        fetched, prepared = map(options, job.commands)
        for said in (fetched, prepared):
            assert json.loads(said.slice) == json.loads(job.params[said.step])
            assert (said.key, said.about) == (job.params[f"{said.step}_key"], {"dataset": job.wildcards[0]})
        assert (fetched.step, prepared.step) == ("fetch", "prepare")
        assert prepared.input == {"raw": job.output["raw"]}
        assert [*fetched.output.values(), *prepared.output.values()] == list(job.output.values())
