"""Requests of memory agree with the peaks in the records."""

import pytest
from benchmarks.memory import needs
from tests.workflow.project import TINY

from rotastack.cli.studies import plan_of
from rotastack.workflow.run.modules import STEPS

pytestmark = pytest.mark.workflow


def test_no_job_of_a_study_took_more_than_it_asked_for(finished):
    """The peak includes two processes of Snakemake. Small jobs request the minimum."""
    with finished.here():
        found = needs(plan_of(TINY))
    assert {n.step for n in found} == set(STEPS) - {"published", "explain", "track"}
    assert [n for n in found if not n.took <= n.asked] == []
    assert [n for n in found if n.asked > 3 * n.took] == []
