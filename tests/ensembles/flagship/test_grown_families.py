"""Families on bags, on folds and on rounds: what their trees have not seen, and what they put out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

from rotastack import RotastackClassifier, RotastackRegressor, TreeFamily
from rotastack.combine import LogLinearWeights
from rotastack.ensembles.flagship.families import FAMILIES, NUMBER_FAMILIES
from rotastack.ensembles.flagship.family_rows import FamilyRows, draw_folds
from rotastack.ensembles.flagship.growing import grow_families
from rotastack.trees.boosters import BoostingOptions
from rotastack.workflow.tracking.model_files import dump_model, load_model

NAMES = ("rotations", "discriminants", "pairs", "boosted")


def rows_of_categories(n=120):
    """Two categories of four values as dummies beside two numbers; the class depends on the pair, and on a number."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 4, (n, 2))
    X = np.hstack([rng.normal(size=(n, 2)), *(np.eye(4)[v] for v in values.T)]).astype(np.float32)
    codes = (values.sum(axis=1) + (X[:, 0] > 0)) % 3
    folds = draw_folds(codes, None, np.random.SeedSequence(0))
    return FamilyRows(X, codes, 3, codes=codes, folds=folds, dummies=(np.arange(2, 6), np.arange(6, 10)))


def grown(names, rows, named=FAMILIES, **parameters):
    sequence = np.random.SeedSequence(0)
    return grow_families([named[name] for name in names], 16, rows, sequence, **parameters)


@pytest.mark.parametrize("numbers", [False, True])
def test_outputs_for_unseen_rows_are_those_of_growth(numbers):
    rows = rows_of_categories()
    if numbers:
        rows = replace(rows, target=rows.codes + rows.X[:, 1].astype(float), n_classes=None)
    families, outputs = grown(NAMES, rows, NUMBER_FAMILIES if numbers else FAMILIES)
    assert [name for family in families for name in family.names] == list(NAMES)
    places = np.arange(len(rows.X))
    again = np.concatenate([family.unseen_outputs(rows.X, family.unseen(places)) for family in families])
    np.testing.assert_allclose(again[:3], outputs[:3], rtol=1e-9, equal_nan=True)
    of_rounds = np.corrcoef(again[3].ravel(), outputs[3].ravel())  # boosters have own rounds for held-out rows
    assert of_rounds[0, 1] > 0.8
    assert np.isfinite(outputs[1:]).all()
    some = places[::7][::-1]
    alone = np.concatenate([family.unseen_outputs(rows.X[some], family.unseen(some)) for family in families])
    np.testing.assert_allclose(alone, again[:, some], rtol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", NAMES[1:])
def test_labels_of_a_fold_do_not_reach_its_outputs(name):
    rows = rows_of_categories()
    folds = (np.arange(len(rows.X)) % 4).astype(np.int32)
    other = rows.codes.copy()
    other[folds == 2] = np.random.default_rng(1).permutation(other[folds == 2])
    fixed = FAMILIES[name].boosting and BoostingOptions(20, early_stopping=False)
    family = {name: TreeFamily(**{**FAMILIES[name].__dict__, "boosting": fixed})}
    first, second = (
        grown([name], replace(rows, target=codes, codes=codes, folds=folds), family)[1][0]
        for codes in (rows.codes, other)
    )
    assert (first[folds == 2] == second[folds == 2]).all()
    assert (first[folds != 2] != second[folds != 2]).any()


def test_what_memorises_gets_no_say(all_kept):
    """Labels by chance: families that fit every row would have all the weight if they were judged on rows they have seen."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
    greedy = TreeFamily(
        "greedy", folds=True, boosting=BoostingOptions(100, 0.5, min_samples_leaf=1, early_stopping=False)
    )
    clf = RotastackClassifier(40, ("rotations", "discriminants", greedy), random_state=0).fit(X, y)
    seen = np.concatenate([grown.outputs(clf.table_.transform(X, clf)) for grown in clf.grown_])
    assert (seen[2].argmax(axis=1) == y).mean() > 0.9
    assert LogLinearWeights().fit(seen, y, 2).weights_.sum() > 1
    assert clf.family_weights_.sum() < 0.2
    chance = -np.log(clf.oob_decision_function_[np.arange(300), y]).mean()
    assert abs(chance - np.log(2)) < 0.03


@pytest.mark.parametrize(
    ("kind", "load", "answer"),
    [(RotastackClassifier, load_iris, "predict_proba"), (RotastackRegressor, load_diabetes, "predict")],
)
def test_threads_and_files_do_not_matter(kind, load, answer, tmp_path):
    X, y = load(return_X_y=True)
    table = pd.DataFrame(X).add_prefix("x")
    table["kind"], table["other"] = (np.where(X[:, 0] > X[:, 1], "a", "b"), np.digitize(X[:, 2], [0, 2]).astype(str))
    first, second = (kind(10, random_state=0, n_jobs=k).fit(table, y) for k in (1, 3))
    dump_model(first, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    for other in (second, loaded):
        assert getattr(other, answer)(table).tobytes() == getattr(first, answer)(table).tobytes()
    assert loaded.grown_[0].unseen(np.arange(9)).tolist() == first.grown_[0].unseen(np.arange(9)).tolist()


def test_boosting_is_left_out_where_classes_are_many(all_kept):
    y = np.repeat(np.arange(110), 3)
    X = y[:, None] + np.random.default_rng(0).normal(size=(330, 3))
    with pytest.warns(UserWarning, match="110 classes: boosted trees .* left out"):
        clf = RotastackClassifier(5, ("rotations", "boosted"), random_state=0).fit(X, y)
    assert clf.families_ == ("rotations",)
    with pytest.raises(ValueError, match="families: boosted grows .* at most 100 classes are allowed, y has 110"):
        RotastackClassifier(5, ("boosted",)).fit(X, y)


@pytest.mark.parametrize("kind", [RotastackClassifier, RotastackRegressor])
def test_families_without_a_weight_keep_no_trees(kind, request):
    X, _ = load_diabetes(return_X_y=True)
    y = (X[:, 2] > 0).astype(int)
    families = (
        TreeFamily("chance", splitter="random", max_features=1),
        TreeFamily("all", max_features=None),
        "boosted",
    )
    model = kind(10, families, random_state=2).fit(X, y)
    request.getfixturevalue("all_kept")
    whole = kind(10, families, random_state=2).fit(X, y)
    assert (model.family_weights_ == whole.family_weights_).all()
    names = [name for grown in model.grown_ for name in grown.names]
    assert names == np.array(model.families_)[model.family_weights_ > 0].tolist() != list(model.families_)
    answer = "predict_proba" if kind is RotastackClassifier else "predict"
    np.testing.assert_allclose(getattr(model, answer)(X), getattr(whole, answer)(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.feature_importances_, whole.feature_importances_)


def test_a_forest_without_families_on_bags():
    X, y = load_iris(return_X_y=True)
    clf = RotastackClassifier(5, ("boosted",), random_state=0).fit(X, y)
    with pytest.raises(AttributeError, match="no family has bags; the trees of boosted are in grown_"):
        clf.forest_  # noqa: B018
