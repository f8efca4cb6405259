"""The line of progress, from what Snakemake prints."""

import io
import os
import sys

import pytest

from rotastack.cli.progress import Progress, _Line, duration, run_with_progress

TABLE = [
    "Job stats:",
    "job      count",
    "-----  -------",
    "fetch        1",
    "train        2",
    "all          1",
    "total        4",
]
COSTS = {"iris: training pool a on S-01": 10.0, "iris: training pool b on S-01": 70.0}


def progress():
    one = Progress(lambda message: COSTS.get(message, 4.0), COSTS)
    for line in TABLE:
        one.read(line, 0.0)
    return one


def test_work_counts_and_not_jobs():
    one = progress()
    assert one.planned == 84.0  # 80 of both trainings, 4 of the fetch
    one.read("Job 3: iris: getting the raw table", 0.0)
    assert one.doing == "iris: getting the raw table"
    assert one.share(2.0) == pytest.approx(2 / 84)
    one.read("Finished jobid: 3 (Rule: fetch)", 5.0)
    assert one.share(5.0) == pytest.approx(4 / 84)
    one.read("Job 1: iris: training pool b on S-01", 5.0)
    one.read("Job 2: iris: training pool a on S-01", 5.0)
    assert one.share(10.0) == pytest.approx((4 + 5 + 5) / 84)
    assert one.share(1000.0) < 1, "what takes longer than was thought is not done"
    one.read("Finished jobid: 2 (Rule: train)", 1000.0)
    assert one.doing == "iris: training pool b on S-01"
    one.read("Finished jobid: 1 (Rule: train)", 1000.0)
    assert one.share(1000.0) == 1


def test_of_trainings_that_were_done_before_the_mean_is_left_out():
    one = Progress(lambda message: COSTS.get(message, 4.0), COSTS)
    for line in ["Job stats:", "train  1", "total  1"]:
        one.read(line, 0.0)
    assert one.planned == 40.0


def test_other_lines_change_nothing():
    one = progress()
    for line in ["", "Select jobs to execute...", "train 5", "Finished jobid: 99 (Rule: train)", "rotastack: error: x"]:
        one.read(line, 1.0)
    assert (one.planned, one.share(1.0), one.doing) == (84.0, 0.0, "")


def test_a_command_runs_under_a_line(tmp_path, capsys):
    text = "\n".join(
        [*TABLE, "Job 3: iris: getting the raw table", "rotastack: skipped: sonar", "Finished jobid: 3 (Rule: fetch)"]
    )
    code = f"import sys; print({text!r}); print('rotastack: skipped: sonar', file=sys.stderr); sys.exit(3)"
    log = tmp_path / "logs" / "run.log"
    done = run_with_progress([sys.executable, "-c", code], dict(os.environ), log, Progress(lambda _: 4.0, COSTS))
    assert done.code == 3
    assert done.said == ["rotastack: skipped: sonar"], "said twice, shown once"
    assert "Finished jobid: 3" in log.read_text()
    assert "iris: getting the raw table" in capsys.readouterr().err


def test_the_line_is_written_over_on_a_terminal_alone():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    over, plain = _Line(Terminal()), _Line(io.StringIO())
    for line in (over, plain):
        line.show("10%: a long line", 0.0)
        line.show("20%: short", 1.0)
        line.clear()
    assert over.stream.getvalue() == "\r10%: a long line\r20%: short      \r" + " " * 10 + "\r"
    assert plain.stream.getvalue() == "10%: a long line\n", "elsewhere not more than now and then"


@pytest.mark.parametrize(("seconds", "words"), [(1, "5 s"), (42, "40 s"), (200, "3 min"), (7800, "2 h 10 min")])
def test_durations(seconds, words):
    assert duration(seconds) == words
