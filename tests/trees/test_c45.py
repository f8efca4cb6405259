"""C4.5 on the compiled kernel: what can be worked out by hand, and what holds for all trees."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import beta
from sklearn.datasets import load_wine
from tests.trees.j48.tables import table

from rotastack.trees import C45Classifier, TrainingRows, TreeGroup, TreeOptions, grow_forest
from rotastack.trees.bags import Bags
from rotastack.trees.kernel.batches import _expected_errors

C45 = TreeOptions("c45", min_samples_leaf=2)
SEED = np.random.SeedSequence(5)


def limit(weight, wrong, confidence=0.25):
    return _expected_errors(weight, wrong, confidence, ndtri(1 - confidence))


@pytest.mark.parametrize("confidence", [0.05, 0.25, 0.5])
def test_expected_errors_are_an_upper_limit_of_a_binomial(confidence):
    """(1 - p)^n = confidence without errors; Clopper and Pearson's limit with some, approximately."""
    for n in (1, 2, 6, 16, 100.0):
        assert limit(n, 0, confidence) == pytest.approx(n * (1 - confidence ** (1 / n)))
    for n, wrong, error in [(1000, 1, 0.15), (20, 2, 0.12), (50, 10, 0.03), (100, 40, 0.01)]:
        exact = n * beta.ppf(1 - confidence, wrong + 1, n - wrong)
        assert limit(n, wrong, confidence) == pytest.approx(exact, rel=error)


def test_expected_errors_by_hand():
    """Quinlan's own examples of U_25%(E, N), in his book's section 4.2: 0.206, 0.143 and 0.750."""
    assert limit(6, 0) == pytest.approx(6 * 0.206, abs=0.003)
    assert limit(9, 0) == pytest.approx(9 * 0.143, abs=0.003)
    assert limit(1, 0) == pytest.approx(0.750)
    assert limit(2, 1.6) == 2  # all of them, where half an error more would be
    assert limit(1.2, 1.1) == pytest.approx(1.2)
    # Between none and one, a straight line; a fraction of a case too.
    assert limit(10, 0.25) == pytest.approx(0.75 * limit(10, 0) + 0.25 * limit(10, 1))
    assert limit(0.0, 0.0) == 0


@pytest.mark.parametrize(("apart", "n_leaves"), [(9e-6, 1), (1.2e-5, 2)])
def test_values_closer_than_a_hundred_thousandth_are_one(apart, n_leaves):
    y = np.repeat([0, 1], 20)
    assert C45Classifier().fit(apart * y[:, None], y).forest_.sizes[0, 1] == n_leaves


def test_the_number_of_rows_does_not_change_a_tree():
    """From 65,536 rows on, keys have 64 bits; here the rows added to the table weigh nothing."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(400, 5)), 1).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=400) > 0).astype(int) + (X[:, 2] > 1)
    X[:, 3] = X[:, 0] > 0  # constant below a split on column 0
    X[rng.random(X.shape) < 0.1] = np.nan
    X[0, 4], X[1, 4] = 0.0, -0.0
    more = np.concatenate([X, np.zeros((65_536 - len(X), 5), np.float32)])
    labels = np.concatenate([y, np.zeros(len(more) - len(y), int)])
    few = C45Classifier().fit(X, y).tree_
    many = C45Classifier().fit(more, labels, np.arange(len(more)) < len(y)).tree_
    assert len(few.nodes) > 20
    assert (few.nodes.tobytes(), few.values.tobytes()) == (many.nodes.tobytes(), many.values.tobytes())


@pytest.mark.parametrize("name", ["ties, two classes", "raised", "slope, five classes"])
def test_weights_are_repeated_rows(name):
    data = table(name)
    counts = np.random.default_rng(0).integers(0, 4, len(data.y))
    probe = C45Classifier().fit(data.X, data.y, counts).predict_proba(data.X)
    repeated = C45Classifier().fit(np.repeat(data.X, counts, axis=0), np.repeat(data.y, counts))
    assert np.array_equal(probe, repeated.predict_proba(data.X))
    X = data.X.astype(np.float32)
    rows = TrainingRows(X, data.y, data.y.max() + 1)
    trees, _ = grow_forest(rows, [TreeGroup(1)], C45, SEED, bags=Bags.given(counts[None]))
    assert np.array_equal(trees.sums(X), probe)


@pytest.mark.parametrize(
    ("options", "groups", "message"),
    [
        *(
            (C45._replace(confidence=c), [], f"confidence must be above 0 and at most 0.5, got {c}")
            for c in (0.0, 0.6, -1)
        ),
        (C45._replace(ccp_alpha=0.1), [], "C4.5 trees do not support ccp_alpha"),
        (C45, [TreeGroup(2, splitter="random")], "C4.5 trees do not support random cuts"),
    ],
)
def test_options_that_c45_has_not(options, groups, message):
    with pytest.raises(ValueError, match=message):
        options.check(groups)


def test_depth_and_bags_are_options():
    X, y = load_wine(return_X_y=True)
    rows, options = TrainingRows(np.float32(X), y, 3), C45._replace(max_depth=1, bootstrap=False)
    assert grow_forest(rows, [TreeGroup(1)], options, SEED)[0].sizes[0].tolist() == [3, 2, 1]
