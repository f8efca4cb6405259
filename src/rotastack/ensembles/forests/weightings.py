"""A classifier with several weightings of the same rotations on shared trees, for studies of weightings."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rotastack.combine.rotation_weights import RotationWeights
from rotastack.ensembles.forests.regularized import RegularizedRotationForestClassifier

__all__ = ["RotationWeightingsClassifier"]


class RotationWeightingsClassifier(RegularizedRotationForestClassifier):
    """Regularised rotation forests that differ only in their weighting; each tree is grown once.

    Parameters
    ----------
    weightings : sequence of str
        See :class:`rotastack.combine.RotationWeights`. ``predict`` uses the first weighting.
    n_estimators : int, default=500
        M, number of trees.
    n_rotations : int, default=25
        R, number of rotations, the identity included.
    micro_forest_size : int, default=10
        U, number of trees in each micro-forest; R U must be at most M. The final forest reuses these trees.
    flip : bool, default=False
        Allow reflections.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns considered for each split.
    constant_leaf : bool, default=False
        If all columns drawn for the split of a node are constant, make the node a leaf, as R's randomForest does.
        With False, draw further columns, as scikit-learn does.
    max_axes : int, default=1000
        Largest number of random columns in each rotation.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    counts_ : dict of str to ndarray of shape (n_rotations,)
        For each weighting, the number of trees on each rotation.
    h_by_weighting_ : dict of str to float or None
        For each weighting, the parameter ``h``.
    """

    _parameter_constraints: ClassVar[dict] = {
        **{
            k: v
            for k, v in RegularizedRotationForestClassifier._parameter_constraints.items()
            if k not in ("weighting", "h", "class_weight")
        },
        "weightings": ["array-like"],
    }

    def __init__(
        self,
        n_estimators: int = 500,
        n_rotations: int = 25,
        micro_forest_size: int = 10,
        weightings: Sequence[str] = ("exp",),
        *,
        flip: bool = False,
        scaling: str | None = "minmax",
        max_features: str | int | float | None = "sqrt",
        constant_leaf: bool = False,
        max_axes: int = 1000,
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            n_estimators, n_rotations, micro_forest_size, flip=flip, scaling=scaling, max_features=max_features,
            constant_leaf=constant_leaf, max_axes=max_axes, categorical_features=categorical_features, n_jobs=n_jobs,
            random_state=random_state,
        )  # fmt: skip
        self.weightings = weightings

    def _weights(self) -> list[RotationWeights]:
        if not len(self.weightings):
            raise ValueError("weightings is empty; at least one weighting is needed")
        return [RotationWeights(weighting) for weighting in self.weightings]

    def _grow(self, X, target, n_classes, n_numeric, weights, sequence):
        self.check_parameters()
        self._forests = self._pool(X, target, n_classes, n_numeric, weights, sequence)
        self.complexity_, self.oob_error_ = self._forests.complexity, self._forests.oob_error
        self.counts_, self.h_by_weighting_ = {}, {}
        for weighting, by_rank in zip(self.weightings, self._weights(), strict=True):
            by_rank.rank(self.complexity_, self.oob_error_)
            self.counts_[weighting] = by_rank.counts(self.n_estimators)
            self.h_by_weighting_[weighting] = by_rank.h_
        self.forest_ = self._forests.forest(self.counts_[self.weightings[0]])
        self._forests.grow(np.max(list(self.counts_.values()), axis=0))
        return None

    @property
    def member_names(self) -> list[str]:
        """The names of the weightings, in order."""
        return list(self.weightings)

    def member_outputs(self, X: ArrayLike) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        """Return the vote shares (weighting, row, class) of each weighting's forest, and the mean sizes of its trees.

        The sizes are the mean number of nodes and leaves, and the mean depth.
        """
        check_is_fitted(self, "forest_")
        rows = np.ascontiguousarray(self._checked(X))
        return self._forests.vote_shares(rows, list(self.counts_.values()))
