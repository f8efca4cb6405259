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
)


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


rng = np.random.default_rng(0)
X = rng.standard_normal((200, 5)).astype(np.float16).astype(float)  # numbers that all types can hold
y, weights = rng.integers(0, 3, 200), rng.random(200)


@pytest.mark.parametrize(
    "estimator",
    [
        ForestClassifier(3, random_state=0),
        ForestClassifier(3, criterion="entropy", max_depth=3, class_weight="balanced", random_state=0),
        ExtraForestClassifier(3, criterion="entropy", n_cuts=3, n_jobs=2, random_state=0),
        ForestRegressor(3, ccp_alpha=0.01, random_state=0),
        BoostedTreesClassifier(5, random_state=0),
        BoostedTreesRegressor(5, n_jobs=2, random_state=0),
        C45Classifier(),
        C45Classifier(confidence=None, min_samples_leaf=1, subtree_raising=False),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_estimators(estimator, layout):
    given = LAYOUTS[layout](X)
    expected = estimator.fit(X, y, weights).forest_
    predicted = estimator.predict(X)
    assert (estimator.predict(given) == predicted).all()
    assert estimator.fit(given, y, weights).forest_.nodes.tobytes() == expected.nodes.tobytes()
