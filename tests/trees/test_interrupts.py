"""Ctrl-C during a long fit: it ends soon, and the same process can fit again."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

# The kernel asks Python for signals in the same way on every system, so the tests on other systems cover this code.
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to one process alone")

FIT = """
    import signal
    import numpy as np
    from rotastack.trees import BoostedTreesClassifier, C45Classifier, ExtraForestClassifier, ForestClassifier

    signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
    rng = np.random.default_rng(0)
    small, few = rng.random((60, 3)), np.arange(60) % 2
    estimator = {estimator}
    expected = ForestClassifier(5, random_state=0).fit(small, few).forest_.nodes.tobytes()
    X = rng.random(({rows}, 40), np.float32)
    y = (X[:, :5].sum(axis=1) + rng.normal(size={rows}) > 2.5).astype(int)
    try:
        print("fitting", flush=True)
        estimator.fit(X, y)
        print("done", flush=True)
    except KeyboardInterrupt:
        again = ForestClassifier(5, random_state=0).fit(small, few).forest_.nodes.tobytes()
        print("interrupted", again == expected, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "rows"),
    [
        ("ForestClassifier(4, max_features=None, n_jobs=1)", 400_000),
        ("ForestClassifier(20_000, n_jobs=2)", 2_000),
        ("ExtraForestClassifier(8, max_features=None, n_jobs=2)", 400_000),
        ("C45Classifier()", 400_000),
        ("BoostedTreesClassifier(20_000, early_stopping=False, n_jobs=2)", 2_000),
        ("BoostedTreesClassifier(2_000, n_bags=1)", 100_000),
    ],
)
def test_a_fit_ends_soon(estimator, rows):
    code = textwrap.dedent(FIT.format(estimator=estimator, rows=rows))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        rest = process.communicate(timeout=60)[0]
        took = time.monotonic() - sent
    finally:
        process.kill()
    assert rest == "interrupted True\n"
    assert took < 30  # generous, for slow machines: a fit left to run would take minutes
