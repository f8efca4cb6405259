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
    counts = tree_complexity(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    assert counts == {"n_nodes": [3], "n_leaves": [2], "depth": [1]}


@pytest.mark.parametrize(
    ("model", "n_trees"),
    [
        (RandomForestClassifier(4, random_state=0), 4),
        (ForestClassifier(4, random_state=0), 4),
        (XGBClassifier(n_estimators=2), 6),
    ],
)
def test_all_kinds_of_trees(iris, model, n_trees):
    counts = tree_complexity(model.fit(*iris))
    assert len(counts["depth"]) == n_trees
    assert (counts["n_nodes"] == 2 * counts["n_leaves"] - 1).all()  # binary trees


INNER = make_pipeline(make_pipeline(StandardScaler()), LogisticRegression())


@pytest.mark.parametrize("model", [LogisticRegression(max_iter=1000), INNER, BaggingClassifier(INNER, 2)])
def test_others_have_no_trees(iris, model):
    assert tree_complexity(model.fit(*iris)) is None


def test_oob_error_agrees_with_scikit_learn(iris):
    X, y = iris
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    assert oob_error(forest, y) == pytest.approx(1 - forest.oob_score_)
    assert np.isnan(oob_error(LogisticRegression(), y))
