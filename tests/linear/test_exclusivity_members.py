"""Members that differ, and the course of the iterations."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.linear import reference
from tests.linear.machines import FIXED, check, columns, fit, own_disagreement, own_objective, powers
from tests.linear.problems import three_classes, two_classes

from rotastack import ExclusivityRegularizedClassifier


@powers
@pytest.mark.parametrize(("max_samples", "beta"), [(0.5, 0.0), (30, 0.0), (0.9, 0.0), (0.6, 1.0)])
def test_members_that_see_some_rows(p, max_samples, beta):
    X, y = two_classes(45, 40, 6)
    weights = np.random.default_rng(45).uniform(0.3, 2, 40)
    model = fit(X, y, 5, 1.0, p, weights, beta=beta, max_iter=50_000, max_samples=max_samples, random_state=3)
    mask = model.samples_.T
    assert len(np.unique(mask, axis=1).T) > 1
    check(model, X, y, reference.exrm(X, y, 1.0, 5, p, beta, weights, mask)[0], weights, mask)
    W, _ = columns(model)
    assert np.abs(W - W.mean(axis=1, keepdims=True)).max() > 1e-3
    assert (W == 0).any() or beta == 0
    said = np.einsum("nd,cd->nc", X, model.coef_members_) + model.intercept_members_ > 0
    assert model.disagreement_ == pytest.approx(own_disagreement(said))
    assert model.disagreement_ > 0


@pytest.mark.parametrize(("n", "asked", "k"), [(41, 20, 20), (41, 21, 21), (40, 3, 3), (60, 0.3, 18), (40, 40, 40)])
def test_members_see_the_number_of_rows_asked_for(n, asked, k):
    for X, y in (two_classes(0, n), three_classes(0, n)):
        model = fit(X, y, 3, max_samples=asked, max_iter=50_000, random_state=0)
        assert model.samples_.shape == (3, n)
        assert (model.samples_.sum(axis=1) == k).all()
        assert all((model.samples_[:, y == c].any(axis=1)).all() for c in np.unique(y))


def test_the_mean_of_the_members_decides():
    X, labels = three_classes(3)
    model = fit(X, labels, 4, max_samples=0.5, max_iter=20_000, random_state=0)
    members = np.einsum("nd,kcd->nkc", X, model.coef_members_) + model.intercept_members_
    np.testing.assert_allclose(model.decision_function(X), members.mean(axis=2), atol=1e-10)
    # As of the members of one against the rest, mean over classes.
    apart = [own_disagreement(members[:, k] > 0) for k in range(3)]
    assert model.disagreement_ == pytest.approx(np.mean(apart))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("p", [1, 2])
def test_a_growing_penalty_warns_where_it_froze_above_the_optimum(p, seed, recwarn):
    X, y = two_classes(seed, 45, 6)
    best = reference.exrm(X, y, 1.0, 5, p)[0]
    model = ExclusivityRegularizedClassifier(5, 1.0, loss_power=p, solver="alm", init="random", random_state=seed)
    model.fit(X, y)
    excess = (model.objective_ - best) / model.objective_
    assert model.duality_gap_ == pytest.approx(excess, abs=1e-6)
    assert [w.category for w in recwarn] == ([ConvergenceWarning] if excess > 1e-4 else [])


HALVES = {"max_samples": 0.5, "random_state": 0, "max_iter": 50_000}
PATHS = {"exact": {}, "exact, different rows": HALVES, "alm": {"solver": "alm"}, "alm, fixed penalty": FIXED}


@pytest.mark.parametrize("name", PATHS)
@powers
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_path_ends_where_the_objective_is(name, p):
    X, y = two_classes(49, 40, 5)
    model = ExclusivityRegularizedClassifier(4, 1.0, loss_power=p, **PATHS[name]).fit(X, y)
    path = model.objective_path_
    assert (path.shape, path[-1]) == ((model.n_iter_,), pytest.approx(model.objective_, rel=1e-9))
    mask = model.samples_.T
    assert model.objective_ == pytest.approx(own_objective(model, X, y, mask=mask), rel=1e-9)
    assert (np.diff(path[-3:]) <= 1e-6 * model.objective_).all()
    assert path[-1] <= path[: len(path) // 2 + 1].min() * (1 + 1e-6)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("init", ["equal", "random"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_paper_s_tolerance(p, init):
    X, y = two_classes(50, 60, 6)
    model = ExclusivityRegularizedClassifier(5, loss_power=p, solver="alm", tol="paper", init=init, random_state=0).fit(
        X, y
    )
    changes = np.abs(np.diff(model.objective_path_))
    assert changes[-1] < 0.05
    assert (changes[:-1] >= 0.05).all()
    assert model.n_iter_ < 300
