"""Families of trees that have been grown, and which rows their trees have not seen."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import mean_of
from rotastack.ensembles.flagship.category_pairs import CategoryPairs
from rotastack.trees.boosting import BoostedTrees, probabilities
from rotastack.trees.grown import GrownTrees

__all__ = ["GrownFamilies", "OnBags", "OnFolds", "OnPairs", "OnRounds", "n_folds"]

_BLOCK = 2**22  # numbers of trees' outputs held at once


def n_folds(folds: NDArray[np.integer]) -> int:
    """Return the number of folds: 1 where there are too few rows for more, and none is left out."""
    return max(1, int(folds.max()) + 1)


class GrownFamilies(ABC):
    """Families that were grown together.

    Attributes
    ----------
    names : tuple of str
    """

    names: tuple[str, ...]

    @abstractmethod
    def forests(self) -> list[GrownTrees]:
        """Return all trees."""

    @abstractmethod
    def outputs(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the families' outputs for new rows, (family, row, output)."""

    @abstractmethod
    def unseen(self, places: NDArray[np.intp]) -> NDArray:
        """Return what tells which trees have not seen the training rows `places`."""

    @abstractmethod
    def unseen_outputs(
        self, rows: NDArray[np.float32], unseen: NDArray, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the outputs for rows in the place of training rows, by trees that have not seen these.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
        unseen : ndarray
            What :meth:`unseen` returns for the training rows.
        n_jobs : int, optional

        Returns
        -------
        ndarray of shape (n_families, n_rows, n_outputs)
            NaN where all trees of a family have seen a row.
        """

    @abstractmethod
    def importances(self) -> NDArray[np.float64]:
        """Return what the splits on each column of the encoded table bring, (family, column); not negative."""

    def keep(self, chosen: NDArray[np.bool_]) -> "GrownFamilies":
        """Return some of the families, one at least."""
        return self

    def scale(self, unit: float) -> None:
        """Multiply the outputs of a regression."""
        for trees in self.forests():
            trees.values *= unit

    def forget(self) -> None:
        """Drop what predictions do not need."""
        for trees in self.forests():
            trees.decreases = None


@dataclass
class OnBags(GrownFamilies):
    """Families each of whose trees was grown on a bootstrap of its own.

    Attributes
    ----------
    names : tuple of str
    trees : GrownTrees
        Family after family.
    n_rows : int
        Training rows.
    """

    names: tuple[str, ...]
    trees: GrownTrees
    n_rows: int

    @property
    def each(self) -> int:
        """Number of trees of a family."""
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
    """A family whose trees were grown on all rows but those of a fold.

    Attributes
    ----------
    names : tuple of str
        Its name.
    trees : GrownTrees
        As many for each fold, fold after fold.
    folds : ndarray of int of shape (n_rows,)
        The fold of each training row, -1 where it has no weight.
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
            mine = unseen == fold
            outputs[0, mine] = self.trees.take(trees).sums(rows[mine], n_jobs) / len(trees)
        return outputs

    def importances(self) -> NDArray[np.float64]:
        return self.trees.importances()[None]


@dataclass
class OnPairs(GrownFamilies):
    """A family on folds whose trees see pairs of categories.

    Attributes
    ----------
    names : tuple of str
        Its name.
    by_fold : list of GrownTrees
    pairs : list of CategoryPairs
        What the trees of each fold see of the encoded table.
    folds : ndarray of int of shape (n_rows,)
        The fold of each training row, -1 where it has no weight.
    n_columns : int
        Of the encoded table.
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
            mine = unseen == fold
            outputs[0, mine] = self._of_fold(fold, rows[mine], n_jobs)
        return outputs

    def importances(self) -> NDArray[np.float64]:
        found = [
            pairs.spread(trees.importances(), self.n_columns)
            for trees, pairs in zip(self.by_fold, self.pairs, strict=True)
        ]
        return np.mean(found, axis=0)[None]

    def _of_fold(self, fold: int, rows: NDArray[np.float32], n_jobs: int | None) -> NDArray[np.float64]:
        trees = self.by_fold[fold]
        return trees.sums(self.pairs[fold].transform(rows), n_jobs) / len(trees)


@dataclass
class OnRounds(GrownFamilies):
    """A family of boosted trees, a booster for each fold, which has not seen it.

    Attributes
    ----------
    names : tuple of str
        Its name.
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
        """Return the outputs behind scores: class probabilities, or numbers as they are."""
        return scores if self.boosted.n_classes is None else probabilities(scores, self.boosted.n_classes)
