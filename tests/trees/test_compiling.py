"""The machine code on disk: found again, renewed after an edit, done without where it must be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rotastack.trees import (
    C45Classifier,
    ExtraForestClassifier,
    ForestClassifier,
    ForestRegressor,
    LinearViews,
    TreeGroup,
    TreeOptions,
    grow_forest,
)
from rotastack.trees.kernel import compiling
from rotastack.trees.members import grow_members

pytestmark = pytest.mark.slow  # interpreters that start cold, by the dozen

SMALL = """
import numpy as np
from rotastack.trees.kernel.compiling import cache_folder, compiled, entry_point

@compiled
def inner(x):
    return x + {number}

@entry_point
def outer(x):
    return inner(x)
"""

CALL = "import {module} as m; print(m.outer(1), sum(m.outer.stats.cache_hits.values()), m.cache_folder())"


@pytest.fixture
def package(tmp_path):
    """A copy of the compiling module alone, with a small kernel beside it."""
    root = tmp_path / "site"
    kernel = root / "rotastack" / "trees" / "kernel"
    kernel.mkdir(parents=True)
    for folder in (kernel, kernel.parent, kernel.parent.parent):
        (folder / "__init__.py").touch()
    shutil.copy(Path(compiling.__file__), kernel / "compiling.py")
    (kernel / "small.py").write_text(SMALL.format(number=1))
    home = tmp_path / "home"
    home.mkdir()
    return root, kernel, home


def environment(root, home, **more):
    kept = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR")}
    return {**kept, "PYTHONPATH": str(root), "HOME": str(home), **more}


def call(root, home, module="rotastack.trees.kernel.small", **more):
    run = subprocess.run(
        [sys.executable, "-c", CALL.format(module=module)],
        env=environment(root, home, **more), capture_output=True, text=True, check=True, cwd=home,
    )  # fmt: skip
    value, hits, folder = run.stdout.split()
    return int(value), int(hits), folder


def test_an_edit_of_a_called_function_is_noticed(package):
    """Numba by itself would go on with the old code of a function in another file."""
    root, kernel, home = package
    (kernel / "callee.py").write_text(SMALL.format(number=1))
    text = SMALL.split("@entry_point")[1].replace("def outer", "def outer", 1)
    (kernel / "small.py").write_text(
        "from rotastack.trees.kernel.callee import cache_folder, entry_point, inner\n\n@entry_point" + text
    )
    assert call(root, home)[:2] == (2, 0)
    (kernel / "callee.py").write_text(SMALL.format(number=41))
    assert call(root, home)[:2] == (42, 0)


def test_installation_that_cannot_be_written(package):
    """A file in the folder's place stops root too, whom a mode would not stop."""
    root, kernel, home = package
    (kernel / "__pycache__").write_text("not a folder")
    value, _, folder = call(root, home, PYTHONDONTWRITEBYTECODE="1")
    assert value == 2
    assert Path(folder).parent == home / ".cache" / "rotastack"


def test_nowhere_to_write(package):
    root, _, home = package
    blocked = home / "a file"
    blocked.touch()
    code = CALL.format(module="rotastack.trees.kernel.small").replace(
        "m.cache_folder()", "repr(m.cache_folder())"
    )
    code = code.replace("sum(m.outer.stats.cache_hits.values())", "0")
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=home, capture_output=True, text=True, check=True,
        env=environment(root, home, NUMBA_CACHE_DIR=str(blocked)),
    )  # fmt: skip
    assert run.stdout.split() == ["2", "0", "None"]


@pytest.mark.parametrize("n", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_cold_starts_at_once_and_the_next_process_finds_the_code(package, n):
    root, kernel, home = package
    running = [
        subprocess.Popen(
            [sys.executable, "-c", CALL.format(module="rotastack.trees.kernel.small")],
            env=environment(root, home), stdout=subprocess.PIPE, text=True, cwd=home,
        )
        for _ in range(n)
    ]  # fmt: skip
    said = [process.communicate()[0].split() for process in running]
    assert all(process.returncode == 0 for process in running)
    assert [words[0] for words in said] == ["2"] * n
    value, hits, folder = call(root, home)
    assert (value, hits) == (2, 1)
    assert Path(folder).parent == kernel / "__pycache__"


def test_equal_sources_share_their_code_wherever_they_lie(package, tmp_path):
    root, _, home = package
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(root, elsewhere)
    shared = str(tmp_path / "shared")
    assert call(root, home, NUMBA_CACHE_DIR=shared)[:2] == (2, 0)
    assert call(elsewhere, home, NUMBA_CACHE_DIR=shared)[:2] == (2, 1)


def test_one_compilation_serves_every_way_in():
    """Another memory layout, type, option or view must not compile the kernel anew."""
    from rotastack.trees.kernel.lots import grow_lots
    from rotastack.trees.kernel.reading import read_trees

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)), rng.integers(0, 3, 200)
    frozen = X.copy()
    frozen.setflags(write=False)
    for estimator in (
        ForestClassifier(3),
        ForestClassifier(3, criterion="gain_ratio", max_leaf_nodes=7, class_weight="balanced"),
        ExtraForestClassifier(3, criterion="entropy", n_cuts=3, n_jobs=2),
        ForestRegressor(3, ccp_alpha=0.01),
        C45Classifier(),
        C45Classifier(confidence=None, min_samples_leaf=1, subtree_raising=False),
    ):
        for given in (X, X[:, ::2], np.asfortranarray(X), X.astype(np.float16), frozen, X.tolist()):
            estimator.fit(given, y, rng.random(200)).predict(given)
    rotations = LinearViews.dense(np.linalg.qr(rng.standard_normal((4, 5, 5)))[0])
    views = LinearViews.concatenate(
        [LinearViews.identity(5).beside(rotations), LinearViews.subset([[0, 1]], 5)]
    )
    X32 = X.astype(np.float32)
    families = [TreeGroup(12, views.take([0, 4, 1])), TreeGroup(3, splitter="random")]
    bags = rng.poisson(1, (15, 200))
    trees, _ = grow_forest(
        X32, y, families, TreeOptions(), np.random.SeedSequence(0), n_classes=3, bag_counts=bags
    )
    trees.outputs(X32)
    for copies in (X32[None], np.stack([X32] * 3)):
        grow_members(
            copies, y, 3, families[0], TreeOptions("entropy"), np.random.SeedSequence(0).spawn(3),
            training=rng.random((3, 200)) < 0.6, keep=False, n_jobs=2,
        )  # fmt: skip
    assert len(grow_lots.signatures) == len(read_trees.signatures) == 1
