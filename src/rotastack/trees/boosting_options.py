"""Options of boosters."""

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.base.scikit import Interval, validate_parameter_constraints

_LEAST_ONE = Interval(Integral, 1, None, closed="left")
OPTION_CONSTRAINTS: dict[str, list[Any]] = {
    "n_rounds": [_LEAST_ONE],
    "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_depth": [_LEAST_ONE, None],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "min_samples_leaf": [_LEAST_ONE],
    "l2_regularization": [Interval(Real, 0.0, None, closed="left")],
    "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
    "max_features": [_LEAST_ONE, Interval(Real, 0.0, 1.0, closed="right"), None],
    "early_stopping": ["boolean"],
    "n_iter_no_change": [_LEAST_ONE],
    "tol": [Interval(Real, 0.0, 1.0, closed="left")],
}
"""Constraints on the fields of BoostingOptions, in scikit-learn's form."""


class BoostingOptions(NamedTuple):
    """Options of boosters, named as in scikit-learn's histogram gradient boosting.

    :class:`rotastack.trees.BoostedTreesClassifier` describes the options.
    """

    n_rounds: int = 200
    learning_rate: float = 0.1
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    max_bins: int = 255
    min_samples_leaf: int = 20
    l2_regularization: float = 1.0
    subsample: float = 1.0
    max_features: int | float | None = None
    early_stopping: bool = True
    n_iter_no_change: int = 20  # training stops after so many rounds without a smaller held-out loss,
    tol: float = 0.0  # or if the last ten rounds have reduced the smallest loss by less than this share

    def check(self) -> None:
        """Raise InvalidParameterError, a ValueError, if a value is not allowed."""
        validate_parameter_constraints(OPTION_CONSTRAINTS, self._asdict(), type(self).__name__)

    def enough(self, losses: NDArray[np.float64], block: int) -> bool:
        """Return whether training should stop; `tol` compares the losses with those before the last `block` rounds."""
        since = len(losses) - 1 - int(losses.argmin())
        before = losses[:-block]
        stalled = len(before) > 0 and losses.min() > (1 - self.tol) * before.min()
        return bool(since >= self.n_iter_no_change or stalled)

    def n_drawn(self, width: int) -> int:
        """Return how many of `width` columns are drawn for a tree; ValueError if `max_features` exceeds `width`."""
        if self.max_features is None:
            return width
        if isinstance(self.max_features, Integral):
            if self.max_features > width:
                raise ValueError(
                    f"max_features is {self.max_features}; at most {width}, the number of columns, is allowed"
                )
            return int(self.max_features)
        return max(1, round(self.max_features * width))
