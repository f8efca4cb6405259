import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from rotastack.trees import ForestClassifier
from rotastack.trees.growing import n_candidates


def test_accuracy_as_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    differences = []
    for seed in range(6):
        rows = np.random.default_rng(seed).permutation(len(y))
        train, test = rows[:300], rows[300:]
        ours = ForestClassifier(60, random_state=seed).fit(X[train], y[train]).score(X[test], y[test])
        theirs = RandomForestClassifier(60, random_state=seed).fit(X[train], y[train]).score(X[test], y[test])
        differences.append(ours - theirs)
    assert abs(np.mean(differences)) < 0.02


def test_out_of_bag_rows_are_really_out_of_bag():
    """With labels that are noise, out-of-bag accuracy is chance while training accuracy is perfect."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
    forest = ForestClassifier(80, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.95
    assert 0.35 < forest.oob_score_ < 0.65


def test_rows_never_out_of_bag_are_missing():
    forest = ForestClassifier(1, random_state=0).fit(np.eye(6), [0, 0, 0, 1, 1, 1])
    in_bag = np.isnan(forest.oob_proba_).all(axis=1)
    assert in_bag.any()
    assert not in_bag.all()


@pytest.mark.parametrize(
    ("value", "expected"), [(None, 9), ("sqrt", 3), ("log2", 3), (4, 4), (0.5, 4), (1.0, 9)]
)
def test_max_features(value, expected):
    assert n_candidates(value, 9) == expected


def test_too_many_features_are_refused():
    with pytest.raises(ValueError, match="max_features is 5, but there are 2 columns"):
        ForestClassifier(max_features=5).fit([[0, 1], [1, 0]], [0, 1])
