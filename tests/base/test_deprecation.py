"""Old names work for two releases, and say what to write."""

import re
import warnings
from pathlib import Path
from typing import ClassVar

import pytest
from packaging.version import Version
from sklearn.base import BaseEstimator, clone
from sklearn.utils import deprecated

import rotastack
from rotastack.base.deprecation import DEPRECATED, renamed_arguments, renamed_parameter
from rotastack.base.scikit import fit_context

PROMISE = re.compile(r"goes in (\d+\.\d+)|until=\"(\d+\.\d+)\"")


class Forest(BaseEstimator):
    """Trees, whose number was called ``size``."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, n_estimators=10, size=DEPRECATED):
        self.n_estimators = n_estimators
        self.size = size

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self):
        self.grown_ = renamed_parameter(self, "size", "n_estimators", until="0.3")
        return self


@deprecated("`Wood` is now `Forest`, and goes in 0.3")
class Wood(Forest):
    """The same under its old name."""

    def __init__(self, n_estimators=10, size=DEPRECATED):
        super().__init__(n_estimators, size)


@renamed_arguments(until="0.3", folds="n_folds")
def split(rows, n_folds=5):
    """Return what was given."""
    return rows, n_folds


def test_a_renamed_parameter_of_an_estimator_is_taken_with_a_warning():
    with pytest.warns(FutureWarning, match="'size' of Forest is now 'n_estimators', and goes in 0.3") as said:
        assert clone(Forest(size=3)).fit().grown_ == 3
    assert said[0].filename.endswith("test_deprecation.py")
    with pytest.warns(FutureWarning):
        assert Forest().set_params(size=4).fit().grown_ == 4


def test_its_new_name_is_taken_without_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clone(Forest(n_estimators=7)).fit().grown_ == 7
        assert split(2, n_folds=3) == (2, 3)


def test_a_renamed_argument_of_a_function_is_taken_with_a_warning():
    with pytest.warns(FutureWarning, match="'folds' of split is now 'n_folds', and goes in 0.3") as said:
        assert split(2, folds=4) == (2, 4)
    assert said[0].filename == __file__
    with pytest.raises(TypeError, match="both are given"):
        split(2, folds=4, n_folds=4)


def test_a_renamed_class_works_by_scikit_learns_decorator():
    with pytest.warns(FutureWarning, match="`Wood` is now `Forest`"):
        assert isinstance(Wood(3).fit(), Forest)


def overdue(text, version):
    """Return the releases up to `version` in which a text has promised that something goes."""
    return [one for found in PROMISE.findall(text) for one in found if one and Version(one) <= Version(version)]


def test_what_was_to_go_by_this_release_is_gone():
    assert overdue('renamed_arguments(until="0.3", a="b")', "0.3.0") == ["0.3"]
    assert overdue('renamed_arguments(until="0.3", a="b")', "0.2.9") == []
    for file in Path(rotastack.__file__).parent.rglob("*.py"):
        if file.name != "deprecation.py":  # shows how it is written
            assert not overdue(file.read_text(encoding="utf-8"), rotastack.__version__), file
