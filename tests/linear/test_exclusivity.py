"""The exclusivity regularised machine against cvxpy, and the theorem on what its optimum is."""

import functools
import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.linear import reference
from tests.linear.problems import random_problem, three_classes, two_classes

from rotastack.linear import ExclusivityRegularizedClassifier, PrimalSVMClassifier

powers = pytest.mark.parametrize("p", [1, 1.5, 2])
problems = pytest.mark.parametrize("seed", range(50))
solvers = pytest.mark.parametrize("solver", ["exact", "admm"])
every_solver = pytest.mark.parametrize("solver", ["exact", "admm", "alm"])

# The multipliers grow no further: slower than the paper's, but the optimum.
FIXED = {"solver": "alm", "rho": 1.0, "tol": 1e-9, "max_iter": 50_000}
CLOSE = {"exact": {"tol": 1e-9}, "admm": {"solver": "admm", "tol": 1e-9, "max_iter": 50_000}, "alm": FIXED}


def fit(X, y, C=4, lam=2.0, p=2, weights=None, **options):
    """Fit without any warning, about convergence or of NumPy."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ExclusivityRegularizedClassifier(C, lam, loss_power=p, **options)
        return model.fit(X, y, sample_weight=weights)


def columns(model):
    """Columns and intercepts of the members of a fitted model of two classes."""
    return model.coef_members_.T, model.intercept_members_


def own_objective(model, X, y, weights=None, mask=None):
    W, b = columns(model)
    return reference.exrm_objective(X, y, W, b, model.lam, model.loss_power, model.beta, weights, mask)


@functools.cache
def solved(seed):
    """The problem of a seed, its minimum and its mean column, found by cvxpy on the full problem."""
    one = random_problem(seed)
    weights = {"weights": one["weights"]}
    objective, W, b = reference.exrm(one["X"], one["y"], one["lam"], one["C"], one["p"], **weights)
    return one, objective, W.mean(axis=1), b.mean()


def check(model, X, y, best, weights=None, mask=None, rtol=1e-6):
    """The objective reported is that of the columns, and the minimum; the gap reported covers the true one."""
    ours = own_objective(model, X, y, weights, mask)
    W, b = columns(model)
    assert W.shape == (X.shape[1], model.n_estimators)
    assert model.objective_ == pytest.approx(ours, rel=1e-9)
    assert ours == pytest.approx(best, rel=rtol)
    assert (ours - best) / ours - 1e-9 <= model.duality_gap_ <= rtol
    np.testing.assert_allclose(model.coef_[0], W.mean(axis=1), atol=1e-12)
    assert model.intercept_[0] == pytest.approx(b.mean(), abs=1e-9)


# ---- the optimum


@problems
@solvers
def test_the_optimum_of_cvxpy(seed, solver):
    one, best, w, _ = solved(seed)
    data = one["X"], one["y"]
    model = fit(*data, one["C"], one["lam"], one["p"], one["weights"], solver=solver, max_iter=20_000)
    check(model, *data, best, one["weights"])
    assert model.solver_ == solver
    close = fit(*data, one["C"], one["lam"], one["p"], one["weights"], **CLOSE[solver])
    check(close, *data, best, one["weights"])
    np.testing.assert_allclose(close.coef_[0], w, atol=1e-4)


@problems
def test_the_paper_s_iteration_with_a_fixed_penalty_reaches_the_optimum(seed):
    one, best, _, _ = solved(seed)
    model = fit(one["X"], one["y"], one["C"], one["lam"], one["p"], one["weights"], **FIXED)
    check(model, one["X"], one["y"], best, one["weights"], rtol=1e-4)


@pytest.mark.parametrize("seed", [65, 71, 92])
def test_a_plateau_of_the_objective_is_not_the_end(seed):
    # The objective stays as it is for hundreds of iterations while a multiplier grows towards its bound; the
    # constraint U = 1 - A P - y b does not hold yet.
    X, y = two_classes(seed, 40, 3, noise=0.5)
    best = reference.exrm(X, y, 8.0, 3, 1)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ExclusivityRegularizedClassifier(3, 8.0, loss_power=1, **FIXED).fit(X, y)
    assert model.objective_ == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("seed", range(0, 50, 7))
def test_cvxpy_itself_is_at_the_optimum(seed):
    one, best, _, _ = solved(seed)
    C = one["C"]
    bound = C**2 * reference.svm_lower_bound(one["X"], one["y"], one["lam"] / C, one["p"], one["weights"])
    assert bound * (1 - 1e-12) <= best <= bound * (1 + 1e-8)


@pytest.mark.parametrize("solver", ["admm", "alm"])
@pytest.mark.parametrize("p", [1.25, 3])
def test_other_powers_of_the_loss(solver, p):
    X, y = two_classes(40, 40, 6)
    best = reference.exrm(X, y, 0.8, 4, p)[0]
    check(fit(X, y, 4, 0.8, p, **CLOSE[solver]), X, y, best, rtol=1e-6 if solver == "admm" else 1e-4)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("C", "lam"), [(1, 2.0), (3, 0.3)])
def test_the_printed_iteration_step_by_step(p, C, lam):
    X, y = two_classes(41, 25, 4)
    printed = reference.printed_alm(X, y, lam, C, p, 12)
    for n_iter in (1, 2, 12):
        W, b = printed[n_iter - 1]
        model = ExclusivityRegularizedClassifier(
            C, lam, loss_power=p, solver="alm", tol=1e-300, max_iter=n_iter
        )
        with pytest.warns(ConvergenceWarning):
            model.fit(X, y)
        assert model.n_iter_ == n_iter
        np.testing.assert_allclose(model.coef_members_.T, W, atol=1e-7)
        np.testing.assert_allclose(model.intercept_members_, b, atol=1e-7)
    path = [reference.exrm_objective(X, y, *point, lam, p) for point in printed]
    np.testing.assert_allclose(model.objective_path_, path, rtol=1e-6)


# ---- the theorem


@powers
@pytest.mark.parametrize("C", [1, 4, 10])
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


def deciding_rank(X, y, w, b, p):
    """Rank of the rows that hold the columns together: at the kink (p = 1), with a loss (p > 1); a 1 appended."""
    margins = y * (X @ w + b)
    rows = np.abs(margins - 1) < 1e-6 if p == 1 else margins < 1 - 1e-4
    return np.linalg.matrix_rank(np.column_stack([X, np.ones(len(X))])[rows])


@pytest.mark.parametrize("p", [1, 1.5, 2])
def test_columns_are_equal_where_the_deciding_rows_have_full_rank(p):
    full = 0
    for seed in range(60, 66):
        X, y = two_classes(seed, 40, 3, noise=0.5)
        _, W, b = reference.exrm(X, y, 8.0, 3, p)
        if deciding_rank(X, y, W.mean(axis=1), b.mean(), p) == X.shape[1] + 1:
            full += 1
            np.testing.assert_allclose(W, np.repeat(W.mean(axis=1)[:, None], 3, axis=1), atol=1e-4)
            options = {"solver": "admm", "init": "random", "tol": 1e-7, "max_iter": 50_000}
            random = fit(X, y, 3, 8.0, p, random_state=seed, **options)
            np.testing.assert_allclose(random.coef_members_, W.T, atol=1e-3)
    assert full >= 4


def test_columns_can_differ_although_X_has_full_rank_hinge():
    # Both rows have a loss and none is at its kink: only the sum of the weights counts.
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    assert np.linalg.matrix_rank(np.column_stack([X, np.ones(2)])) == 2
    best = reference.exrm(X, y, 0.5, 2, 1)[0]
    assert best == pytest.approx(1.5, rel=1e-8)
    for W in ([[0.5, 0.5]], [[1.0, 0.0]], [[0.3, 0.7]]):
        assert reference.exrm_objective(X, y, np.array(W), np.zeros(2), 0.5, 1) == pytest.approx(1.5)
    model = fit(X, y, 2, 0.5, 1)
    assert model.objective_ == pytest.approx(1.5, rel=1e-6)
    assert model.coef_[0, 0] == pytest.approx(0.5, abs=1e-3)


def test_columns_can_differ_although_X_has_full_rank_squared_hinge():
    # The third row gives X its rank but has no loss: along (1, -1) nothing changes. By symmetry w = (a, a), b = 0,
    # and a - 4 (1 - 2 a) = 0.
    X, y = np.array([[1.0, 1.0], [-1.0, -1.0], [9.0, 7.0]]), np.array([1.0, -1.0, 1.0])
    assert np.linalg.matrix_rank(np.column_stack([X, np.ones(3)])) == 3
    best, a = reference.exrm(X, y, 2.0, 2, 2)[0], 4 / 9
    for delta in (0.0, 0.2, -0.35):
        W = np.array([[a + delta, a - delta], [a - delta, a + delta]])
        assert reference.exrm_objective(X, y, W, np.zeros(2), 2.0, 2) == pytest.approx(best, rel=1e-8)
    model = fit(X, y, 2, 2.0, 2)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(model.coef_[0], a, atol=1e-3)


@powers
@pytest.mark.parametrize("seed", range(5))
def test_the_ensemble_loses_no_more_than_its_members_on_average(p, seed):
    X, y = two_classes(seed)
    rng = np.random.default_rng(seed)
    W, b = rng.normal(size=(X.shape[1], 7)) * 10.0 ** rng.uniform(-2, 1), rng.normal(size=7)
    members = reference.hinge(X, y, W, b, p).sum(axis=0)
    mean = W.mean(axis=1, keepdims=True), b.mean(keepdims=True)
    assert reference.hinge(X, y, *mean, p).sum() <= members.mean() * (1 + 1e-12)
    model = fit(X, y, 5, 2.0, p, max_samples=0.5, solver="admm", max_iter=20_000, random_state=seed)
    of_members = reference.hinge(X, y, *columns(model), p).sum(axis=0)
    of_mean = reference.hinge(X, y, model.coef_.T, model.intercept_, p).sum()
    assert of_mean <= of_members.mean() * (1 + 1e-12)
    assert len(np.unique(of_members.round(9))) > 1


# ---- sparsity, weights


@powers
@solvers
@pytest.mark.parametrize("beta", [0.1, 2.0, 30.0])
def test_sparsity_against_cvxpy(p, solver, beta):
    X, y = two_classes(42, 40, 12)
    best, W, _ = reference.exrm(X, y, 1.0, 4, p, beta)
    w = W.mean(axis=1)
    model = fit(X, y, 4, 1.0, p, beta=beta, **CLOSE[solver])
    check(model, X, y, best)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-4)


@powers
@solvers
@pytest.mark.parametrize("beta", [2.0, 30.0])
def test_sparsity_gives_zeros_not_small_numbers(p, solver, beta):
    X, y = two_classes(42, 40, 12)
    w = reference.exrm(X, y, 1.0, 4, p, beta)[1].mean(axis=1)
    assert (np.abs(w) < 1e-8).any()
    coef = fit(X, y, 4, 1.0, p, beta=beta, **CLOSE[solver]).coef_[0]
    assert (coef[np.abs(w) < 1e-8] == 0).all()
    assert (coef[np.abs(w) > 1e-4] != 0).all()


@powers
@solvers
def test_weights_of_rows(p, solver):
    X, y = two_classes(43, 40, 6)
    rng = np.random.default_rng(43)
    options = CLOSE[solver]
    counts = rng.integers(1, 4, 40)
    weighted = fit(X, y, 3, 2.0, p, counts, **options)
    repeated = fit(np.repeat(X, counts, axis=0), np.repeat(y, counts), 3, 2.0, p, **options)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-7)
    some = np.where(np.arange(40) % 4 == 3, 0.0, 1.0)
    zero = fit(X, y, 3, 2.0, p, some, **options)
    absent = fit(X[some > 0], y[some > 0], 3, 2.0, p, **options)
    np.testing.assert_allclose(zero.coef_, absent.coef_, atol=1e-4)
    assert zero.objective_ == pytest.approx(absent.objective_, rel=1e-7)
    check(zero, X, y, reference.exrm(X, y, 2.0, 3, p, weights=some)[0], some)


@every_solver
def test_weights_of_classes(solver):
    X, y = two_classes(44, 50, 5)
    by_class = fit(X, y, 3, class_weight={-1.0: 3.0, 1.0: 0.5}, **CLOSE[solver])
    by_row = fit(X, y, 3, weights=np.where(y > 0, 0.5, 3.0), **CLOSE[solver])
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, atol=1e-6)
    balanced = fit(X, y, 3, class_weight="balanced", **CLOSE[solver])
    by_row = fit(X, y, 3, weights=np.where(y > 0, 25 / (y > 0).sum(), 25 / (y < 0).sum()), **CLOSE[solver])
    np.testing.assert_allclose(balanced.coef_, by_row.coef_, atol=1e-6)
    both = fit(X, y, 3, class_weight={-1.0: 3.0, 1.0: 0.5}, weights=1 + np.arange(50) % 3, **CLOSE[solver])
    by_row = fit(X, y, 3, weights=np.where(y > 0, 0.5, 3.0) * (1 + np.arange(50) % 3), **CLOSE[solver])
    np.testing.assert_allclose(both.coef_, by_row.coef_, atol=1e-6)


# ---- members that differ


def own_disagreement(said):
    """Mean over pairs of members of the share of rows on which they say different things."""
    return np.mean(
        [np.mean(said[:, a] != said[:, b]) for a, b in itertools.combinations(range(said.shape[1]), 2)]
    )


@powers
@pytest.mark.parametrize("max_samples", [0.5, 30, 0.9])
def test_members_that_see_some_rows(p, max_samples):
    X, y = two_classes(45, 40, 6)
    options = {"solver": "admm", "max_iter": 50_000, "max_samples": max_samples, "random_state": 3}
    weights = np.random.default_rng(45).uniform(0.3, 2, 40)
    model = fit(X, y, 5, 1.0, p, weights, **options)
    mask = model.samples_.T
    assert mask.shape == (40, 5)
    assert mask.dtype == bool
    assert (mask.sum(axis=0) == (30 if max_samples == 30 else round(40 * max_samples))).all()
    assert len(np.unique(mask, axis=1).T) > 1
    assert mask[y > 0].any(axis=0).all()
    assert mask[y < 0].any(axis=0).all()
    check(model, X, y, reference.exrm(X, y, 1.0, 5, p, weights=weights, mask=mask)[0], weights, mask)
    W, _ = columns(model)
    assert np.abs(W - W.mean(axis=1, keepdims=True)).max() > 1e-3
    said = model.member_decisions(X) > 0
    assert model.disagreement_ == pytest.approx(own_disagreement(said))
    assert model.disagreement_ > 0


@pytest.mark.parametrize(("n", "k"), [(41, 20), (41, 21), (40, 3), (60, 17), (40, 40)])
def test_members_see_the_number_of_rows_asked_for(n, k):
    for X, y in (two_classes(0, n), three_classes(0, n)):
        model = fit(X, y, 3, max_samples=k, solver="admm", max_iter=50_000, random_state=0)
        assert model.samples_.shape == (3, n)
        assert (model.samples_.sum(axis=1) == k).all()
        assert all((model.samples_[:, y == c].any(axis=1)).all() for c in np.unique(y))
        # One row of each class at least is needed.
        with pytest.raises(ValueError, match="max_samples"):
            ExclusivityRegularizedClassifier(3, max_samples=1, solver="admm").fit(X, y)


def test_exact_gives_way_where_members_see_different_rows():
    X, y = two_classes(57, 40, 5)
    ours, theirs = (fit(X, y, 3, solver=s, max_samples=0.5, random_state=1) for s in ("exact", "admm"))
    assert ours.solver_ == theirs.solver_ == "admm"
    np.testing.assert_array_equal(ours.coef_members_, theirs.coef_members_)
    with pytest.raises(ValueError, match="paper"):
        ExclusivityRegularizedClassifier(tol="paper").fit(X, y)


def test_members_that_see_some_rows_with_sparsity():
    X, y = two_classes(46, 40, 10)
    model = fit(X, y, 4, 1.0, 2, beta=1.0, max_samples=0.6, solver="admm", max_iter=50_000, random_state=0)
    best = reference.exrm(X, y, 1.0, 4, 2, beta=1.0, mask=model.samples_.T)[0]
    check(model, X, y, best, mask=model.samples_.T)
    assert (model.coef_members_ == 0).any()


@pytest.mark.parametrize("seed", range(4))
def test_a_random_start_reaches_the_optimum_of_the_squared_loss(seed):
    X, y = two_classes(seed, 45, 6)
    best = reference.exrm(X, y, 1.0, 5, 2)[0]
    options = FIXED | {"init": "random", "random_state": seed}
    check(fit(X, y, 5, 1.0, 2, **options), X, y, best, rtol=1e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("p", [1, 2])
def test_a_growing_penalty_warns_where_it_froze_above_the_optimum(p, seed):
    X, y = two_classes(seed, 45, 6)
    best = reference.exrm(X, y, 1.0, 5, p)[0]
    model = ExclusivityRegularizedClassifier(
        5, 1.0, loss_power=p, solver="alm", init="random", random_state=seed
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, y)
    excess = (model.objective_ - best) / model.objective_
    assert model.duality_gap_ == pytest.approx(excess, abs=1e-6)
    assert [w.category for w in told] == ([ConvergenceWarning] if excess > 1e-4 else [])


def test_a_random_start_freezes_above_the_optimum_of_the_hinge():
    X, y = two_classes(47, 60, 30)
    best = reference.exrm(X, y, 0.5, 5, 1)[0]
    for seed in range(3):
        model = ExclusivityRegularizedClassifier(
            5, 0.5, loss_power=1, solver="alm", init="random", max_iter=2000, random_state=seed
        )
        with pytest.warns(ConvergenceWarning, match="above the optimum"):
            model.fit(X, y)
        # It is not for want of iterations.
        assert model.n_iter_ < 300
        assert model.objective_ > best * 1.01
        assert model.duality_gap_ >= (model.objective_ - best) / model.objective_ - 1e-9


def test_equal_seeds_give_equal_bytes():
    X, y = two_classes(48, 40, 5)
    for options in (
        {"solver": "alm", "init": "random"},
        {"solver": "admm", "max_samples": 0.5, "max_iter": 20_000},
    ):
        first, again, other = (fit(X, y, 4, random_state=seed, **options) for seed in (5, 5, 6))
        assert first.coef_members_.tobytes() == again.coef_members_.tobytes()
        assert first.intercept_members_.tobytes() == again.intercept_members_.tobytes()
        assert first.coef_members_.tobytes() != other.coef_members_.tobytes()


# ---- the course of the iteration


PATHS = {"exact": {}, "admm": CLOSE["admm"], "alm": {"solver": "alm"}, "alm, fixed penalty": FIXED}


@pytest.mark.parametrize("name", PATHS)
@powers
def test_the_path_ends_where_the_objective_is(name, p):
    X, y = two_classes(49, 40, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ExclusivityRegularizedClassifier(4, 1.0, loss_power=p, **PATHS[name]).fit(X, y)
    path = model.objective_path_
    assert path.ndim == 1
    assert len(path) == (np.ceil(model.n_iter_ / 20) if name == "admm" else model.n_iter_)
    assert path[-1] == pytest.approx(model.objective_, rel=1e-9)
    assert model.objective_ == pytest.approx(own_objective(model, X, y), rel=1e-9)
    assert (np.diff(path[-3:]) <= 1e-6 * model.objective_).all()
    assert path[-1] <= path[: len(path) // 2 + 1].min() * (1 + 1e-6)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("init", ["equal", "random"])
def test_the_paper_s_tolerance(p, init):
    X, y = two_classes(50, 60, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ExclusivityRegularizedClassifier(
            5, loss_power=p, solver="alm", tol="paper", init=init, random_state=0
        ).fit(X, y)
    changes = np.abs(np.diff(model.objective_path_))
    assert changes[-1] < 0.05
    assert (changes[:-1] >= 0.05).all()
    assert model.n_iter_ < 300


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("max_samples", [None, 0.5])
def test_reweighting_reaches_the_minimiser_of_the_prox(p, max_samples):
    X, y = two_classes(51, 40, 5)
    options = FIXED | {"max_samples": max_samples, "random_state": 0}
    prox, reweighted = (fit(X, y, 4, 1.0, p, w_step=step, **options) for step in ("prox", "reweighting"))
    assert reweighted.objective_ == pytest.approx(prox.objective_, rel=1e-4)
    np.testing.assert_allclose(reweighted.coef_, prox.coef_, atol=2e-3)


def stopped_at_once(solver, p):
    X, y = two_classes(52, 60, 20)
    options = {"loss_power": p, "solver": solver, "max_iter": 1, "tol": 1e-12}
    with pytest.warns(ConvergenceWarning, match="above the optimum"):
        return X, y, ExclusivityRegularizedClassifier(4, 100.0, **options).fit(X, y)


@every_solver
@powers
def test_iterations_are_at_most_those_allowed(solver, p):
    assert stopped_at_once(solver, p)[2].n_iter_ == 1


@every_solver
@powers
def test_too_few_iterations_are_told(solver, p):
    X, y, model = stopped_at_once(solver, p)
    best = reference.exrm(X, y, 100.0, 4, p)[0]
    assert model.duality_gap_ >= (model.objective_ - best) / model.objective_ - 1e-9
    assert model.duality_gap_ > 1e-12


# ---- classes, shapes, input


@pytest.mark.parametrize("options", [{}, {"solver": "admm", "max_iter": 20_000}, FIXED], ids=str)
@pytest.mark.parametrize("p", [1, 2])
def test_one_against_the_rest(options, p):
    X, labels = three_classes(2)
    model = fit(X, labels, 3, 1.0, p, **options)
    d = X.shape[1]
    assert model.coef_.shape == (3, d)
    assert model.intercept_.shape == (3,)
    assert model.coef_members_.shape == (3, 3, d)
    assert model.intercept_members_.shape == (3, 3)
    assert np.shape(model.objective_) == np.shape(model.duality_gap_) == np.shape(model.n_iter_) == (3,)
    assert len(model.objective_path_) == 3
    for k, name in enumerate("abc"):
        single = fit(X, np.where(labels == name, 1, -1), 3, 1.0, p, **options)
        np.testing.assert_allclose(model.coef_members_[k], single.coef_members_, atol=1e-9)
        np.testing.assert_allclose(model.intercept_members_[k], single.intercept_members_, atol=1e-9)
        assert model.objective_[k] == pytest.approx(single.objective_)
        np.testing.assert_allclose(model.objective_path_[k], single.objective_path_)


def test_decisions_of_three_classes():
    X, labels = three_classes(3)
    model = fit(X, labels, 4, max_samples=0.5, solver="admm", max_iter=20_000, random_state=0)
    members, mean = model.member_decisions(X), model.decision_function(X)
    assert members.shape == (len(X), 3, 4)
    assert mean.shape == (len(X), 3)
    expected = np.einsum("nd,kcd->nkc", X, model.coef_members_) + model.intercept_members_
    np.testing.assert_allclose(members, expected, atol=1e-10)
    np.testing.assert_allclose(mean, members.mean(axis=2), atol=1e-10)
    np.testing.assert_allclose(mean, X @ model.coef_.T + model.intercept_, atol=1e-10)
    assert (model.predict(X) == np.array(list("abc"))[mean.argmax(axis=1)]).all()
    # As of the members of one against the rest, mean over classes.
    apart = [own_disagreement(members[:, k] > 0) for k in range(3)]
    assert model.disagreement_ == pytest.approx(np.mean(apart))


def test_decisions_of_two_classes():
    X, y = two_classes(53, 40, 5)
    labels = np.where(y > 0, "yes", "no")
    model = fit(X, labels, 6, max_samples=0.5, solver="admm", max_iter=20_000, random_state=0)
    assert model.classes_.tolist() == ["no", "yes"]
    members, mean = model.member_decisions(X), model.decision_function(X)
    assert members.shape == (40, 6)
    assert mean.shape == (40,)
    assert model.coef_.shape == (1, 5)
    assert model.intercept_.shape == (1,)
    np.testing.assert_allclose(members, X @ model.coef_members_.T + model.intercept_members_, atol=1e-10)
    np.testing.assert_allclose(mean, members.mean(axis=1), atol=1e-10)
    np.testing.assert_allclose(mean, X @ model.coef_[0] + model.intercept_[0], atol=1e-10)
    assert (model.predict(X) == np.where(mean > 0, "yes", "no")).all()
    assert not hasattr(model, "predict_proba")


@every_solver
def test_single_precision(solver):
    X, y = two_classes(54, 40, 5)
    X = X.astype(np.float32)
    single, double = (fit(data, y, 3, **CLOSE[solver]) for data in (X, X.astype(float)))
    np.testing.assert_allclose(single.coef_members_, double.coef_members_, atol=1e-5)
    np.testing.assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-4)


@every_solver
def test_one_column_and_few_rows(solver):
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1, -1, 1])
    model = fit(X, y, 2, **CLOSE[solver])
    best = reference.exrm(X, y.astype(float), 2.0, 2)[0]
    check(model, X, y.astype(float), best, rtol=1e-6 if solver != "alm" else 1e-4)


@solvers
@pytest.mark.parametrize("p", [1, 2])
def test_rows_that_are_all_equal(solver, p):
    X, y = np.full((12, 2), 3.0), np.where(np.arange(12) < 4, 1.0, -1.0)
    model = fit(X, y, 2, 1.5, p, solver=solver)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-3)
    best = reference.exrm(X, y, 1.5, 2, p)[0]
    check(model, X, y, best)
    assert (model.predict(X) == -1).all()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"lam": 0.0}, "lam"),
        ({"lam": -2.0}, "lam"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"loss_power": 0.9}, "loss_power"),
        ({"beta": -1.0}, "beta"),
        ({"solver": "newton"}, "solver"),
        ({"solver": "alm", "w_step": "sorting"}, "w_step"),
        ({"solver": "alm", "init": "zeros"}, "init"),
        ({"solver": "alm", "mu0": 0.0}, "mu0"),
        ({"solver": "alm", "rho": 0.9}, "rho"),
        ({"solver": "alm", "tol": "papers"}, "tol"),
        ({"tol": -1e-3}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"solver": "admm", "max_samples": 0}, "max_samples"),
        ({"solver": "admm", "max_samples": 1.5}, "max_samples"),
        ({"solver": "admm", "max_samples": 41}, "max_samples"),
        ({"multi_class": "ovo"}, "multi_class"),
    ],
)
def test_values_out_of_range_are_refused_by_name(options, word):
    X, y = two_classes(0, 40)
    with pytest.raises(ValueError, match=word):
        ExclusivityRegularizedClassifier(**options).fit(X, y)


def test_targets_that_cannot_be_learned():
    X, labels = three_classes(0)
    with pytest.raises(ValueError, match=r"multi_class|classes"):
        ExclusivityRegularizedClassifier(multi_class="off").fit(X, labels)
    ExclusivityRegularizedClassifier(multi_class="off").fit(X, labels == "a")
    with pytest.raises(ValueError, match="class"):
        ExclusivityRegularizedClassifier().fit(X, np.zeros(len(X)))


@every_solver
def test_data_that_cannot_be_learned(solver):
    X, y = two_classes(0)
    holes = X.copy()
    holes[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ExclusivityRegularizedClassifier(solver=solver).fit(holes, y)
    with pytest.raises((TypeError, ValueError), match=r"(?i)sparse"):
        ExclusivityRegularizedClassifier(solver=solver).fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match=r"inconsistent|samples"):
        ExclusivityRegularizedClassifier(solver=solver).fit(X, y[:-1])
    model = fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :-1])


def test_columns_of_very_different_scales_are_told():
    X, y = two_classes(55, 40, 4)
    with pytest.warns(UserWarning, match="(?i)scale"):
        ExclusivityRegularizedClassifier(3).fit(X * [1, 1e4, 1, 1], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ExclusivityRegularizedClassifier(3).fit(X * [1, 10, 1, 0.1], y)
        # A column that is all zero has no scale.
        ExclusivityRegularizedClassifier(3).fit(X * [1, 0, 1, 1], y)


def test_fitting_again_forgets():
    X, y = two_classes(56, 40, 5)
    X_other, labels = three_classes(4)
    model = ExclusivityRegularizedClassifier(3, random_state=0)
    twice = model.fit(X_other, labels).fit(X, y)
    once = ExclusivityRegularizedClassifier(3, random_state=0).fit(X, y)
    assert vars(twice).keys() == vars(once).keys()
    np.testing.assert_array_equal(twice.coef_members_, once.coef_members_)
