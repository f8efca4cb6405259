"""Every way in: other memory layouts and types of the same numbers give the same trees."""

import numpy as np
import pytest

from rotastack.trees import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    C45Classifier,
    ExtraForestClassifier,
    ForestClassifier,
    ForestRegressor,
    LinearViews,
    TreeGroup,
    TreeOptions,
    grow_forest,
)
from rotastack.trees.members import grow_members


def read_only(X):
    X = X.copy()
    X.setflags(write=False)
    return X


def unaligned(X):
    raw = np.empty(X.nbytes + 1, np.uint8)[1:].view(X.dtype).reshape(X.shape)
    raw[...] = X
    return raw


LAYOUTS = {
    "by column": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "float16": lambda X: X.astype(np.float16),
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "read-only": read_only,
    "not aligned": unaligned,
    "lists": lambda X: X.tolist(),
}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5)).astype(np.float16).astype(float)  # numbers that all types can hold
    return X, rng.integers(0, 3, 200), rng.random(200)


@pytest.mark.parametrize(
    "estimator",
    [
        ForestClassifier(3, random_state=0),
        ForestClassifier(3, criterion="gain_ratio", max_leaf_nodes=7, class_weight="balanced", random_state=0),
        ExtraForestClassifier(3, criterion="entropy", n_cuts=3, n_jobs=2, random_state=0),
        ForestRegressor(3, ccp_alpha=0.01, random_state=0),
        BoostedTreesClassifier(5, random_state=0),
        BoostedTreesRegressor(5, n_jobs=2, random_state=0),
        C45Classifier(),
        C45Classifier(confidence=None, min_samples_leaf=1, subtree_raising=False),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_estimators(table, estimator, layout):
    X, y, weights = table
    given = LAYOUTS[layout](X)
    expected = estimator.fit(X, y, weights).forest_
    predicted = estimator.predict(X)
    assert (estimator.predict(given) == predicted).all()
    assert estimator.fit(given, y, weights).forest_.nodes.tobytes() == expected.nodes.tobytes()


@pytest.mark.parametrize("layout", ["by column", "read-only", "not aligned"])
def test_views_and_bags(table, layout):
    """What the kernel is handed directly."""
    X, y, _ = table
    rng = np.random.default_rng(1)
    X = X.astype(np.float32)
    other = LAYOUTS[layout]
    rotations = LinearViews.dense(np.linalg.qr(rng.standard_normal((4, 5, 5)))[0])
    views = LinearViews.concatenate([LinearViews.identity(5).beside(rotations), LinearViews.subset([[0, 1]], 5)])
    families = [TreeGroup(12, views.take([0, 4, 1])), TreeGroup(3, splitter="random")]
    bags = rng.poisson(1, (15, 200)).astype(np.int32)
    grown = [
        grow_forest(x, y, families, TreeOptions(), np.random.SeedSequence(0), n_classes=3, bag_counts=counts)[0]
        for x, counts in ((X, bags), (other(X), other(bags)))
    ]
    assert grown[0].nodes.tobytes() == grown[1].nodes.tobytes()
    assert (grown[0].outputs(X) == grown[0].outputs(other(X))).all()
    training = rng.random((3, 200)) < 0.6
    members = [
        grow_members(
            x, y, 3, families[0], TreeOptions("entropy"), np.random.SeedSequence(0).spawn(3),
            training=mask, keep=False, n_jobs=2,
        )
        for x, mask in ((X[None], training), (other(np.stack([X] * 3)), other(training)))
    ]  # fmt: skip
    assert (members[0].held_out == members[1].held_out).all()
