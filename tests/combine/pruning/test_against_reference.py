"""Every pruner against a reference written independently from the specification, on random small pools."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from tests.combine.pruning import pruner_reference as reference
from tests.combine.pruning.pruner_reference import pools

from rotastack.combine import pruning
from rotastack.combine.pruning.qmm import reduced
from rotastack.combine.pruning.vote_table import VoteTable
from rotastack.diagnostics import disagreement, equilibrium_margin, kappa, margins, paper_diversity

repeatable = settings(derandomize=True)

ORDERED = {
    "kappa": (pruning.KappaPruner(), reference.kappa),
    "mdm": (pruning.MDMPruner(), reference.mdm),
    "mdm moving": (pruning.MDMPruner(p="moving"), partial(reference.mdm, p="moving")),
    "mdm function": (pruning.MDMPruner(p=lambda u: 0.1 * u), partial(reference.mdm, p=lambda u: 0.1 * u)),
    "meandm": (pruning.MeanDMPruner(), reference.meandm),
    "reduced error": (pruning.ReducedErrorPruner(), reference.reduced_error),
    "orientation": (pruning.OrientationPruner(), reference.orientation),
}


def heard(votes, y):
    rows = reference.heard_rows(votes)
    return votes[rows], y[rows]


@pytest.mark.parametrize("name", ORDERED)
@repeatable
@given(pool=pools())
def test_orderings(name, pool):
    pruner, oracle = ORDERED[name]
    votes, y = pool
    order = oracle(votes, y)
    errors = reference.ordered_curve(votes, y, order)
    half, all_of_them = max(1, (len(order) + 1) // 2), len(order)
    for n_select, size in ((0.1, 1), (0.5, half), (None, 1 + errors.argmin()), (all_of_them, all_of_them)):
        fitted = pruner.set_params(n_select=n_select).fit(votes, y)
        assert (fitted.order_.tolist(), fitted.selected_.tolist()) == (order, order[:size])
        np.testing.assert_allclose(fitted.weights_[order], (np.arange(len(order)) < size) / size)
        np.testing.assert_allclose(fitted.curve_, errors)


@pytest.mark.parametrize("rho", [0.2, 0.5, 1.0])
@repeatable
@given(pool=pools())
def test_drep(rho, pool):
    votes, y = pool
    whole = reference.drep_order(votes, y, rho)
    errors = reference.ordered_curve(votes, y, whole)
    for patience in (1, 2, votes.shape[1]):
        size = 1  # goes on past the size kept, as none of the next members was better
        while min(errors[size : size + patience], default=1.0) < errors[size - 1]:
            size += 1 + int(np.argmax(errors[size : size + patience] < errors[size - 1]))
        pruner = pruning.DREPPruner(rho, patience=patience).fit(votes, y)
        assert pruner.selected_.tolist() == whole[:size]
        np.testing.assert_allclose(pruner.errors_, errors[:size])


@repeatable
@given(pool=pools())
def test_lp(pool):
    votes, y = heard(*pool)
    pruner = pruning.LPPruner().fit(votes, y)
    largest = reference.lp(votes, y)
    assert pruner.margin_ == pytest.approx(largest, abs=1e-7)
    assert (reference.error_signs(votes, y) @ pruner.weights_).min() == pytest.approx(largest, abs=1e-7)
    assert pruner.weights_.sum() == pytest.approx(1.0)
    assert set(pruner.selected_) == set(np.flatnonzero(pruner.weights_ > 1e-6))
    assert pruning.LPPruner("cvxpy").fit(votes, y).margin_ == pytest.approx(pruner.margin_, abs=1e-7)


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("penalty", [0.1, 2.0])
@repeatable
@given(pool=pools())
def test_margin(penalty, positive, pool):
    votes, y = heard(*pool)
    pruner = pruning.MarginPruner(penalty, None, positive=positive).fit(votes, y)
    best = reference.lasso_weights(votes, y, penalty, positive)
    assert reference.lasso_objective(votes, y, penalty, pruner.lasso_weights_) == pytest.approx(
        reference.lasso_objective(votes, y, penalty, best), abs=1e-6
    )
    order = reference.by_lasso(votes, y, pruner.lasso_weights_)
    assert pruner.order_.tolist() == order
    assert pruner.n_selected_ == 1 + reference.ordered_curve(votes, y, order).argmin()
    lasso_only = pruning.MarginPruner(penalty, "nonzero", positive=positive).fit(votes, y)
    assert lasso_only.n_selected_ == max(1, int((pruner.lasso_weights_.round(9) != 0).sum()))


@pytest.mark.parametrize("v", [None, 0.3, 0.5, 1.0])
@repeatable
@given(pool=pools(unequal=True))
def test_qmm(v, pool):
    votes, y, weights = pool
    votes, y = heard(votes, y)
    S = reference.qmm_data(votes, y, weights, v)[0]
    for options in ({}, {"reduce": None}, {"solver": "cvxpy"}) if v == 0.5 else ({},):
        pruner = pruning.QMMPruner(v, **options).fit(votes, y, weights=weights)
        assert pruner.status_ == "solved"
        assert pruner.objective_ == pytest.approx(pruner.weights_ @ S @ pruner.weights_)
        violation, excess = reference.qmm_gap(votes, y, pruner.weights_, weights, v)
        assert violation < 1e-6, options
        assert excess < 2e-6, options


@repeatable
@given(pool=pools())
def test_qr_keeps_as_many_members_as_the_rank(pool):
    table = VoteTable.checked(*pool)
    kept, weights = reduced(table, "qr")
    rank = np.linalg.matrix_rank(table.signs)
    assert len(kept) == len(weights) == rank == np.linalg.matrix_rank(table.signs[:, kept])


@repeatable
@given(pool=pools())
def test_pairs(pool):
    votes, y = pool
    mask = votes >= 0
    np.testing.assert_allclose(disagreement(votes, y, mask), reference.disagreement(votes, y), atol=1e-12)
    np.testing.assert_allclose(
        disagreement(votes, mask=mask), reference.pairwise(votes, reference.share_unlike), atol=1e-12
    )
    np.testing.assert_allclose(kappa(votes, mask), reference.pairwise(votes, reference.pair_kappa), atol=1e-9)
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
    q, theta, bound = reference.equilibrium_margin(values, 50.0)
    assert ours.bound == pytest.approx(min(bound, 1.0), abs=1e-6)
    if bound < 0.99:
        assert (ours.error, ours.margin) == pytest.approx((q, theta))


@repeatable
@given(pool=pools())
def test_curves_of_any_order(pool):
    votes, y = pool
    order = np.random.default_rng(0).permutation(votes.shape[1])[: max(1, votes.shape[1] - 1)]
    np.testing.assert_allclose(pruning.ordered_curve(votes, y, order), reference.ordered_curve(votes, y, order))
