"""The flagship for numbers: what its families see, how they are weighed, and what it takes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, make_friedman1

from rotastack import RotastackRegressor, TreeFamily
from rotastack.combine import LeastSquaresWeights
from rotastack.ensembles.flagship.families import RIDGE
from rotastack.views import DiscriminantRotation

X, y = load_diabetes(return_X_y=True)

ON_BAGS = (TreeFamily("columns"), TreeFamily("cuts", splitter="random"), "rotations")
NAMES = ("random_cuts", "discriminants", "boosted", "kernel")


def small(**parameters):
    return RotastackRegressor(**{"trees_per_family": 10, "random_state": 0, **parameters})


def slope(n=200, p=5, noise=0.1, seed=0):
    """Rows whose target rises along a direction, which no single column shows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X.sum(axis=1) + noise * rng.normal(size=n)


def test_it_learns_and_knows_how_well():
    reg = small(trees_per_family=30).fit(X[::2], y[::2])
    assert abs(reg.oob_score_ - reg.score(X[1::2], y[1::2])) < 0.1
    assert reg.families_ == NAMES
    residual = y[::2] - reg.oob_prediction_
    assert reg.oob_score_ == pytest.approx(1 - residual @ residual / (len(residual) * y[::2].var()))


def test_predictions_and_weights_are_those_of_the_trees_alone(all_kept):
    reg = small(families=ON_BAGS).fit(X, y)
    outputs = reg.forest_.outputs(reg.table_.transform(X, reg)).reshape(3, 10, len(X))
    np.testing.assert_allclose(reg.predict(X), reg.combiner_.predict(outputs.mean(axis=1)))
    out = reg.forest_.out_of_bag(len(X)).T.reshape(3, 10, len(X))  # the bootstraps, drawn again
    sums, counts = (outputs * out).sum(axis=1), out.sum(axis=1)
    said = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    pool = LeastSquaresWeights(RIDGE).fit(np.where(np.isnan(said), np.nanmean(said, axis=0), said), y)
    assert (counts == 0).any()
    np.testing.assert_allclose(reg.family_weights_, pool.weights_, atol=1e-9)
    np.testing.assert_allclose(reg.oob_family_errors_, np.nanmean((said - y) ** 2, axis=1))


def test_trees_and_their_views_know_nothing_of_rows_out_of_bag(all_kept):
    """Other targets of equal sum, in the same slices, change no tree that has all of these rows out of its bag."""
    chosen = np.argsort(y)[[-3, -2]]
    other = y.copy()
    other[chosen] += [-40, 40]
    first, second = (small(trees_per_family=40, families=ON_BAGS).fit(X, target) for target in (y, other))
    unseen = first.forest_.out_of_bag(len(X))[chosen].all(axis=0)
    assert 10 < unseen.sum() < 60
    rows = first.table_.transform(X, first)
    differ = first.forest_.outputs(rows) != second.forest_.outputs(rows)
    assert not differ[unseen].any()
    assert differ[~unseen].any(axis=(1, 2)).all()


def test_targets_that_lie_close():
    """Trees know no variance below 2e-16, and numbers below 1e-162 have no square: the unit of the target is changed."""
    X, y = slope()
    trees = ("random_cuts", "discriminants", "boosted")  # the kernel alone would have a weight here
    one, tiny = (small(families=trees).fit(X, target) for target in (y, np.ldexp(y, -600)))
    np.testing.assert_array_equal(np.ldexp(tiny.predict(X), 600), one.predict(X))
    np.testing.assert_array_equal(np.ldexp(tiny.oob_prediction_, 600), one.oob_prediction_)
    assert tiny.oob_score_ == one.oob_score_
    np.testing.assert_allclose(np.ldexp(tiny.predict_interval(X), 600), one.predict_interval(X), rtol=1e-6)
    near = small(families=trees).fit(X, np.ldexp(y, -40))
    np.testing.assert_allclose(np.ldexp(near.oob_family_errors_, 80), one.oob_family_errors_)


def test_a_family_of_ones_own_learns_from_slices():
    X, y = slope()
    family = TreeFamily("turned", (DiscriminantRotation(random_state=0),), max_features=None)
    reg = small(families=(TreeFamily("columns"), family)).fit(X, y)
    assert reg.families_ == ("columns", "turned")
    assert reg.oob_family_errors_[1] < reg.oob_family_errors_[0]


def test_scores_are_residuals_over_spreads_seen_from_their_tails_where_predictions_are_similar():
    X, y = make_friedman1(150, noise=1.0, random_state=0)
    model = small().fit(X, y)
    found, predicted = model.residuals_, model.oob_prediction_
    out = found.forest.out_of_bag(150).T
    means = (found.forest.outputs(model.table_.transform(X, model))[:, :, 0] * out).sum(axis=0) / out.sum(axis=0)
    residuals = y - predicted
    floor = 0.1 * np.abs(residuals).mean()
    ratios = residuals / (floor + floor * means)
    order = np.argsort(predicted)
    np.testing.assert_array_equal(found.knots, predicted[order[[0, 37, 74, 111, 149]]])
    for k, place in ((0, 0), (2, 74)):
        near = np.maximum(1 - np.abs(np.arange(150) - place) / 50, 0)[np.argsort(ratios[order])]
        within = [0.9 * (1 + near.sum()) <= np.cumsum(near[::step]) for step in (-1, 1)]
        tails = [np.sort(ratios)[::step][np.argmax(enough)] for step, enough in zip((-1, 1), within, strict=True)]
        np.testing.assert_allclose(found.tails[k], tails, rtol=1e-6)
    low, high = (np.interp(predicted, found.knots, tail) for tail in found.tails.T)
    np.testing.assert_allclose(found.scores, np.sort((ratios - (low + high) / 2) / ((high - low) / 2)), rtol=1e-6)


def known_scores(residuals, scores, weights):
    """Let residuals out of bag be these times the spread, for any prediction."""
    residuals.scores, residuals.weights = np.array(scores, float), np.array(weights, float)
    residuals.knots, residuals.tails = np.zeros(1), np.array([[-1.0, 1.0]])
    residuals.ends = np.array([-np.inf, np.inf])


def test_intervals_are_order_statistics_of_the_scores_times_the_spread():
    X, y = make_friedman1(300, noise=1.0, random_state=0)
    model = RotastackRegressor(5, random_state=0).fit(X[:99], y[:99])
    known_scores(model.residuals_, np.arange(99), np.ones(99))  # of a new row and 99 known ones: ranks 5 and 95 of 100
    predicted = model.predict(X[99:])
    spread = model.residuals_.spreads(model.table_.transform(X[99:], model))
    quantiles = np.hstack([model.predict_interval(X[99:]), model.predict(X[99:], quantiles=[0.0, 1.0])])
    scores = (quantiles - predicted[:, None]) / spread[:, None]
    np.testing.assert_allclose(scores, np.tile([4.0, 94.0, 0.0, 98.0], (201, 1)), atol=1e-9)


@pytest.mark.parametrize(
    ("weights", "levels", "expected"),
    [
        ([1, 1, 1, 7], [0.05, 0.1, 0.49, 0.5, 0.9], [0, 0, 3, 3, 3]),  # of 10 and a new row of weight 1
        ([7, 1, 1, 1], [0.1, 0.5, 0.7, 0.8, 0.9], [0, 0, 1, 2, 3]),
    ],
)
def test_scores_of_heavy_rows_count_more(weights, levels, expected):
    found = small().fit(*slope(60)).residuals_
    known_scores(found, range(4), weights)
    assert found.quantiles(np.zeros(1), np.ones(1), np.array(levels))[0].tolist() == expected


def test_rows_of_little_weight_widen_no_interval():
    X, y = slope(300, noise=0.5)
    light = np.arange(300) % 2 > 0
    wild = np.where(light, y + 50 * (-1) ** (np.arange(300) // 2), y)
    model = small().fit(X, wild, sample_weight=np.where(light, 1e-6, 1.0))
    assert np.median(np.ptp(model.predict_interval(X, 0.8), axis=1)) < 10
    assert np.abs(model.residuals_.tails).max() < 10


def test_intervals_of_a_constant_and_of_few_rows():
    X, y = slope(30)
    np.testing.assert_allclose(small().fit(X, np.full(30, 2.5)).predict_interval(X), 2.5)
    for n, most, coverage in ((3, "50.0", 0.9), (30, "93.5", 0.99)):
        with pytest.warns(
            UserWarning, match=f"from {n} out-of-bag rows cover at most {most}% of new rows, not {coverage}"
        ):
            assert np.isfinite(small().fit(X[:n], y[:n]).predict_interval(X, coverage)).all()
    with pytest.raises(ValueError, match="quantiles need out-of-bag rows; grow more trees per family"):
        small().fit(X[:1], y[:1]).predict_interval(X)


def test_each_fifth_of_the_predictions_of_a_skewed_target_is_held():
    rng = np.random.default_rng(0)
    held = []
    for _ in range(2):
        X = rng.uniform(-1, 1, (2500, 4))
        y = np.exp(2 * X[:, 0] + X[:, 1] + 0.8 * rng.normal(size=2500))
        model = small(trees_per_family=20).fit(X[:500], y[:500])
        low, high = model.predict_interval(X[500:]).T
        assert y[:500].min() <= low.min() <= high.max() <= y[:500].max()
        inside = (low <= y[500:]) & (y[500:] <= high)
        held.append(inside[np.argsort(model.predict(X[500:]))].reshape(5, 400).mean(axis=1))
    fifths = np.mean(held, axis=0)
    assert 0.8 < fifths.min() <= fifths.max() < 0.98


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        *(
            ("predict", {"quantiles": q}, "quantiles must be a list of numbers from 0 to 1")
            for q in ([0.5, 1.5], [-0.1], 0.5, ["median"], [np.nan])
        ),
        *(
            ("predict_interval", {"coverage": c}, f"coverage must lie between 0 and 1, got {c!r}")
            for c in (1.0, 0.0, "much")
        ),
    ],
)
def test_quantiles_lie_between_0_and_1(method, given, message):
    X, y = make_friedman1(30, random_state=0)
    with pytest.raises(ValueError, match=message):
        getattr(small(trees_per_family=5).fit(X, y), method)(X, **given)


DAYS = pd.date_range("2020-01-01", periods=50)


@pytest.mark.parametrize(
    "y", [DAYS, pd.Series(DAYS), DAYS.to_numpy(), DAYS.strftime("%d.%m.%Y"), list(DAYS.date), DAYS.tz_localize("UTC")]
)
def test_a_target_of_dates_is_refused_as_one(y):
    with pytest.raises(ValueError, match="^the target is a date; convert the dates to numbers"):
        RotastackRegressor(5).fit(np.arange(50.0)[:, None], y)
