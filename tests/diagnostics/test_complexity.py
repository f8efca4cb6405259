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


@pytest.mark.parametrize(
    ("model", "n_trees"),
    [
        (RandomForestClassifier(4, random_state=0), 4),
        (ForestClassifier(4, random_state=0), 4),
        (XGBClassifier(n_estimators=2), 6),
    ],
)
def test_all_kinds_of_trees(iris, model, n_trees):
    X, y = iris
    counts = tree_complexity(model.fit(X, y))
    assert len(counts["n_nodes"]) == n_trees
    assert (counts["n_nodes"] == 2 * counts["n_leaves"] - 1).all()  # binary trees
    assert (counts["depth"] >= 1).all()


def test_others_have_no_trees(iris):
    X, y = iris
    inner = make_pipeline(make_pipeline(StandardScaler()), LogisticRegression())
    for model in (LogisticRegression(max_iter=1000), inner, BaggingClassifier(inner, 2)):
        assert tree_complexity(model.fit(X, y)) is None


def test_oob_error_agrees_with_scikit_learn(iris):
    X, y = iris
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    assert oob_error(forest, y) == pytest.approx(1 - forest.oob_score_)
    assert np.isnan(oob_error(LogisticRegression(), y))
