"""Records of steps: what they say of memory."""

import json
import multiprocessing
import subprocess
import sys

import numpy as np
import pytest

from rotastack.workflow.tracking.records import _peak_mb

pytestmark = pytest.mark.slow
PROGRAM = "from rotastack.workflow.tracking.records import _peak_mb; import json; print(json.dumps(_peak_mb()))"


# Other systems do not separate a program's peak from its parent's, so the record has what the system reports.
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports the peak of a program by itself")
def test_a_program_does_not_begin_with_the_peak_of_the_one_that_started_it():
    held = np.ones(50_000_000)  # 400 MB
    assert _peak_mb() > held.nbytes / 2**20
    started = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert json.loads(started.stdout) < 350
    del held


def test_the_peak_is_that_of_a_fork_that_trains():
    size = int(_peak_mb() * 2**20 / 8) + 10_000_000
    process = multiprocessing.get_context("fork").Process(target=np.ones, args=(size,))
    process.start()
    process.join()
    assert _peak_mb() >= size * 8 / 2**20
