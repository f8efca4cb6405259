"""The stackers of the best rotation groups (thesis, section 3.3.3)."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rotastack.base.combiner import Combiner
from rotastack.base.scikit import Interval, fit_context
from rotastack.combine.stacking import Stacking
from rotastack.diagnostics.complexity import oob_error
from rotastack.errors import RotastackError
from rotastack.seeds import child


class BestGroups(Combiner):
    """A combiner that trains a stacker on each group of members, and averages the stackers of least out-of-bag error.

    In a study the groups are all rotation groups, so the results are equal for each of them.

    Parameters
    ----------
    estimator : scikit-learn classifier with out-of-bag probabilities, or None
        Level-1 estimator; None is a random forest of 100 trees.
    n_best : int, default=5
        Number of groups that decide.
    group_size : int or None, default=None
        Number of members in each group, in their order; None: all members are one group.

    Attributes
    ----------
    errors_ : ndarray of shape (n_groups,)
        Out-of-bag errors of the stackers.
    selected_ : ndarray of int
        Numbers of the groups that decide, the best first.
    """

    trained = True
    over_groups: ClassVar[bool] = True  # a study gives the combiner the members of all rotation groups

    _parameter_constraints: ClassVar[dict] = {
        "n_best": [Interval(Integral, 1, None, closed="left")],
        "group_size": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, estimator: Any = None, n_best: int = 5, group_size: int | None = None):
        self.estimator = estimator
        self.n_best = n_best
        self.group_size = group_size

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        outputs: NDArray[np.floating],
        y: NDArray[np.intp],
        n_classes: int | None,
        sequence: np.random.SeedSequence,
        sample_weight: NDArray[np.floating] | None = None,
    ) -> Self:
        """Train the stackers on outputs for rows that the members have not seen; group k has the seed ``child(sequence, k)``."""
        if len(outputs) % (self.group_size or 1):
            raise RotastackError(f"{len(outputs)} members cannot be divided into groups of {self.group_size}")
        each = [
            Stacking(self.estimator).fit(group, y, n_classes, child(sequence, k), sample_weight)
            for k, group in enumerate(self._groups(outputs))
        ]
        self.errors_ = np.array([oob_error(s.model_.estimator, s.model_.own_target(y)) for s in each])
        if np.isnan(self.errors_).any():
            raise RotastackError(f"the best groups need a stacker with an out-of-bag error, got {self.estimator!r}")
        self.selected_ = self.errors_.argsort(kind="stable")[: self.n_best]
        self.stackers_ = [each[k] for k in self.selected_]
        return self

    def _groups(self, outputs):
        return outputs.reshape(-1, self.group_size or len(outputs), *outputs.shape[1:])

    def predict_proba(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the mean of the best groups' probabilities, shape (n_rows, n_classes)."""
        groups = self._groups(outputs)[self.selected_]
        return np.mean([s.predict_proba(group) for s, group in zip(self.stackers_, groups, strict=True)], axis=0)
