"""Model files with types of modules to which their reader consents."""

import os
import re
import sys
from importlib import import_module
from zipfile import ZipFile

import pytest
import skops.io
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from tests.refusals import refusal
from tests.tracking.test_model_files import hostile, rewritten

from rotastack.workflow.tracking.model_files import dump_model, load_model

MINE = """
from os import mkdir
from sklearn.naive_bayes import GaussianNB

class Bayes(GaussianNB):
    pass

def squared(X):
    return X**2

nameless = lambda X: X
"""
"""A user's module: classes and functions of its own, and of others."""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Return a function that gives a user's module, by its name; modules hold the same code."""
    for name in ("mine", "mine.sub", "minefield"):
        (folder := tmp_path / name.replace(".", "/")).mkdir()
        (folder / "__init__.py").write_text(MINE)
        monkeypatch.delitem(sys.modules, name, raising=False)  # of other tests
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module
    for name in ("mine", "mine.sub", "minefield"):
        sys.modules.pop(name, None)


def own_model(module):
    X, y = load_iris(return_X_y=True)
    return make_pipeline(FunctionTransformer(module.squared), module.Bayes()).fit(X, y)


@pytest.mark.parametrize(
    ("name", "trusted", "is_read"),
    [
        ("mine", ["mine"], True),
        ("mine.sub", ["mine"], True),
        ("mine.sub", ["absent", "mine.sub"], True),
        ("mine", [], False),
        ("mine", ["min", "mine.sub"], False),
        ("minefield", ["mine"], False),  # the beginning of a name is another name
    ],
)
def test_types_of_a_module_are_kept_and_read_by_consent_alone(name, trusted, is_read, mine, tmp_path):
    X = load_iris().data
    model, path = own_model(mine(name)), tmp_path / "model.skops"
    if is_read:
        dump_model(model, path, trusted)
        assert (load_model(path, trusted).predict_proba(X) == model.predict_proba(X)).all()
        trusted = []
    else:
        skops.io.dump(model, path)
    del sys.modules[name]
    top = name.partition(".")[0]
    words = rf"^[^\n]*model.skops: [^\n]* types: {name}.Bayes, {name}.squared; [^\n]*`trusted: \[{top}\]`[^\n]* --trust {top} to"
    assert re.search(words, refusal(load_model, path, trusted))
    assert name not in sys.modules, "no code of the module has run"


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("mkdir", "mine.mkdir is no class or function at the top level of its module"),
        ("GaussianNB", "mine.GaussianNB is no"),  # of another package
        ("os.mkdir", "mine.os.mkdir cannot be imported"),
    ],
)
def test_a_trusted_module_gives_no_more_than_its_own(kind, named, mine, tmp_path):
    """A file that names, in a trusted module, objects which the module has from elsewhere."""
    path = hostile(mine("mine").squared, tmp_path / "model.skops")
    with ZipFile(path) as archive:
        schema = archive.read("schema.json").decode()
    rewritten(path, "schema.json", schema.replace('"squared"', f'"{kind}"'))
    assert re.search(rf"model.skops: {re.escape(named)}", refusal(load_model, path, ["mine"]))


def test_what_cannot_be_read_back_is_not_written(mine, tmp_path):
    assert r"model.skops: mine.<lambda> is no class or function at the top" in refusal(
        dump_model, GaussianNB(priors=mine("mine").nameless), tmp_path / "model.skops", ["mine"]
    )
    assert not (tmp_path / "model.skops").exists()


@pytest.mark.parametrize(
    ("code", "why"), [("import gone", "No module named 'gone'"), ("raise OSError('no\\ndisk')", "no disk")]
)
def test_a_trusted_module_that_cannot_be_imported_is_one_line(code, why, mine, tmp_path):
    dump_model(own_model(mine("mine")), tmp_path / "model.skops", ["mine"])
    del sys.modules["mine"]
    (tmp_path / "mine/__init__.py").write_text(code + "\n" + "#" * len(MINE))
    assert re.search(
        rf"model.skops: mine.Bayes cannot be imported: {why}; a command finds",
        refusal(load_model, tmp_path / "model.skops", ["mine"]),
    )


@pytest.mark.parametrize("name", ["os", "builtins", "functools", "__main__", "rotastack.workflow", "a b", "mine.", ""])
def test_modules_that_run_commands_are_never_trusted(name, tmp_path):
    path = hostile(0, tmp_path / "model.skops")
    assert re.search(
        rf"^'{name}' cannot be trusted; name a module of your own", refusal(load_model, path, ["mine", name])
    )


def test_no_consent_is_advised_where_none_helps(mine, tmp_path):
    model = own_model(mine("mine"))
    model.other_ = os.system
    skops.io.dump(model, tmp_path / "model.skops")
    for trusted, named in [([], "mine.Bayes, mine.squared, posix.system"), (["mine"], "posix.system")]:
        assert re.search(f"types: {named}$", refusal(load_model, tmp_path / "model.skops", trusted))
