"""The test of outputs and targets over units of held-out rows."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import mannwhitneyu, norm, rankdata
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsRegressor

from rotastack.stats.association import association_p

RNG = np.random.default_rng(0)


def test_two_classes_are_the_rank_test_with_the_variance_of_the_training_sets():
    y = RNG.integers(0, 2, 400)
    score = RNG.normal(size=400) + 0.25 * y
    expected = mannwhitneyu(
        score[y == 1], score[y == 0], alternative="greater", method="asymptotic", use_continuity=False
    )
    found = association_p([(np.arange(400), y, np.column_stack([-score, score]))], np.arange(400), 2)
    assert norm.isf(found) == pytest.approx(norm.isf(expected.pvalue) / np.sqrt(2), rel=0.1)


def test_numbers_have_the_covariance_of_ranks():
    y, output = RNG.normal(size=300), RNG.normal(size=(300, 1))
    products = (rankdata(y) - 150.5) * (rankdata(output[:, 0]) - 150.5)
    z = products.sum() / np.sqrt(2 * ((products - products.mean()) ** 2).sum())
    assert association_p([(np.arange(300), y, output)], np.arange(300), None) == pytest.approx(norm.sf(z), rel=0.05)


def test_repeats_of_the_same_outputs_are_no_more_evidence():
    y, output = RNG.normal(size=50), RNG.normal(size=(50, 1))
    cell = (np.arange(50), y, output)
    of_one = association_p([cell], np.arange(50), None)
    assert association_p([cell] * 10, np.arange(50), None) == pytest.approx(of_one)


def test_the_levels_of_cells_are_no_evidence():
    """In order of time, a constant forecast of each span follows a trend; it knows nothing of the rows within a span."""
    cells = [(np.arange(k * 10, k * 10 + 10), k + RNG.normal(size=10), np.full((10, 1), float(k))) for k in range(5)]
    assert association_p(cells, np.arange(50), None) == 1.0


def noise(kind, rng, n=200):
    """Return columns and a target without information, units of rows, and the training and test rows of cells."""
    if kind == "time":
        drawn = lfilter([1], [1, -0.9], rng.normal(size=(n, 3)), axis=0)
        splits = list(TimeSeriesSplit(5).split(drawn))
        units = np.zeros(n, dtype=int)
        for k, (_, test) in enumerate(splits):
            units[test] = k + 1
        return drawn[:, :2], drawn[:, 2], units, splits
    units = np.arange(n) if kind == "rows" else rng.integers(0, int(kind.split()[0]), n)
    X, y = (rng.normal(size=(n, k))[units] + 0.3 * rng.normal(size=(n, k)) for k in (2, 1))
    splitter = KFold(5) if kind == "rows" else GroupKFold(5)
    return X, y[:, 0], units, list(splitter.split(X, y, units))


def nearest(X, y, splits):
    """Return cells of a regression by nearest neighbours."""
    return [(b, y[b], KNeighborsRegressor(5).fit(X[a], y[a]).predict(X[b])[:, None]) for a, b in splits]


@pytest.mark.parametrize(
    "kind", ["20 groups", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("rows", "time"))]
)
def test_noise_is_rarely_associated(kind):
    """The level was .13 for rows, .3 to .4 for groups and time, when rows were exchanged as if they were independent."""
    found = []
    for seed in range(100 if kind == "20 groups" else 200):
        X, y, units, splits = noise(kind, np.random.default_rng([seed, len(kind)]))
        found.append(association_p(nearest(X, y, splits), units, None) < 0.05)
    assert np.mean(found) <= 0.07


def test_information_is_found():
    X = RNG.normal(size=(200, 2))
    y = X[:, 0] + RNG.normal(size=200)
    assert association_p(nearest(X, y, KFold(5).split(X)), np.arange(200), None) < 1e-4
