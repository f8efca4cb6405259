"""Importances out of bag: no row is judged by a tree that was grown on it."""

from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from rotastack import RotastackClassifier, RotastackRegressor, TreeFamily
from rotastack.ensembles.flagship.importances import encoded_once, sampled_rows
from rotastack.trees.bags import Bags
from rotastack.trees.nodes import split_columns


def mixed_table(n=150):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"noise": rng.normal(size=n), "x": rng.normal(size=n), "kind": rng.choice(["a", "b", "c"], n)})
    return table, table["x"] + 1.5 * (table["kind"] == "b")


@pytest.fixture(params=["classes", "numbers"])
def fitted(request):
    X, y = mixed_table()
    if request.param == "classes":
        y = np.where(y > 0.5, "high", "low")
        return RotastackClassifier(20, random_state=0).fit(X, y), X, y
    return RotastackRegressor(20, random_state=0).fit(X, y), X, y


def test_rows_as_they_are_score_as_out_of_bag(fitted):
    model, X, y = fitted
    _, score = model.out_of_bag_scorer(y)
    assert score(X) == pytest.approx(model.oob_score_, abs=0.03)  # weights are those of new rows
    assert score(X) < (model.score(X, y) if isinstance(model, RotastackRegressor) else 1)


def test_other_rows_are_refused(fitted):
    model, X, y = fitted
    back, same = np.asarray(y)[::-1], "^out-of-bag importances need the X and y of fit, with the rows in the same order"
    for rows, targets, message in (
        (X[:100], y[:100], "need the 150 rows of fit"),
        (X[:100], y, "X has 100 rows, y has 150"),
        (X[::-1], back, same),
        (X[::-1], y, same),
        (X, back, same),
    ):
        with pytest.raises(ValueError, match=message):
            model.out_of_bag_importances(rows, targets)
    of_other_types = model.out_of_bag_importances(X.astype({"kind": object}), list(y), n_repeats=1)
    assert of_other_types.score == model.out_of_bag_importances(X, y, n_repeats=1).score


def test_row_by_row_and_class_by_class(fitted):
    model, X, y = fitted
    of_classes = isinstance(model, RotastackClassifier)
    scoring = "neg_log_loss" if of_classes else "neg_mean_squared_error"
    found = model.out_of_bag_importances(X, y, scoring, n_repeats=3, max_rows=90)
    assert found.by_row.shape == (3, 90)
    np.testing.assert_allclose(found.by_row.mean(axis=1), found.importances_mean)
    assert (np.abs(found.importances_mean) > 0.05).tolist() == [False, True, True]
    assert len(np.unique(found.rows)) == 90
    mine = np.asarray(X["kind"])[found.rows]
    if of_classes:  # the second kind is what raises a row above the cut
        assert found.by_row[2, mine == "b"].mean() > 0.05
        of_rows = np.asarray(y)[found.rows]
        for c, name in enumerate(model.classes_):
            np.testing.assert_allclose(found.by_class[:, c], found.by_row[:, of_rows == name].mean(axis=1))
    else:
        assert "by_class" not in found


# ---------- decreases of impurity


def test_decreases_go_through_views_to_the_columns_that_were_given(all_kept):
    """By hand: matrices of the views, and of the table from columns to what trees see."""
    X, y = mixed_table()
    X["gone"] = "same"
    X["day"] = pd.date_range("2020-01-01", periods=len(X))
    X.loc[::7, "x"] = np.nan
    X.loc[::5, "noise"] = np.nan
    y = np.where(y > 0.5, "high", "low")
    on_bags = (TreeFamily("columns"), TreeFamily("cuts", ("identity", "discriminants"), splitter="random"), "rotations")
    model = RotastackClassifier(6, on_bags, random_state=0).fit(X, y)
    rows = model.table_.transform(X, model)
    codes = (y == "low").astype(int)
    whole = np.zeros(rows.shape[1])
    for f, weight in enumerate(model.family_weights_):
        of_family = np.zeros(rows.shape[1])
        for t in range(6 * f, 6 * f + 6):
            tree = model.forest_.take(np.array([t]))
            matrix = model.forest_.views.matrix(model.forest_.tree_view[t]).astype(float)
            bag = np.bincount((model.forest_.bags or Bags.of(len(X))).drawn(model.forest_.seeds[t]), minlength=len(X))
            nodes, lower = zip(*decreases(tree, rows, codes, bag), strict=True)
            squares = matrix[:, nodes] ** 2
            of_family += squares / squares.sum(axis=0) @ lower / sum(lower)
        whole += weight * of_family / of_family.sum()
    by_hand = np.array([whole[:-1][model.table_.sources_ == j].sum() for j in range(X.shape[1])])
    by_hand[:2] += whole[-1] / 2  # the share of missing values, which noise and x have
    np.testing.assert_allclose(model.feature_importances_, by_hand / by_hand.sum(), rtol=1e-6)
    assert (model.feature_importances_ > 0).tolist() == [True, True, True, False, True]


def decreases(tree, rows, codes, bag):
    """Yield the column of each split of a tree, and by how much it lowers the Gini impurity of its bag."""
    columns, path = split_columns(tree.nodes), np.zeros((len(rows), len(tree.nodes)), bool)
    path[np.arange(len(rows)), tree.leaves(rows)[:, 0]] = True
    for node in np.flatnonzero(columns >= 0)[::-1]:  # a child has a larger number than its parent
        path[:, node] = path[:, tree.nodes["child"][node] + np.arange(2)].any(axis=1)

    def loss(node):
        counts = np.bincount(codes, bag * path[:, node], minlength=2)
        return counts.sum() - (counts**2).sum() / counts.sum()

    for node in np.flatnonzero(columns >= 0):
        left = tree.nodes["child"][node]
        yield columns[node], loss(node) - loss(left) - loss(left + 1)


def test_a_target_that_nothing_tells_has_no_importances():
    X, _ = mixed_table(30)
    assert RotastackRegressor(3, random_state=0).fit(X, np.ones(30)).feature_importances_.tolist() == [0, 0, 0]


@pytest.mark.parametrize("seed", range(10))
def test_few_trees_leave_rows_that_no_family_of_weight_has_out_of_bag(seed):
    X, y = mixed_table(40)
    on_bags = (TreeFamily("columns"), TreeFamily("cuts", splitter="random"), "rotations")
    reg = RotastackRegressor(2, on_bags, random_state=seed).fit(X, y)
    assert len(reg.out_of_bag_importances(X, y, n_repeats=1).rows) == np.isfinite(reg.oob_prediction_).sum()


# ---------- shuffles of encoded columns


def encoded_in_many_ways(n, seed):
    """Return a table with a column for each way of encoding, and a number that depends on most of them."""
    rng = np.random.default_rng(seed)
    words = [["red", "apple"], ["green", "pear"], ["old", "tree"], ["blue", "plum"]]
    table = pd.DataFrame(
        {
            "gap": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            "other gap": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "kind": rng.choice(["a", "b", "c", None], n),
            "two": rng.choice(["u", "v"], n),
            "many": rng.choice([f"m{k}" for k in range(40)], n),
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "text": [" ".join([*words[k], *words[-k], f"number {i}"]) for i, k in enumerate(rng.integers(0, 4, n))],
            "same": 1,
        }
    )
    return table, table["gap"].isna() + (table["kind"] == "b") + table["day"].dt.month / 6 + rng.normal(0, 0.3, n)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("of_classes", [True, False])
def test_shuffled_inputs_and_shuffled_encoded_columns_are_the_same(seed, of_classes):
    """Dummies, means of many values, parts of dates, components of text, and the share of missing numbers."""
    X, y = encoded_in_many_ways(120, seed)
    y = np.where(y > y.median(), "high", "low") if of_classes else y.to_numpy()
    model = (RotastackClassifier if of_classes else RotastackRegressor)(6, random_state=seed).fit(X, y)
    scoring = "neg_log_loss" if of_classes else "neg_mean_squared_error"
    found = model.out_of_bag_importances(X, y, scoring, n_repeats=2, random_state=seed)
    rows, score = model.out_of_bag_scorer(y, scoring)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(rows)) for _ in range(2)]
    for j, column in enumerate(X):
        for k, order in enumerate(orders):
            shuffled = X.iloc[rows].copy()
            shuffled[column] = shuffled[column].to_numpy()[order]
            assert found.importances[j, k] == pytest.approx(found.score - score(shuffled), abs=1e-12), column
    assert found.importances[-1].tolist() == [0, 0]


def test_a_wide_table_is_encoded_once(monkeypatch):
    """Each shuffle encoded the table anew: 4, 34, 115 seconds for 100, 400, 800 columns."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 150))).add_prefix("g")
    y = X.iloc[:, :5].sum(axis=1) > 0
    model = RotastackClassifier(5, random_state=0).fit(X, y)
    kind = type(model.table_)
    transform = mock.Mock(side_effect=kind.transform)
    monkeypatch.setattr(kind, "transform", lambda *given: transform(*given))
    assert model.out_of_bag_importances(X, y, n_repeats=2).importances.shape == (150, 2)
    assert transform.call_count == 2, "one to compare the rows with those of fit"


def test_a_column_that_nothing_uses_is_not_shuffled(all_kept):
    X, y = mixed_table(80)
    X[["first", "second"]] = 0.0  # no tree can split, and no kernel differ
    model = RotastackRegressor(4, families=("boosted",), random_state=0).fit(X, y)
    _, _, parts = encoded_once(model, X, [[j] for j in range(5)])
    assert [len(part) > 0 for part in parts[1:]] == [True, True, False, False]
    assert not model.out_of_bag_importances(X, y).by_row[3:].any()


# ---------- rare classes


def test_a_rare_class_keeps_its_rows_and_scores_keep_the_shares():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(3000) % 300 == 0, "rare", "common")
    X = pd.DataFrame({"tells": np.where(y == "rare", 4, 0) + rng.normal(size=3000), "noise": rng.normal(size=3000)})
    model = RotastackClassifier(5, families=("rotations",), random_state=0).fit(X, y)
    found, whole = (model.out_of_bag_importances(X, y, n_repeats=2, max_rows=m) for m in (400, None))
    assert len(found.rows) == 400
    assert (y[found.rows] == "rare").sum() == 10
    assert found.score == pytest.approx(whole.score, abs=0.004), "of 400 rows without weights, 2.5 % are rare"
    np.testing.assert_allclose(found.importances_mean, [whole.importances_mean[0], 0], atol=0.004)
    assert found.by_class[0, 1] > 1, "the class's own loss"
    with pytest.raises(ValueError, match="does not support row weights"):
        model.out_of_bag_importances(X, y, lambda *given: 0.5, max_rows=400)


@pytest.mark.parametrize(
    ("counts", "kept"),
    [
        ([2990, 10], [390, 10]),  # all
        ([20_000, 2000], [200, 200]),  # up to half
        ([1800, 1200], None),  # none is rare
        ([2000, 2000, 20, 5], [375, 20, 5]),
        ([5000], None),
    ],
)
def test_sampled_rows(counts, kept):
    labels = np.repeat(np.arange(len(counts)), counts)
    rows = np.random.default_rng(1).permutation(2 * len(labels))[: len(labels)]
    chosen, weights = sampled_rows(rows, labels, 400, partial(np.random.default_rng(0).choice, replace=False))
    assert len(chosen) == len(np.unique(chosen)) == 400
    assert (np.diff(chosen) > 0).all()
    if kept is None:
        assert weights is None
        return
    found = labels[np.argsort(rows)[np.searchsorted(np.sort(rows), chosen)]]
    rare, sums = slice(1 - len(kept), None), np.bincount(found, weights)
    assert np.bincount(found)[rare].tolist() == kept[1:]
    assert (*sums[rare], sums.sum()) == pytest.approx((*counts[rare], len(labels)))
