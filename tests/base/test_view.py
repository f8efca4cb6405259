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


@pytest.mark.parametrize("view", [*DRAWN, *SUPERVISED, PrincipalRotation()], ids=repr)
def test_linear_views(view):
    assert is_linear(view)
    assert is_linear(RandomizedView(view, {}))
    assert depends_on_rows(view) == (view not in DRAWN)
    assert needs_labels(view) == needs_labels(RandomizedView(view, {})) == (view in SUPERVISED)
    assert not is_fixed(view)


@pytest.mark.parametrize(
    "view", [DiffusionMap(), RandomizedView(PCA(), {}), PCA(), LinearDiscriminantAnalysis()], ids=repr
)
def test_other_transformers_depend_on_rows(view):
    assert depends_on_rows(view)
    assert not is_linear(view)
    assert not is_fixed(view)
    assert needs_labels(view) == isinstance(view, LinearDiscriminantAnalysis)


def test_the_identity():
    assert not any(tell(None) for tell in (depends_on_rows, is_fixed, is_linear, needs_labels))


@pytest.mark.parametrize(
    "view",
    [RandomRotation.from_matrix(np.eye(4)), FrozenEstimator(DiscriminantRotation().fit(*load_iris(return_X_y=True)))],
    ids=["given", "frozen"],
)
def test_views_that_are_fitted_already(view):
    assert is_fixed(view)
    assert is_linear(view)
    assert not depends_on_rows(view)
    assert not needs_labels(view)
    X, y = load_iris(return_X_y=True)
    model = PooledEnsembleClassifier(view, GaussianNB(), n_estimators=2, random_state=0).fit(X, y)
    assert all(m.view is view for m in model.pool_.members)


def test_labels_that_a_view_needs_are_asked_for():
    with pytest.raises(ValueError, match="requires y to be passed"):
        LocalityDiscriminantAnalysis().fit(np.eye(3))


def test_random_parts_of_a_pipeline_are_seeded():
    X, y = load_iris(return_X_y=True)
    view = make_pipeline(RandomTreesEmbedding(2, max_depth=2, sparse_output=False), PCA(2))
    first, again = (
        PooledEnsembleClassifier(view, GaussianNB(), n_estimators=3, random_state=0).fit(X, y) for _ in range(2)
    )
    assert (first.predict_proba(X) == again.predict_proba(X)).all()
    seeds = {m.view.get_params()["randomtreesembedding__random_state"] for m in first.pool_.members}
    assert len(seeds) == 3
