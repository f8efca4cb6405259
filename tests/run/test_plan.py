"""What a plan finds of its data sets, before anything is computed, and what it tells the rules."""

import errno
import fcntl
import json
import re
from contextlib import chdir
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.settings.types import MaxJobsPerTimespan

from rotastack.base.documents import load_yaml
from rotastack.data import loading
from rotastack.errors import RotastackError
from rotastack.project import project_file
from rotastack.workflow.run import launch
from rotastack.workflow.run.launch import config_file, drop_rate_limit, open_plan, read_plan, start_run
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.study import Study

STUDY = {
    "name": "small",
    "datasets": ["iris", "glass"],
    "missing": "skip",
    "pools": {"forest": {"estimator": "forest"}},
    "methods": {name: {"pool": "forest", "combiner": {"kind": "vote"}} for name in ("RF", "again")},
}


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Return a function that gives the plan of a new process: glass cannot be had unless it is said to be."""
    there = {"iris"}
    monkeypatch.setattr(loading, "unavailable", lambda name, spec: None if name in there else f"no {name}")

    def opened(*names, is_main=True, **changes):
        there.update(names)
        return open_plan(load_yaml(Path(config_file())) | STUDY | changes, [config_file()], is_main)

    with chdir(tmp_path):
        yield opened


def raw(*names):
    for name in names:
        path = Path(f"data/raw/{name}.parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_what_is_skipped_is_so_in_jobs_until_it_is_there(plan):
    first = plan()
    assert (first.datasets, first.skipped) == (["iris"], ["skipped: no glass"])
    first.note_skipped()
    raw("iris")
    job = plan(is_main=False)
    assert (job.datasets, job.skipped) == (["iris"], ["skipped: no glass"])
    plan()  # looking leaves the note
    assert json.loads(Path("results/small/skipped.json").read_text()) == ["skipped: no glass"]
    plan("glass").note_skipped()
    raw("glass")
    job = plan(is_main=False)
    assert (job.datasets, job.skipped) == (["iris", "glass"], [])


def test_a_study_ends_in_one_line_where_nothing_can_be_had(plan, capsys):
    with pytest.raises(SystemExit) as ended:
        plan(datasets=["glass"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == "rotastack: error: no data set of the study is available"
    stops = plan(missing="stop")
    assert (stops.datasets, stops.unavailable()) == (["iris", "glass"], {"glass": "no glass"})
    with pytest.raises(SystemExit):
        start_run(stops, is_local=True)
    assert capsys.readouterr().err == "rotastack: error: no glass\n"


def test_methods_of_which_no_model_will_be_kept_are_named_before_the_first_job(plan, capsys):
    mine = {"forest": {"estimator": "tests.study.strange.Mute"}}
    plan("glass", pools=mine, model={"refit": "RF"})
    said = (
        "rotastack: no model of RF will be saved: a model file may not contain objects of tests.study.strange.Mute; "
        "if you trust the code of tests: add `trusted: [tests]` to the study, or --trust tests to other commands\n"
    )
    assert capsys.readouterr().err == said
    plan("glass", pools=mine, model={"refit": "none"})
    plan("glass", pools=mine, trusted=["tests.study"])
    assert capsys.readouterr().err == ""


def test_consent_changes_what_the_steps_of_the_model_are_told_alone(plan):
    before, after = (plan("glass", trusted=trusted).slices for trusted in ([], ["absent"]))
    for step in ("refit", "explain"):
        contents = [{}] * (step == "explain")
        was, now = (getattr(slices, step)("iris", *contents).content() for slices in (before, after))
        assert now == was | {"trusted": ["absent"]}
        assert "trusted" not in was, "studies without the key keep their results"
    assert after.report([], {}).content() == before.report([], {}).content() | {"trusted": ["absent"]}
    assert (after.score("iris"), after.summarize({})) == (before.score("iris"), before.summarize({}))


@pytest.mark.parametrize("is_local", [False, True])
def test_only_jobs_of_this_machine_get_a_server_of_steps(plan, monkeypatch, is_local):
    """A job of Slurm on this machine would hand its step to the server, whose memory Slurm does not see."""
    started = []
    monkeypatch.setattr(launch, "start_forks", lambda: started.append("server"))
    start_run(plan(), is_local=is_local)
    assert bool(started) == is_local


@pytest.mark.parametrize(
    ("limit", "is_dropped"), [(get_argument_parser().get_default("max_jobs_per_timespan"), True), ("5/1m", False)]
)
def test_the_default_limit_of_jobs_is_dropped(limit, is_dropped):
    scheduler = SimpleNamespace(job_rate_limiter=MaxJobsPerTimespan.parse_choice(limit))
    drop_rate_limit(SimpleNamespace(scheduler=scheduler))
    assert (scheduler.job_rate_limiter is None) == is_dropped


@pytest.mark.parametrize(
    "workflow", [{}, {"scheduler": SimpleNamespace()}, {"scheduler": SimpleNamespace(job_rate_limiter=None)}]
)
def test_a_snakemake_without_this_limit_runs_too(workflow):
    before = repr(workflow)
    drop_rate_limit(SimpleNamespace(**workflow))
    assert repr(workflow) == before


def refused(stream, operation):
    raise OSError(errno.ENOLCK, "No locks available")


def test_where_flock_is_refused_the_lock_of_snakemake_is_enough(plan, monkeypatch, capsys):
    assert launch.has_flock()
    monkeypatch.setattr(fcntl, "flock", refused)
    assert not launch.has_flock()
    start_run(plan(), is_local=False, is_locked=True)
    with pytest.raises(SystemExit):
        start_run(plan(), is_local=False)
    said = "results/.lock cannot be locked; start the run by `rotastack run`, or use a profile without nolock"
    assert capsys.readouterr().err.splitlines()[-1] == f"rotastack: error: {said}"


def test_the_study_that_config_names_may_be_unknown_and_classes_are_looked_at_once(plan):
    machine = load_yaml(Path(config_file()))
    with pytest.raises(RotastackError, match="study 'quickstar' is unknown; did you mean 'quickstart'"):
        read_plan({**machine, "study": "quickstar"}, [config_file()])
    wrong = {"pools": {"forest": {"estimator": "forest", "parameters": {"n_estimator": 5}}}}
    with pytest.raises(SystemExit):
        plan("glass", **wrong)
    raw("iris", "glass")
    assert plan(is_main=False, **wrong).datasets == ["iris", "glass"]  # a job's study was looked at


@pytest.mark.parametrize("name", ["tiny", "qmm", "regression"])
def test_every_method_is_made_once_and_every_figure_has_a_place_and_a_caption(name):
    found = Plan(Study.from_mapping(load_yaml(project_file(f"config/studies/{name}.yaml")), name), {})
    assert {*map(found.study.method_of, found.voted + found.combined)} == set(found.study.methods)
    assert not set(found.voted) & set(found.combined)
    assert all(re.fullmatch(found.one_of(found.combined), method) for method in found.combined)
    assert not any(re.fullmatch(found.one_of(found.combined), method) for method in found.voted)
    for figure, category in found.figures.items():
        folder, _, _ = figure.partition("/")
        assert category == ("study" if folder == "study" else "data sets")
        assert folder in ("study", *found.datasets)
        assert (project_file("workflow/rules") / found.caption(figure)).is_file()
    blocks = {
        (pool, block): found.rotations_of(pool, block)
        for pool in found.study.used_pools
        for block in found.study.blocks
    }
    drawn = {f"{view.key}/{groups}" for view in found.study.drawn_views for groups in found.study.rotation_groups}
    assert {name for names in blocks.values() for name in names} == drawn
