"""Submissions as Snakemake groups them are those that were counted; nothing is submitted here."""

import re
from pathlib import Path

import pytest
from tests.workflow.project import TINY

from rotastack.cli.studies import plan_of
from rotastack.run.submissions import Submissions

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


@pytest.mark.parametrize(("minutes", "number"), [(20, 2), (1.3, 3), (0.5, 9)])
def test_groups_are_as_many_as_were_counted(blank, minutes, number):
    with blank.here():
        submissions = Submissions(plan_of(Path(TINY), None), minutes)
        counts, options = submissions.counts, submissions.arguments()
    assert sum(counts.values()) == number
    command = ["snakemake", "--dry-run", "--workflow-profile", "slurm", "--configfile", TINY, *options]
    done = blank.call(*command, "--local-cores", "2")
    found = re.findall(r"Group job (\w+) \(", done.stdout + done.stderr)
    assert {name: found.count(name) for name in set(found)} == counts
