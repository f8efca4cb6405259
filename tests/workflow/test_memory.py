"""Jobs ask for what they take: requests beside the peaks of records."""

import ast
from pathlib import Path

import pytest
from benchmarks.memory import needs
from tests.workflow.project import ROOT, TINY

from rotastack.cli.studies import plan_of
from rotastack.run.job import declarations, step_names

pytestmark = pytest.mark.workflow


def test_no_job_of_a_study_took_more_than_it_asked_for(finished):
    """Two Snakemakes beside it included. Small jobs ask for the least, and not for several times what they take."""
    with finished.here():
        found = needs(plan_of(Path(TINY), None))
    recorded = {step for step in step_names() if "record" in declarations(step)["OUTPUTS"]}
    assert {n.step for n in found} == recorded - {"draw_pruning", "published", "explain"}
    assert [n for n in found if not n.took <= n.asked] == []
    assert [n for n in found if n.asked > 3 * n.took] == []


def test_every_rule_asks_for_more_at_the_next_attempt():
    """Memory and time, of all rules but the copy of the report."""
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for rule in path.read_text().split("rule ")[1:]:
            if rule.startswith("front_page"):
                continue
            for line in rule.splitlines():
                key, _, value = line.strip().partition("=")
                if key in ("mem_mb", "runtime"):
                    function = ast.parse(value.rstrip(","), mode="eval").body
                    assert isinstance(function, ast.Lambda), (path.name, rule.partition(":")[0], key)
                    assert "attempt" in ast.unparse(function.body), (path.name, rule.partition(":")[0], key)
