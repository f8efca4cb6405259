"""What a pruner makes of one training of a pool: decisions, and what is known of the members kept."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from rotastack.combine.pruning.curves import ordered_curve
from rotastack.combine.pruning.pruner import vote_shares
from rotastack.diagnostics.margin import margins
from rotastack.diagnostics.pairs import mean_disagreement, paper_diversity
from rotastack.study.building import make_combiner

__all__ = ["GRID", "Cell", "pruned_cell", "tabulated"]

GRID = np.linspace(-1, 1, 81).round(4)
"""Margins at which distributions are written."""

FACTS = (
    "members",
    "voters",
    "disagreement",
    "selection_disagreement",
    "paper_diversity",
    "member_accuracy",
    "selection_margin",
    "test_margin",
    "fallback",
)


class Cell(NamedTuple):
    """One training's decisions on its test rows, and facts."""

    proba: NDArray[np.float64]
    facts: dict[str, float]
    cdf: NDArray[np.float64]  # (part, margin)
    curve: NDArray[np.float64] | None  # (part, size)
    order_accuracy: NDArray[np.float64] | None  # (size,)


def pruned_cell(combiner: Mapping[str, Any], block: xr.Dataset, i: int, y: NDArray[np.intp], n_classes: int) -> Cell:
    """Prune the i-th training of a block of a pool.

    Parameters
    ----------
    combiner : mapping
        Of the study: pruner, selection and the pruner's parameters.
    block : xarray.Dataset
        What training on splits wrote.
    i : int
    y : ndarray of shape (n_rows,)
        Class numbers of the whole data set.
    n_classes : int
    """
    weights = block["voter_weights"].values[i]
    voters = np.flatnonzero(np.isfinite(weights))[: combiner.get("first")]
    weights = weights[voters]
    rows = block["rows"].values[i]
    here = rows >= 0
    test, truth = block["votes"].values[i][here][:, voters].astype(np.int64), y[rows[here]]
    trained = block["training_classes"].values[i]
    inside = trained >= 0
    training = block["training_votes"].values[i][inside][:, voters].astype(np.int64)
    trained = trained[inside].astype(np.intp)
    selection = combiner["selection"] or ("oob" if "out_of_bag" in block else "train")
    if selection == "oob":
        training = np.where(block["out_of_bag"].values[i][inside][:, voters] > 0, training, -1)
    chosen, answers = (test, truth) if selection == "test" else (training, trained)
    pruner = make_combiner(combiner).fit(chosen, answers, weights=weights, classes=np.arange(n_classes))
    kept, share, common = pruner.selected_, pruner.weights_[pruner.selected_], pruner.most_common_
    fallback = float(not getattr(pruner, "status_", "solved").startswith("solved"))
    order = getattr(pruner, "order_", None)
    proba = np.full((len(rows), n_classes), np.nan)
    proba[here] = vote_shares(test[:, kept], share, n_classes, common)
    heard = training[:, kept] >= 0
    training_margins = _margins(training[:, kept], trained, share, n_classes)
    test_margins = _margins(test[:, kept], truth, share, n_classes)
    facts = {
        "members": len(kept),
        "voters": len(voters),
        "disagreement": mean_disagreement(test[:, kept], truth),
        "selection_disagreement": mean_disagreement(training[:, kept], trained, heard),
        "paper_diversity": paper_diversity(training[:, kept], len(voters), heard),
        "member_accuracy": float((test[:, kept] == truth[:, None]).mean()),
        "selection_margin": float(np.nanmean(training_margins)) if np.isfinite(training_margins).any() else np.nan,
        "test_margin": float(test_margins.mean()),
        "fallback": fallback,
    }
    curve = accuracy = None
    if order is not None:
        both = [ordered_curve(v, t, order, pruner.vote_weights_) for v, t in ((training, trained), (test, truth))]
        curve = np.stack(both)
        if hasattr(pruner, "lasso_weights_"):
            accuracy = (test[:, order] == truth[:, None]).mean(axis=0)
    return Cell(proba, facts, np.stack([_cdf(training_margins), _cdf(test_margins)]), curve, accuracy)


def tabulated(cells: list[Cell]) -> dict[str, Any]:
    """Return the cells' facts and figures as variables of a method's file."""
    n, n_voters = len(cells), int(max(cell.facts["voters"] for cell in cells))
    variables: dict[str, Any] = {
        name: ("split", np.array([cell.facts[name] for cell in cells], dtype=float)) for name in FACTS
    }
    variables["margin_cdf"] = (("split", "part", "margin"), np.stack([cell.cdf for cell in cells]))
    variables |= {"margin": ("margin", GRID), "part": ("part", ["training", "test"])}
    curves = np.full((n, 2, n_voters), np.nan)
    accuracies = np.full((n, n_voters), np.nan)
    for k, cell in enumerate(cells):
        if cell.curve is not None:
            curves[k, :, : cell.curve.shape[1]] = cell.curve
        if cell.order_accuracy is not None:
            accuracies[k, : len(cell.order_accuracy)] = cell.order_accuracy
    # The part called training holds the selection rows: of out-of-bag selection, out-of-bag votes.
    if np.isfinite(curves).any():
        variables["curve"] = (("split", "part", "size"), curves)
    if np.isfinite(accuracies).any():
        variables["order_accuracy"] = (("split", "size"), accuracies)
    return variables


def _margins(votes, y, share, n_classes):
    """Return the weighted margin of each row: the share of the right class less the largest of another."""
    if len(share) and np.ptp(share) < 1e-12:
        return margins(votes, y, votes >= 0)
    sums = np.stack([(votes == c) @ share for c in range(n_classes)], axis=1)
    total = sums.sum(axis=1)
    rows = np.arange(len(y))
    right = sums[rows, y].copy()
    sums[rows, y] = -1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        return (right - sums.max(axis=1)) / np.where(total > 0, total, np.nan)


def _cdf(values):
    known = np.sort(values[np.isfinite(values)])
    if not len(known):
        return np.full(len(GRID), np.nan)
    return np.searchsorted(known, GRID + 1e-9, side="right") / len(known)
