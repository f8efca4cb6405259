"""What the exclusivity regularised machine takes, refuses and returns."""

import numpy as np
import pytest
from tests.linear import reference
from tests.linear.machines import CLOSE, check, every_solver, fit, own_disagreement
from tests.linear.problems import three_classes, two_classes


def test_decisions_of_three_classes():
    X, labels = three_classes(3)
    model = fit(X, labels, 4, max_samples=0.5, max_iter=20_000, random_state=0)
    members = np.einsum("nd,kcd->nkc", X, model.coef_members_) + model.intercept_members_
    mean = model.decision_function(X)
    assert mean.shape == (len(X), 3)
    np.testing.assert_allclose(mean, members.mean(axis=2), atol=1e-10)
    np.testing.assert_allclose(mean, X @ model.coef_.T + model.intercept_, atol=1e-10)
    assert (model.predict(X) == np.array(list("abc"))[mean.argmax(axis=1)]).all()
    # As of the members of one against the rest, mean over classes.
    apart = [own_disagreement(members[:, k] > 0) for k in range(3)]
    assert model.disagreement_ == pytest.approx(np.mean(apart))


def test_decisions_of_two_classes():
    X, y = two_classes(53, 40, 5)
    labels = np.where(y > 0, "yes", "no")
    model = fit(X, labels, 6, max_samples=0.5, max_iter=20_000, random_state=0)
    assert model.classes_.tolist() == ["no", "yes"]
    members, mean = X @ model.coef_members_.T + model.intercept_members_, model.decision_function(X)
    assert mean.shape == (40,)
    assert model.coef_.shape == (1, 5)
    assert model.intercept_.shape == (1,)
    np.testing.assert_allclose(mean, members.mean(axis=1), atol=1e-10)
    np.testing.assert_allclose(mean, X @ model.coef_[0] + model.intercept_[0], atol=1e-10)
    assert (model.predict(X) == np.where(mean > 0, "yes", "no")).all()
    assert not hasattr(model, "predict_proba")


@every_solver
def test_one_column_and_few_rows(solver):
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1, -1, 1])
    model = fit(X, y, 2, **CLOSE[solver])
    best = reference.exrm(X, y.astype(float), 2.0, 2)[0]
    check(model, X, y.astype(float), best, rtol=1e-6 if solver != "alm" else 1e-4)


@pytest.mark.parametrize("p", [1, 2])
def test_rows_that_are_all_equal(p):
    X, y = np.full((12, 2), 3.0), np.where(np.arange(12) < 4, 1.0, -1.0)
    model = fit(X, y, 2, 1.5, p)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-3)
    best = reference.exrm(X, y, 1.5, 2, p)[0]
    check(model, X, y, best)
    assert (model.predict(X) == -1).all()
