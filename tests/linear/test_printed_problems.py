"""The printed problems, solved by cvxpy behind their classes, against the fast solvers."""

import sys

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.linear import reference
from tests.linear.machines import check, columns, fit_quietly
from tests.linear.problems import two_classes

from rotastack import DiversityRegularizedClassifier, ExclusivityRegularizedClassifier

EXRM = [{}, {"beta": 0.5}, {"max_samples": 0.6}]


def some_weights(n):
    weights = np.random.default_rng(0).uniform(0, 2, n)
    weights[2:5] = 0
    return weights


@pytest.mark.parametrize("options", EXRM, ids=str)
@pytest.mark.parametrize("p", [1, 1.37, 2])
def test_exclusivity(p, options):
    X, y = two_classes(3, noise=0.3)
    weights = some_weights(len(y))
    options = {"n_estimators": 4, "loss_power": p, "random_state": 0, **options}
    model = fit_quietly(ExclusivityRegularizedClassifier(solver="cvxpy", **options), X, y, weights)
    best = fit_quietly(ExclusivityRegularizedClassifier(tol=1e-8, max_iter=50_000, **options), X, y, weights)
    np.testing.assert_array_equal(model.samples_, best.samples_)
    seen = weights > 0
    check(model, X[seen], y[seen], best.objective_, weights[seen], model.samples_.T)
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-3)


@pytest.mark.parametrize(("C", "diversity"), [(1, 0.0), (4, 0.5)])
def test_diversity(C, diversity):
    X, y = two_classes(3, noise=0.3)
    weights = some_weights(len(y))
    options = {"n_estimators": C, "lam": 1.3, "diversity": diversity}
    model = fit_quietly(DiversityRegularizedClassifier(solver="cvxpy", **options), X, y, weights)
    best = fit_quietly(DiversityRegularizedClassifier(tol=1e-8, **options), X, y, weights)
    assert model.objective_ == pytest.approx(best.objective_, rel=1e-6)
    assert reference.diversity_violation(model.coef_members_.T, diversity) < 1e-12
    own = reference.diversity_objective(X, y, *columns(model), 1.3, weights)
    assert (model.objective_, model.lam_, model.nu_) == (pytest.approx(own, rel=1e-8), best.lam_, best.nu_)
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-3)


@pytest.mark.parametrize("kind", [ExclusivityRegularizedClassifier, DiversityRegularizedClassifier])
def test_what_is_not_solved_is_told(kind):
    X, y = two_classes(3, noise=0.3)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model = kind(3, 1.3, solver="cvxpy", max_iter=2).fit(X, y)
    assert model.duality_gap_ > 0.1


@pytest.mark.parametrize("kind", [ExclusivityRegularizedClassifier, DiversityRegularizedClassifier])
def test_cvxpy_that_is_not_installed(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r"cvxpy is not installed; run: pip install 'rotastack\[workflow\]'"):
        kind(solver="cvxpy").fit(*two_classes(3))
