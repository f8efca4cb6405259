"""Influences of rows on scores, and the test of two methods on held-out rows."""

import numpy as np
import pytest
from scipy.stats import t as t_distribution
from scipy.stats import ttest_rel
from tests.stats.reference import scikit_learns

from rotastack.stats.influence import row_test, score_parts, unit_influences
from rotastack.stats.metrics import ranked_scores

N = 40


def problem(score, n_classes):
    rng = np.random.default_rng(n_classes)
    if score in ranked_scores("regression"):
        y = rng.normal(size=N)
        return y, np.stack([y + rng.normal(size=N), y + rng.uniform(-1, 0.5, N), y + rng.uniform(-0.5, 1, N)], axis=1)
    proba = rng.dirichlet(np.ones(n_classes), N).round(1) + 0.01  # with ties
    return rng.integers(0, n_classes, N), proba / proba.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("score", [*ranked_scores("classification"), *ranked_scores("regression")])
def test_an_influence_is_the_derivative_of_the_score_by_the_weight_of_a_row(score, n_classes):
    y, outputs = problem(score, n_classes)
    step, eye = 1e-6, np.eye(N)
    above, below = ([scikit_learns(score, y, outputs, weights=1 + h * row) for row in eye] for h in (step, -step))
    expected = np.subtract(above, below) / (2 * step)
    shares, effective = [], []
    for part in score_parts(score, y, outputs):
        total = part.denominator.sum()
        ratio = part.numerator.sum() / total
        shares.append(part.slope * (part.numerator - ratio * part.denominator) / total)
        effective.append(total**2 / (part.denominator**2).sum())  # number of rows in the ratio
    np.testing.assert_allclose(sum(shares), expected, atol=1e-8)
    found = unit_influences(score, [(np.arange(N), y, outputs)], np.arange(N))[:, 0]
    widened = (share * np.sqrt(g / (g - 1)) for share, g in zip(shares, effective, strict=True))
    np.testing.assert_allclose(found, sum(widened), atol=1e-12)


def test_for_a_mean_of_losses_and_the_models_that_were_tested_the_test_is_the_paired_t_test():
    losses = np.random.default_rng(0).normal(size=(2, 200))
    first, second = (influences_of(mine, np.arange(200)) for mine in losses)
    expected = ttest_rel(*np.abs(losses))
    found = row_test(first, second, -np.diff(np.abs(losses).mean(axis=1)).item(), widening=0)
    assert found.p == pytest.approx(expected.pvalue, rel=0.02)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval()), rel=0.03)


def influences_of(losses, units):
    """Return the influences of rows on a mean of losses."""
    n = len(losses)
    return unit_influences("mae", [(np.arange(n), np.zeros(n), np.stack([losses] * 3, axis=1))], units)


def test_few_rows_that_differ_have_few_degrees_of_freedom():
    """Of 1,000 rows five differ, all in favour of one method: the sign test has p = 2 / 32."""
    losses = (np.arange(1000) < 5) / 1.0
    influences = influences_of(losses, np.arange(1000))
    found = row_test(influences, 0 * influences, losses.mean(), widening=0)
    assert found.df == pytest.approx(5, rel=0.02)
    assert 2 / 32 < found.p < 0.1


def test_rows_of_a_group_count_once():
    losses = np.repeat(np.random.default_rng(0).normal(size=20), 10)
    influences = influences_of(losses, np.arange(200) // 10)
    found = row_test(influences, 0 * influences, np.abs(losses).mean(), widening=0)
    sizes = influences[:, 0] ** 2
    assert found.df == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum())
    assert found.df < 12
    alone = ttest_rel(np.abs(losses[::10]), np.zeros(20))
    assert found.difference / np.sqrt(sizes.sum()) == pytest.approx(alone.statistic)


def test_a_row_that_is_held_out_several_times_counts_once():
    y, outputs = problem("error", 2)
    once = unit_influences("error", [(np.arange(N), y, outputs)], np.arange(N))
    twice = unit_influences("error", [(np.arange(N), y, outputs)] * 2, np.arange(N))
    np.testing.assert_allclose(np.repeat(once / 2, 2, axis=1), twice)
    found = [row_test(influences, 0 * influences, 0.3) for influences in (once, twice)]
    assert found[0].p == pytest.approx(found[1].p)


def test_what_differs_from_repeat_to_repeat_counts_for_the_training_sets():
    """Two repeats whose differences cancel row by row: the tested rows have no variance, the training sets have."""
    y, outputs = problem("error", 2)
    cells = [(np.arange(N), y, p) for p in (outputs, outputs[:, ::-1])]
    influences = unit_influences("error", cells, np.arange(N))
    by_row = influences.sum(axis=1)
    found = row_test(influences, 0 * influences, 0.1)
    squares = (by_row**2).sum() + 2 * (influences**2).sum()
    assert np.ptp(found.interval) / 2 == pytest.approx(t_distribution.ppf(0.975, found.df) * np.sqrt(squares))
    assert (influences**2).sum() > 2 * (by_row**2).sum()


def test_rows_that_are_tested_in_some_splits_have_as_many_times_as_splits_test_them():
    y, outputs = problem("mae", 2)
    splits = [np.arange(20), np.arange(10, 30), np.arange(15, 25)]
    influences = unit_influences("mae", [(rows, y[rows], outputs[rows]) for rows in splits], np.arange(N))
    assert influences.shape == (N, 3)
    assert (influences != 0).sum(axis=1).tolist() == [1] * 10 + [2] * 5 + [3] * 5 + [2] * 5 + [1] * 5 + [0] * 10


def test_all_rows_with_one_difference_are_tested_by_the_sign_test():
    assert row_test(np.zeros(6), np.zeros(6), 1.0).p == 2 / 64
    assert row_test(np.zeros(6), np.zeros(6), 0.0).p == 1
    assert row_test(np.zeros(2), np.zeros(2), 1.0) is None


@pytest.mark.parametrize("sizes", [(30, 30), (60, 5, 5, 5), (80, 5, 5, 5, 5)])
def test_two_groups_and_one_that_has_most_rows_leave_no_test(sizes):
    """A t test of two equal methods would find a difference in one of eight such tables."""
    units = np.repeat(np.arange(len(sizes)), sizes)
    found = influences_of(np.random.default_rng(0).normal(size=len(units)), units)
    assert row_test(found, 0 * found, 1.0) is None


def test_of_three_groups_the_largest_counts_for_more():
    units = np.repeat([0, 1, 2], [60, 20, 20])
    losses = np.abs(np.random.default_rng(0).normal(size=100))
    sums = np.bincount(units, (losses - losses.mean()) / 100) * np.sqrt(1 / (1 - 0.6**2 - 2 * 0.2**2))
    np.testing.assert_allclose(influences_of(losses, units)[:, 0], sums)


@pytest.mark.parametrize("size", [1e2, 1e6])
def test_a_row_that_decides_r2_alone_leaves_no_test(size):
    rng = np.random.default_rng(0)
    y = np.append(rng.normal(size=49), size)
    outputs = y * 0.9 + rng.normal(size=(2, 50))
    influences = [
        unit_influences("r2", [(np.arange(50), y, np.stack([o] * 3, axis=1))], np.arange(50)) for o in outputs
    ]
    assert row_test(*influences, 0.01) is None


@pytest.mark.parametrize(("rare", "tested"), [(2, False), (3, True)])
def test_a_class_of_two_rows_leaves_no_test_of_the_order(rare, tested):
    """Two rows that differ alike by chance would have no variance: one in ten pairs of equal methods were told apart."""
    y = (np.arange(60) < rare).astype(int)
    outputs = np.random.default_rng(0).dirichlet(np.ones(2), (2, 60))
    influences = [unit_influences("roc_auc", [(np.arange(60), y, mine)], np.arange(60)) for mine in outputs]
    assert (row_test(*influences, 0.1) is not None) == tested


@pytest.mark.parametrize("score", ["balanced_accuracy", "f1"])
@pytest.mark.parametrize(("rare", "shown"), [(2, False), (3, False), (4, True)])
def test_a_class_of_few_rows_shows_no_more_than_its_rows(score, rare, shown):
    """One method is right about all rows of a rare class, one about none: of two equal methods that guess, 2 / 4 ** rare of pairs are such."""
    y = (np.arange(60) < rare).astype(int)
    first, second = (np.stack([1 - p, p], axis=1) for p in (y.astype(float), np.zeros(60)))
    influences = [unit_influences(score, [(np.arange(60), y, outputs)], np.arange(60)) for outputs in (first, second)]
    p = row_test(*influences, 0.5 if score == "balanced_accuracy" else 1.0).p
    assert (p < 0.05) == shown
    assert p > 2 / 4**rare
    assert row_test(influences[0], influences[0], 0.0).p == 1


def test_training_rows_widen_the_interval():
    influences = np.random.default_rng(0).normal(0, 0.01, 100)
    plain, wide = (row_test(influences, np.zeros(100), 0.03, widening=w) for w in (0.0, 1.0))
    assert np.ptp(wide.interval) == pytest.approx(np.sqrt(2) * np.ptp(plain.interval))
    assert wide.p > plain.p


def test_a_class_of_a_single_unit_leaves_no_test():
    y, outputs = np.array([0, 0, 0, 1]), np.full((4, 2), 0.5)
    found = unit_influences("balanced_accuracy", [(np.arange(4), y, outputs)], np.arange(4))
    assert np.isnan(found).all()
    assert row_test(found, found, 0.1) is None


def of_halves(seed, n, folds, repeats, score):
    """Return p of the same method, the nearest neighbour, on two halves of exchangeable columns."""
    rng = np.random.default_rng([seed, n, folds, repeats])
    X = rng.normal(size=(n, 4))
    y = X.sum(axis=1) / 2 + rng.normal(size=n)
    cells, values = [[], []], [[], []]
    for _ in range(repeats):
        fold = rng.permutation(n) % folds
        for k in range(folds):
            test, train = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
            for mine, found, columns in zip(cells, values, (X[:, :2], X[:, 2:]), strict=True):
                nearest = ((columns[test][:, None] - columns[train]) ** 2).sum(axis=2).argmin(axis=1)
                outputs = np.repeat(y[train][nearest][:, None], 3, axis=1)
                mine.append((test, y[test], outputs))
                found.append(scikit_learns(score, y[test], outputs))
    influences = [unit_influences(score, mine, np.arange(n)) for mine in cells]
    return row_test(*influences, float(np.mean(values[0]) - np.mean(values[1]))).p


@pytest.mark.parametrize("score", ["rmse", "mae"])
@pytest.mark.parametrize(
    ("n", "folds", "repeats"),
    [
        (60, 5, 1),
        *(pytest.param(*c, marks=pytest.mark.slow) for c in ((60, 3, 1), (60, 5, 4), (200, 5, 1), (100, 5, 10))),
    ],
)
def test_the_level_holds_where_each_training_set_favours_a_method(n, folds, repeats, score):
    """With a factor of 1 + n_test / (R n_train) the level was .1 for one repeat, and .16 to .2 for four and ten."""
    found = [of_halves(seed, n, folds, repeats, score) < 0.05 for seed in range(200 if repeats < 10 else 100)]
    assert np.mean(found) <= 0.07
