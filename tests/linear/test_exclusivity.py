"""The exclusivity regularised machine against cvxpy, and the theorem on what its optimum is."""

import numpy as np
import pytest
from tests.linear import reference
from tests.linear.machines import FIXED, check, fit, powers, problems, solved
from tests.linear.problems import two_classes
from tests.quick import first

from rotastack import ExclusivityRegularizedClassifier, PrimalSVMClassifier

# ---- the optimum


@problems
def test_the_optimum_of_cvxpy(seed):
    one, best, w, _ = solved(seed)
    data = one["X"], one["y"]
    model = fit(*data, one["C"], one["lam"], one["p"], one["weights"])
    check(model, *data, best, one["weights"])
    close = fit(*data, one["C"], one["lam"], one["p"], one["weights"], tol=1e-9)
    check(close, *data, best, one["weights"])
    np.testing.assert_allclose(close.coef_[0], w, atol=1e-4)


@problems
def test_the_paper_s_iteration_with_a_fixed_penalty_reaches_the_optimum(seed):
    one, best, _, _ = solved(seed)
    model = fit(one["X"], one["y"], one["C"], one["lam"], one["p"], one["weights"], **FIXED)
    check(model, one["X"], one["y"], best, one["weights"], rtol=1e-4)


@pytest.mark.parametrize("seed", [65, 71, 92])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_plateau_of_the_objective_is_not_the_end(seed):
    # The objective stays as it is for hundreds of iterations while a multiplier grows towards its bound; the
    # constraint U = 1 - A P - y b does not hold yet.
    X, y = two_classes(seed, 40, 3, noise=0.5)
    best = reference.exrm(X, y, 8.0, 3, 1)[0]
    model = ExclusivityRegularizedClassifier(3, 8.0, loss_power=1, **FIXED).fit(X, y)
    assert model.objective_ == pytest.approx(best, rel=1e-5)


# ---- the theorem


@powers
@pytest.mark.parametrize("C", first(1, [4, 1, 10]))
@pytest.mark.parametrize("beta", [0.0, 0.6])
def test_the_ensemble_is_the_primal_svm_of_lambda_over_C(p, C, beta):
    for seed, (n, d) in enumerate([(50, 6), (20, 35)]):
        X, y = two_classes(seed, n, d)
        model = fit(X, y, C, 3.0, p, beta=beta, tol=1e-9, max_iter=5000)
        single = PrimalSVMClassifier(3.0 / C, loss_power=p, beta=beta / C, tol=1e-9, max_iter=5000).fit(X, y)
        np.testing.assert_allclose(model.coef_, single.coef_, atol=1e-4)
        assert model.objective_ == pytest.approx(C**2 * single.objective_, rel=1e-7)
        best, W, _ = reference.exrm(X, y, 3.0, C, p, beta)
        np.testing.assert_allclose(model.coef_[0], W.mean(axis=1), atol=1e-4)
        assert model.objective_ == pytest.approx(best, rel=1e-7)
        # Its members are copies.
        assert (model.coef_members_ == model.coef_members_[0]).all()
        assert model.disagreement_ == 0


# ---- sparsity, weights
