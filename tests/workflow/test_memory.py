"""Requests of memory agree with the peaks in the records."""

import pytest

from rotastack.files import read_json

pytestmark = pytest.mark.workflow

SNAKEMAKES_MB = 250


def test_no_job_took_more_memory_than_it_asked_for(finished):
    """The peak includes two processes of Snakemake. Small jobs request the minimum."""
    for job in finished.jobs():
        for record in (finished.folder / file for file in job.made if file.endswith(".run.json")):
            took = read_json(record)["peak_memory_mb"] + SNAKEMAKES_MB
            assert took <= job.resources["mem_mb"] <= 3 * took, record
