"""Memory that the system refuses, at every step of a fit: MemoryError, and the next fit works."""

import subprocess
import sys
import textwrap

import pytest

CODE = """
    import resource
    import numpy as np
    from rotastack.trees import BoostedTreesClassifier, C45Classifier, ExtraForestClassifier, ForestClassifier

    def in_use():
        return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

    rng = np.random.default_rng(0)
    X, y = rng.random((100_000, 2), np.float32), rng.integers(0, 3, 100_000)
    grow = {forest}
    expected = grow.fit(X, y).forest_.nodes.tobytes()
    grow.predict_proba(X)
    del grow.forest_
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    refused = 0
    start = in_use()
    for megabytes in range(0, 400, 2):
        resource.setrlimit(resource.RLIMIT_AS, (start + (megabytes << 20), most))
        try:
            found = grow.fit(X, y).forest_.nodes.tobytes()
        except MemoryError:
            refused += 1
            continue
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        assert found == expected
        break
    else:
        raise AssertionError("never enough")
    print("refused", refused)
"""


@pytest.mark.slow
# macOS ignores the limit and Windows has none, so no allocation fails there.
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux refuses memory beyond RLIMIT_AS")
@pytest.mark.parametrize(
    "forest",
    [
        "BoostedTreesClassifier(2, n_bags=2, random_state=0)",
        "C45Classifier()",
        "ExtraForestClassifier(1, random_state=0)",
        "ForestClassifier(2, max_features=None, criterion='entropy', random_state=0)",
    ],
)
def test_memory_refused(forest):
    code = textwrap.dedent(CODE.format(forest=forest))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")  # Python prints what goes wrong while it frees
    assert int(done.stdout.split()[1]) > 5
