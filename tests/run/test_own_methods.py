"""Methods of the user's own choice on an own table, and the tables and groups that scikit-learn takes, too."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tests.refusals import refusal

from rotastack import compare_methods
from rotastack.cli import main
from rotastack.workflow.study.building import build, described

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)


def compared(table=X, methods=("Random forest", "sklearn.naive_bayes.GaussianNB"), **options):
    return compare_methods(table, Y, methods=list(methods), n_jobs=1, **options)


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(C=2.0, kernel="linear"),
        make_pipeline(StandardScaler(with_mean=False), KNeighborsClassifier(3, leaf_size=np.int64(9))),
    ],
)
def test_a_described_estimator_is_built_again(estimator):
    spec = described(estimator, "methods")
    made = build(spec["class"], spec["parameters"])
    assert type(made) is type(estimator)
    np.testing.assert_array_equal(made.fit(X, Y).predict(X), clone(estimator).fit(X, Y).predict(X))


def test_estimators_and_classes_are_methods_with_names():
    mine = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    found = compared(methods=["Random forest", SVC(C=2.0), ("mine", mine), "sklearn.naive_bayes.GaussianNB"])
    assert set(found.table.index) == {"Random forest", "SVC", "mine", "GaussianNB"}
    assert "mine" in " ".join(found.verdict)
    assert len(found.scores.query("method == 'mine'")["error"]) == StratifiedKFold(3).get_n_splits()
    assert re.search(
        "methods: <function .* cannot be written into a study",
        refusal(compared, methods=["Random forest", SVC(kernel=lambda a, b: a @ b.T)]),
    )
    assert re.search(r"leaves 1 of \d+ methods", refusal(compared, methods=[SVC()]))


def test_a_class_that_is_missing_is_named():
    verdict = compared(methods=["Random forest", "sklearn.svm.SVX"]).verdict
    assert any("module sklearn.svm has no class 'SVX'" in sentence for sentence in verdict)


def test_integer_names_are_read_as_text():
    frame = pd.DataFrame(X)
    found, named = compared(frame), compared(frame.set_axis(["0", "1", "2"], axis=1))
    assert found.verdict == named.verdict
    np.testing.assert_array_equal(
        found.best_estimator_.predict(frame), named.best_estimator_.predict(frame.rename(columns=str))
    )


@pytest.mark.parametrize("kind", [np.asarray, lambda g: pd.Series(g, name="person"), list])
def test_groups_are_an_array_or_a_column(kind):
    groups = np.arange(90) // 6
    by_column = compared(pd.DataFrame(X, columns=["x1", "x2", "x3"]).assign(groups=groups), groups="groups")
    found = compared(groups=kind(groups))
    pd.testing.assert_frame_equal(found.table, by_column.table)
    assert found.best_estimator_.predict(X).shape == (90,)
    assert re.search(r"groups has the shape \(3,\); one value for each of 90 rows", refusal(compared, groups=[1, 2, 3]))


def test_more_than_a_hundred_classes_leave_boosters_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    centres = RNG.normal(size=(120, 4))
    table = pd.DataFrame(np.repeat(centres, 5, axis=0) + RNG.normal(size=(600, 4))).add_prefix("x")
    table.assign(species=np.repeat([f"s{k}" for k in range(120)], 5)).to_csv("species.csv", index=False)
    assert main(["run", "species.csv", "--target", "species", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert (
        "left out  HistGradientBoosting grows a tree for each of 120 classes in each round (--methods names it)" in said
    )
    methods = "Rotastack, HistGradientBoosting"
    assert main(["run", "species.csv", "--target", "species", "--methods", methods, "--dry-run"]) == 0
    assert "left out" not in capsys.readouterr().out
