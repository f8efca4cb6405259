"""Some of a forest's trees, without what only the others used."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from rotastack import MultiRotationForestClassifier, RandomRotationForestClassifier, RotationForestClassifier
from rotastack.trees import ForestClassifier


@pytest.mark.parametrize(
    "forest",
    [
        ForestClassifier(12, max_depth=2, random_state=0),
        RandomRotationForestClassifier(12, n_trees_per_rotation=3, random_state=0),
        RotationForestClassifier(12, n_subsets=3, categorical_features=[0, 5], random_state=0),
        MultiRotationForestClassifier(4, 12, random_state=0),
    ],
    ids=lambda f: type(f).__name__,
)
def test_the_same_votes_in_less_room(forest):
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
    assert small.views.matrices.size <= few.views.matrices.size
    if isinstance(forest, RotationForestClassifier):
        assert small.views.matrices.size == trees.views.matrices.size / 4
    if isinstance(forest, RandomRotationForestClassifier):
        assert len(small.views) == 3  # of four: trees 7, 2 and 3 stand on rotations 2, 0 and 1
        assert small.views.matrices.size == trees.views.matrices.size * 3 / 4
