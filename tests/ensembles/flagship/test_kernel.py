"""The family of kernel ridge regressions: what its machines predict, and what their unseen outputs have not seen."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_friedman1
from sklearn.kernel_ridge import KernelRidge

from rotastack import RotastackClassifier, RotastackRegressor, TreeFamily
from rotastack.ensembles.flagship import growing, kernel
from rotastack.ensembles.flagship.families import KernelFamily
from rotastack.ensembles.flagship.family_rows import FamilyRows, draw_folds
from rotastack.ensembles.flagship.growing import grow_families
from rotastack.ensembles.flagship.kernel import grow_kernel

SEED = np.random.SeedSequence(1)


def rows_of(n=120, seed=0, classes=True):
    """Return rows of three columns, of which two count, with weights and folds."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3)).astype(np.float32)
    y = np.sin(6 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
    codes = (y > np.median(y)).astype(int)
    weights = rng.choice([1.0, 2.0], n)
    folds = draw_folds(codes, weights, np.random.SeedSequence(seed))
    target = (codes, 2) if classes else (y, None)
    return FamilyRows(X, *target, weights / weights.mean(), codes=codes, folds=folds)


def grown(rows, gains=None):
    return grow_kernel("kernel", rows, gains, SEED)


def test_a_machine_is_scikit_learns_kernel_ridge_on_the_rows_outside_its_fold():
    rows = rows_of(classes=False)
    family, outputs = grown(rows, gains=np.tile([3.0, 1.0, 0.0], (5, 1)))
    scaled = family.standardised(rows.X) * np.sqrt([2.25, 0.75, 0.0])
    for fold, machine in enumerate(family.machines):
        mine = rows.folds != fold
        offset = np.average(rows.target[mine], weights=rows.weights[mine])
        found = []
        for penalty in kernel.PENALTIES:
            peer = KernelRidge(alpha=penalty, kernel="rbf", gamma=machine.gamma)
            peer.fit(scaled[mine], rows.target[mine] - offset, sample_weight=rows.weights[mine])
            found.append(peer.predict(scaled[~mine]) + offset)
        told = family.unseen_outputs(rows.X[~mine], np.full((~mine).sum(), fold))[0, :, 0]
        assert np.abs(told - found).max(axis=1).min() < 1e-6
        squares = cdist(*[family.points] * 2, "sqeuclidean", w=machine.metric)
        assert np.isclose(np.sqrt(0.5 / machine.gamma / np.median(squares[squares > 0])), kernel.WIDTHS).any()
        np.testing.assert_allclose(machine.metric, [2.25, 0.75, 0.0])
    mean = np.mean([family.unseen_outputs(rows.X, np.full(120, fold)) for fold in range(5)], axis=0)
    np.testing.assert_allclose(family.outputs(rows.X), mean, atol=1e-12)
    assert np.mean((outputs[0, :, 0] - rows.target) ** 2) < 0.1 * rows.target.var()


def test_unseen_outputs_do_not_depend_on_the_targets_of_their_fold():
    """Neither do the outputs for other folds that weights are cross-fitted to, with width and penalty chosen."""
    rows = rows_of()
    family, outputs = grown(rows)
    codes = rows.codes.copy()
    codes[rows.folds == 2] = 1 - codes[rows.folds == 2]
    changed, others = grown(replace(rows, codes=codes, target=codes))
    np.testing.assert_array_equal(others[:, rows.folds == 2], outputs[:, rows.folds == 2])
    np.testing.assert_array_equal(changed.nested[2], family.nested[2])
    assert (others[:, rows.folds != 2] != outputs[:, rows.folds != 2]).any()
    assert (changed.nested[1] != family.nested[1]).any()


def test_out_of_bag_outputs_do_not_depend_on_the_targets_of_their_fold():
    """The weight of the family is fitted to outputs for other folds, and these have not seen the fold, either."""
    rows = rows_of(60)
    flipped = np.where(rows.folds == 3, 1 - rows.codes, rows.codes)
    found = []
    for codes in (rows.codes, flipped):
        clf = RotastackClassifier(families=("kernel",), random_state=0)
        clf._target(codes)
        given = replace(rows, weights=None, codes=codes, target=codes)
        clf.grown_, outputs = grow_families([KernelFamily()], 1, replace(given, weights=rows.weights), SEED)
        clf.families_ = ("kernel",)
        clf._weigh(outputs, given, codes, SEED)
        found.append(clf.oob_decision_function_)
    np.testing.assert_array_equal(found[0][rows.folds == 3], found[1][rows.folds == 3])
    assert (found[0][rows.folds != 3] != found[1][rows.folds != 3]).any()


def test_the_other_folds_choose_for_a_fold(monkeypatch):
    """Losses of the first choice are least on fold 0, and least in sum, but not on the other folds."""
    folds = rows_of(50).folds
    points = np.random.default_rng(0).random((50, 3))
    table = np.ones((5, 2))
    table[0, 0], table[1:, 0] = -9.0, 1.5
    monkeypatch.setattr(kernel, "_losses", lambda squares, gamma, sample, out, choices: table[list(out)])
    sample = kernel._Sample(points, points[:, :1], np.ones(50), folds)
    choices = [kernel._Choice(1.0, 1.0), kernel._Choice(2.0, 1.0)]
    _, best, by_fold = kernel._chosen(sample, [np.ones(3)] * 5, choices, nested=False)
    assert best == choices[0]
    assert by_fold == [choices[1], *choices[:1] * 4]


def test_metrics_are_shares_of_the_gains_outside_a_fold():
    X, y = make_friedman1(200, n_features=40, noise=0.5, random_state=0)
    alike = RotastackRegressor(10, families=("kernel",), random_state=0).fit(X, y)
    weighted = RotastackRegressor(10, families=("boosted", "kernel"), random_state=0).fit(X, y)
    assert 1 - weighted.oob_score_ < 0.5 * (1 - alike.oob_score_)
    metrics = np.array([machine.metric for machine in weighted.grown_[-1].machines])
    assert metrics.sum(axis=1) == pytest.approx(40)
    assert len(np.unique(metrics, axis=0)) == 5


@pytest.mark.parametrize("model", [RotastackClassifier, RotastackRegressor])
def test_a_prediction_does_not_depend_on_other_rows(monkeypatch, model):
    X, y = load_iris(return_X_y=True)
    fitted = model(5, families=("boosted", "kernel"), random_state=0, oob_score=False).fit(X, y)
    method = getattr(fitted, "predict_proba", fitted.predict)
    whole = method(X)
    assert all(np.array_equal(method(X[i : i + k]), whole[i : i + k]) for i, k in ((0, 1), (7, 2), (50, 30)))
    monkeypatch.setattr(kernel, "_BLOCK", 1000)
    np.testing.assert_array_equal(method(X), whole)


def test_missing_numbers_count_as_the_mean_and_outliers_as_five_deviations():
    rows = rows_of()
    family, _ = grown(rows)
    holes = rows.X[:2].copy()
    holes[0, 0], holes[1, 1] = np.nan, 1e6
    scaled = family.standardised(holes)
    assert (scaled[0, 0], scaled[1, 1]) == (0, 5)


def test_gradients_tell_which_columns_count():
    rows = rows_of(classes=False)
    family, _ = grown(rows)
    places, machine = family.standardised(rows.X[:4]), family.machines[0]
    rises = [
        machine.predictions(places + step, family.points) - machine.predictions(places - step, family.points)
        for step in 1e-2 * np.eye(3)
    ]
    squares = [((rise / 2e-2) ** 2).sum() for rise in rises]
    np.testing.assert_allclose(machine.squared_gradients(places, family.points), squares, rtol=1e-2)


def test_rows_that_nearly_agree():
    """Most pairs of rows agree, or differ by 1e-9 beside a number that stands for missing: kernels stay exact."""
    rng = np.random.default_rng(9)
    X = (rng.random((400, 8)) < 0.3 / 8).astype(float)
    y = X @ np.arange(1, 9) + 10 + 0.1 * rng.normal(size=400)
    reg = RotastackRegressor(families=("kernel",), random_state=0).fit(X, y)
    assert reg.oob_score_ > 0.9
    assert np.abs(reg.predict(X) - y).max() < 2
    X = rng.random((150, 3))
    X[3] = -(2.0**31)
    clf = RotastackClassifier(families=("kernel",), random_state=0).fit(X, X[:, 0] + X[:, 1] > 1)
    assert clf.oob_score_ > 0.8


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("model", [RotastackClassifier, RotastackRegressor])
def test_a_small_fold_is_among_the_points(monkeypatch, model, seed):
    """Groups of very different sizes: the points are drawn from each fold in turn."""
    monkeypatch.setattr(kernel, "MOST_POINTS", 30)
    monkeypatch.setattr(kernel, "MOST_TRIED", 20)
    X, sites = np.random.default_rng(0).normal(size=(500, 3)), np.repeat([0, 1], [498, 2])
    y = np.r_[X[:-2, 0] > 0, False, True]
    fitted = model(3, families=("kernel",), random_state=seed).fit(X, y, groups=sites)
    assert np.isfinite(fitted.predict(X)).all()


@pytest.mark.filterwarnings("error")
def test_one_row_of_positive_weight():
    reg = RotastackRegressor(3, families=("kernel",), oob_score=False, random_state=0)
    assert reg.fit(np.eye(5), np.arange(5), sample_weight=[0, 1, 0, 0, 0]).predict(np.eye(5)).tolist() == [1.0] * 5


def test_a_unit_of_the_target_is_a_unit_of_the_predictions():
    X, y = make_friedman1(120, noise=1.0, random_state=0)
    reg = RotastackRegressor(5, families=("boosted", "kernel"), random_state=0)
    one, tiny = (clone(reg).fit(X, target).predict_interval(X) for target in (y, np.ldexp(y, -40)))
    np.testing.assert_allclose(np.ldexp(tiny, 40), one)


def test_many_rows_have_a_sample_of_points_or_no_kernel(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    monkeypatch.setattr(kernel, "MOST_POINTS", 100)
    monkeypatch.setattr(kernel, "MOST_NESTED", 100)
    clf = RotastackClassifier(families=("kernel",), random_state=0).fit(X, y)
    assert len(clf.grown_[0].points) == 100
    assert clf.oob_score_ > 0.9
    monkeypatch.setattr(growing, "MOST_KERNEL_ROWS", 500)
    assert RotastackClassifier(3, families=("boosted", "kernel"), random_state=0).fit(X, y).families_ == ("boosted",)
    with pytest.raises(ValueError, match="families: a kernel family allows at most 500 rows, X has 569"):
        RotastackClassifier(families=("kernel",)).fit(X, y)


def test_families_of_two_criteria_have_bags_of_their_own():
    families = (TreeFamily("gini", max_features=None), TreeFamily("entropy", criterion="entropy", max_features=None))
    clf = RotastackClassifier(10, families=families, random_state=0).fit(*load_iris(return_X_y=True))
    first, second = (grown.trees.out_of_bag(150) for grown in clf.grown_)
    assert (first != second).any()
