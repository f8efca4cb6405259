"""Random sequences of edits, failures, kills, deletions, copies and touches leave what a run from scratch leaves."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.workflow


def check(*options: str) -> None:
    """Run sequences in a process of its own, whose forks start fast; show those that failed."""
    command = [sys.executable, str(Path(__file__).with_name("sequences.py")), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("kind", ["fail"])
def test_one_action(kind):
    check("--seed", "4", "--length", "1", "--only", kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["stop", "move", *(
    pytest.param(kind, marks=pytest.mark.nightly)
    for kind in ("back", "until", "during", "other", "delete", "ahead", "touch")
)])  # fmt: skip
def test_edits_and_one_kind_of_action(kind):
    check("--seed", "5", "--length", "4", "--only", kind)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1050, 10))
def test_sequences(seed):
    check("--sequences", "10", "--seed", str(seed))
