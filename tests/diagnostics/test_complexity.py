import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from rotastack.diagnostics import tree_complexity
from rotastack.diagnostics.complexity import oob_error
from rotastack.trees import ForestClassifier


def test_stump_by_hand():
    tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    assert {k: v.tolist() for k, v in tree_complexity(tree).items()} == {"n_nodes": [3], "n_leaves": [2], "depth": [1]}


def test_all_kinds_of_trees(iris):
    X, y = iris
    for model in (
        RandomForestClassifier(4, random_state=0),
        ForestClassifier(4, random_state=0),
        XGBClassifier(n_estimators=2),
    ):
        counts = tree_complexity(model.fit(X, y))
        n_trees = 6 if isinstance(model, XGBClassifier) else 4
        assert len(counts["n_nodes"]) == n_trees
        assert (counts["n_nodes"] == 2 * counts["n_leaves"] - 1).all()  # binary trees
        assert (counts["depth"] >= 1).all()
    assert tree_complexity(LogisticRegression(max_iter=1000).fit(X, y)) is None


def test_pipelines_have_no_trees(iris):
    X, y = iris
    inner = make_pipeline(make_pipeline(StandardScaler()), LogisticRegression())
    assert tree_complexity(inner.fit(X, y)) is None
    assert tree_complexity(BaggingClassifier(inner, 2).fit(X, y)) is None


def test_oob_error_agrees_with_scikit_learn(iris):
    X, y = iris
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    assert oob_error(forest, y) == pytest.approx(1 - forest.oob_score_)
    assert np.isnan(oob_error(LogisticRegression(), y))
