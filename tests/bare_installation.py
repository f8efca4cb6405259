"""Test of an installation without extras: a script that uses every public name and checks the messages for missing extras."""

import contextlib
import importlib
import inspect
import io
import sys
import warnings

PACKAGES = ("views", "trees", "linear", "combine", "combine.pruning", "diagnostics", "resampling", "stats", "data")
NEED_MORE = {"load_dataset": "workflow"}
"""Public name -> the extra without which it cannot be had."""
TRAINED = tuple(f"rotastack.{name}." for name in ("ensembles", "views", "trees", "linear"))
"""Packages of estimators that are trained on a table."""
FEW = ("n_estimators", "trees_per_family", "trees_per_rotation", "n_trees_per_rotation", "n_trees")
COMMANDS = {
    "run quickstart": "workflow",
    "run table.csv --target y": "workflow",
    "datasets": "workflow",
    "methods": "workflow",
    "ui": "workflow",
}


def line_of(action):
    """Return the message of an action that needs an extra."""
    try:
        action()
    except ImportError as error:
        text = str(error)
    else:
        raise AssertionError("an extra is installed here")
    assert "\n" not in text
    return text


def names():
    """Import every public name; yield the available names."""
    import rotastack

    exec("from rotastack import *", {})
    for package in (rotastack, *(importlib.import_module(f"rotastack.{name}") for name in PACKAGES)):
        for name in package.__all__:
            if name in NEED_MORE:
                told = line_of(lambda package=package, name=name: getattr(package, name))
                assert told.endswith(f"pip install 'rotastack[{NEED_MORE[name]}]'"), told
            else:
                yield getattr(package, name)


def train(kind, X, y):
    """Train an estimator with few members and predict; return whether the class is an estimator."""
    from sklearn.base import BaseEstimator, is_classifier, is_regressor

    if not (
        inspect.isclass(kind)
        and kind.__module__.startswith(TRAINED)
        and issubclass(kind, BaseEstimator)
        and hasattr(kind, "fit")
    ):
        return False
    known = inspect.signature(kind).parameters
    ours = hasattr(kind, "predict") or hasattr(kind, "transform")
    if not ours or any(p.default is p.empty for p in known.values()):
        return False
    given = {name: 300 if "Regularized" in kind.__name__ else 2 for name in FEW if name in known}
    if "engine" in known:
        told = line_of(lambda: kind(**given).fit(X, y))
        assert "pip install 'rotastack[boosting]', or set engine='histogram'" in told, told
        given["engine"] = "histogram"
    one = kind(**given)
    one.fit(X, 2.0 * y - 1 if is_regressor(one) else y)
    (one.predict if is_classifier(one) or is_regressor(one) else one.transform)(X)
    return True


def main():
    """Run all tests; print the numbers of tests."""
    warnings.simplefilter("ignore")
    found = list(names())
    assert "matplotlib" not in sys.modules

    import numpy as np

    from rotastack.cli import main as command

    X = np.random.default_rng(0).normal(size=(60, 4))
    trained = sum(train(kind, X, (X[:, 0] > 0).astype(int)) for kind in dict.fromkeys(found))
    told = line_of(lambda: importlib.import_module("rotastack.plots.bars"))
    assert told == "matplotlib is not installed; run: pip install 'rotastack[plots]'"
    told = line_of(lambda: importlib.import_module("rotastack").compare_methods(X, X[:, 0]))
    assert told.endswith("pip install 'rotastack[workflow]'"), told
    for words, extra in COMMANDS.items():
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = command(words.split())
        assert (code, said.getvalue().count("\n")) == (2, 1), (words, said.getvalue())
        assert said.getvalue().endswith(f"pip install 'rotastack[{extra}]'\n"), said.getvalue()
    print(f"{len(found)} public names, {trained} estimators, {len(COMMANDS)} commands")


if __name__ == "__main__":
    main()
