"""The flagship: what its families see, how they are weighed, and what it takes."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from rotastack import RotastackClassifier, RotastackRegressor, TreeFamily
from rotastack.combine import LogLinearWeights
from rotastack.ensembles.flagship.families import RIDGE
from rotastack.ensembles.flagship.family_rows import draw_folds
from rotastack.views import DiscriminantRotation
from rotastack.workflow.tracking.model_files import dump_model, load_model

ON_BAGS = (TreeFamily("columns"), TreeFamily("cuts", splitter="random"), "rotations")
NAMES = ("rotations", "discriminants", "boosted", "boosted_large", "kernel")


def small(**parameters):
    return RotastackClassifier(**{"trees_per_family": 10, "random_state": 0, **parameters})


def test_it_learns_and_knows_how_well():
    X, y = load_wine(return_X_y=True)
    clf = RotastackClassifier(30, random_state=0).fit(X[::2], y[::2])
    assert min(clf.score(X[1::2], y[1::2]), clf.oob_score_) > 0.95
    assert clf.families_ == NAMES


def test_the_weights_are_those_of_out_of_bag_means(all_kept):
    X, y = load_breast_cancer(return_X_y=True)
    clf = small(families=ON_BAGS).fit(X, y)
    rows = clf.table_.transform(X, clf)
    out = clf.forest_.out_of_bag(len(X))  # the bootstraps, drawn again
    outputs = clf.forest_.outputs(rows).reshape(3, 10, len(X), 2)
    seen = out.T.reshape(3, 10, len(X), 1)
    sums, counts = (outputs * seen).sum(axis=1), seen.sum(axis=1)
    said = np.where(counts > 0, sums / np.maximum(counts, 1), 0.5)
    np.testing.assert_allclose(clf.predict_proba(X), clf.combiner_.predict_proba(outputs.mean(axis=1)), atol=1e-12)
    pool = LogLinearWeights(RIDGE).fit(said, y, 2)
    np.testing.assert_allclose(clf.family_weights_, pool.weights_, atol=1e-9)
    folds = draw_folds(y, None, np.random.SeedSequence(0))
    for fold in range(5):
        mine = folds == fold
        others = LogLinearWeights(RIDGE).fit(said[:, ~mine], y[~mine], 2)
        np.testing.assert_allclose(clf.oob_decision_function_[mine], others.predict_proba(said[:, mine]), atol=1e-9)
        assert (clf.oob_decision_function_[mine] != pool.predict_proba(said[:, mine])).any()


def test_bags_of_one_class_and_a_view_that_needs_two():
    """A class of one row, which a third of the bags do not have."""
    X = load_iris().data
    clf = small(families=(TreeFamily("lda", (DiscriminantRotation(),)),)).fit(X[49:70], np.arange(21) == 0)
    assert clf.predict_proba(X[49:70])[:, 1].argmax() == 0
    assert 1 in np.diff(clf.forest_.starts)  # trees of one leaf


def mixed_table(n=120):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "length": np.where(rng.random(n) < 0.2, np.nan, y + rng.normal(0, 0.7, n)),
            "colour": pd.Categorical(np.where(rng.random(n) < 0.7, np.where(y, "red", "blue"), "green")),
            "shape": np.where(rng.random(n) < 0.1, None, rng.choice(["round", "flat"], n)),
            "count": rng.integers(0, 9, n),
        }
    )
    return table, np.where(y, "yes", "no")


X, y = mixed_table()


def test_a_table_with_categories_and_missing_values():
    clf = small(trees_per_family=30).fit(X, y)
    assert clf.families_ == ("rotations", "discriminants", "pairs", "boosted", "boosted_large", "kernel")
    assert [*clf.table_.preprocessor_.categories_] == ["colour", "shape"]
    assert clf.table_.missing_.tolist() == [0]
    for table, columns in ((X.to_numpy(object), [1, 2]), (X, ["colour", "shape"])):
        named = small(trees_per_family=30, categorical_features=columns).fit(table, y)
        assert (named.predict_proba(table) == clf.predict_proba(X)).all()


def test_frames_as_output_of_transformers():
    """What scikit-learn is set to for everybody's transformers does not reach those inside."""
    clf = small().fit(X, y)
    with config_context(transform_output="pandas"):
        assert (small().fit(X, y).predict_proba(X) == clf.predict_proba(X)).all()


def test_an_array_after_a_table_is_told_of_once():
    """And a missing category is one, however it is written."""
    clf = small().fit(X, y)
    with pytest.warns(UserWarning, match="valid feature names") as told:
        proba = clf.predict_proba(X.to_numpy(object))
    assert len(told) == 1
    assert (proba == clf.predict_proba(X)).all()
    numbers = X.assign(shape=X["shape"].astype(object).replace("flat", 1))  # numbers and text in one column
    assert (small().fit(numbers, y).predict_proba(numbers) == proba).all()
    for missing in (None, np.nan, pd.NA):
        written = X.astype(object).assign(shape=X["shape"].astype(object).where(X["shape"].notna(), missing))
        assert (clf.predict_proba(written) == proba).all()
    by_number = np.where(X["shape"].isna(), np.nan, X["shape"] == "round")[:, None]
    clf = small(categorical_features=[0]).fit(by_number, y)
    assert (clf.predict_proba(by_number.astype(object)) == clf.predict_proba(by_number)).all()


IRIS, SPECIES = load_iris(return_X_y=True)
UNSEEN, ONE_LEFT = {"class_weight": {0: 1, 1: 1, 2: 0}}, r"rows with a positive weight have only one class \(1\)"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("X", "y", "parameters", "weights", "message"),
    [
        (np.where(IRIS > 3, 1.7e308, -1.7e308), SPECIES, {}, None, "a range too large for scaling"),
        (np.empty((0, 3)), [], {}, None, "y has no rows"),
        (np.eye(3), [1, 1, 1], {}, None, r"y has only one class \(1\)"),
        (IRIS, SPECIES, UNSEEN, SPECIES == 1, ONE_LEFT),
        (IRIS, SPECIES, UNSEEN, 1.0 * (SPECIES > 0), ONE_LEFT),
        (IRIS, SPECIES, {"class_weight": {0: 0, 1: 0, 2: 0}}, None, "are all 0"),
        (IRIS, SPECIES, {"class_weight": dict.fromkeys(range(3), np.nan)}, None, "must be finite and at least 0"),
        (IRIS, SPECIES, {"families": ("pairs",)}, None, "families: pairs needs a categorical column"),
    ],
)
def test_what_is_refused_is_refused_without_warnings(X, y, parameters, weights, message):
    with pytest.raises(ValueError, match=message):
        small(**parameters).fit(X, y, sample_weight=weights)


def test_the_unit_of_weights_may_have_no_square():
    plain = small().fit(IRIS, SPECIES).predict_proba(IRIS)
    for weight in (1e-200, 1e200):
        assert np.array_equal(small().fit(IRIS, SPECIES, sample_weight=np.full(150, weight)).predict_proba(IRIS), plain)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("code", [-(2**31), -1e10, 1e10])
def test_numbers_that_stand_for_missing_do_not_drown_the_others(code, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)).astype(dtype)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[rng.random(X.shape) < 0.05] = code
    clf = small(trees_per_family=20).fit(X[:400], y[:400])
    assert clf.score(X[400:], y[400:]) > 0.88
    assert clf.table_.mirrored_.all() == (code < 0)


@pytest.mark.parametrize(
    ("shape", "n_classes"), [((2, 3), 2), ((12, 1), 2), ((40, 500), 2), ((90, 3), 30), ((20, 2), 2), ((20, 3), 3)]
)
def test_shapes_at_the_edge(shape, n_classes):
    X, y = np.random.default_rng(0).normal(size=shape), np.arange(shape[0]) % n_classes
    np.testing.assert_allclose(small(trees_per_family=3).fit(X, y).predict_proba(X) @ np.ones(n_classes), 1)
    assert np.isfinite(RotastackRegressor(3, random_state=0).fit(X, X.sum(axis=1)).predict(X)).all()


@pytest.mark.parametrize(
    ("families", "message"),
    [
        (
            ("pairs", "ie"),
            "families: 'ie' is unknown; allowed: rotations, discriminants, pairs, boosted, boosted_large, kernel",
        ),
        ((), "families is empty"),
        (("boosted", "boosted"), "families: 'boosted' occurs twice"),
        ((TreeFamily("a", ("wings",)),), "families: a: 'wings' is neither identity, discriminants"),
        ((TreeFamily("a", (object(),)),), "nor a view with linear_parts"),
        ((TreeFamily("a", (DiscriminantRotation(n_neighbors=0),)),), "n_neighbors"),
        ((TreeFamily("a", ()),), "families: a: parts must be a tuple with at least one part"),
        ((TreeFamily("a", "identity"),), "families: a: parts must be a tuple with at least one part"),
        ((TreeFamily("a", splitter="worst"),), "families: a: splitter must be best or random, got 'worst'"),
        *(
            ((TreeFamily("a", max_features=wanted),), "families: a: max_features must be sqrt, None")
            for wanted in ("log2", "double", 0, -3, 1.5, -0.5, True)
        ),
    ],
)
def test_families_that_are_none(families, message):
    with pytest.raises(ValueError, match=message):
        small(families=families).fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize("weights", [None, np.arange(150) % 3])
def test_bags_of_few_draws_where_rows_are_many(monkeypatch, tmp_path, weights, all_kept):
    """Of trees and of their views: a tree and its view know nothing of rows out of its bag."""
    monkeypatch.setattr("rotastack.ensembles.flagship.family_rows.MOST_DRAWS", 40)
    first = small(trees_per_family=75, families=ON_BAGS).fit(IRIS, SPECIES, sample_weight=weights)
    out = first.forest_.out_of_bag(150)
    assert 20 < (~out).sum(axis=0).max() <= 40
    assert first.forest_.bags.size == 40
    assert first.forest_.sizes[:, 1].max() <= 40
    rows = first.table_.transform(IRIS, first)
    outputs = first.forest_.outputs(rows).reshape(3, 20, 150, 3)
    seen = out.T.reshape(3, 20, 150, 1)
    known = np.isfinite(first.oob_decision_function_[:, 0])
    means = (outputs * seen).sum(axis=1) / seen.sum(axis=1)
    errors = (means[:, known].argmax(axis=2) != SPECIES[known]) @ (np.ones(150) if weights is None else weights)[known]
    np.testing.assert_allclose(first.oob_family_errors_, errors / (150 if weights is None else weights.sum()))
    other = SPECIES.copy()
    other[[4, 61, 121]] = [1, 2, 0]
    second = small(trees_per_family=75, families=ON_BAGS).fit(IRIS, other, sample_weight=weights)
    unseen = out[[4, 61, 121]].all(axis=0)
    assert unseen.sum() > 20
    assert (first.forest_.outputs(rows)[unseen] == second.forest_.outputs(rows)[unseen]).all()
    dump_model(first, tmp_path / "model.skops")
    assert (load_model(tmp_path / "model.skops").forest_.out_of_bag(150) == out).all()


def test_rows_that_were_never_out_of_bag():
    clf = small(trees_per_family=1, families=("rotations",)).fit(IRIS, SPECIES)
    never = ~clf.forest_.out_of_bag(150).any(axis=1)
    assert never.any()
    assert (np.isnan(clf.oob_decision_function_).all(axis=1) == never).all()
    assert clf.oob_score_ == (clf.oob_decision_function_[~never].argmax(axis=1) == SPECIES[~never]).mean()
