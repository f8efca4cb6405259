"""Importances out of bag: no row is judged by a tree that was grown on it."""

import numpy as np
import pandas as pd
import pytest

from rotastack import RotastackClassifier, RotastackRegressor, TreeFamily
from rotastack.trees.bags import Bags
from rotastack.trees.nodes import split_columns


def mixed_table(n=150):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"noise": rng.normal(size=n), "x": rng.normal(size=n), "kind": rng.choice(["a", "b", "c"], n)})
    return table, table["x"] + 1.5 * (table["kind"] == "b")  # fmt: skip


@pytest.fixture(params=["classes", "numbers"])
def fitted(request):
    X, y = mixed_table()
    if request.param == "classes":
        y = np.where(y > 0.5, "high", "low")
        return RotastackClassifier(20, random_state=0).fit(X, y), X, y
    return RotastackRegressor(20, random_state=0).fit(X, y), X, y


def test_rows_as_they_are_score_as_out_of_bag(fitted):
    model, X, y = fitted
    rows, score = model.out_of_bag_scorer(y)
    assert len(rows) == len(X)
    assert score(X) == pytest.approx(model.oob_score_, abs=0.03)  # weights are those of new rows
    assert score(X) < (model.score(X, y) if isinstance(model, RotastackRegressor) else 1)


def test_columns_are_shuffled_as_they_were_given(fitted):
    model, X, y = fitted
    found = model.out_of_bag_importances(X, y, n_repeats=3)
    assert found.importances.shape == (3, 3)
    assert found.feature_names.tolist() == list(X.columns)
    noise, x, kind = found.importances_mean
    assert x > 0.1
    assert kind > 0.1
    assert abs(noise) < 0.05
    again = model.out_of_bag_importances(X, y, n_repeats=3)
    assert (again.importances == found.importances).all()


def test_other_rows_are_refused(fitted):
    model, X, y = fitted
    with pytest.raises(ValueError, match="need the 150 rows of fit"):
        model.out_of_bag_importances(X[:100], y[:100])
    with pytest.raises(ValueError, match="X has 100 rows, y has 150"):
        model.out_of_bag_importances(X[:100], y)
    order = np.arange(len(X))[::-1]
    for rows, targets in ((X.iloc[order], np.asarray(y)[order]), (X.iloc[order], y), (X, np.asarray(y)[order])):
        with pytest.raises(
            ValueError, match="^out-of-bag importances need the X and y of fit, with the rows in the same order"
        ):
            model.out_of_bag_importances(rows, targets)
    same = X.astype({"kind": object}), list(y)  # other types of the same values
    assert (
        model.out_of_bag_importances(*same, n_repeats=1).score == model.out_of_bag_importances(X, y, n_repeats=1).score
    )


def test_row_by_row_and_class_by_class(fitted):
    model, X, y = fitted
    of_classes = isinstance(model, RotastackClassifier)
    scoring = "neg_log_loss" if of_classes else "neg_mean_squared_error"
    found = model.out_of_bag_importances(X, y, scoring, n_repeats=3, max_rows=90)
    assert found.by_row.shape == (3, 90)
    np.testing.assert_allclose(found.by_row.mean(axis=1), found.importances_mean)
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
            for node, decrease in decreases(tree, rows, codes, bag):
                squares = matrix[:, node] ** 2
                of_family += decrease * squares / squares.sum() / total(tree, rows, codes, bag)
        whole += weight * of_family / of_family.sum()
    by_hand = [whole[:-1][model.table_.sources_ == j].sum() for j in range(X.shape[1])]
    by_hand[1] += whole[-1]  # the share of missing values, of which only x has any
    np.testing.assert_allclose(model.feature_importances_, np.array(by_hand) / np.sum(by_hand), rtol=1e-6)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[3] == 0
    assert (model.feature_importances_[[0, 1, 2, 4]] > 0).all()


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


def total(tree, rows, codes, bag):
    return sum(decrease for _, decrease in decreases(tree, rows, codes, bag))


def test_a_target_that_nothing_tells_has_no_importances():
    X, _ = mixed_table(30)
    assert RotastackRegressor(3, random_state=0).fit(X, np.ones(30)).feature_importances_.tolist() == [0, 0, 0]


def test_few_trees_leave_rows_that_no_family_of_weight_has_out_of_bag():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=40)
    for seed in range(10):
        reg = RotastackRegressor(
            2, (TreeFamily("columns"), TreeFamily("cuts", splitter="random"), "rotations"), random_state=seed
        ).fit(X, y)
        found = reg.out_of_bag_importances(X, y, n_repeats=1)
        assert len(found.rows) == np.isfinite(reg.oob_prediction_).sum()
