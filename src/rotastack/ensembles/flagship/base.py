"""The flagship: the base of its classifier and its regressor."""

from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rotastack.base.scikit import Interval, StrOptions, safe_indexing
from rotastack.ensembles.flagship.families import TreeFamily, planned_families
from rotastack.ensembles.flagship.importances import OutOfBagImportances
from rotastack.ensembles.flagship.mixed_table import MixedTable
from rotastack.seeds import root_sequence
from rotastack.trees.bags import Bags
from rotastack.trees.growing import TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees

__all__ = ["RotastackEnsemble"]

HEAVIEST = 2.0
"""No row is drawn for a bag more often than this on average: one in seven trees, at least, has not seen it."""

_BLOCK = 2**22  # numbers of families' outputs held at once in predict


class RotastackEnsemble(OutOfBagImportances, BaseEstimator):
    """A forest of families of trees, and weights of the families fitted to their out-of-bag outputs.

    Parameters
    ----------
    categorical_features : "from_dtype", array-like of int, bool or str, or None, default="from_dtype"
        Columns of categories, which become 0/1 columns; "from_dtype": the columns of a table (of pandas, polars or Arrow) that are no
        numbers (so are numbers that are stored as objects), but for dates, which become numbers, and ids and free text, which
        are left out with a warning. A missing category is one of its own. One that no training row has counts as missing if
        training rows are missing there; otherwise outputs are averaged over known categories. Either is warned of.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.
    """

    _parameter_constraints: ClassVar[dict] = {
        "trees_per_family": [Interval(Integral, 1, None, closed="left")],
        "families": [tuple, list],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "n_jobs": [Integral, None],
    }

    trees_per_family: int
    categorical_features: ArrayLike | str | None
    n_jobs: int | None
    random_state: Any

    pool_: Any
    forest_: GrownTrees

    def _read(self, X: ArrayLike, weights: NDArray[np.float64] | None = None) -> NDArray[np.float32]:
        """Learn the table from the training rows that have a weight, and return the numbers of all."""
        self.table_ = MixedTable(self.categorical_features)
        if weights is None or weights.all():
            return self.table_.fit_transform(X, self)
        self.table_.fit_transform(safe_indexing(X, np.flatnonzero(weights)), self)
        return self.table_.transform(X, self)

    def _grow(
        self,
        rows: NDArray[np.float32],
        families: Sequence[TreeFamily],
        codes: NDArray[np.integer],
        weights: NDArray[np.float64] | None,
        numbers: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Grow the forest, and return the families' out-of-bag outputs.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
        families : sequence of TreeFamily
        codes : ndarray of shape (n_rows,)
            Class numbers, from which views learn.
        weights : ndarray of shape (n_rows,) or None
        numbers : ndarray of shape (n_rows,), optional
            Targets of the trees of a regressor; those of a classifier are the class numbers.

        Returns
        -------
        ndarray of shape (n_families, n_rows, n_outputs)
            NaN where no tree of a family has a row out of bag.
        """
        sequence = root_sequence(self.random_state)
        self.families_ = tuple(family.name for family in families)
        n_classes = int(codes.max()) + 1
        bags = Bags.of(len(rows), weights, HEAVIEST)
        with_views = planned_families(
            families, self.trees_per_family, rows, codes, n_classes, sequence,
            groups=self.table_.groups_, numbers=numbers, bags=bags, n_jobs=self.n_jobs,
        )  # fmt: skip
        target, n_outputs = (codes, n_classes) if numbers is None else (numbers, None)
        self.forest_, out_of_bag = grow_forest(
            rows, target, with_views, TreeOptions(), sequence,
            n_classes=n_outputs, weights=weights, bags=bags, n_jobs=self.n_jobs,
        )  # fmt: skip
        assert out_of_bag is not None
        return np.stack([family.means() for family in out_of_bag])

    def _outputs(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the families' outputs for blocks of rows, (family, row, output)."""
        check_is_fitted(self)
        rows = self.table_.transform(X, self)
        n_families = len(self.families_)
        groups = np.repeat(np.arange(n_families), self.trees_per_family)
        step = max(1, _BLOCK // (n_families * self.forest_.values.shape[1]))
        for start in range(0, len(rows), step):
            yield self._sums(rows[start : start + step], groups) / self.trees_per_family

    def _sums(self, rows: NDArray[np.float32], groups: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the sums over the trees of families; those of rows with unknown categories are means over known ones."""
        sums = self.forest_.group_sums(rows, groups, len(self.families_), self.n_jobs)
        unknown = self.table_.unknown(rows)
        if unknown.any():
            copies = [
                self.forest_.group_sums(filled, groups, len(self.families_), self.n_jobs)
                for filled in self.table_.filled(rows[unknown])
            ]
            sums[:, unknown] = np.mean(copies, axis=0)
        return sums

    @property
    def family_weights_(self) -> NDArray[np.float64]:
        """Weight of each of ``families_`` in the pool."""
        check_is_fitted(self)
        return self.pool_.weights_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
