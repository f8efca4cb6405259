"""The diversity regularised machine against cvxpy and nu-SVM."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import NuSVC
from tests.linear import reference
from tests.linear.machines import columns
from tests.linear.problems import two_classes
from tests.quick import first

from rotastack import DiversityRegularizedClassifier

# A nu that is too small for the data would be replaced; only one test is about that.
pytestmark = pytest.mark.filterwarnings("error:.*overlap:UserWarning")


def own_objective(model, X, y, weights=None, lam=None):
    return reference.diversity_objective(X, y, *columns(model), lam or model.lam, weights)


def check(model, X, y, weights=None, lam=None):
    """Feasible, the objective of cvxpy to 1e-4, the mean column of the members."""
    W, b = columns(model)
    lam = lam or model.lam
    assert model.nu_ == pytest.approx(reference.nu_of(y, lam, weights))
    assert reference.diversity_violation(W, model.diversity) < 1e-6
    best = reference.diversity_machine(X, y, lam, model.n_estimators, model.diversity, weights)[0]
    assert own_objective(model, X, y, weights, lam) == pytest.approx(best, rel=1e-4)
    assert model.objective_ == pytest.approx(best, rel=1e-4)
    np.testing.assert_allclose(model.coef_[0], W.mean(axis=1), atol=1e-12)
    assert model.intercept_[0] == pytest.approx(b.mean())


@pytest.mark.parametrize(("C", "diversity"), [(1, 0.0), (1, 0.5), (4, 0.0), (4, 0.3), (4, 0.9), (10, 0.5)])
@pytest.mark.parametrize(
    ("lam", "n", "d"), first(2, [(1.2, 50, 5), (2.0, 25, 40), (1.4, 50, 5), (1.2, 25, 40), (10.0, 25, 40)])
)
def test_the_optimum_of_cvxpy(C, diversity, lam, n, d):
    X, y = two_classes(d + C, n, d, noise=0.3)
    check(DiversityRegularizedClassifier(C, lam, diversity).fit(X, y), X, y)


@pytest.mark.parametrize("lam", [1.5, 4.0])
@pytest.mark.parametrize("seed", range(3))
def test_weights_of_rows(lam, seed):
    X, y = two_classes(seed, 40, 6, noise=0.0)
    weights = np.random.default_rng(seed).uniform(0, 2, 40)
    weights[3:8] = 0
    check(DiversityRegularizedClassifier(3, lam, 0.4).fit(X, y, sample_weight=weights), X, y, weights)


@pytest.mark.parametrize(("lam", "noise"), [(1.05, 1.0), (1.5, 0.3), (2.0, 0.0), (8.0, 0.0)])
@pytest.mark.parametrize("seed", range(3))
def test_one_member_without_diversity_is_nu_svm(lam, noise, seed):
    X, y = two_classes(seed, 60, 5, noise)
    assert reference.diversity_machine(X, y, lam, 1, 0.0)[0] < -1e-3  # else any direction is as good
    model = DiversityRegularizedClassifier(1, lam, 0.0, tol=1e-6).fit(X, y)
    theirs = NuSVC(nu=reference.nu_of(y, lam), kernel="linear", tol=1e-8).fit(X, y)
    direction = theirs.coef_[0] / np.linalg.norm(theirs.coef_)
    np.testing.assert_allclose(model.coef_[0], direction, atol=1e-3)
    # The intercept need not be unique; theirs is as good as ours.
    b = theirs.intercept_ / np.linalg.norm(theirs.coef_)
    as_good = reference.diversity_objective(X, y, direction[:, None], b, lam)
    assert own_objective(model, X, y) == pytest.approx(as_good, rel=1e-4)


@pytest.mark.parametrize(("seed", "solver"), [(0, "exact"), (1, "exact"), (2, "exact"), (0, "cvxpy")])
def test_a_nu_too_small_for_the_overlap_is_raised_and_told(seed, solver):
    # h >= 0 everywhere: the hulls that 1 / nu allows overlap, and w = 0 is the optimum.
    X, y = two_classes(seed, 50, 5)
    best, W, _ = reference.diversity_machine(X, y, 10.0, 3, 0.5)
    assert best == pytest.approx(0.0, abs=1e-9)
    assert np.abs(W).max() < 1e-6
    with pytest.warns(UserWarning, match="overlap"):
        model = DiversityRegularizedClassifier(3, 10.0, solver=solver).fit(X, y)
    lam = reference.nu_of(y, 1.0) / model.nu_
    assert 1 < lam < 10
    check(model, X, y, lam=lam)
    assert np.linalg.norm(model.coef_) == pytest.approx(np.sqrt(0.5), rel=1e-6)


def test_the_gap_reported_covers_the_true_one():
    X, y = two_classes(33, 50, 5, noise=0.3)
    best = reference.diversity_machine(X, y, 1.5, 4, 0.3)[0]
    for tol in (1e-2, 1e-4, 1e-7):
        model = DiversityRegularizedClassifier(4, 1.5, 0.3, tol=tol).fit(X, y)
        assert (model.objective_ - best) / abs(best) - 1e-9 <= model.duality_gap_ <= tol
    with pytest.warns(ConvergenceWarning):
        DiversityRegularizedClassifier(4, 1.5, 0.3, tol=1e-9, max_iter=3).fit(X, y)
