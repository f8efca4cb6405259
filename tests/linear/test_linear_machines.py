"""Linear machines and what is made of them, as studies name them."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.preprocessing import minmax_scale

from rotastack import ExclusivityRegularizedClassifier, PooledEnsembleClassifier, PrimalSVMClassifier
from rotastack.base.fitting import fit_aligned
from rotastack.linear.mean_weight import MeanWeightClassifier
from rotastack.linear.nu_svm import FeasibleNuSVC
from rotastack.views import RandomRotation
from rotastack.workflow.study.building import build
from rotastack.workflow.study.catalogue import resolved


def machine(name, **parameters):
    """Return what a study means by a short name and parameters."""
    found = resolved(name, parameters)
    return build(found["class"], found["parameters"])


def test_kernel_features_bend_the_boundary():
    X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    y = (np.hypot(*X.T) < 0.7).astype(int)
    straight = machine("exrm", n_estimators=5)
    bent = machine("exrm_nystroem", exrm__n_estimators=5, nystroem__n_components=50)
    assert bent.fit(X, y).score(X, y) > 0.9 > straight.fit(X, y).score(X, y)


@pytest.mark.parametrize("lam", [1.01, 2, 50])
def test_nu_is_always_feasible(lam):
    X = np.random.default_rng(1).uniform(-1, 1, (90, 3))
    for counts in ((85, 5), (50, 40), (70, 15, 5)):
        y = np.repeat(np.arange(len(counts)), counts)
        Z = X + 4 * np.eye(3)[y]
        svm = FeasibleNuSVC(lam).fit(Z, y)
        largest = 2 * min(counts) / (min(counts) + counts[0])
        assert svm.machine_.nu == pytest.approx(largest / lam)
        assert (svm.predict(Z) == y).all()


def test_boosting_does_not_penalise_by_the_number_of_rows():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = minmax_scale(X, (-1, 1))[:200].astype(np.float32), y[:200]
    weights = np.random.default_rng(2).uniform(0.5, 1.5, len(y))
    weights *= len(y) / weights.sum()
    plain = PrimalSVMClassifier(2.0).fit(X, y, sample_weight=weights)
    scaled = MeanWeightClassifier(PrimalSVMClassifier(2.0)).fit(X, y, sample_weight=weights / 1000)
    np.testing.assert_allclose(scaled.estimator_.coef_, plain.coef_, rtol=1e-3, atol=1e-3)
    first = AdaBoostClassifier(MeanWeightClassifier(PrimalSVMClassifier(2.0)), n_estimators=3).fit(X, y)[0].estimator_
    np.testing.assert_allclose(first.coef_, PrimalSVMClassifier(2.0).fit(X, y).coef_, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "estimator",
    [
        FeasibleNuSVC(),
        AdaBoostClassifier(MeanWeightClassifier(PrimalSVMClassifier(2.0)), n_estimators=10),
        PooledEnsembleClassifier(RandomRotation(), ExclusivityRegularizedClassifier()),
    ],
)
def test_three_classes_in_single_precision(estimator):
    X, y = load_iris(return_X_y=True)
    scaled = minmax_scale(X, (-1, 1)).astype(np.float32)
    outputs = fit_aligned(estimator, scaled, y, 3, np.random.SeedSequence(0)).outputs(scaled)
    np.testing.assert_allclose(outputs.sum(axis=1), 1, rtol=1e-5)
    assert (outputs.argmax(axis=1) == y).mean() > 0.85
