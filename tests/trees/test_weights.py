"""Row and class weights: how bags are drawn by them, and what follows."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import r2_score

from rotastack.seeds import child
from rotastack.trees import ForestClassifier, ForestRegressor, TrainingRows
from rotastack.trees.bags import Bags, member_bag
from rotastack.trees.growing import TreeGroup, TreeOptions, grow_forest


def imbalanced():
    X, y = make_classification(1600, 8, n_informative=5, weights=[0.93], flip_y=0.02, class_sep=0.8, random_state=0)
    return X[:600], y[:600]


X, y = imbalanced()


def test_bags_by_hand():
    weights = np.array([0.0, 1.0, 0.0, 3.0, 4.0])
    bags = Bags.of(5, weights)
    assert (bags.rows.tolist(), bags.ends.tolist(), bags.size) == ([1, 3, 4], [0.125, 0.5, 1.0], 3)
    drawn = np.concatenate([bags.drawn(np.uint64(seed)) for seed in range(4000)])
    shares = np.bincount(drawn, minlength=5) / len(drawn)
    assert shares == pytest.approx(weights / 8, abs=0.015)


def test_bags_of_groups_by_hand():
    """Groups 5 and 9 have two rows, group 7 one, and one without a weight."""
    bags = Bags.of(6, np.array([1.0, 2.0, 0.0, 1.0, 3.0, 1.0]), row_groups=np.array([5, 9, 7, 9, 5, 7]))
    assert (bags.rows.tolist(), bags.row_groups.tolist(), bags.size) == ([0, 1, 3, 4, 5], [0, 2, 2, 0, 1], 3)
    counts, of_rows = (
        np.stack([np.bincount(kind.drawn(np.uint64(seed)), minlength=6) for seed in range(4000)])
        for kind in (bags, Bags.of(6))
    )
    assert np.array_equal(counts[:, [0, 1]], counts[:, [4, 3]])
    assert (counts[:, [0, 1, 5]].sum(axis=1) == 3).all()
    assert counts.mean(axis=0) == pytest.approx([1, 1, 0, 1, 1, 1], abs=0.05)
    # The kernel uses the numbers that draw bags of rows for other things.
    assert np.corrcoef(counts[:, 0], of_rows[:, 0])[0, 1] == pytest.approx(0, abs=0.05)
    assert Bags.of(600, most=60, row_groups=np.arange(600) // 3).size == 20


@pytest.mark.parametrize("regression", [False, True])
def test_a_weight_in_a_group_is_as_many_copies(regression):
    X, y = imbalanced()
    X, weights, groups = X.astype(np.float32), np.arange(600) % 3, np.arange(600) // 4
    y = X[:, :2].prod(axis=1).astype(float) if regression else y
    copied = np.repeat(np.arange(600), weights)
    n_classes, options = None if regression else 2, TreeOptions(max_depth=4)

    def grown(rows, weights):
        bags = Bags.of(len(rows), weights, row_groups=groups[rows])
        given = TrainingRows(X[rows], y[rows], n_classes, weights)
        return grow_forest(given, [TreeGroup(5)], options, np.random.SeedSequence(0), bags=bags)

    trees, out_of_bag = grown(np.arange(600), weights.astype(float))
    copies, _ = grown(copied, None)
    assert np.array_equal(trees.seeds, copies.seeds)
    assert np.isclose(trees.sums(X), copies.sums(X)).mean() > 0.99  # equally good cuts may differ by rounding
    assert np.array_equal(trees.out_of_bag(600)[copied], copies.out_of_bag(len(copied)))
    out = trees.out_of_bag(600)[weights > 0]
    assert np.array_equal(out_of_bag[0].counts[weights > 0], out.sum(axis=1))
    means = np.where(out, trees.outputs(X[weights > 0])[:, :, 0].T, 0).sum(axis=1) / np.maximum(out.sum(axis=1), 1)
    assert np.nan_to_num(out_of_bag[0].means()[weights > 0, 0]) == pytest.approx(means)


@pytest.mark.parametrize("weights", [None, np.full(7, 0.3), np.full(7, 1e-200)])
def test_equal_weights_draw_as_no_weights_do(weights):
    assert not len(Bags.of(7, weights).ends)


@pytest.mark.parametrize(
    ("heavy", "n_heavy", "heaviest", "size"),
    [(100.0, 50, 2.0, 119), (100.0, 50, None, 1000), (1e6, 1, 2.0, 100), (1.5, 1, 2.0, 1000)],
)  # the first: 2 * 5950 / 100
def test_the_heaviest_row_is_drawn_so_often_at_most(heavy, n_heavy, heaviest, size):
    weights = np.where(np.arange(1000) < n_heavy, heavy, 1.0)
    assert Bags.of(1000, weights, **({} if heaviest is None else {"heaviest": heaviest})).size == size


def test_the_kernel_grows_trees_on_the_bags_that_can_be_drawn_again():
    weights = np.where(y == 1, 7.0, np.random.default_rng(0).random(len(y)))
    weights[:20] = 0
    forest = ForestClassifier(8, random_state=0).fit(X, y, weights)
    bags = Bags.of(len(y), weights)
    counts = np.stack([np.bincount(bags.drawn(s), minlength=len(y)) for s in forest.forest_.seeds])
    assert not counts[:, :20].any()
    again, _ = grow_forest(
        TrainingRows(X.astype(np.float32), y, 2),
        [TreeGroup(8)],
        TreeOptions(max_depth=1),
        np.random.SeedSequence(0),
        bags=Bags.given(counts),
    )
    roots = forest.forest_.starts[:-1]
    assert forest.forest_.counts[roots].tolist() == (counts > 0).sum(axis=1).tolist()
    assert forest.forest_.weight[roots].tolist() == counts.sum(axis=1).tolist()
    assert forest.forest_.impurity[roots] == pytest.approx(again.impurity[again.starts[:-1]])
    assert np.array_equal(forest.forest_.out_of_bag(len(y)), counts.T == 0)


def test_out_of_bag_scores_by_hand():
    weights = np.where(y == 1, 3.0, 1.0)
    forest = ForestClassifier(6, random_state=0).fit(X, y, weights)
    out, wrong = forest.forest_.out_of_bag(len(y)), forest.tree_votes(X) != y[:, None]
    by_hand = [np.average(wrong[out[:, t], t], weights=weights[out[:, t]]) for t in range(6)]
    assert forest.tree_oob_error_ == pytest.approx(by_hand)
    known = out.any(axis=1)
    assert (np.isnan(forest.oob_decision_function_).all(axis=1) == ~known).all()
    right = forest.oob_decision_function_.argmax(axis=1) == y
    assert forest.oob_score_ == pytest.approx(np.average(right[known], weights=weights[known]))
    target = X[:, 0] + X[:, 1]
    forest = ForestRegressor(6, random_state=0).fit(X, target, weights)
    known = ~np.isnan(forest.oob_prediction_)
    by_hand = r2_score(target[known], forest.oob_prediction_[known], sample_weight=weights[known])
    assert forest.oob_score_ == pytest.approx(by_hand)


def test_a_member_draws_its_bag_by_weight():
    weights = np.array([0.0, 3.0, 1.0, 0.0])
    sequence = np.random.SeedSequence(0)
    bags = [member_bag(child(sequence, k), 4, weights) for k in range(200)]
    drawn = np.bincount(np.concatenate(bags), minlength=4)
    assert drawn[0] == drawn[3] == 0
    assert drawn[1] / drawn.sum() == pytest.approx(0.75, abs=0.05)
    assert set(np.concatenate([member_bag(child(sequence, k), 4) for k in range(20)])) == {0, 1, 2, 3}
