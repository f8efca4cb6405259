"""Grown families of trees, and their outputs for training rows that the trees have not seen."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import mean_of
from rotastack.ensembles.flagship.category_pairs import CategoryPairs
from rotastack.trees.boosting import BoostedTrees, probabilities
from rotastack.trees.grown import GrownTrees

__all__ = ["GrownFamilies", "OnBags", "OnFolds", "OnPairs", "OnRounds", "n_folds"]

_BLOCK = 2**22  # largest number of tree outputs held in memory at once


def n_folds(folds: NDArray[np.integer]) -> int:
    """Return the number of folds; 1 if there are too few rows for folds, so that no row is held out."""
    return max(1, int(folds.max()) + 1)


class GrownFamilies(ABC):
    """One or several families that were grown together.

    Attributes
    ----------
    names : tuple of str
    """

    names: tuple[str, ...]

    @abstractmethod
    def forests(self) -> list[GrownTrees]:
        """Return the forests of all trees."""

    @abstractmethod
    def outputs(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the families' outputs for new rows, shape (n_families, n_rows, n_outputs)."""

    @abstractmethod
    def unseen(self, places: NDArray[np.intp]) -> NDArray:
        """Return, for each training row in `places`, the mask of the trees or the fold of the trees not grown on it."""

    @abstractmethod
    def unseen_outputs(
        self, rows: NDArray[np.float32], unseen: NDArray, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return outputs for changed training rows, from the trees that have not seen the training rows.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
        unseen : ndarray
            Result of :meth:`unseen` for the training rows.
        n_jobs : int, optional

        Returns
        -------
        ndarray of shape (n_families, n_rows, n_outputs)
            NaN if all trees of a family have seen the row.
        """

    @abstractmethod
    def importances(self) -> NDArray[np.float64]:
        """Return the decrease of impurity by splits on each column, shape (n_families, n_columns); at least 0."""

    def keep(self, chosen: NDArray[np.bool_]) -> "GrownFamilies":
        """Return the families in the mask `chosen`, which holds at least one."""
        return self

    def scale(self, unit: float) -> None:
        """Multiply the outputs of a regression by `unit`."""
        for trees in self.forests():
            trees.values *= unit

    def forget(self) -> None:
        """Delete the data that predictions do not need."""
        for trees in self.forests():
            trees.decreases = None


@dataclass
class OnBags(GrownFamilies):
    """Families of trees, each tree grown on a separate bootstrap.

    Attributes
    ----------
    names : tuple of str
    trees : GrownTrees
        The trees of all families, family after family.
    n_rows : int
        Number of training rows.
    """

    names: tuple[str, ...]
    trees: GrownTrees
    n_rows: int

    @property
    def each(self) -> int:
        """Number of trees of each family."""
        return len(self.trees) // len(self.names)

    def forests(self) -> list[GrownTrees]:
        return [self.trees]

    def outputs(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        groups = np.repeat(np.arange(len(self.names)), self.each)
        return self.trees.group_sums(rows, groups, len(self.names), n_jobs) / self.each

    def unseen(self, places: NDArray[np.intp]) -> NDArray[np.bool_]:
        return self.trees.out_of_bag(self.n_rows, places)

    def unseen_outputs(
        self, rows: NDArray[np.float32], unseen: NDArray[np.bool_], n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        n_families, n_outputs = len(self.names), self.trees.values.shape[1]
        means = np.empty((n_families, len(rows), n_outputs))
        step = max(1, _BLOCK // (len(self.trees) * n_outputs))
        for start in range(0, len(rows), step):
            block = slice(start, start + step)
            outputs = self.trees.outputs(rows[block], n_jobs) * unseen[block].T[:, :, None]
            counts = unseen[block].T.reshape(n_families, self.each, -1).sum(axis=1)[:, :, None]
            sums = outputs.reshape(n_families, self.each, -1, n_outputs).sum(axis=1)
            means[:, block] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return means

    def keep(self, chosen: NDArray[np.bool_]) -> "OnBags":
        names = tuple(name for name, kept in zip(self.names, chosen, strict=True) if kept)
        return (
            self
            if chosen.all()
            else replace(
                self, names=names, trees=self.trees.take(np.flatnonzero(np.repeat(chosen, self.each))).compact()
            )
        )

    def importances(self) -> NDArray[np.float64]:
        by_tree = self.trees.importances(per_tree=True)
        return by_tree.reshape(len(self.names), self.each, -1).mean(axis=1)


@dataclass
class OnFolds(GrownFamilies):
    """A family of trees, each grown on the rows outside a fold.

    Attributes
    ----------
    names : tuple of str
        The name of the family.
    trees : GrownTrees
        The trees, fold after fold; equally many for each fold.
    folds : ndarray of int of shape (n_rows,)
        The fold of each training row; -1 for rows of weight 0.
    """

    names: tuple[str, ...]
    trees: GrownTrees
    folds: NDArray[np.integer]

    def forests(self) -> list[GrownTrees]:
        return [self.trees]

    def outputs(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        return self.trees.sums(rows, n_jobs)[None] / len(self.trees)

    def unseen(self, places: NDArray[np.intp]) -> NDArray[np.integer]:
        return self.folds[places]

    def unseen_outputs(
        self, rows: NDArray[np.float32], unseen: NDArray[np.integer], n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        outputs = np.full((1, len(rows), self.trees.values.shape[1]), np.nan)
        for fold, trees in enumerate(np.split(np.arange(len(self.trees)), n_folds(self.folds))):
            held = unseen == fold
            outputs[0, held] = self.trees.take(trees).sums(rows[held], n_jobs) / len(trees)
        return outputs

    def importances(self) -> NDArray[np.float64]:
        return self.trees.importances()[None]


@dataclass
class OnPairs(GrownFamilies):
    """A family of trees on pairs of categories, each tree grown on the rows outside a fold.

    Attributes
    ----------
    names : tuple of str
        The name of the family.
    by_fold : list of GrownTrees
    pairs : list of CategoryPairs
        For each fold, the encoder of the table that its trees are grown on.
    folds : ndarray of int of shape (n_rows,)
        The fold of each training row; -1 for rows of weight 0.
    n_columns : int
        Number of columns of the encoded table.
    """

    names: tuple[str, ...]
    by_fold: list[GrownTrees]
    pairs: list[CategoryPairs]
    folds: NDArray[np.integer]
    n_columns: int

    def forests(self) -> list[GrownTrees]:
        return self.by_fold

    def outputs(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        return mean_of([self._of_fold(fold, rows, n_jobs) for fold in range(len(self.pairs))])[None]

    def unseen(self, places: NDArray[np.intp]) -> NDArray[np.integer]:
        return self.folds[places]

    def unseen_outputs(
        self, rows: NDArray[np.float32], unseen: NDArray[np.integer], n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        outputs = np.full((1, len(rows), self.by_fold[0].values.shape[1]), np.nan)
        for fold in range(len(self.pairs)):
            held = unseen == fold
            outputs[0, held] = self._of_fold(fold, rows[held], n_jobs)
        return outputs

    def importances(self) -> NDArray[np.float64]:
        amounts = [
            pairs.spread(trees.importances(), self.n_columns)
            for trees, pairs in zip(self.by_fold, self.pairs, strict=True)
        ]
        return np.mean(amounts, axis=0)[None]

    def _of_fold(self, fold: int, rows: NDArray[np.float32], n_jobs: int | None) -> NDArray[np.float64]:
        trees = self.by_fold[fold]
        return trees.sums(self.pairs[fold].transform(rows), n_jobs) / len(trees)


@dataclass
class OnRounds(GrownFamilies):
    """A family of boosted trees: a booster for each fold, grown on the rows outside the fold.

    Attributes
    ----------
    names : tuple of str
        The name of the family.
    boosted : BoostedTrees
    """

    names: tuple[str, ...]
    boosted: BoostedTrees

    def forests(self) -> list[GrownTrees]:
        return [self.boosted.trees]

    def outputs(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        return self.linked(self.boosted.raw(rows, n_jobs))[None]

    def unseen(self, places: NDArray[np.intp]) -> NDArray[np.integer]:
        return self.boosted.folds[places]

    def unseen_outputs(
        self, rows: NDArray[np.float32], unseen: NDArray[np.integer], n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        scores = self.boosted.scores(rows, n_jobs)[unseen, np.arange(len(rows))]
        scores[unseen < 0] = np.nan
        return self.linked(scores)[None]

    def importances(self) -> NDArray[np.float64]:
        return self.boosted.importances()[None]

    def scale(self, unit: float) -> None:
        super().scale(unit)
        self.boosted.base *= unit

    def forget(self) -> None:
        self.boosted.trees = self.boosted.trees.undescribed()
        super().forget()

    def linked(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the outputs for boosting scores: class probabilities, or unchanged scores for a regression."""
        return scores if self.boosted.n_classes is None else probabilities(scores, self.boosted.n_classes)
