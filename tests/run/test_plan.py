"""What a plan finds of its data sets, before anything is computed, and what it tells the rules."""

import errno
import fcntl
import json
import os
import random
import re
import sys
import time
from contextlib import chdir
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from snakemake.cli import get_argument_parser
from snakemake.settings.types import MaxJobsPerTimespan
from tests.refusals import refusal

from rotastack.base.documents import load_yaml
from rotastack.project import project_file
from rotastack.workflow.run import launch
from rotastack.workflow.run import plan as plan_module
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
    monkeypatch.setattr(plan_module, "unavailable", lambda name, spec: None if name in there else f"no {name}")

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


def workflow(*, is_local=False, is_locked=False):
    """Return what the start of a run reads of Snakemake's workflow."""
    return SimpleNamespace(
        executor_plugin=None, local_exec=is_local, execution_settings=SimpleNamespace(lock=is_locked)
    )


def test_a_study_ends_in_one_line_where_nothing_can_be_had(plan, capsys):
    with pytest.raises(SystemExit, match="^2$"):
        plan(datasets=["glass"])
    assert capsys.readouterr().err.splitlines()[-1] == "rotastack: error: no data set of the study is available"
    stops = plan(missing="stop")
    assert (stops.datasets, stops.unavailable()) == (["iris", "glass"], {"glass": "no glass"})
    with pytest.raises(SystemExit):
        start_run(stops, workflow())
    assert capsys.readouterr().err == "rotastack: error: no glass\n"


def test_methods_of_which_no_model_will_be_kept_are_named_before_the_first_job(plan, capsys):
    mine = {"forest": {"estimator": "tests.study.strange.Mute"}}
    plan("glass", pools=mine, model={"refit": "RF"})
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("rotastack: no model of RF will be saved: ")
    assert "tests.study.strange.Mute; if you trust the code of tests: add `trusted: [tests]`" in line
    plan("glass", pools=mine, model={"refit": "none"})
    plan("glass", pools=mine, trusted=["tests.study"])
    assert capsys.readouterr().err == ""


def test_consent_changes_what_the_steps_of_the_model_are_told_alone(plan):
    before, after = (plan("glass", trusted=trusted).jobs for trusted in ([], ["absent"]))
    for step in ("refit", "explain"):
        was, now = (jobs[step, "iris"].spec.content() for jobs in (before, after))
        assert now == was | {"trusted": ["absent"]}
        assert "trusted" not in was, "studies without the key keep their results"
    assert after["report"].spec.content() == before["report"].spec.content() | {"trusted": ["absent"]}
    assert all(after[name].spec == before[name].spec for name in (("score", "iris"), "summarize"))


@pytest.mark.parametrize("is_local", [False, True])
def test_only_jobs_of_this_machine_get_a_server_of_steps(plan, monkeypatch, is_local):
    """A job of Slurm on this machine would hand its step to the server, whose memory Slurm does not see."""
    started = []
    monkeypatch.setattr(launch, "start_forks", lambda: started.append("server"))
    start_run(plan(), workflow(is_local=is_local))
    assert bool(started) == is_local


def test_the_default_limit_of_jobs_is_dropped_where_there_is_one():
    usual = get_argument_parser().get_default("max_jobs_per_timespan")
    for limit, is_dropped in ((usual, True), ("5/1m", False)):
        scheduler = SimpleNamespace(job_rate_limiter=MaxJobsPerTimespan.parse_choice(limit))
        drop_rate_limit(SimpleNamespace(scheduler=scheduler))
        assert (scheduler.job_rate_limiter is None) == is_dropped
    for other in ({}, {"scheduler": SimpleNamespace()}):
        drop_rate_limit(SimpleNamespace(**other))


def refused(stream, operation):
    raise OSError(errno.ENOLCK, "No locks available")


def test_where_flock_is_refused_the_lock_of_snakemake_is_enough(plan, monkeypatch, capsys):
    assert launch.has_flock()
    monkeypatch.setattr(fcntl, "flock", refused)
    assert not launch.has_flock()
    start_run(plan(), workflow(is_locked=True))
    with pytest.raises(SystemExit):
        start_run(plan(), workflow())
    said = "results/.lock cannot be locked; start the run by `rotastack run`, or use a profile without nolock"
    assert capsys.readouterr().err.splitlines()[-1] == f"rotastack: error: {said}"


def test_the_study_that_config_names_may_be_unknown_and_classes_are_looked_at_once(plan):
    machine = load_yaml(Path(config_file()))
    assert "study 'quickstar' is unknown; did you mean 'quickstart'" in refusal(
        read_plan, {**machine, "study": "quickstar"}, [config_file()]
    )
    wrong = {"pools": {"forest": {"estimator": "forest", "parameters": {"n_estimator": 5}}}}
    with pytest.raises(SystemExit):
        plan("glass", **wrong)
    raw("iris", "glass")
    assert plan(is_main=False, **wrong).datasets == ["iris", "glass"]  # a job's study was looked at


@pytest.mark.parametrize("name", ["tiny", "qmm", "regression"])
def test_every_method_is_made_once_and_every_figure_has_a_place_and_a_caption(name):
    found = Plan(Study.from_mapping(load_yaml(project_file(f"config/studies/{name}.yaml")), name), {})
    assert sorted(map(found.study.method_of, found.voted + found.combined)) == sorted(found.study.methods)
    made = [m for m in found.voted + found.combined if re.fullmatch(found.one_of(found.combined), m)]
    assert made == found.combined
    for figure, category in found.figures.items():
        folder, _, _ = figure.partition("/")
        assert category == ("study" if folder == "study" else "data sets")
        assert (project_file("workflow/rules") / found.caption(figure)).is_file()
    study = found.study
    used = {name for pool in study.used_pools for block in study.blocks for name in found.rotations_of(pool, block)}
    assert used == {f"{view.key}/{groups}" for view in study.drawn_views for groups in study.rotation_groups}


# Results beside the plan


def small(**changes):
    return Plan(Study.from_mapping(STUDY | changes, "small"), {"data": {"missing": "stop"}})


def made(plan, at=None):
    """Write a result for each job of a plan: a record and another file of this time."""
    for job in plan.jobs.all():
        record = Path(job.record)
        record.parent.mkdir(parents=True, exist_ok=True)
        other = record.with_suffix(".out")
        other.write_text("content")
        record.write_text(json.dumps({"key": job.key, "files": [str(other), job.record]}))
        for path in (record, other):
            os.utime(path, None if at is None else (at(), at()))


def times(job):
    return [path.stat().st_mtime_ns for path in map(Path, job.found["files"])]


def is_in_order(plan):
    """Check that no current result is older than its inputs, or ahead of the clock."""
    latest = time.time_ns()
    for job in plan.jobs.all():
        if job.is_current:
            before = [t for other in job.inputs if other.is_current for t in times(other)]
            assert max(before, default=0) <= min(times(job))
            assert max(times(job)) <= latest
    return True


COPIES = {
    "shuffled": lambda: time.time() - random.random() * 1e6,
    "ahead": lambda: time.time() + random.random() * 1e6,
    "long ago": lambda: random.random() * 1e6,
    "at one time": lambda: 1e9,
}


@pytest.mark.parametrize("copied", COPIES)
def test_times_of_a_copy_are_put_in_order_and_nothing_else_changes(here, copied):
    plan = small()
    made(plan, COPIES[copied])
    texts = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    plan.jobs.settle_times()
    assert is_in_order(plan)
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == texts
    settled = [times(job) for job in plan.jobs.all()]
    small().jobs.settle_times()
    assert [times(job) for job in plan.jobs.all()] == settled, "there is nothing left to do"


def test_times_of_stale_damaged_and_missing_results_are_left(here):
    plan = small()
    made(plan, COPIES["ahead"])
    stale, damaged = plan.jobs["combine", "iris", "RF"], plan.jobs["prepare", "iris"]
    Path(stale.record).write_text(json.dumps(dict(stale.found) | {"key": "another"}))
    Path(damaged.record).write_text("{")
    Path(plan.jobs["score", "glass"].record).unlink()
    Path(plan.jobs["draw"].record).with_suffix(".out").unlink()
    files = [Path(job.record).with_suffix(end) for job in (stale, damaged) for end in (".json", ".out")]
    before = [path.stat().st_mtime_ns for path in files]
    plan.jobs.settle_times()
    assert [path.stat().st_mtime_ns for path in files] == before
    assert max(times(plan.jobs["groups", "iris"])) <= time.time_ns()
    assert Path(plan.jobs["draw"].record).stat().st_mtime_ns <= time.time_ns()


def test_times_of_other_users_files_are_left(here, monkeypatch):
    plan = small()
    made(plan, COPIES["ahead"])
    before = [times(job) for job in plan.jobs.all()]

    def refused(*arguments, **options):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "utime", refused)
    plan.jobs.settle_times()
    assert [times(job) for job in plan.jobs.all()] == before


def test_tables_and_figures_of_earlier_versions_are_deleted_and_nothing_else(here):
    plan = small()
    plan.drop_leftovers()
    plan.copy_pages()
    assert list(here.iterdir()) == [], "nothing was made"
    kept = [
        f"{plan.root}/tables/{name}" for name in (*(f"{name}.csv" for name in plan.tables), "notes.txt", "mine.csv")
    ]
    kept += [
        "results/other/tables/groups.csv",
        *(f"{plan.root}/{name}" for name in ("report.html", "printed/groups.csv")),
    ]
    kept += [f"{plan.root}/figures/{name}" for name in (*(f"{name}.png" for name in plan.figures), "study/mine.png")]
    gone = [f"{plan.root}/tables/{name}.csv" for name in ("groups", "published", "r2")]
    gone += [
        f"{plan.root}/figures/{name}.svg" for name in ("study/ranks-NN", "study/sweep-1", "old/boxes", "old/members")
    ]
    for path in map(Path, [*kept, *gone]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    plan.drop_leftovers()
    assert sorted(str(path.relative_to(here)) for path in here.rglob("*") if path.is_file()) == sorted(kept)


@pytest.mark.parametrize("published", [None, "rotation_scaling"])
def test_the_pages_of_a_run_are_copied(here, published):
    plan = small(**({"published": published} if published else {}))
    for name in ("report", "published"):
        path = Path(f"results/small/{name}.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>{name}</p>")
    plan.copy_pages()
    expected = ["published", "report"] if published else ["report"]
    found = {path.stem: path.read_text() for path in Path("results").glob("*.html")}
    assert found == {name: f"<p>{name}</p>" for name in expected}


# The start of Snakemake with the option that makes files again

STALE = ["results/s/a.run.json", "results/s/b.run.json"]


def started(command, stale=STALE):
    """Return the words that Snakemake starts with once more; None if it goes on."""
    calls, settled = [], []
    plan = SimpleNamespace(stale=lambda: list(stale), settle_times=lambda: settled.append(True))
    with mock.patch("os.execv", lambda *call: calls.append(call)), mock.patch("sys.argv", command):
        launch.force_stale(plan)
    assert settled == [True]
    if not calls:
        return None
    ((program, words),) = calls
    assert [program, *words[:4]] == [sys.executable, sys.executable, "-P", "-m", "snakemake"]
    return words[4:]


SNAKEMAKE = "/env/bin/snakemake"


def asked(words):
    """Return the targets, the forced names and the ends that Snakemake reads."""
    found = get_argument_parser().parse_args(words)
    return list(found.targets), set(found.forcerun), set(found.until)


@pytest.mark.parametrize("program", [SNAKEMAKE, "/env/lib/site-packages/snakemake/__main__.py", "snakemake"])
def test_stale_results_are_made_again_by_an_option(program):
    assert started([program, "--cores", "2"]) == ["--cores", "2", "--forcerun", *STALE]


@pytest.mark.parametrize(
    ("given", "forced"),
    [
        (["--cores", "1", "target"], set()),
        (["--cores", "1", "--forcerun", "train", "--quiet"], {"train"}),
        (["-R", "train", "draw", "--cores", "1"], {"train", "draw"}),
        (["target", "--cores", "1", "-R", "train"], {"train"}),
        (["--forcerun", "train", "--cores", "1", "--forcerun", "draw"], {"draw"}),
        (["--cores", "1", "--forcerun=train"], {"train"}),
        (["--cores", "1", "-Rtrain"], {"train"}),
        (["--cores", "1", "--", "target"], set()),
        (["-R", "train", "--cores", "1", "--", "target"], {"train"}),
        (["--cores", "1", STALE[0]], set()),
        (["-R", STALE[1], "--cores", "1"], {STALE[1]}),
        (["target", "summarize", "--until", "train", "score", "--cores", "1"], set()),
        (["--logger", "rotastack", "--logger-rotastack-file", "run.log", "-R", "train"], {"train"}),
    ],
)
def test_what_the_user_asked_for_counts_too(given, forced):
    """Of several such options Snakemake reads the last."""
    (targets, before, until), after = asked(given), asked(started([SNAKEMAKE, *given]))
    assert before == forced
    assert after == (targets, forced | set(STALE), until or set(targets)), "forced files would be targets, too"
    assert started([SNAKEMAKE, *started([SNAKEMAKE, *given])]) is None, "it starts again once"


@pytest.mark.parametrize(
    ("command", "stale"),
    [
        ([SNAKEMAKE, "--cores", "1"], []),
        ([SNAKEMAKE, "-R", "train", "--cores", "1"], []),
        ([SNAKEMAKE, "--cores", "1", "--forcerun", *STALE], STALE),
        ([SNAKEMAKE, "--forcerun", *STALE[::-1], "train", "--cores", "1"], STALE),
        (["layout", "--dry-run"], STALE),
        (["/home/snakemake/pytest", "--cores", "1"], STALE),
        (["/home/snakemake/own/__main__.py"], STALE),
        (["", "--cores", "1"], STALE),
    ],
)
def test_snakemake_goes_on_if_nothing_is_stale_or_it_knows_or_another_program_asks(command, stale):
    assert started(command, stale) is None
