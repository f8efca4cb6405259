"""Every pruner against a reference written independently from the specification, on random small pools."""

import numpy as np
import pytest
from hypothesis import given, settings
from tests.combine.pruning import pruner_reference as reference
from tests.combine.pruning.hand_cases import CASES, VALUES, check
from tests.combine.pruning.pools import named_pools, pools

from rotastack.combine.pruning import (
    DREPPruner,
    KappaPruner,
    LPPruner,
    MarginPruner,
    MDMPruner,
    MeanDMPruner,
    OrientationPruner,
    QMMPruner,
    ReducedErrorPruner,
    ordered_curve,
)
from rotastack.diagnostics import disagreement, equilibrium_margin, kappa, margins, paper_diversity

repeatable = settings(derandomize=True)

ORDERED = {
    "kappa": (lambda n: KappaPruner(n), lambda v, y, n: reference.kappa(v, y, n)),
    "mdm": (lambda n: MDMPruner(n), lambda v, y, n: reference.mdm(v, y, n)),
    "mdm moving": (lambda n: MDMPruner(n, p="moving"), lambda v, y, n: reference.mdm(v, y, n, "moving")),
    "mdm function": (
        lambda n: MDMPruner(n, p=lambda u: 0.1 * u),
        lambda v, y, n: reference.mdm(v, y, n, lambda u: 0.1 * u),
    ),
    "meandm": (lambda n: MeanDMPruner(n), lambda v, y, n: reference.meandm(v, y, n)),
    "reduced error": (lambda n: ReducedErrorPruner(n), lambda v, y, n: reference.reduced_error(v, y, n)),
    "orientation": (lambda n: OrientationPruner(n), lambda v, y, n: reference.orientation(v, y, n)),
}


def heard(votes, y):
    rows = reference.heard_rows(votes)
    return votes[rows], y[rows]


@pytest.mark.parametrize("one", CASES, ids=lambda c: f"{c['pruner']}: {c['why']}"[:60])
def test_the_reference_agrees_with_hand_computed_cases(one):
    check(one, reference)


@pytest.mark.parametrize(("name", "value", "expected"), VALUES, ids=lambda v: v if isinstance(v, str) else "")
def test_the_reference_agrees_with_hand_computed_values(name, value, expected):
    np.testing.assert_allclose(value(reference), expected, atol=1e-9)


@pytest.mark.parametrize("name", ORDERED)
@repeatable
@given(pool=pools())
def test_orderings(name, pool):
    make, oracle = ORDERED[name]
    votes, y = pool
    size = votes.shape[1]
    pruner = make(size).fit(votes, y)
    selected, weights = oracle(votes, y, size)
    assert pruner.selected_.tolist() == selected
    assert pruner.order_.tolist() == selected
    np.testing.assert_allclose(pruner.weights_, weights)
    np.testing.assert_allclose(pruner.curve_, reference.ordered_curve(votes, y, selected))
    half = make(0.5).fit(votes, y)
    assert half.selected_.tolist() == oracle(votes, y, 0.5)[0]


@pytest.mark.parametrize("name", ORDERED)
@pytest.mark.parametrize("seed", range(3))
def test_orderings_of_named_pools(name, seed):
    make, oracle = ORDERED[name]
    for kind, (votes, y) in named_pools(seed).items():
        assert make(0.4).fit(votes, y).selected_.tolist() == oracle(votes, y, 0.4)[0], kind


@repeatable
@given(pool=pools())
def test_best_size(pool):
    votes, y = pool
    assert MeanDMPruner(None).fit(votes, y).selected_.tolist() == reference.meandm(votes, y)[0]


@pytest.mark.parametrize("rho", [0.2, 0.5, 1.0])
@repeatable
@given(pool=pools())
def test_drep(rho, pool):
    votes, y = pool
    printed = DREPPruner(rho, patience=1).fit(votes, y)
    assert printed.selected_.tolist() == reference.drep(votes, y, rho)[0]
    to_the_end = DREPPruner(rho, patience=votes.shape[1]).fit(votes, y)
    assert to_the_end.selected_.tolist() == reference.drep(votes, y, rho, stop=None)[0]
    np.testing.assert_allclose(to_the_end.errors_, reference.ordered_curve(votes, y, to_the_end.selected_.tolist()))
    # Patience of two: it went on past the size kept, and neither of the next two was better.
    patient = DREPPruner(rho).fit(votes, y).selected_.tolist()
    whole = endless_drep(votes, y, rho)
    errors = reference.ordered_curve(votes, y, whole)
    size = 1
    while min(errors[size : size + 2], default=1.0) < errors[size - 1]:
        size = size + 1 if errors[size] < errors[size - 1] else size + 2
    assert patient == whole[:size]


def endless_drep(votes, y, rho):
    """Return all members in the order in which DREP would add them."""
    E, errors = reference.error_signs(votes, y), reference.own_errors(votes, y)
    order = [min(range(len(errors)), key=lambda j: (errors[j], j))]
    while len(order) < len(errors):
        rest = [j for j in range(len(errors)) if j not in order]
        chosen = E[:, order].sum(axis=1)
        rest.sort(key=lambda j: (int(E[:, j] @ chosen), errors[j], j))
        near = rest[: max(1, int(np.ceil(rho * len(rest) - 1e-9)))]
        order.append(min(near, key=lambda j: (reference.joint_error(votes, y, [*order, j]), errors[j], j)))
    return order


@repeatable
@given(pool=pools())
def test_lp(pool):
    votes, y = heard(*pool)
    pruner = LPPruner().fit(votes, y)
    _, _, largest = reference.lp(votes, y)
    assert pruner.margin_ == pytest.approx(largest, abs=1e-7)
    E = reference.error_signs(votes, y)
    assert (E @ pruner.weights_).min() == pytest.approx(largest, abs=1e-7)
    assert pruner.weights_.sum() == pytest.approx(1.0)
    assert set(pruner.selected_) == set(np.flatnonzero(pruner.weights_ > 1e-6))
    assert LPPruner("cvxpy").fit(votes, y).margin_ == pytest.approx(pruner.margin_, abs=1e-7)


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("penalty", [0.1, 2.0])
@repeatable
@given(pool=pools())
def test_margin(penalty, positive, pool):
    votes, y = heard(*pool)
    pruner = MarginPruner(penalty, None, positive=positive).fit(votes, y)
    best = reference.lasso_weights(votes, y, penalty, positive)
    assert reference.lasso_objective(votes, y, penalty, pruner.lasso_weights_) == pytest.approx(
        reference.lasso_objective(votes, y, penalty, best), abs=1e-6
    )
    selected, weights = reference.margin(votes, y, penalty, positive, lasso=pruner.lasso_weights_)
    assert pruner.selected_.tolist() == selected
    np.testing.assert_allclose(pruner.weights_, weights)
    lasso_only = MarginPruner(penalty, "nonzero", positive=positive).fit(votes, y)
    assert lasso_only.n_selected_ == max(1, int((pruner.lasso_weights_.round(9) != 0).sum()))


@repeatable
@given(pool=pools(unequal=True))
def test_qmm(pool):
    votes, y, weights = pool
    votes, y = heard(votes, y)
    for v in (None, 0.3, 1.0):
        pruner = QMMPruner(v).fit(votes, y, weights=weights)
        assert pruner.status_ == "solved"
        violation, excess = reference.qmm_gap(votes, y, pruner.weights_, weights, v)
        assert violation < 1e-6, v
        assert excess < 2e-6, v


@repeatable
@given(pool=pools(unequal=True))
def test_qmm_against_cvxpy(pool):
    votes, y, weights = pool
    votes, y = heard(votes, y)
    objective, _ = reference.qmm(votes, y, weights, 0.5)
    for options in ({}, {"reduce": None}):
        pruner = QMMPruner(0.5, **options).fit(votes, y, weights=weights)
        assert pruner.status_ == "solved"
        assert pruner.objective_ == pytest.approx(objective, abs=1e-6), options
    printed = QMMPruner(0.5, solver="cvxpy").fit(votes, y, weights=weights)
    assert printed.status_ == "solved"
    assert printed.objective_ == pytest.approx(pruner.objective_, rel=1e-6, abs=1e-8)
    violation, excess = reference.qmm_gap(votes, y, printed.weights_, weights, 0.5)
    assert violation < 1e-6
    assert excess < 1e-6


@repeatable
@given(pool=pools())
def test_pairs(pool):
    votes, y = pool
    mask = votes >= 0
    np.testing.assert_allclose(disagreement(votes, y, mask), reference.disagreement(votes, y), atol=1e-12)
    np.testing.assert_allclose(disagreement(votes, mask=mask), reference.label_disagreement(votes), atol=1e-12)
    np.testing.assert_allclose(kappa(votes, mask), reference.kappa_matrix(votes), atol=1e-9)
    np.testing.assert_allclose(margins(votes, y, mask), reference.multiclass_margins(votes, y), atol=1e-12)
    if votes.shape[1] > 1:
        some = list(range(0, votes.shape[1], 2))
        ours = paper_diversity(votes[:, some], votes.shape[1], mask[:, some])
        assert ours == pytest.approx(reference.paper_diversity(votes, some))


@pytest.mark.slow
@repeatable
@given(pool=pools(silent=False))
def test_equilibrium_margin(pool):
    votes, y = pool
    values = np.repeat(reference.multiclass_margins(votes, y), 200)
    if (values <= 0.9).all():
        values[:10] = 1.0
    ours = equilibrium_margin(values, 50.0)
    theirs = reference.equilibrium_margin(values, 50.0)
    assert ours.bound == pytest.approx(min(theirs["bound"], 1.0), abs=1e-6)
    if theirs["bound"] < 0.99:
        assert (ours.error, ours.margin) == pytest.approx((theirs["q"], theirs["theta"]))


@repeatable
@given(pool=pools())
def test_curves_of_any_order(pool):
    votes, y = pool
    order = np.random.default_rng(0).permutation(votes.shape[1])[: max(1, votes.shape[1] - 1)]
    np.testing.assert_allclose(ordered_curve(votes, y, order), reference.ordered_curve(votes, y, order))
