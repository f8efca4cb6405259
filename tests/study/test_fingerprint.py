"""The fingerprint follows what code does, and nothing else."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rotastack.study import fingerprint as module
from rotastack.study.components import combine_modules, step_module, train_modules
from rotastack.study.fingerprint import closure, fingerprint

STEPS = [
    "fetch",
    "prepare",
    "folds",
    "rotations",
    "score",
    "summarize",
    "draw_dataset",
    "draw_study",
    "report",
    "track",
]


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the package whose files may be edited, and a function that hashes it anew."""
    root = tmp_path / "rotastack"
    shutil.copytree(Path(module.__file__).parents[1], root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(module, "ROOT", root)

    def digest(*modules):
        for cached in (module._tree, module._tree_text, module._imports, fingerprint):
            cached.cache_clear()
        return fingerprint(*modules)

    yield root, digest
    monkeypatch.undo()
    digest("rotastack.errors")


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_comments_docstrings_and_layout_do_not_count(copy):
    root, digest = copy
    before = digest("rotastack.combine.voting")
    path = root / "combine" / "voting.py"
    edit(path, "class Voting", "# a comment\n\n\nclass Voting")
    edit(path, '"""Combine members by voting.', '"""Other words.')
    assert digest("rotastack.combine.voting") == before
    edit(path, "1e-6", "1e-5")
    assert digest("rotastack.combine.voting") != before


def test_an_edit_reaches_what_imports_it_and_nothing_else(copy):
    root, digest = copy
    train = step_module("train")
    rotated = train_modules({"view": "rotation", "learner": {"kind": "forest"}})
    plain = train_modules({"view": "identity", "learner": {"kind": "boosted"}})
    stack = combine_modules({"kind": "stacking", "learner": {"kind": "logistic"}})
    vote = combine_modules({"kind": "vote"})

    def all_of_them():
        return [digest(train, *rotated), digest(train, *plain), digest(step_module("combine"), *stack),
                digest(step_module("combine"), *vote)]  # fmt: skip

    before = all_of_them()
    for file, old, new, expected in [
        ("views/rotation.py", "np.zeros(n_features)", "np.zeros(n_features + 0)", [True, False, False, False]),
        ("learners/boosted.py", "n_jobs=1", "n_jobs=2", [False, True, False, False]),
        ("combine/stacking.py", "np.ascontiguousarray", "np.array", [False, False, True, False]),
        ("combine/nested.py", "proba[test]", "proba[test ]", [False, False, False, False]),
        ("ensembles/pooled/pool.py", "time.perf_counter() - start", "time.perf_counter() - start + 0", [True, True, False, False]),
        ("plots/heatmap.py", "0.65", "0.66", [False, False, False, False]),
    ]:  # fmt: skip
        edit(root / file, old, new)
        after = all_of_them()
        assert [a != b for a, b in zip(after, before, strict=True)] == expected, file
        before = after


def test_library_versions_count(copy, monkeypatch):
    _, digest = copy
    before = digest("rotastack.seeds")
    monkeypatch.setattr(module, "version", lambda name: "99")
    assert digest("rotastack.seeds") != before


COMPONENTS = [
    ("train", train_modules({"view": "rotation", "learner": {"kind": "boosted"}})),
    ("train", train_modules({"view": "identity", "learner": {"kind": "forest"}})),
    ("combine", combine_modules({"kind": "stacking", "learner": {"kind": "forest"}})),
    ("combine", combine_modules({"kind": "vote"})),
]
IMPORT = """
import importlib, json, sys

def ours():
    return [name for name in sys.modules if name.split(".")[0] == "rotastack"]

answers = []
for modules in json.load(sys.stdin):
    for name in ours():
        del sys.modules[name]
    for name in modules:
        importlib.import_module(name)
    answers.append(ours())
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def loaded():
    """Modules -> the package's modules that importing them loads, in one interpreter that forgets them in between."""
    questions = [[step_module(step)] for step in STEPS] + [
        [step_module(s), *names] for s, names in COMPONENTS
    ]
    run = subprocess.run(
        [sys.executable, "-c", IMPORT],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(map(tuple, questions), map(set, json.loads(run.stdout.splitlines()[-1])), strict=True))


@pytest.mark.parametrize("step", STEPS)
def test_the_closure_is_what_the_step_really_imports(loaded, step):
    """Importing the step loads exactly the modules that are hashed."""
    modules = (step_module(step),)
    hashed = set(closure(modules))
    assert loaded[modules] <= hashed
    lazy = {"track": {"rotastack.tracking.model_files", "rotastack.data.tables"}}.get(step, set())
    assert hashed - loaded[modules] <= set(closure(lazy)) | {"rotastack.data.tables"}


@pytest.mark.parametrize(("step", "names"), COMPONENTS)
def test_the_closure_with_components(loaded, step, names):
    modules = (step_module(step), *names)
    assert loaded[modules] == set(closure(modules))
