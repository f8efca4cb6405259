"""Combiners on the stored outputs of a nested cross-validation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rotastack.base.combiner import Combiner, Members
from rotastack.base.fitting import check_takes_weights
from rotastack.base.row_weights import weights_of
from rotastack.seeds import child


def combine_nested(
    combiner: Combiner,
    outputs: NDArray[np.floating],
    folds: NDArray[np.integer],
    y: NDArray,
    sequence: np.random.SeedSequence,
    members: Sequence[Members] | None = None,
    weights: NDArray[np.float64] | None = None,
    without: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.float64], list[Combiner]]:
    """Return predictions for every row, by combiners that have not seen the row's fold.

    For outer fold h, a trained combiner is fitted to the rows outside h. The outputs for such a row are of the members
    trained without h and without the row's own fold. Then the combiner predicts the rows of h from the mean, over
    a != h, of the outputs of the members trained without a and h. A combiner that is not trained decides from the
    outputs of the members trained without h alone, and from `members`, trained without each fold.

    `outputs`, of shape (n_folds, n_members, n_rows, n_classes), are those of ``ensembles.pooled.nested``. `y` of floats
    is the target of a regression. ``child(sequence, h)`` is the seed for outer fold h. `without` (n_folds, n_rows) masks
    the training rows of each outer fold; by default these are all rows outside of the fold. The result is
    predictions of shape (n_rows, n_classes) and the fitted combiner of each outer fold.
    """
    n_folds, _, n_rows, n_outputs = outputs.shape
    n_classes = n_outputs if y.dtype.kind in "iu" else None
    decided = np.empty((n_rows, n_outputs))
    combiners = []
    for h in range(n_folds):
        test = folds == h
        train = ~test if without is None else without[h]
        if combiner.trained:
            mine = child(sequence, h)
            fitted = fit_weighted(
                clone(combiner), outputs[h][:, train], y[train], n_classes, mine, weights_of(weights, train)
            )
            inputs = level_one_inputs(outputs[:, :, test], h)
        else:
            inputs = outputs[h][:, test]
            fitted = combiner._fit_to(Members() if members is None else members[h])
        decided[test] = fitted.predict_proba(inputs)
        combiners.append(fitted)
    return decided, combiners


def fit_weighted(
    combiner: Any,
    outputs: NDArray[np.floating],
    y: NDArray,
    n_classes: int | None,
    sequence: np.random.SeedSequence,
    weights: NDArray[np.float64] | None,
) -> Any:
    """Train a combiner, with weights of rows if given; a ValueError if its ``fit`` takes no weights."""
    if weights is None:
        return combiner.fit(outputs, y, n_classes, sequence)
    check_takes_weights(combiner)
    return combiner.fit(outputs, y, n_classes, sequence, sample_weight=weights)


def level_one_inputs(outputs: NDArray[np.floating] | Sequence[NDArray[np.floating]], h: int) -> NDArray[np.floating]:
    """Return the mean, over a != h, of the outputs of members trained without a and h; (member, row, class)."""
    others = [a for a in range(len(outputs)) if a != h]
    without_h = np.stack([outputs[a] for a in others])
    return without_h.mean(axis=0, dtype=np.float64).astype(without_h.dtype)
