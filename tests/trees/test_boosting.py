"""Boosted trees against plain NumPy, and what boosters promise about rows that they do not see."""

import numpy as np
import pytest
from tests.trees.boosting_reference import Reference

from rotastack.trees import LinearViews, TrainingRows
from rotastack.trees.boosters import BoostingOptions
from rotastack.trees.boosting import boosting_folds, grow_boosted, probabilities
from rotastack.trees.kernel import boosting
from rotastack.trees.kernel.boosting import _exp
from rotastack.trees.nodes import missing_go_left, split_columns

SEQUENCE = np.random.SeedSequence(7)


def table(n_rows=150, n_columns=4, n_classes=None, missing=0.0, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    if digits is not None:
        X = X.round(digits)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.3 * rng.normal(size=n_rows)
    X[rng.random(X.shape) < missing] = np.nan
    if n_classes is None:
        return X, y
    return X, np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y)


CASES = {
    "squares": {},
    "two_classes": {"n_classes": 2},
    "four_classes": {"n_classes": 4},
    "missing": {"missing": 0.2},
    "missing_two_classes": {"missing": 0.3, "n_classes": 2},
    "many_missing": {"missing": 0.9, "n_classes": 3},
    "ties": {"digits": 0, "n_classes": 2},
    "few_bins": {"max_bins": 6},
    "few_bins_of_ties": {"digits": 1, "max_bins": 9},
    "depth": {"max_depth": 2},
    "leaves": {"max_leaf_nodes": 4, "n_classes": 3},
    "no_limit": {"max_leaf_nodes": None, "min_samples_leaf": 1},
    "no_l2": {"l2": 0.0, "n_classes": 2, "min_samples_leaf": 1},
    "much_l2": {"l2": 30.0},
    "weights": {"weighted": True, "n_classes": 3, "missing": 0.1},
    "weights_squares": {"weighted": True},
    "rows_counted_apart": {"n_rows": 33_000, "missing": 0.1, "max_bins": 7, "max_leaf_nodes": 5},
    "rows_counted_apart_two_classes": {"n_rows": 33_000, "n_classes": 2, "max_bins": 7, "min_samples_leaf": 9000},
    "fast": {"learning_rate": 1.0, "n_classes": 2},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_trees_are_those_of_plain_numpy(name):
    case = dict(CASES[name])
    weighted = case.pop("weighted", False)
    given = {k: case.pop(k) for k in ("n_rows", "n_classes", "missing", "digits") if k in case}
    X, y = table(**given)
    n_classes = given.get("n_classes")
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    reference = Reference(**case).fit(X, y, weights, n_classes)
    renamed = {"l2_regularization": case.pop("l2")} if "l2" in case else {}
    options = BoostingOptions(n_rounds=5, **{"min_samples_leaf": 5, **case, **renamed})
    grown = grow_boosted(TrainingRows(X, y, n_classes, weights), options, SEQUENCE)

    np.testing.assert_allclose(grown.base[0], reference.base, rtol=1e-12, atol=1e-14)
    assert len(grown.trees) == len(reference.nodes)
    for t, nodes in enumerate(reference.nodes):
        mine = grown.trees.nodes[grown.trees.starts[t] : grown.trees.starts[t + 1]]
        assert split_columns(mine).tolist() == [n.column if n.children else -1 for n in nodes]
        inner = [n for n in nodes if n.children]
        assert mine["cut"][mine["column"] >= 0].tolist() == [np.float32(n.cut) for n in inner]
        to_left = missing_go_left(mine)[mine["column"] >= 0]
        assert all(n.missing_right is None or n.missing_right != left for n, left in zip(inner, to_left, strict=True))
        assert grown.trees.counts[grown.trees.starts[t] : grown.trees.starts[t + 1]].tolist() == [
            len(n.rows) for n in nodes
        ]
        leaves = mine["child"][mine["column"] < 0]
        expected = [n.value for n in nodes if n.children is None]
        np.testing.assert_allclose(grown.trees.values[leaves, 0], expected, rtol=1e-6, atol=1e-13)
        decrease = grown.trees.column_decreases()[t].sum()
        np.testing.assert_allclose(decrease, sum(n.gain for n in inner), rtol=1e-4)
    there = np.ones(len(y), bool) if weights is None else weights > 0
    np.testing.assert_allclose(grown.raw(X)[there], reference.F, rtol=1e-6, atol=1e-12)


def same(one, other):
    """Tell whether boosters are the same, byte for byte."""
    arrays = ((b.trees.nodes, b.trees.values, b.losses, b.held_out) for b in (one, other))
    return all(a.tobytes() == b.tobytes() for a, b in zip(*arrays, strict=True))


def grow(X, y, n_classes=None, n_bags=3, n_jobs=None, given=None, **options):
    given = {"folds": boosting_folds(y, n_bags, SEQUENCE, n_classes=n_classes), **(given or {})}
    options = BoostingOptions(**{"n_rounds": 30, "min_samples_leaf": 5, **options})
    return grow_boosted(TrainingRows(X, y, n_classes), options, SEQUENCE, n_jobs=n_jobs, **given)


DRAWING = {"subsample": 0.6, "max_features": 2, "learning_rate": 0.3}


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_same_bytes_for_any_number_of_threads(n_classes):
    X, y = table(missing=0.1, n_classes=n_classes)
    assert same(grow(X, y, n_classes, **DRAWING), grow(X, y, n_classes, n_jobs=3, **DRAWING))


@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize("options", [{}, DRAWING, {"n_rounds": 200, "learning_rate": 0.5}])
def test_held_out_scores_are_those_of_the_booster_that_has_not_seen_the_row(n_classes, options):
    """After as many rounds as the rows of the other folds ask for: by hand, from trees of a fixed number of rounds."""
    X, y = table(missing=0.1, n_classes=n_classes)
    grown = grow(X, y, n_classes, **options)
    scores = grown.scores(X)
    fixed = grow(X, y, n_classes, **{**options, "n_rounds": len(grown.losses), "early_stopping": False})
    outputs = fixed.trees.outputs(X)[:, :, 0].reshape(3, len(grown.losses), -1, len(X))
    by_round = fixed.base[:, None, :, None] + np.cumsum(outputs, axis=1)  # (booster, round, output, row)
    losses = np.zeros((3, len(grown.losses)))
    for b, r in np.ndindex(losses.shape):
        mine = grown.folds == b
        losses[b, r] = loss_of(by_round[b, r][:, mine].T, y[mine], n_classes)
    np.testing.assert_allclose(losses.sum(axis=0) / len(y), grown.losses, rtol=1e-9)
    for b in range(3):
        mine, last = grown.folds == b, (losses.sum(axis=0) - losses[b]).argmin()
        np.testing.assert_allclose(grown.held_out[mine], by_round[b, last][:, mine].T, rtol=1e-9, atol=1e-12)
    assert grown.n_rounds == grown.losses.argmin() + 1
    assert len(grown.trees) == 3 * grown.n_rounds * grown.base.shape[1]
    assert (grown.raw(X) == scores.mean(axis=0)).all()


def loss_of(scores, y, n_classes):
    if n_classes is None:
        return np.sum((scores[:, 0] - y) ** 2)
    return -np.log(probabilities(scores, n_classes)[np.arange(len(y)), y]).sum()


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_labels_of_held_out_rows_do_not_matter_to_their_scores(n_classes):
    X, y = table(n_classes=n_classes)
    folds = boosting_folds(y, 3, SEQUENCE, n_classes=n_classes)
    own, other = folds == 1, y.copy()
    other[own] = np.random.default_rng(3).permutation(y[own])
    first, second = (grow(X, t, n_classes, given={"folds": folds}, early_stopping=False) for t in (y, other))
    assert (first.held_out[own] == second.held_out[own]).all()
    assert (first.held_out[~own] != second.held_out[~own]).any()


def test_rounds_end_when_none_is_better():
    X, y = table(400, n_classes=2)
    grown = grow(X, y, 2, n_rounds=500, learning_rate=1.0, n_iter_no_change=5)
    assert grown.n_rounds + 5 <= len(grown.losses) <= grown.n_rounds + 5 + 10
    fixed = grow(X, y, 2, n_rounds=grown.n_rounds, learning_rate=1.0, early_stopping=False)
    assert fixed.trees.nodes.tobytes() == grown.trees.nodes.tobytes()
    assert (fixed.held_out == fixed.scores(X)[fixed.folds, np.arange(len(X))]).all()


def test_views_of_boosters():
    X, y = table()
    rng = np.random.default_rng(0)
    views = LinearViews.identity(4).beside(LinearViews.dense(np.linalg.qr(rng.normal(size=(3, 4, 4)))[0]))
    grown = grow(X, y, given={"views": views}, early_stopping=False)
    assert (grown.held_out == grown.scores(X)[grown.folds, np.arange(len(X))]).all()
    assert (set(grown.trees.tree_view), grown.importances().sum()) == ({0, 1, 2}, pytest.approx(1))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"views": LinearViews.identity(4, 2)}, "views must have one entry for each of 3 boosters, got 2"),
        ({"views": LinearViews.identity(3)}, "the views have 3 columns, but X has 4"),
        ({"folds": np.zeros(3, np.int32)}, r"folds must have shape .*, got \(3,\)"),
        ({"folds": np.zeros(150, np.int32)}, "all rows are in fold 0; the booster of this fold has no training rows"),
        *(
            ({name: value}, f"'{name}' parameter of BoostingOptions must be")
            for name, value in [("max_bins", 1000), ("subsample", 3.0), ("n_rounds", 0), ("min_samples_leaf", 0)]
        ),
        ({"max_leaf_nodes": 1}, "'max_leaf_nodes' parameter of BoostingOptions must be"),
    ],
)
def test_what_cannot_be(given, message):
    """The kernel would write beyond its memory."""
    with pytest.raises(ValueError, match=message):
        grow(*table(), **({"given": given} if given.keys() & {"views", "folds"} else given))


def test_views_that_fill_missing_values():
    X, y = table(missing=0.2)
    rotation = LinearViews.dense(np.linalg.qr(np.random.default_rng(0).normal(size=(3, 4, 4)))[0])
    filled = grow(X, y, given={"views": rotation.filled(np.full((3, 4), 0.5))}, early_stopping=False)
    assert (filled.held_out == filled.scores(X)[filled.folds, np.arange(len(X))]).all()
    by_hand = grow(np.where(np.isnan(X), np.float32(0.5), X), y, given={"views": rotation}, early_stopping=False)
    assert same(filled, by_hand)


def test_few_histograms_fit_in_memory(monkeypatch):
    """Leaves without a histogram have those of their children made from rows: the same trees, as sums are exact."""
    X, y = table(600, 3)
    many = grow(X, y, n_rounds=3, min_samples_leaf=2)
    monkeypatch.setattr(boosting, "HISTOGRAM_WORDS", 0)
    assert same(many, grow(X, y, n_rounds=3, min_samples_leaf=2))


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_folds(n_classes):
    _, y = table(103, n_classes=n_classes)
    weights = np.ones(103)
    weights[::10] = 0
    folds = boosting_folds(y, 4, SEQUENCE, weights, n_classes)
    assert (folds[weights == 0] == -1).all()
    for rows in (weights > 0, *((weights > 0) & (y == c) for c in range(n_classes or 0))):
        assert np.ptp(np.bincount(folds[rows], minlength=4)) <= 1
    assert (boosting_folds(y, 1, SEQUENCE) == -1).all()
    assert sorted(boosting_folds(y[:3], 9, SEQUENCE)) == [0, 1, 2]


def test_rows_of_no_weight_are_as_if_not_there():
    X, y = table(missing=0.1, n_classes=3)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    there, folds = weights > 0, boosting_folds(y, 3, SEQUENCE, weights, 3)
    whole, some = (
        grow_boosted(TrainingRows(X[rows], y[rows], 3, weights[rows]), BoostingOptions(5), SEQUENCE, folds=folds[rows])
        for rows in (slice(None), there)
    )
    assert whole.trees.nodes.tobytes() == some.trees.nodes.tobytes()
    assert (whole.held_out[there] == some.held_out).all()
    assert np.isnan(whole.held_out[~there]).all()


@pytest.mark.parametrize("number", [0.0, -1e-9, -0.3466, -1.0, -20.5, -699.0, -700.0, -1e6])
def test_exponentials(number):
    np.testing.assert_allclose(_exp(number), np.exp(max(number, -700.0)), rtol=5e-16)


def test_numbers_of_any_size():
    X, y = table()
    plain = grow(X, y)
    for k in (-600, 400):
        scaled = grow(X, np.ldexp(y, k))
        assert scaled.trees.nodes.tobytes() == plain.trees.nodes.tobytes()
        assert (scaled.trees.values == np.ldexp(plain.trees.values, k)).all()


def test_nodes_of_next_to_no_hessian_are_not_split():
    """A bound in quanta would overflow where all rows are decided."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 4)).astype(np.float32)
        y = (X[:, 0] + 0.8 * rng.normal(size=150) > 0).astype(int)
        options = BoostingOptions(3, 400.0, min_samples_leaf=20, early_stopping=False)
        grown = grow_boosted(TrainingRows(X, y, 2), options, SEQUENCE)
        with np.errstate(over="ignore"):
            reference = Reference(3, 400.0, min_samples_leaf=20).fit(X, y, None, 2)
        assert grown.trees.sizes[:, 0].tolist() == [len(nodes) for nodes in reference.nodes]


@pytest.mark.parametrize("learning_rate", [1e10, 1e300])
def test_scores_that_grow_beyond_all_numbers(learning_rate):
    X, y = table()
    with pytest.raises(ValueError, match=r"overflow in round \d+; lower learning_rate"):
        grow(X, y, n_rounds=100, learning_rate=learning_rate, early_stopping=False)
