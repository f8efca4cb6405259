"""What a run shows while it goes on, from what Snakemake's loggers are told: the share, the line, and why a job failed."""

import io
import logging
import os
from contextlib import chdir, redirect_stderr, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.logging import DefaultFormatter
from snakemake_interface_logger_plugins.common import LogEvent

from rotastack.workflow.run import progress
from rotastack.workflow.run.progress import LogHandler, LogHandlerSettings, Progress, duration


@pytest.fixture(autouse=True)
def expected():
    """Two trainings, of 10 and of 30 seconds."""
    progress.expected.clear()  # a dry run of another test has filled it
    progress.expected.update({("iris", "forest", "S-1"): 10.0, ("iris", "boosted", "S-1"): 30.0})
    yield
    progress.expected.clear()
    progress.answers.clear()


def cell(pool):
    return {"dataset": "iris", "pool": pool, "block": "S-1"}


def test_jobs_count_by_what_they_are_expected_to_take():
    work = Progress()
    assert (work.share(0.0), work.line(0.0, 0.0)) == (0.0, "")
    assert [duration(s) for s in (0, 38, 91, 600, 7800)] == ["5 s", "40 s", "2 min", "10 min", "2 h 10 min"]
    work.plan({"train": 2, "score": 3, "all": 1, "total": 6})
    assert work.planned == 43.0
    work.start(1, "train", cell("boosted"), "training", 100.0)
    assert work.share(115.0) == pytest.approx(15 / 43)
    assert work.share(500.0) == pytest.approx(0.95 * 30 / 43), "a job under way is never done"
    work.start(2, "score", {"dataset": "iris"}, "scoring", 100.0)
    work.end(1)
    work.end(1)
    assert work.share(100.0) == pytest.approx(30 / 43)
    assert work.line(60.0, 100.0) == " 70%, 25 s left: scoring"
    work.end(2)
    assert work.line(60.0, 100.0) == "", "nothing is under way"


CLEAR = "\r\x1b[2K"
"""The escape sequence that clears a line of a terminal."""


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def make(tmp_path):
    """Makes a handler in an empty folder, as Snakemake does."""
    all_made = []

    def make(file=None, **common):
        all_made.append(
            LogHandler(SimpleNamespace(**{"dryrun": False, "verbose": False, **common}), LogHandlerSettings(file=file))
        )
        all_made[-1].setFormatter(DefaultFormatter())
        return all_made[-1]

    with chdir(tmp_path):
        yield make
        for handler in all_made:
            handler.close()


@pytest.fixture
def handler(make):
    """A handler of the command `rotastack`, which names a file."""
    return make("logs/run.log")


def last_words(handler, capsys):
    """End a run; return what it then says on stderr."""
    handler.close()
    return capsys.readouterr().err


def tell(handler, event=None, message="", **said):
    """Hand a record over as ``logger.info(message, extra=...)`` does; of a job, all that Snakemake says of one."""
    job = {
        "rule_name": "train",
        "rule_msg": None,
        "input": [],
        "output": [],
        "log": [],
        "wildcards": {},
        "reason": "",
        "indent": False,
        "conda_env": None,
        "shellcmd": None,
        "aux": {},
        "local": False,
        "is_checkpoint": False,
        "benchmark": None,
        "priority": 0,
        "threads": 1,
        "resources": {},
    }
    record = logging.makeLogRecord({"msg": message, "event": event, **(job if "jobid" in said else {}), **said})
    handler.handle(record)


def test_a_terminal_has_one_line_that_goes_and_the_file_has_all(make, monkeypatch, tmp_path):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "22")
    with redirect_stderr(Terminal()) as stderr:
        handler = make("logs/run.log")
        tell(handler, LogEvent.RUN_INFO, "Job stats: 3", stats={"train": 2, "all": 1, "total": 3})
        tell(handler, LogEvent.JOB_INFO, "Rule: train", jobid=1, rule_msg="iris: training", wildcards=cell("forest"))
        tell(handler, LogEvent.JOB_FINISHED, "Finished jobid: 1", job_id=1)
        tell(
            handler,
            LogEvent.JOB_INFO,
            "Rule: train",
            jobid=2,
            rule_msg="iris: more than fits",
            wildcards=cell("boosted"),
        )
        tell(handler, None, "anything else")
        for _ in range(2):
            handler.live.refresh()
        shown = stderr.getvalue().split(CLEAR)
        assert shown[-1].startswith(" 25%")
        assert len(shown[-1]) == 22
        handler.close()
        assert stderr.getvalue().endswith(f"\x1b[1A{CLEAR[1:]}")
    written = (tmp_path / "logs/run.log").read_text()
    for line in ("Job stats: 3", "Job 1: iris: training", "Finished jobid: 1", "anything else"):
        assert line in written


def test_elsewhere_a_line_comes_now_and_then(handler, capsys):
    tell(handler, LogEvent.RUN_INFO, stats={"train": 1, "total": 1})
    for k in range(3):
        handler.progress.done = 5.0
        tell(handler, LogEvent.JOB_INFO, jobid=k, rule_msg=f"job {k}", wildcards=cell("forest"))
        handler.live.refresh()
    assert capsys.readouterr().err.count("\n") == 1
    handler.shown -= progress.EVERY
    handler.live.refresh()
    assert capsys.readouterr().err.endswith(": job 2\n")


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("Traceback\nrotastack: error: iris: no such\nmore\n", "rotastack: error: iris: no such"),
        ("Traceback\nKeyError: 'a'\n", "rotastack: error: rule train: KeyError: 'a' (job.log)"),
        ("", "rotastack: error: rule train failed without a message (job.log)"),
        (None, "rotastack: error: rule train failed without a message (job.log)"),
    ],
)
def test_a_job_that_failed_is_told_of_in_one_line_at_the_end(handler, capsys, tmp_path, log, said):
    if log is not None:
        (tmp_path / "job.log").write_text(log)
    for number in (1, 2):  # two that failed alike are told of once
        tell(handler, LogEvent.JOB_ERROR, "Error in rule train", jobid=number, log=["job.log"])
    tell(handler, LogEvent.ERROR, "WorkflowError: at least one job failed")
    assert capsys.readouterr().err == ""
    handler.close()
    assert last_words(handler, capsys) == f"{said}\n"


def test_a_job_that_a_second_attempt_has_mended_is_not_told_of(handler, capsys):
    tell(handler, LogEvent.JOB_ERROR, "Error in rule fetch", jobid=1, rule_name="fetch")
    tell(handler, LogEvent.JOB_INFO, jobid=1, rule_name="fetch")
    tell(handler, LogEvent.JOB_FINISHED, job_id=1)
    assert last_words(handler, capsys) == ""


def test_jobs_that_end_with_a_run_are_not_told_of(handler, capsys, tmp_path):
    """Snakemake reports each as failed after Ctrl-C."""
    (tmp_path / "job.log").write_text("rotastack: error: iris: no such\n")
    tell(handler, LogEvent.JOB_ERROR, jobid=1, log=["job.log"])
    tell(handler, None, "Terminating processes on user request, this might take some time.")
    tell(handler, LogEvent.ERROR, "RuleException: died with SIGINT")
    tell(handler, LogEvent.JOB_ERROR, jobid=2, log=["other.log"])
    tell(handler, LogEvent.GROUP_ERROR, groupid="g", aux_logs=[], job_error_info=[])
    assert last_words(handler, capsys) == "rotastack: error: iris: no such\n"


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """A job of a group, on a Slurm that refuses all submissions and keeps no accounts; and the errors with which the run ended."""
    ended = []
    for command, words in (("sbatch", "too large"), ("sacct", "no accounting")):
        (tmp_path / command).write_text(f'#!/bin/sh\necho "{words}" >&2\nexit 1\n')
        (tmp_path / command).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    flow = SimpleNamespace(
        executor_settings=None, scheduler=SimpleNamespace(executor_error_callback=lambda error: ended.append(error))
    )
    group = SimpleNamespace(resources={"mem_mb": 9000})
    return SimpleNamespace(dag=SimpleNamespace(workflow=flow, get_job_group=lambda job: group)), ended


def fail(handler, *logs):
    """Tell of a group that failed, and of its two jobs; their logs are of an earlier attempt."""
    jobs = [{"jobid": number, "rule_name": "train", "output": [], "log": ["job.log"]} for number in (1, 2)]
    tell(handler, LogEvent.GROUP_ERROR, groupid="g", aux_logs=[*logs], job_error_info=jobs)
    for job in jobs:
        tell(handler, LogEvent.JOB_ERROR, jobid=job["jobid"], log=job["log"])


def test_a_refused_submission_has_the_words_of_sbatch_and_names_no_log_of_jobs_that_never_ran(
    handler, capsys, tmp_path, slurm
):
    (tmp_path / "job.log").write_text("of an earlier attempt\n")
    (tmp_path / "slurm.log").write_text("CANCELLED\n")
    tell(handler, LogEvent.GROUP_INFO, group_id="g", jobs=[slurm[0]])
    fail(handler, "slurm.log")
    fail(handler)
    said = "rotastack: error: Slurm refuses a test submission: too large (--mem=9000)\n"
    assert last_words(handler, capsys) == said


@pytest.mark.parametrize("age", ["None", "5"])
def test_a_run_ends_where_jobs_can_no_longer_be_followed(handler, capsys, slurm, age):
    job, ended = slurm
    tell(handler, LogEvent.GROUP_INFO, group_id="g", jobs=[job])
    tell(handler, None, f"Falling back to 'sacct' for status queries (MinJobAge={age}; threshold=15s).")
    is_lost = age == "None"
    assert ("then repeat the command" in last_words(handler, capsys)) == is_lost
    assert [type(error) for error in ended] == [TimeoutError] * is_lost


def test_a_second_run_leaves_the_log_of_the_first(make, tmp_path):
    first, second = handlers = [make("logs/run.log") for _ in range(2)]
    for number in (0, 1, 0):
        tell(handlers[number], None, f"words of {number}")
    second.close()
    tell(first, None, "more")
    first.close()
    log = tmp_path / "logs/run.log"
    assert log.read_text().splitlines() == ["words of 0", "words of 1", "words of 0", "more"]
    make("logs/run.log").close()
    assert log.read_text() == "", "a later run begins a new log"


@pytest.mark.parametrize(
    ("common", "jobs", "printed"),
    [
        ({}, {"train": 1, "all": 1, "total": 2}, "\nthe answer\n"),
        ({"verbose": True}, {"train": 1, "all": 1, "total": 2}, "\nthe answer\n"),
        ({}, {"train": 1, "total": 1}, ""),
        ({"file": "logs/run.log"}, {"train": 1, "all": 1, "total": 2}, ""),
    ],
    ids=["all", "verbose", "one file", "of the command"],
)
def test_snakemake_itself_ends_with_the_answer_of_a_complete_run(make, capsys, common, jobs, printed):
    progress.answers.append(lambda: "the answer")
    handler = make(**common)
    tell(handler, None, "Building DAG of jobs...")
    tell(handler, LogEvent.RUN_INFO, "Job stats", stats=jobs)
    handler.close()
    found = capsys.readouterr()
    assert (found.out, found.err) == (printed, "")
    assert "Building DAG of jobs..." in Path(common.get("file", "results/logs/run.log")).read_text()


def test_what_snakemake_says_without_jobs_and_where_a_failed_run_has_its_log(make, capsys):
    idle = make()
    tell(idle, None, "Nothing to be done")
    assert last_words(idle, capsys) == "Nothing to be done\n"
    failed = make()
    tell(failed, LogEvent.RUN_INFO, "Job stats", stats={"train": 1, "total": 1})
    tell(failed, LogEvent.ERROR, "  Unlock the directory  ")
    error, where = last_words(failed, capsys).splitlines()
    assert error == "rotastack: error: Unlock the directory"
    assert where.endswith("details: results/logs/run.log")


def test_a_dry_run_and_verbose_leave_the_screen_to_snakemake_and_a_dry_run_writes_nothing(make, tmp_path):
    assert not make(verbose=True).writes_to_stream
    assert make().writes_to_stream
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    handler = make(dryrun=True)
    tell(handler, None, "words")
    assert not handler.writes_to_stream
    assert list(tmp_path.iterdir()) == []


def test_a_job_whose_log_cannot_be_written_is_told_of_with_the_reason(handler, capsys, tmp_path):
    (tmp_path / "job.log").symlink_to("/dev/full")
    tell(handler, LogEvent.JOB_ERROR, jobid=1, log=["job.log"])
    reason = "job.log: No space left on device; rule train could not write why it failed"
    assert last_words(handler, capsys) == f"rotastack: error: {reason}\n"


def test_a_full_disk_has_no_traceback_of_snakemakes_own_log(handler, capsys):
    other = logging.FileHandler("/dev/full")
    other.handle(logging.makeLogRecord({"msg": "words"}))
    with suppress(OSError):
        other.close()
    assert capsys.readouterr().err == ""


def test_a_log_that_cannot_be_written_is_told_of_once_and_the_run_goes_on(handler, capsys):
    handler.file.close()
    handler.file = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for _ in range(3):
        tell(handler, None, "words")
    assert (
        last_words(handler, capsys) == "rotastack: error: /dev/full: No space left on device; the log is incomplete\n"
    )
