"""Linear machines and what is made of them, as studies name them."""

import numpy as np
import pytest
from rotastack.learners.registry import make_learner
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import minmax_scale

from rotastack.base.fitting import fit_aligned, placed
from rotastack.linear import PrimalSVMClassifier
from rotastack.linear.mean_weight import MeanWeightClassifier
from rotastack.linear.nu_svm import FeasibleNuSVC

SEQUENCE = np.random.SeedSequence(0)


@pytest.fixture(scope="module")
def rows():
    X, y = load_breast_cancer(return_X_y=True)
    return minmax_scale(X, (-1, 1))[:200].astype(np.float32), y[:200]


def fitted(rows, **spec):
    X, y = rows
    return fit_aligned(make_learner(spec), X, y, int(y.max()) + 1, SEQUENCE).estimator


def test_exact_members_are_the_machine_with_less_lambda(rows):
    for power in (1, 2):
        many = fitted(rows, kind="exrm", n_estimators=10, lam=2, loss_power=power)
        one = fitted(rows, kind="primal_svm", lam=0.2, loss_power=power)
        np.testing.assert_allclose(many.coef_, one.coef_, atol=1e-3)  # gaps of 1e-6


def test_parameters_reach_the_machine(rows):
    given = {"solver": "alm", "tol": "paper", "rho": 1.05, "init": "random", "beta": 0.1, "max_samples": 0.5}
    machine = make_learner({"kind": "exrm", "n_estimators": 3, "lam": 0.5, "loss_power": 1, **given})
    assert given.items() <= machine.get_params().items()
    assert (machine.n_estimators, machine.lam, machine.loss_power) == (3, 0.5, 1)


def test_kernel_features_bend_the_boundary():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    y = (np.hypot(*X.T) < 0.7).astype(int)
    straight = fitted((X, y), kind="exrm", n_estimators=5)
    bent = fitted((X, y), kind="exrm", n_estimators=5, features="nystroem", n_components=50)
    assert (bent.predict(X) == y).mean() > 0.9 > (straight.predict(X) == y).mean()


@pytest.mark.parametrize("lam", [1.01, 2, 50])
def test_nu_is_always_feasible(lam):
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (90, 3))
    for counts in ((85, 5), (50, 40), (70, 15, 5)):
        y = np.repeat(np.arange(len(counts)), counts)
        Z = X + 4 * np.eye(3)[y]
        machine = FeasibleNuSVC(lam).fit(Z, y)
        largest = 2 * min(counts) / (min(counts) + counts[0])
        assert machine.machine_.nu == pytest.approx(largest / lam)
        assert (machine.predict(Z) == y).all()


def test_boosting_does_not_penalise_by_the_number_of_rows(rows):
    X, y = rows
    weights = np.random.default_rng(2).uniform(0.5, 1.5, len(y))
    weights *= len(y) / weights.sum()
    plain = PrimalSVMClassifier(2.0).fit(X, y, sample_weight=weights)
    scaled = MeanWeightClassifier(PrimalSVMClassifier(2.0)).fit(X, y, sample_weight=weights / 1000)
    np.testing.assert_allclose(scaled.estimator_.coef_, plain.coef_, rtol=1e-3, atol=1e-3)
    first = fitted(rows, kind="boosted_linear", n_rounds=3).estimators_[0].estimator_
    np.testing.assert_allclose(first.coef_, PrimalSVMClassifier(2.0).fit(X, y).coef_, rtol=1e-3, atol=1e-3)


def test_bags_and_subspaces(rows):
    bags = fitted(rows, kind="bagged_linear", n_bags=4)
    assert len({tuple(np.round(m.coef_[0], 6)) for m in bags.estimators_}) == 4
    halves = fitted(
        rows, kind="bagged_linear", n_bags=4, bootstrap=False, max_features=0.5, base="exrm", members=3
    )
    assert {m.coef_.shape for m in halves.estimators_} == {(1, 15)}
    assert {m.n_estimators for m in halves.estimators_} == {3}
    assert len({tuple(c) for c in halves.estimators_features_}) == 4


def test_rotations_change_nothing_without_bags(rows):
    X, y = rows
    one = fitted(rows, kind="exrm", n_estimators=10)
    turned = fitted(rows, kind="rotated_linear", n_rotations=3, members=10)
    for member in turned.pool_.members:
        np.testing.assert_allclose(
            member.model.estimator.decision_function(member.view.transform(X)),
            one.decision_function(X),
            atol=1e-3,
        )
    bags = fitted(rows, kind="rotated_linear", n_rotations=3, bootstrap=True)
    assert (bags.predict(X) == y).mean() > 0.9
    assert len({round(float(m.model.estimator.intercept_[0]), 6) for m in bags.pool_.members}) == 3


def test_rotations_leave_categories_alone():
    learner = make_learner({"kind": "rotated_linear"})
    assert placed(learner, 3, 2).categorical_features == [3, 4]
    assert type(placed(learner, 0, 5)).__name__ == "ExclusivityRegularizedClassifier"


@pytest.mark.parametrize("kind", ["exrm", "primal_svm", "drm", "nu_svm", "boosted_linear", "bagged_linear", "rotated_linear"])  # fmt: skip
def test_three_classes_go_one_against_the_rest(kind):
    X, y = load_iris(return_X_y=True)
    scaled = minmax_scale(X, (-1, 1)).astype(np.float32)
    model = fit_aligned(make_learner({"kind": kind}), scaled, y, 3, SEQUENCE)
    outputs = model.outputs(scaled)
    assert outputs.shape == (150, 3)
    np.testing.assert_allclose(outputs.sum(axis=1), 1, rtol=1e-5)
    assert (outputs.argmax(axis=1) == y).mean() > 0.85
