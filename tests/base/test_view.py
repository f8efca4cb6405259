"""What pools learn of views, ours and other people's."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from rotastack import PooledEnsembleClassifier
from rotastack.base.view import depends_on_rows, is_fixed, is_linear, needs_labels
from rotastack.views import (
    DiffusionMap,
    DiscriminantRotation,
    DoubleRotation,
    LocalityDiscriminantAnalysis,
    MultiRotation,
    PrincipalRotation,
    RandomizedView,
    RandomProjection,
    RandomRotation,
    RandomSubspace,
)

DRAWN = [RandomRotation(), MultiRotation(), RandomProjection(), RandomSubspace()]
SUPERVISED = [DiscriminantRotation(), DoubleRotation(), LocalityDiscriminantAnalysis()]


@pytest.mark.parametrize(
    ("view", "linear", "by_rows", "by_labels", "fixed"),
    [
        (None, False, False, False, False),
        *((view, True, False, False, False) for view in DRAWN),
        *((view, True, True, True, False) for view in SUPERVISED),
        *((RandomizedView(view, {}), True, True, view in SUPERVISED, False) for view in (*DRAWN, *SUPERVISED)),
        (PrincipalRotation(), True, True, False, False),
        (DiffusionMap(), False, True, False, False),
        (PCA(), False, True, False, False),
        (RandomizedView(PCA(), {}), False, True, False, False),
        (LinearDiscriminantAnalysis(), False, True, True, False),
        (RandomRotation.from_matrix(np.eye(4)), True, False, False, True),
        (FrozenEstimator(DiscriminantRotation().fit(*load_iris(return_X_y=True))), True, False, False, True),
    ],
    ids=repr,
)
def test_what_is_known_of_a_view(view, linear, by_rows, by_labels, fixed):
    assert (is_linear(view), depends_on_rows(view), needs_labels(view), is_fixed(view)) == (
        linear,
        by_rows,
        by_labels,
        fixed,
    )
    if fixed:
        model = PooledEnsembleClassifier(view, GaussianNB(), n_estimators=2, random_state=0)
        assert all(m.view is view for m in model.fit(*load_iris(return_X_y=True)).pool_.members)


def test_random_parts_of_a_pipeline_are_seeded():
    X, y = load_iris(return_X_y=True)
    view = make_pipeline(RandomTreesEmbedding(2, max_depth=2, sparse_output=False), PCA(2))
    pool = PooledEnsembleClassifier(view, GaussianNB(), n_estimators=3, random_state=0).fit(X, y).pool_
    assert len({m.view.get_params()["randomtreesembedding__random_state"] for m in pool.members}) == 3
