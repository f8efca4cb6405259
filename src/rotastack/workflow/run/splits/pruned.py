"""Prune the pool of one split: the outputs of the members kept, and measures of these members."""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from rotastack.combine.pruning.curves import ordered_curve
from rotastack.combine.pruning.pruner import vote_shares
from rotastack.diagnostics.bounds import c_bound, linear_bound, margin_bound
from rotastack.diagnostics.margin import margins
from rotastack.diagnostics.pairs import mean_disagreement, paper_diversity
from rotastack.workflow.study.building import make
from rotastack.workflow.study.specs import PrunerSpec

GRID = np.linspace(-1, 1, 81).round(4)
"""Margins at which the distributions are stored."""


class PrunedSplit(NamedTuple):
    """The outputs of a pruned pool for the test rows of one split, and measures of its members."""

    proba: NDArray[np.float64]
    measures: dict[str, float]
    cdf: NDArray[np.float64]  # (part, margin)
    curve: NDArray[np.float64]  # (part, size); no size if the pruner has no order
    order_accuracy: NDArray[np.float64]  # (size,)


def pruned_split(combiner: PrunerSpec, block: xr.Dataset, i: int, y: NDArray[np.intp], n_classes: int) -> PrunedSplit:
    """Prune the i-th training in a block of a pool; `y` has the class numbers of the whole data set."""
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
    kept, share, common = pruner.selected_, pruner.weights_[pruner.selected_], pruner.most_common_
    fallback = float(not getattr(pruner, "status_", "solved").startswith("solved"))
    order = getattr(pruner, "order_", None)
    proba = np.full((len(rows), n_classes), np.nan)
    proba[is_test] = vote_shares(test[:, kept], share, n_classes, common)
    has_vote = training[:, kept] >= 0
    training_margins = _margins(training[:, kept], trained, share, n_classes)
    test_margins = _margins(test[:, kept], truth, share, n_classes)
    measures = {
        "members": len(kept),
        "voters": len(voters),
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
    curve, accuracy = np.zeros((2, 0)), np.zeros(0)
    if order is not None:
        both = [ordered_curve(v, t, order, pruner.vote_weights_) for v, t in ((training, trained), (test, truth))]
        curve = np.stack(both)
        if hasattr(pruner, "lasso_weights_"):
            accuracy = (test[:, order] == truth[:, None]).mean(axis=0)
    return PrunedSplit(proba, measures, np.stack([_cdf(training_margins), _cdf(test_margins)]), curve, accuracy)


def tabulated(splits: list[PrunedSplit]) -> dict[str, Any]:
    """Return the measures, margins and curves of all splits as variables of a method's file."""
    n, n_voters = len(splits), int(max(split.measures["voters"] for split in splits))
    variables: dict[str, Any] = {
        name: ("split", np.array([split.measures[name] for split in splits], dtype=float))
        for name in splits[0].measures
    }
    variables["margin_cdf"] = (("split", "part", "margin"), np.stack([split.cdf for split in splits]))
    variables |= {"margin": ("margin", GRID), "part": ("part", ["training", "test"])}
    curves = np.full((n, 2, n_voters), np.nan)
    accuracies = np.full((n, n_voters), np.nan)
    for k, split in enumerate(splits):
        curves[k, :, : split.curve.shape[1]] = split.curve
        accuracies[k, : len(split.order_accuracy)] = split.order_accuracy
    # The part called training has the votes of the selection, with out-of-bag selection only out-of-bag votes.
    if np.isfinite(curves).any():
        variables["curve"] = (("split", "part", "size"), curves)
    if np.isfinite(accuracies).any():
        variables["order_accuracy"] = (("split", "size"), accuracies)
    return variables


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
        return np.full(len(GRID), np.nan)
    return np.searchsorted(ordered, GRID + 1e-9, side="right") / len(ordered)
