"""The fingerprint follows what code does, and nothing else."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.run.running import pool_slice

from rotastack.cli.studies import plan_of
from rotastack.run import fingerprint as codes
from rotastack.run import fingerprint as module
from rotastack.run.fingerprint import ESTIMATES, closure, fingerprint
from rotastack.run.modules import PROTOCOLS, STEPS
from rotastack.study.building import combiner_modules, pool_modules
from rotastack.study.catalogue import ESTIMATORS
from rotastack.study.model import Method

TRAIN, COMBINE = ((STEPS[step], PROTOCOLS["nested"][step]) for step in ("train", "combine"))


def pool(estimator, parameters=None, view=None):
    """Return the modules of a pool as a study has it."""
    return pool_modules(pool_slice(estimator, parameters, view))


def combiner(**content):
    """Return the modules of a combiner as a study has it."""
    return combiner_modules(Method.read({"pool": "p", "combiner": content}, "m").combiner.resolved())


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the package whose files may be edited, and a function that hashes it anew."""
    root = tmp_path / "rotastack"
    shutil.copytree(Path(module.__file__).parents[1], root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(module, "ROOT", root)

    def digest(*modules):
        for cached in (module._tree, module._code, module._imports, module._version, fingerprint):
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
    edit(path, '"""Voting: the members', '"""Other words, members')
    assert digest("rotastack.combine.voting") == before
    edit(path, "1e-6", "1e-5")
    assert digest("rotastack.combine.voting") != before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("trees/boosted.py", "Cost(0, 0.55", "Cost(0, 0.66"),
        ("__init__.py", '__version__ = "', '__version__ = "9.'),
        ("trees/__init__.py", "submod_attrs={", 'submod_attrs={"new": ["New"], '),
    ],
)
def test_estimates_of_costs_and_public_names_do_not_count(copy, file, old, new):
    root, digest = copy
    before = digest("rotastack.trees.boosted")
    edit(root / file, old, new)
    assert digest("rotastack.trees.boosted") == before


def test_solvers_count():
    assert {"piqp", "scipy"} <= set(module.states("rotastack.combine.pruning.qmm"))


@pytest.mark.slow
def test_an_edit_reaches_what_imports_it_and_nothing_else(copy):
    root, digest = copy
    rotated, plain = pool("forest", view="rotation"), pool("rotastack.AdaBoostM1Classifier")
    stack, vote = combiner(kind="stacking", estimator="logistic"), combiner(kind="vote")

    def all_of_them():
        return [digest(*TRAIN, *rotated), digest(*TRAIN, *plain), digest(*COMBINE, *stack), digest(*COMBINE, *vote)]

    before = all_of_them()
    for file, old, new, expected in [
        ("views/rotation.py", "np.zeros(n_features)", "np.zeros(n_features + 0)", [True, False, False, False]),
        ("ensembles/adaboost.py", "np.ones(len(target))", "np.ones(len(target) + 0)", [False, True, False, False]),
        ("combine/stacking.py", "np.ascontiguousarray", "np.array", [False, False, True, False]),
        ("combine/nested.py", "proba[test]", "proba[test ]", [False, False, False, False]),
        ("ensembles/pooled/pool.py", "time.perf_counter() - start", "time.perf_counter() - start + 0", [True, True, False, False]),
        ("plots/heatmap.py", "0.65", "0.66", [False, False, False, False]),
    ]:  # fmt: skip
        edit(root / file, old, new)
        after = all_of_them()
        assert [a != b for a, b in zip(after, before, strict=True)] == expected, file
        before = after


def test_an_extension_module_is_the_sources_of_its_folder(copy):
    root, digest = copy
    folder = root / "trees" / "kernel"
    (folder / "small.pyx").write_text("from rotastack.trees.kernel.smaller cimport one\n")
    (folder / "smaller.pxd").write_text("cdef inline int one() noexcept nogil:\n    return 1\n")
    (root / "trees" / "using.py").write_text("from rotastack.trees.kernel import small\n")
    assert "rotastack.trees.kernel.small" in closure(["rotastack.trees.using"])
    for file, old in [("smaller.pxd", "return 1"), ("small.pyx", "cimport one")]:
        before = digest("rotastack.trees.using")
        edit(folder / file, old, f"{old} + 1")
        assert digest("rotastack.trees.using") != before


def test_library_versions_count(copy, monkeypatch):
    _, digest = copy
    before = digest("rotastack.seeds")
    monkeypatch.setattr(module, "version", lambda name: "99")
    assert digest("rotastack.seeds") != before


def test_another_version_reruns_the_pools_of_its_package_alone(monkeypatch):
    """Of a package that the steps do not import by themselves."""
    fingerprint.cache_clear()
    module._version.cache_clear()
    pools = [
        pool("catboost.CatBoostClassifier"),
        pool("forest"),
        pool("bagging", {"estimator": {"class": "catboost.CatBoostClassifier"}}),
    ]
    versions = {"catboost": "1.0"}
    known = module.version
    monkeypatch.setattr(module, "_distributions", lambda: {"catboost": ["catboost"]})
    monkeypatch.setattr(module, "version", lambda name: versions.get(name) or known(name))
    before = [fingerprint(*TRAIN, *modules) for modules in pools]
    versions["catboost"] = "2.0"
    fingerprint.cache_clear()
    module._version.cache_clear()
    after = [fingerprint(*TRAIN, *modules) for modules in pools]
    assert [a != b for a, b in zip(after, before, strict=True)] == [True, False, True]
    monkeypatch.undo()
    fingerprint.cache_clear()
    module._version.cache_clear()


def test_a_package_that_is_not_there_has_a_fingerprint_too():
    assert fingerprint(*pool("nowhere.at_all.Classifier")) != fingerprint(*pool("forest"))


def test_a_new_short_name_changes_neither_slices_nor_fingerprints(copy, monkeypatch):
    root, digest = copy
    before = digest(*TRAIN, *pool("forest")), pool_slice("forest")
    edit(
        root / "study" / "catalogue.py",
        '    "forest": Entry(',
        '    "wood": Entry("rotastack.trees.tree.TreeClassifier"),\n    "forest": Entry(',
    )
    monkeypatch.setitem(ESTIMATORS, "wood", ESTIMATORS["tree"])
    assert (digest(*TRAIN, *pool("forest")), pool_slice("forest")) == before
    assert pool_slice("wood")["estimator"] == "rotastack.trees.tree.TreeClassifier"


COMPONENTS = [
    ("train", pool("boosted", view="rotation")),
    ("train", pool("forest")),
    ("combine", combiner(kind="stacking", estimator="forest")),
    ("combine", combiner(kind="vote")),
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
    questions = [[name] for name in STEPS.values()] + [[STEPS[s], *names] for s, names in COMPONENTS]
    run = subprocess.run(
        [sys.executable, "-c", IMPORT], input=json.dumps(questions), capture_output=True, text=True, check=True
    )
    return dict(zip(map(tuple, questions), map(set, json.loads(run.stdout.splitlines()[-1])), strict=True))


LAZY = {
    **{key: {"rotastack.base.scikit"} for key in ("fetch", "prepare")},
    "track": {"rotastack.tracking.model_files", "rotastack.data.raw"},
}
"""Step -> modules that it imports only when it needs them."""


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_the_closure_is_what_the_step_really_imports(loaded, step):
    """Importing the step loads exactly the modules that are hashed."""
    modules = (STEPS[step],)
    hashed = set(closure(modules))
    assert loaded[modules] - {ESTIMATES} <= hashed
    assert hashed - loaded[modules] <= set(closure(LAZY.get(step, ())))


@pytest.mark.slow
@pytest.mark.parametrize(("step", "names"), COMPONENTS)
def test_the_closure_with_components(loaded, step, names):
    modules = (STEPS[step], *names)
    assert loaded[modules] - {ESTIMATES} == set(closure(modules))


def test_an_edit_of_a_users_own_module_is_seen(tmp_path, monkeypatch):
    """No distribution brings it, so its files count."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine_alone.py").write_text("A = 1\n")
    found = [module._sources("mine_alone")]
    (tmp_path / "mine_alone.py").write_text("A = 2\n")
    found.append(module._sources("mine_alone"))
    assert len(set(found)) == 2
    assert "" not in found
    fingerprint.cache_clear()
    module._version.cache_clear()
    assert module._version("mine_alone") == found[1]
    assert module._version("mine_nowhere") == "absent"


@pytest.mark.parametrize("name", ["quickstart", "drmf", "rotation_weights", "rotation_stacking"])
def test_states_have_the_modules_of_every_fingerprint(name, monkeypatch):
    study = plan_of(name, None).study
    asked = set()
    monkeypatch.setattr(codes, "fingerprint", lambda *modules: asked.update(modules))
    of_study = codes.Codes(study)
    for step in STEPS:
        of_study.step(step)
    for call in (of_study.groups, of_study.score, of_study.refit):
        call()
    for call, names in (
        (of_study.fetch, study.datasets),
        (of_study.rotations, [view.key for view in study.drawn_views]),
        (of_study.train, study.pools),
        (of_study.combine, study.methods),
    ):
        for one in names:
            call(one)
    assert set(closure(asked)) <= set(of_study.states())
