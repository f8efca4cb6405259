"""The pruning of a pool on one split: the outputs of the kept members, and measures of these members."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from rotastack.combine.pruning.vote_table import ordered_curve
from rotastack.diagnostics.bounds import c_bound, linear_bound, margin_bound
from rotastack.diagnostics.margin import margins
from rotastack.diagnostics.pairs import mean_disagreement, paper_diversity
from rotastack.workflow.study.building import make
from rotastack.workflow.study.specs import PrunerSpec

MARGINS = np.linspace(-1, 1, 81).round(4)
"""Margins at which the distributions are stored."""


def pruned_split(
    combiner: PrunerSpec, block: xr.Dataset, i: int, y: NDArray[np.intp], n_classes: int
) -> dict[str, Any]:
    """Prune the i-th training in a block of a pool, and return outputs and measures of the members that are kept.

    `y` has the class numbers of the whole data set. The shapes are (row, class) for outputs, (part, margin) for the
    distribution of margins, (part, size) for the curve and (size,) for the accuracies of the members in the pruner's order,
    which are missing without an order. The part called training has the votes of the selection, with out-of-bag selection
    only out-of-bag votes.
    """
    weights = block["voter_weights"].values[i]
    voters = np.flatnonzero(np.isfinite(weights))[: combiner.first]
    weights = weights[voters]
    rows = block["rows"].values[i]
    is_test = rows >= 0
    test, truth = block["votes"].values[i][is_test][:, voters].astype(np.int64), y[rows[is_test]]
    trained = block["training_classes"].values[i]
    is_training = trained >= 0
    training = block["training_votes"].values[i][is_training][:, voters].astype(np.int64)
    trained = trained[is_training].astype(np.intp)
    selection = combiner.selection or ("oob" if "out_of_bag" in block else "train")
    if selection == "oob":
        training = np.where(block["out_of_bag"].values[i][is_training][:, voters] > 0, training, -1)
    chosen, answers = (test, truth) if selection == "test" else (training, trained)
    pruner = make(combiner).fit(chosen, answers, weights=weights, classes=np.arange(n_classes))
    kept, share = pruner.selected_, pruner.weights_[pruner.selected_]
    fallback = float(not getattr(pruner, "status_", "solved").startswith("solved"))
    order = getattr(pruner, "order_", None)
    proba = np.full((len(rows), n_classes), np.nan)
    proba[is_test] = pruner.kept_shares(test[:, kept])
    has_vote = training[:, kept] >= 0
    training_margins = _margins(training[:, kept], trained, share, n_classes)
    test_margins = _margins(test[:, kept], truth, share, n_classes)
    measures = {
        "members": float(len(kept)),
        "voters": float(len(voters)),
        "disagreement": mean_disagreement(test[:, kept], truth),
        "selection_disagreement": mean_disagreement(training[:, kept], trained, has_vote),
        "paper_diversity": paper_diversity(training[:, kept], len(voters), has_vote),
        "member_accuracy": float((test[:, kept] == truth[:, None]).mean()),
        "selection_margin": float(np.nanmean(training_margins)) if np.isfinite(training_margins).any() else np.nan,
        "test_margin": float(test_margins.mean()),
        "fallback": fallback,
        "test_c_bound": c_bound(test_margins),
    }
    measures |= _bounds(training_margins, share, measures["selection_disagreement"])
    curve, accuracy = np.full((2, len(voters)), np.nan), np.full(len(voters), np.nan)
    if order is not None:
        both = [ordered_curve(v, t, order, pruner.vote_weights_) for v, t in ((training, trained), (test, truth))]
        curve[:, : len(both[0])] = both
        if hasattr(pruner, "lasso_weights_"):
            accuracy[: len(order)] = (test[:, order] == truth[:, None]).mean(axis=0)
    distributions = np.stack([_cdf(training_margins), _cdf(test_margins)])
    return {"proba": proba, **measures, "margin_cdf": distributions, "curve": curve, "order_accuracy": accuracy}


def _margins(votes, y, share, n_classes):
    """Return the weighted margin of each row: the share of the right class minus the largest share of another."""
    if len(share) and np.ptp(share) < 1e-12:
        return margins(votes, y, votes >= 0)
    sums = np.stack([(votes == c) @ share for c in range(n_classes)], axis=1)
    total = sums.sum(axis=1)
    rows = np.arange(len(y))
    right = sums[rows, y].copy()
    sums[rows, y] = -1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        return (right - sums.max(axis=1)) / np.where(total > 0, total, np.nan)


def _bounds(values, share, disagreement):
    """Return bounds on the error of the kept members from their margins on the selection rows, if there are any."""
    if not (n := int(np.isfinite(values).sum())):
        return dict.fromkeys(("c_bound", "diversity_bound", "linear_bound"), np.nan)
    size = len(share) * np.sqrt(1 / n + (1 - 1 / n) * max(1 - 2 * np.nan_to_num(disagreement), 0))
    return {
        "c_bound": c_bound(values),
        "diversity_bound": margin_bound(values, size) if size > 1 else np.nan,
        "linear_bound": linear_bound(values, share / share.sum()),
    }


def _cdf(values):
    ordered = np.sort(values[np.isfinite(values)])
    if not len(ordered):
        return np.full(len(MARGINS), np.nan)
    return np.searchsorted(ordered, MARGINS + 1e-9, side="right") / len(ordered)
