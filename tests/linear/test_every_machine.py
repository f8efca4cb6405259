"""What all linear machines take, refuse and return."""

from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.linear import reference
from tests.linear.machines import FIXED, fit_quietly
from tests.linear.problems import three_classes, two_classes

from rotastack import DiversityRegularizedClassifier, ExclusivityRegularizedClassifier, PrimalSVMClassifier
from rotastack.linear.nu_svm import FeasibleNuSVC

MACHINES = {
    "svm": PrimalSVMClassifier(),
    "svm, hinge": PrimalSVMClassifier(loss_power=1),
    "exrm": ExclusivityRegularizedClassifier(3),
    "exrm, hinge": ExclusivityRegularizedClassifier(3, loss_power=1),
    "exrm, alm": ExclusivityRegularizedClassifier(3, **FIXED),
    "exrm, alm, hinge": ExclusivityRegularizedClassifier(3, 1.0, loss_power=1, **FIXED),
    "exrm, cvxpy": ExclusivityRegularizedClassifier(3, solver="cvxpy"),
    "drm": DiversityRegularizedClassifier(3, 1.05),
    "drm, cvxpy": DiversityRegularizedClassifier(3, 1.05, solver="cvxpy", tol=1e-4),
}
EXRM, SVM, DRM = ExclusivityRegularizedClassifier, PrimalSVMClassifier, DiversityRegularizedClassifier


def fit(machine, X, y, weights=None, **options):
    """Fit a copy without any warning."""
    return fit_quietly(type(machine)(**machine.get_params() | options), X, y, weights)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_one_against_the_rest(machine):
    X, labels = three_classes(1)
    model = fit(machine, X, labels)
    assert np.shape(model.duality_gap_) == (3,)
    names = ["coef_", "intercept_", "objective_", "objective_path_", "coef_members_", "intercept_members_"]
    for k, label in enumerate("abc"):
        single = fit(machine, X, np.where(labels == label, 1, -1))
        for name in filter(partial(hasattr, model), names):
            np.testing.assert_allclose(
                getattr(model, name)[k], np.squeeze(getattr(single, name)), atol=1e-9, err_msg=name
            )
    values = model.decision_function(X)
    np.testing.assert_allclose(values, X @ model.coef_.T + model.intercept_, atol=1e-10)
    assert (model.predict(X) == np.array(list("abc"))[values.argmax(axis=1)]).all()


@pytest.mark.parametrize("value", [0.0, 0.1])
@pytest.mark.parametrize("machine", [*MACHINES.values(), DRM(3), DRM(3, solver="cvxpy")], ids=str)
@pytest.mark.filterwarnings("ignore:.*iterations:sklearn.exceptions.ConvergenceWarning")
def test_equal_rows_leave_the_larger_class(machine, value, recwarn):
    X, y = np.full((21, 3), value), np.where(np.arange(21) % 3 == 0, "a", "b")
    assert set(type(machine)(**machine.get_params()).fit(X, y).predict(X)) == {"b"}
    assert not isinstance(machine, DRM) or ["w = 0 is optimal" in str(w.message) for w in recwarn] == [True]


def test_a_nu_svm_names_what_it_needs():
    X, y = np.random.default_rng(0).normal(size=(6, 2)), np.arange(6) % 2
    for rows, labels in ((np.full((6, 2), 0.1), y), (X, np.zeros(6))):
        with pytest.raises(ValueError, match="needs rows of two classes, and rows that differ in a column"):
            FeasibleNuSVC().fit(rows, labels)


@pytest.mark.parametrize("machine", [SVM(), SVM(loss_power=1), EXRM(3, tol=1e-9), EXRM(3, **FIXED)], ids=str)
def test_weights_of_classes(machine):
    X, y = two_classes(44, 50, 5)
    by_class, rows = {-1.0: 3.0, 1.0: 0.5}, 1 + np.arange(50) % 3
    balanced = np.where(y > 0, 25 / (y > 0).sum(), 25 / (y < 0).sum())
    for class_weight, given, same in (
        (by_class, None, np.where(y > 0, 0.5, 3.0)),
        (by_class, rows, np.where(y > 0, 0.5, 3.0) * rows),
        ("balanced", None, balanced),
    ):
        weighted = fit(machine, X, y, given, class_weight=class_weight)
        np.testing.assert_allclose(weighted.coef_, fit(machine, X, y, same).coef_, atol=1e-6)


@pytest.mark.parametrize("machine", [SVM(100.0), EXRM(4, 100.0), EXRM(4, 100.0, solver="alm")], ids=str)
@pytest.mark.parametrize("p", [1, 1.5, 2])
def test_too_few_iterations_are_told(machine, p):
    X, y = two_classes(21, 60, 20)
    with pytest.warns(ConvergenceWarning, match="above the optimum"):
        model = machine.set_params(loss_power=p, max_iter=1, tol=1e-12).fit(X, y)
    C = getattr(machine, "n_estimators", 1)
    best = C**2 * reference.svm(X, y, 100.0 / C, p)[0]
    assert model.n_iter_ == 1
    assert model.duality_gap_ > 1e-12
    assert model.duality_gap_ >= (model.objective_ - best) / model.objective_ - 1e-9


@pytest.mark.parametrize(
    ("kind", "name", "values"),
    [
        (SVM, "lam", [0.0, -1.0]),
        (SVM, "loss_power", [0.5]),
        (SVM, "beta", [-0.1]),
        (SVM, "tol", [-1.0]),
        (SVM, "max_iter", [0]),
        (EXRM, "n_estimators", [0]),
        (EXRM, "solver", ["newton"]),
        (EXRM, "w_step", ["sorting"]),
        (EXRM, "init", ["zeros"]),
        (EXRM, "mu0", [0.0]),
        (EXRM, "rho", [0.9]),
        (EXRM, "tol", ["papers", "paper", -1e-3]),
        (EXRM, "max_samples", [0, 1.5, 1, 41]),
        (DRM, "lam", [0.5, 1.0]),
        (DRM, "diversity", [-0.1, 1.1]),
        (DRM, "solver", ["mosek"]),
        (DRM, "tol", [None, 0.0]),
    ],
)
def test_values_out_of_range_are_refused_by_name(kind, name, values):
    X, y = two_classes(0, 40)
    for value in values:
        with pytest.raises(ValueError, match=name):
            kind(**{name: value}).fit(X, y)


@pytest.mark.parametrize("kind", [SVM, EXRM, DRM])
def test_one_class_and_columns_of_other_scales(kind):
    X, y = two_classes(0)
    with pytest.raises(ValueError, match="y has only one class"):
        kind().fit(X, np.zeros(len(X)))
    with pytest.warns(UserWarning, match="(?i)scale"):
        kind().fit(X * np.logspace(0, 4, X.shape[1]), y)
