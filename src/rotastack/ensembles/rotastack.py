"""The flagship: a forest over families of views whose weights say where rotating helps."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rotastack.combine.log_linear import LogLinearPool
from rotastack.ensembles.table import categorical_mask, fitted_scaler, input_rules, scaled_columns
from rotastack.ensembles.tree_families import TreeFamily, find_families, planned_families
from rotastack.seeds import root_sequence
from rotastack.trees.growing import TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees

__all__ = ["RotastackClassifier"]


class RotastackClassifier(ClassifierMixin, BaseEstimator):
    """A forest over a mixture of views, each switched off where it hurts.

    Families of trees look at the columns as they are, at linear discriminants, at principal axes and at
    sparse random rotations; each tree's view is fitted to the rows in its bag. What each family says of rows
    out of bag decides, by one small convex problem, how much it counts
    (:class:`~rotastack.combine.LogLinearPool`).
    """

    _parameter_constraints: ClassVar[dict] = {
        "trees_per_family": [Interval(Integral, 1, None, closed="left")],
        "families": [tuple, list],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "categorical_features": ["array-like", None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        trees_per_family: int = 100,
        families: tuple[str | TreeFamily, ...] = ("id", "idET", "Lm", "Lpc", "Lsp"),
        *,
        ridge: float = 2.0,
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.trees_per_family = trees_per_family
        self.families = families
        self.ridge = ridge
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    forest_: GrownTrees

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike):
        """Fit views, grow trees, and weigh the families."""
        families = find_families(self.families)
        X, y = validate_data(self, X, y, **input_rules("minmax"))
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise ValueError(f"y holds one class only ({self.classes_[0]}); at least 2 classes are needed")
        self.categorical_ = categorical_mask(
            self.categorical_features, X.shape[1], getattr(self, "feature_names_in_", None)
        )
        self.scaler_ = fitted_scaler(X, self.categorical_, "minmax")
        rows = self._seen(X)
        sequence = root_sequence(self.random_state)
        grown = planned_families(
            families, self.trees_per_family, rows, codes, n_classes, sequence, n_jobs=self.n_jobs
        )
        self.forest_, out_of_bag = grow_forest(
            rows, codes, grown, TreeOptions(), sequence, n_classes=n_classes, n_jobs=self.n_jobs
        )
        self.families_ = tuple(family.name for family in families)
        assert out_of_bag is not None
        said = np.stack(
            [np.where(o.counts[:, None] > 0, o.means(), 1 / n_classes) for o in out_of_bag]
        )
        self.pool_ = LogLinearPool(self.ridge).fit(said, codes, n_classes)
        self.oob_proba_ = self.pool_.predict_proba(said)
        known = np.any([o.counts > 0 for o in out_of_bag], axis=0)
        self.oob_score_ = float((self.oob_proba_[known].argmax(axis=1) == codes[known]).mean()) if known.any() else np.nan
        return self

    @property
    def family_weights_(self) -> NDArray[np.float64]:
        """Weight of each of ``families_``."""
        return self.pool_.weights_

    def _seen(self, X: NDArray[np.floating]) -> NDArray[np.float32]:
        return np.hstack(scaled_columns(X, self.categorical_, self.scaler_))

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities."""
        check_is_fitted(self, "forest_")
        rows = self._seen(validate_data(self, X, reset=False, **input_rules("minmax")))
        m = self.trees_per_family
        groups = np.repeat(np.arange(len(self.families_)), m)
        said = self.forest_.group_sums(rows, groups, len(self.families_), self.n_jobs) / m
        return self.pool_.predict_proba(said)

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]
