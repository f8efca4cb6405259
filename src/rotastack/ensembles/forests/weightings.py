"""A classifier with several weightings of the same rotations on shared trees, for studies of weightings."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rotastack.combine.rotation_weights import RotationWeights
from rotastack.ensembles.forests.regularized import RegularizedRotationForestClassifier


class RotationWeightingsClassifier(RegularizedRotationForestClassifier):
    """Regularised rotation forests that differ only in their `weightings`; each tree is grown once.

    ``predict`` uses the first weighting. Other parameters are those of ``RegularizedRotationForestClassifier``.
    ``counts_`` has for each weighting the number of trees on each rotation, and ``h_by_weighting_`` its parameter ``h``.
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
            n_estimators,
            n_rotations,
            micro_forest_size,
            flip=flip,
            scaling=scaling,
            max_features=max_features,
            constant_leaf=constant_leaf,
            max_axes=max_axes,
            categorical_features=categorical_features,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.weightings = weightings

    def _weights(self) -> list[RotationWeights]:
        if not len(self.weightings):
            raise ValueError("weightings is empty; at least one weighting is needed")
        return [RotationWeights(weighting) for weighting in self.weightings]

    def _divide(self, pool, ranked):
        by_name = dict(zip(self.weightings, ranked, strict=True))
        self.counts_ = {name: by_rank.counts(self.n_estimators) for name, by_rank in by_name.items()}
        self.h_by_weighting_ = {name: by_rank.h_ for name, by_rank in by_name.items()}
        self._forests, self.forest_ = pool, pool.forest(self.counts_[self.weightings[0]])
        pool.grow(np.max(list(self.counts_.values()), axis=0))

    @property
    def member_names(self) -> list[str]:
        """The names of the weightings, in order."""
        return list(self.weightings)

    def member_outputs(self, X: ArrayLike) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        """Return the vote shares (weighting, row, class) of each weighting's forest, and the sizes of its trees.

        The sizes are the mean and median number of nodes, the mean number of leaves, and the mean depth.
        """
        check_is_fitted(self, "forest_")
        rows = np.ascontiguousarray(self._checked(X))
        return self._forests.vote_shares(rows, list(self.counts_.values()))
