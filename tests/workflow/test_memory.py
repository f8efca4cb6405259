"""Requests of memory agree with the peaks in the records."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.workflow.project import TINY

from rotastack.files import read_json
from rotastack.workflow.run.launch import plan_of
from rotastack.workflow.run.modules import STEPS
from rotastack.workflow.study.names import slug

pytestmark = pytest.mark.workflow

SNAKEMAKES_MB = 250
OF_DATASETS = ("fetch", "prepare", "groups", "score", "refit", "explain")


class Need(NamedTuple):
    """A job's requested and used memory."""

    step: str
    what: str
    asked: int
    took: float


def needs(plan: Any) -> list[Need]:
    """Return the memory of all jobs of a study that was run in the working directory, as far as records exist."""
    pools = {slug(label): method.pool for label, method in plan.study.methods.items()}
    folders = [Path("data/raw"), Path(plan.root)]
    found = []
    for record in (read_json(p) for folder in folders for p in sorted(folder.rglob("*.run.json"))):
        step, dataset = record["step"], record.get("dataset")
        if dataset is not None and dataset not in plan.datasets:
            continue
        if step == "train":
            asked = plan.resources.train_mb(dataset, record["pool"])
        elif step == "combine":
            asked = plan.resources.combine_mb(dataset, pools[slug(record["method"])])
        elif step in OF_DATASETS:
            asked = getattr(plan.resources, f"{'prepare' if step == 'fetch' else step}_mb")(dataset)
        elif step == "draw":
            asked = plan.resources.draw_mb()
        else:
            asked = plan.resources.study_mb()
        names = [dataset, record.get("pool") if step == "train" else record.get("method")]
        found.append(Need(step, " ".join(n for n in names if n), asked, record["peak_memory_mb"] + SNAKEMAKES_MB))
    return found


def test_no_job_of_a_study_took_more_than_it_asked_for(finished):
    """The peak includes two processes of Snakemake. Small jobs request the minimum."""
    with finished.here():
        found = needs(plan_of(TINY))
    assert {n.step for n in found} == set(STEPS) - {"published", "explain", "track"}
    assert [n for n in found if not n.took <= n.asked] == []
    assert [n for n in found if n.asked > 3 * n.took] == []
