"""The fingerprint follows what code does, and nothing else."""

import importlib
import json
import time

import grimp
import pytest
from tests.cli.conftest import refused
from tests.edits import edited
from tests.quick import first
from tests.refusals import refusal

from rotastack.cli import main
from rotastack.workflow.run import fingerprint as module
from rotastack.workflow.run.fingerprint import COMPUTING, ROOT, check_code, code_of, fingerprint, states
from rotastack.workflow.run.modules import PROTOCOLS, STEPS
from rotastack.workflow.study.building import REFITTED
from rotastack.workflow.study.catalogue import ESTIMATORS, PRUNERS, REGRESSORS, VIEWS, public_modules


def forget():
    for cached in (
        module._sources,
        module._read,
        module._installed,
        module._own_code,
        module._distributions,
        fingerprint,
    ):
        cached.cache_clear()


CLASSES = {
    entry.path.rpartition(".")[0] for names in (ESTIMATORS, REGRESSORS, VIEWS, PRUNERS) for entry in names.values()
}
CLASSES |= {
    m for m in public_modules().values() if m.split(".")[1] in ("views", "trees", "linear", "combine", "ensembles")
}
CLASSES = sorted(name for name in CLASSES if name.startswith("rotastack."))
USED = [
    *([name] for name in STEPS.values()),
    *([STEPS["train"], name] for name in PROTOCOLS.values()),
    *([STEPS["combine" if ".combine." in name else "train"], name] for name in CLASSES),
    *([STEPS["refit"], name] for name in REFITTED.values()),
    [STEPS["combine"], "rotastack.workflow.run.pruned"],
]
"""What a job may import: its step, the module of its protocol, the classes that a study names."""


def upstream(graph, modules):
    """Return modules and all that they import."""
    return {name for module in modules for name in (module, *graph.find_upstream_modules(module))}


def test_the_files_of_a_fingerprint_are_those_that_its_modules_import():
    """As another program finds them: late imports, too, and none for type checkers alone."""
    graph = grimp.build_graph(
        "rotastack", include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None
    )
    sources = {name for name in graph.modules if name.startswith("rotastack.data.sources.")}
    for modules in USED:
        named = {*modules, *(sources if "rotastack.data.registry" in upstream(graph, modules) else ())}
        behind = upstream(graph, named)
        files = {f"{name.partition('.')[2].replace('.', '/')}.py" for name in behind if name.startswith("rotastack.")}
        expected = {file for file in files if (ROOT / file).is_file()} | behind & COMPUTING.keys()
        found = {name for name in states(*modules) if not name.startswith("trees/kernel/")}
        assert found == expected, modules
        kernel = any("from rotastack.trees.kernel" in (ROOT / file).read_text() for file in found - COMPUTING.keys())
        assert kernel == ("trees/kernel/splitting.pxd" in states(*modules)), modules


@pytest.mark.parametrize(
    ("text", "is_seen"),
    [
        ("A = 2\n", True),
        ('"""Mine."""\nA = 1\n\n\n# a class may follow\n', False),
        ("A = 1\nclass B: pass\n", True),
        ("A = (\n", True),
        ("# -*- coding: latin-1 -*-\n# \u00e9\nA = 1\n", False),
    ],
)
@pytest.mark.parametrize("place", ["mine_alone.py", "mine_alone/__init__.py"])
def test_an_edit_of_a_users_own_module_is_seen_but_no_comment(tmp_path, monkeypatch, text, is_seen, place):
    """No distribution brings it, so the code in its files counts."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / place).parent.mkdir(exist_ok=True)
    found = []
    for body in ("A = 1\n", text):
        (tmp_path / place).write_text(body, encoding="latin-1")
        forget()
        importlib.invalidate_caches()
        found.append(module.states("mine_alone")["mine_alone"])
    assert (len(set(found)) == 2) is is_seen
    assert module.states("mine_nowhere")["mine_nowhere"] == "absent"


# Code that changes during a run


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return a function that writes a file of the user's folder, later than all files before."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        time.sleep(0.02)  # a tick of the file system's clock
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        importlib.invalidate_caches()

    forget()
    yield write
    forget()


MINE = "from mine_to_edit_helper import A\n\n\nclass Mine:\n    a = A\n"
TOLD = {"protocol": "nested", "pool": {"estimator": "mine_to_edit.Mine"}}


@pytest.fixture
def planned(own):
    """The fingerprint of the training of an own class, whose module imports another own one, and a package with a third."""
    own("mine_to_edit.py", MINE)
    own("mine_to_edit_helper/__init__.py", "from mine_to_edit_helper.deep import B\nimport mine_to_edit\nA = B\n")
    own("mine_to_edit_helper/deep.py", "B = 1\n")
    own("mine_to_edit_other.py", "C = 1\n")
    return code_of("train", TOLD)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("mine_to_edit.py", f"{MINE}    b = 1\n"),
        ("mine_to_edit.py", "class Mine:\n    a = 1\n"),  # a module is imported no more
        ("mine_to_edit_helper/__init__.py", "A = 2\n"),
        ("mine_to_edit_helper/deep.py", "B = 2\n"),
    ],
)
def test_an_own_module_that_changes_after_the_plan_is_named(own, planned, file, text):
    check_code("train", TOLD, planned)
    own(file, text)
    assert refusal(check_code, "train", TOLD, planned) == f"{file} changed during the run; repeat the command"
    assert code_of("train", TOLD) != planned


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("from rotastack.views import RandomRotation", ["views/rotation.py", "views/subspace.py"]),
        (
            "from rotastack import RotationForestClassifier",
            ["ensembles/forests/rotation.py", "views/rotation.py", "views/subspace.py"],
        ),
        ("from rotastack.views.rotation import RandomRotation", ["views/rotation.py"]),
    ],
)
def test_an_edit_of_ours_counts_for_own_classes_that_import_it(own, planned, line, seen):
    own("mine_to_edit_helper/deep.py", f"{line}\nB = 1\n")
    forget()
    before = code_of("train", TOLD)
    for file in ("views/rotation.py", "views/subspace.py", "ensembles/forests/rotation.py"):
        with edited(file):
            assert (code_of("train", TOLD) != before) == (file in seen), file


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("mine_to_edit.py", f'"""Mine."""\n# a comment\n{MINE}'),
        ("mine_to_edit_helper/deep.py", "B = 1  # the second letter\n"),
        ("mine_to_edit_other.py", "C = 2\n"),  # nobody imports it
    ],
)
def test_comments_and_modules_that_are_not_used_may_change_during_a_run(own, planned, file, text):
    own(file, text)
    check_code("train", TOLD, planned)


def test_a_file_of_the_package_that_changes_after_the_plan_is_named(own, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "ROOT", tmp_path / "src")
    for name in ("combine/stacking", "combine/voting", "combine/__init__", "plots/cells"):
        own(f"src/{name}.py", "class A:\n    B = 1\n")
    own("src/workflow/run/steps/combine.py", "from rotastack.combine import stacking, voting\n")
    told = {"protocol": "nested", "combiner": {"kind": "vote"}}
    planned = code_of("combine", told)
    own("src/plots/cells.py", "A = 2\n")
    own("src/combine/voting.py", '"""A module."""\n# letters\nclass A:\n    """Words."""\n\n    B = (1)\n')
    own("src/combine/__init__.py", "names = ()\n")
    check_code("combine", told, planned)
    own("src/combine/stacking.py", "class A:\n    B = 2\n")
    said = refusal(check_code, "combine", told, planned)
    assert said == "src/combine/stacking.py changed during the run; repeat the command"
    own("src/combine/stacking.py", "class A:\n    B = 1\n")
    check_code("combine", told, planned)


def test_a_step_of_other_code_than_planned_is_refused_before_it_works(own, planned, capsys):
    arguments = ["step", "train", "--slice", json.dumps(TOLD), "--key"]
    own("mine_to_edit.py", f"{MINE}    b = 1\n")
    line = refused(capsys, *arguments, f"0123-{planned}")
    assert line == "mine_to_edit.py changed during the run; repeat the command"
    line = refused(capsys, *arguments, f"0123-{code_of('train', TOLD)}")
    assert "changed during the run" not in line, "the slice is none"


def test_code_that_changes_while_a_step_works_is_refused_after_it(own, planned, capsys, monkeypatch):
    """What the step has imported may be the code of the edit."""
    train = importlib.import_module(STEPS["train"])
    monkeypatch.setattr(train, "run", lambda job: own("mine_to_edit_helper/deep.py", "B = 2\n"))
    line = refused(capsys, "step", "train", "--slice", json.dumps(TOLD), "--key", f"0123-{planned}")
    assert line == "mine_to_edit_helper/deep.py changed during the run; repeat the command"
    assert main(["step", "train", "--slice", json.dumps(TOLD)]) == 0, "without a key nothing is checked"


@pytest.mark.parametrize(
    ("origin", "is_editable"),
    first(
        2,
        [
            ({"url": "file:///x", "dir_info": {"editable": True}}, True),
            (None, False),
            ({"url": "file:///x", "dir_info": {"editable": False}}, False),
            ({"url": "file:///x", "dir_info": {}}, False),
            ({"url": "https://x/x.whl", "archive_info": {}}, False),
        ],
    ),
)
def test_an_installed_package_counts_by_its_version_and_an_editable_one_by_its_files(own, origin, is_editable):
    about = "Metadata-Version: 2.1\nName: mine-installed\nVersion: {}\n"
    own("mine_installed-1.dist-info/RECORD", "mine_installed.py,,\n")
    if origin is not None:
        own("mine_installed-1.dist-info/direct_url.json", json.dumps(origin))
    found = []
    for version, text in (("1.0", "A = 1\n"), ("2.0", "# letters\nA = 1\n"), ("2.0", "A = 2\n")):
        own("mine_installed-1.dist-info/METADATA", about.format(version))
        own("mine_installed.py", text)
        forget()
        found.append(module.states("mine_installed")["mine_installed"])
    assert (found == ["1.0", "2.0", "2.0"]) is not is_editable
    assert (found[0] == found[1] != found[2]) is is_editable
