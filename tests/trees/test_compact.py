"""Some of a forest's trees, without what only the others used."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from rotastack import MultiRotationForestClassifier, RandomRotationForestClassifier, RotationForestClassifier
from rotastack.trees import ForestClassifier


@pytest.mark.parametrize(
    ("forest", "share"),
    [
        (ForestClassifier(12, max_depth=2, random_state=0), 1),
        # Trees 7, 2 and 3 stand on rotations 2, 0 and 1 of four.
        (RandomRotationForestClassifier(12, n_trees_per_rotation=3, random_state=0), 3 / 4),
        (RotationForestClassifier(12, n_subsets=3, categorical_features=[0, 5], random_state=0), 1 / 4),
        (MultiRotationForestClassifier(4, 12, random_state=0), 1),
    ],
    ids=lambda f: type(f).__name__,
)
def test_the_same_votes_in_less_room(forest, share):
    X, y = load_wine(return_X_y=True)
    trees = forest.fit(X, y).forest_
    rows = forest._checked(X)
    chosen = np.array([7, 2, 3])
    few = trees.take(chosen)
    small = few.compact()
    np.testing.assert_array_equal(small.votes(rows), trees.votes(rows)[:, chosen])
    np.testing.assert_array_equal(small.outputs(rows), trees.outputs(rows)[chosen])
    np.testing.assert_array_equal(small.importances(), few.importances())
    assert len(small.values) <= len(few.values)
    assert small.views.matrices.size == share * trees.views.matrices.size
