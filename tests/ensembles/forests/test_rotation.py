"""Rotation Forest and double rotation forests."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from rotastack import DoubleRotationForestClassifier, DoubleRotationMarginForestClassifier, RotationForestClassifier
from rotastack.combine.pruning import MarginPruner, OrientationPruner
from rotastack.seeds import child, kernel_seeds, root_sequence
from rotastack.trees import C45Classifier, TreeClassifier
from rotastack.views import DoubleRotation, MinMaxScaler01
from rotastack.views.principal import principal_blocks
from rotastack.views.subsets import RowsByClass, whole_matrix

FORESTS = [RotationForestClassifier, DoubleRotationForestClassifier, DoubleRotationMarginForestClassifier]
every = pytest.mark.parametrize("forest", FORESTS, ids=lambda f: f.__name__)


def split(load=load_wine):
    X, y = load(return_X_y=True)
    return train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)


@every
def test_it_classifies_with_any_number_of_threads(forest):
    X, Z, y, t = split(load_breast_cancer)
    one, two = (forest(20, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.score(Z, t) > 0.9
    assert one.feature_importances_.sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(one.predict_proba(Z), two.predict_proba(Z))
    np.testing.assert_array_equal(one.forest_.nodes, two.forest_.nodes)


def rotations_alone(forest, X, rows, ratio, seed, k):
    """Return the matrix of view k of a forest that draws from `rows`, with the outputs in the order of the columns."""
    sequence = child(root_sequence(seed), "views")
    if forest is RotationForestClassifier:
        mine = kernel_seeds(sequence, k + 1)[-1:]
        (blocks,) = principal_blocks(X - X.mean(axis=0), rows, 3, ratio, mine)
        return whole_matrix(blocks), np.argsort(np.concatenate([columns for columns, _ in blocks]))
    first, second = DoubleRotation(bootstrap_ratio=ratio)._blocks(X - X.mean(axis=0), rows, 3, child(sequence, k))
    return whole_matrix(first) @ whole_matrix(second), slice(None)


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("forest", [RotationForestClassifier, DoubleRotationForestClassifier])
def test_trees_see_the_views_of_their_name_fitted_to_their_bags(forest, bootstrap):
    X, _, y, _ = split()
    fitted = forest(5, n_subsets=3, bootstrap_ratio=0.6, bootstrap=bootstrap, random_state=4).fit(X, y)
    scaled = MinMaxScaler01().fit(X).transform(X).astype(np.float32).astype(np.float64)
    for k in range(5):
        bag = ~fitted.forest_.out_of_bag(len(X))[:, k] if bootstrap else np.ones(len(X), bool)
        rotation, order = rotations_alone(forest, scaled[bag], RowsByClass.of(y[bag], bag.sum()), 0.6, 4, k)
        np.testing.assert_allclose(fitted.forest_.views.matrix(k)[:, order], rotation, atol=1e-4 if bootstrap else 1e-5)
        sizes = C45Classifier().fit(scaled @ rotation, y).forest_.sizes[0, 0], fitted.forest_.sizes[k, 0]
        assert bootstrap or abs(np.subtract(*sizes)) <= 4  # ties by rounding


def test_the_trees_that_can_be_asked_for():
    X, Z, y, t = split()
    for tree in (
        C45Classifier(confidence=None),
        TreeClassifier(criterion="entropy", max_depth=3),
        DecisionTreeClassifier(max_depth=2),
        DecisionTreeClassifier(criterion="log_loss", splitter="random"),
    ):
        fitted = RotationForestClassifier(10, estimator=tree, random_state=0).fit(X, y)
        assert fitted.score(Z, t) > 0.85
        limit = getattr(tree, "max_depth", None)
        assert limit is None or fitted.forest_.sizes[:, 2].max() <= limit


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_subsets": 20}, "n_subsets is 20; at most 13, the number of columns"),
        ({"n_subsets": 2, "subset_size": 3}, "not both"),
        (
            {"estimator": LogisticRegression()},
            "estimator must be a tree .* got LogisticRegression; for other estimators use PooledEnsemble",
        ),
        ({"estimator": DecisionTreeClassifier(class_weight="balanced")}, "class_weight is not supported"),
        ({"estimator": DecisionTreeClassifier(max_leaf_nodes=9)}, "max_leaf_nodes is not supported"),
        ({"estimator": DecisionTreeClassifier(min_samples_leaf=0.1)}, "min_samples_leaf must be a number of rows"),
        ({"estimator": TreeClassifier(class_weight="balanced")}, "class_weight is not supported"),
        ({"bootstrap_ratio": 0.0}, "'bootstrap_ratio' parameter"),
        ({"n_estimators": 0}, "'n_estimators' parameter"),
        ({"scaling": "log"}, "'scaling' parameter"),
    ],
)
@every
def test_bad_parameters(forest, options, message):
    with pytest.raises(ValueError, match=message):
        forest(**options).fit(*load_wine(return_X_y=True))


def test_out_of_bag_selection_needs_bags():
    test_bad_parameters(
        DoubleRotationMarginForestClassifier, {"selection": "oob"}, "selection='oob' needs bootstrap=True"
    )


@every
def test_one_column_and_subsets_of_uneven_size(forest):
    X, Z, y, t = split(load_iris)
    with pytest.warns(UserWarning, match="only one column is numeric"):
        forest(4, random_state=0).fit(X[:, :1], y)
    assert forest(8, subset_size=3, random_state=0).fit(X, y).score(Z, t) > 0.85


def test_out_of_bag_rows_of_bootstrapped_trees():
    X, Z, y, t = split(load_breast_cancer)
    fitted = RotationForestClassifier(60, bootstrap=True, random_state=0).fit(X, y)
    assert abs(fitted.oob_score_ - fitted.score(Z, t)) < 0.04
    assert not hasattr(RotationForestClassifier(5, random_state=0).fit(X, y), "oob_score_")


def test_it_is_the_double_rotation_forest_pruned():
    X, Z, codes, _ = split(load_breast_cancer)
    whole, pruned = (kind(30, random_state=0).fit(X, codes) for kind in FORESTS[1:])
    votes = whole.forest_.votes(whole._checked(X))
    pruner = OrientationPruner().fit(votes, codes)
    assert pruned.pruner_.selected_.tolist() == pruner.selected_.tolist()
    assert len(pruned.forest_) == pruner.n_selected_ == 15
    kept = whole.forest_.votes(whole._checked(Z))[:, pruner.selected_]
    assert (pruned.tree_votes(Z) == pruned.classes_[kept]).all()
    counts = np.stack([(kept == c).sum(axis=1) for c in range(2)], axis=1)
    clear = counts[:, 0] != counts[:, 1]
    assert (pruned.predict(Z)[clear] == pruned.classes_[counts.argmax(axis=1)][clear]).all()


def test_by_out_of_bag_votes():
    X, _, codes, _ = split(load_breast_cancer)
    bags, pruner = {"bootstrap": True, "random_state": 0}, MarginPruner(n_select=None)
    whole = DoubleRotationForestClassifier(30, **bags).fit(X, codes)
    pruned = DoubleRotationMarginForestClassifier(30, pruner=pruner, selection="oob", **bags).fit(X, codes)
    votes = np.where(whole.forest_.out_of_bag(len(X)), whole.forest_.votes(whole._checked(X)), -1)
    assert pruned.pruner_.selected_.tolist() == pruner.fit(votes, codes).selected_.tolist()


@pytest.mark.parametrize("forest", [RotationForestClassifier, DoubleRotationForestClassifier])
@pytest.mark.parametrize("bootstrap", [False, True])
def test_rows_of_weight_0_and_later_trees_change_no_rotation(forest, bootstrap):
    X, _, y, _ = split()
    options, left = {"bootstrap": bootstrap, "subset_size": 4, "random_state": 1}, np.arange(len(y)) % 4 > 0
    weighted, removed = forest(8, **options).fit(X, y, left), forest(8, n_jobs=2, **options).fit(X[left], y[left])
    np.testing.assert_array_equal(weighted.forest_.views.matrices, removed.forest_.views.matrices)
    np.testing.assert_array_equal(weighted.forest_.nodes, removed.forest_.nodes)
    fewer = forest(3, **options).fit(X[left], y[left]).forest_.views.matrices
    np.testing.assert_array_equal(fewer, removed.forest_.views.matrices[: len(fewer)])


def wide(n=24, p=600):
    X, y = np.random.default_rng(0).normal(size=(n, p)), np.arange(n) % 2
    X[:, :20] += 2 * y[:, None]
    return X, y


@every
def test_wide_tables_take_the_memory_of_their_rows(forest):
    X, y = wide()
    n, p = X.shape
    tracemalloc.start()
    fitted = forest(20, random_state=0).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Two blocks with fewer axes than rows each; double rotations mix them.
    most = 4 * 20 * p * n * (1 if forest is RotationForestClassifier else 2)
    assert fitted.forest_.views.matrices.nbytes < most
    assert peak < 4 * most + 8 * 4 * p * n + 1e6
    assert len(pickle.dumps(fitted)) < most + 1e5


@every
def test_a_block_by_block_view_is_its_dense_matrix(forest):
    X, y = wide()
    Z = np.random.default_rng(1).normal(size=(50, X.shape[1]))
    fitted = forest(8, random_state=0).fit(X, y)
    seen = fitted._checked(Z)
    leaves = fitted.forest_.leaves(seen)
    for k, view in enumerate(fitted.forest_.tree_view):
        tree, mapped = fitted.forest_.arrays(k), seen @ fitted.forest_.views.matrix(int(view))
        at = np.zeros(len(Z), np.intp)
        while (inner := tree["children_left"][at] >= 0).any():
            left = mapped[np.arange(len(Z)), tree["feature"][at]] <= tree["threshold"][at]
            at = np.where(inner, np.where(left, tree["children_left"][at], tree["children_right"][at]), at)
        np.testing.assert_array_equal(at, leaves[:, k])
