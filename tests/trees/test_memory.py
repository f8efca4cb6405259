"""Memory that the system refuses: an error, and nothing is kept."""

import subprocess
import sys
import textwrap

import pytest

CODE = """
    import gc, resource
    import numpy as np
    from rotastack.trees import C45Classifier, ForestClassifier

    def in_use(what):
        for line in open("/proc/self/status"):
            if line.startswith(what):
                return int(line.split()[1]) * 1024

    rng = np.random.default_rng(0)
    small, few = rng.random((60, 3)), np.arange(60) % 2
    X, y = rng.random((20_000, 30), np.float32), rng.integers(0, 2, 20_000)
    forest = ForestClassifier(5, random_state=0)
    expected = forest.fit(small, few).forest_.nodes.tobytes()
    estimator = {estimator}
    estimator.fit(X[:2000], y[:2000])
    refused = most_kept = 0
    for spare in (1, 4, 8, 16):  # megabytes
        sizes = []
        for _ in range(5):
            resource.setrlimit(resource.RLIMIT_AS, (in_use("VmSize") + spare * 2**20, resource.RLIM_INFINITY))
            try:
                estimator.fit(X, y)
            except MemoryError:
                gc.collect()
                sizes.append(in_use("VmRSS"))
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        refused += len(sizes)
        if len(sizes) == 5:
            most_kept = max(most_kept, sizes[-1] - sizes[1])
    assert forest.fit(small, few).forest_.nodes.tobytes() == expected
    print("refused", refused > 0, "kept", most_kept > 2**20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and limits the memory of a process")
@pytest.mark.parametrize(
    "estimator",
    [
        "C45Classifier()",
        "ForestClassifier(20, random_state=0)",
        "ForestClassifier(5, criterion='entropy', max_features=None, random_state=0)",
    ],
)
def test_memory_is_refused_in_the_middle(estimator):
    code = textwrap.dedent(CODE.format(estimator=estimator))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "refused True kept False\n", run.stderr
