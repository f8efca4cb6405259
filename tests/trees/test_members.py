"""Whole pools in one call: the same forests as one by one."""

import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import load_wine

from rotastack.ensembles.pooled.nested import HeldOut, nested_outputs
from rotastack.ensembles.pooled.pool import PoolOptions, Recipe
from rotastack.resampling import fold_groups, nested_pairs
from rotastack.trees import (
    ExtraForestClassifier,
    ForestClassifier,
    LinearViews,
    TrainingRows,
    TreeGroup,
    TreeOptions,
    grow_forest,
)
from rotastack.trees.members import grow_members
from rotastack.views import RandomRotation
from rotastack.views.scaling import SCALERS

SEED = np.random.SeedSequence(11)
X, y = np.float32(load_wine().data), load_wine().target


def rotations(n, p):
    return LinearViews.dense(np.linalg.qr(np.random.default_rng(0).standard_normal((n, p, p)))[0])


def test_members_are_the_forests_of_their_views():
    group = TreeGroup(20, rotations(4, 13))
    members = grow_members(TrainingRows(X[None], y, 3), group, TreeOptions(), [SEED])
    trees, _ = grow_forest(TrainingRows(X, y, 3), [group], TreeOptions(), SEED)
    assert np.array_equal(members.trees.nodes, trees.nodes)
    alone = trees.outputs(X).reshape(4, 5, len(y), 3).mean(axis=1)
    assert members.outputs(X) == pytest.approx(alone, abs=1e-6)
    counts = trees.sizes.reshape(4, 5, 3)
    assert members.n_nodes[0].tolist() == np.median(counts[:, :, 0], axis=1).tolist()
    assert members.depth[0].tolist() == counts[:, :, 2].mean(axis=1).tolist()


@pytest.mark.parametrize("forest", [ForestClassifier(7), ExtraForestClassifier(5), ForestClassifier(3, max_depth=2)])
@pytest.mark.parametrize("scaling", ["minmax", "rank", None])
def test_all_pairs_of_folds_at_once_are_as_one_by_one(forest, scaling):
    folds = fold_groups(y, 1, 3, 0)[0]
    recipes = [Recipe(None, forest), *(Recipe(RandomRotation(), forest) for _ in range(3))]
    options = PoolOptions(SCALERS[scaling]() if scaling else None, np.arange(13) >= 11)

    def run(keep, n_jobs):
        def note(pair, pool):
            facts.append((pair, [(m.n_nodes, m.depth) for m in pool.members]))

        rows, held_out, facts = TrainingRows(X, y, 3), HeldOut(folds, nested_pairs(3)), []
        given = {"on_pool": note, "keep": keep}
        return nested_outputs(rows, held_out, recipes, options._replace(n_jobs=n_jobs), SEED, **given), facts

    (one_by_one, facts), (together, again) = run(True, 1), run(False, 2)
    assert np.array_equal(one_by_one, together)
    assert facts == again
    assert not np.array_equal(together[:, 0], together[:, 1])


def test_held_out_rows_decide_nothing():
    training = np.ones((1, len(y)), bool)
    training[0, ::3] = False
    twisted = y.copy()
    twisted[::3] = 2 - twisted[::3]
    a, b = (
        grow_members(TrainingRows(X[None], t, 3), TreeGroup(12), TreeOptions(), [SEED], training) for t in (y, twisted)
    )
    assert np.array_equal(a.held_out, b.held_out)
    assert (a.held_out[0, 0, training[0]] == 0).all()
    assert a.held_out[0, 0, ~training[0]].sum(axis=1) == pytest.approx(1)
    assert np.array_equal(a.oob_error, b.oob_error)
    assert 0 <= a.oob_error[0, 0] < 0.2


def test_memory_is_as_stated():
    rng = np.random.default_rng(0)
    n, p, n_members = 3000, 10, 8
    X = rng.standard_normal((1, n, p)).astype(np.float32)
    y = rng.integers(0, 3, n)
    training = rng.random((6, n)) < 0.6
    stated = 6 * n * (4 * p + 4 * n_members * 3 + 8) + n * (4 * p + 4 * p + 240 + 8 * 3)
    group = TreeGroup(4 * n_members, rotations(n_members, p))

    def grow():
        sequences = np.random.SeedSequence(0).spawn(6)
        grow_members(TrainingRows(X, y, 3), group, TreeOptions(), sequences, training)

    grow()  # loads the machine code
    tracemalloc.start()
    grow()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * stated  # of Python's memory, which arrays and the kernel's are


def test_a_training_set_without_rows():
    training = np.ones((2, len(y)), bool)
    training[1] = False
    with pytest.raises(ValueError, match="training set 1 has no rows"):
        grow_members(TrainingRows(X[None], y, 3), TreeGroup(2), TreeOptions(), SEED.spawn(2), training)
