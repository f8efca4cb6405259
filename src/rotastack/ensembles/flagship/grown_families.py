"""Grown families of trees, and their outputs for training rows that the trees have not seen."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import mean_of
from rotastack.ensembles.flagship.category_pairs import CategoryPairs
from rotastack.ensembles.flagship.family_rows import n_folds
from rotastack.trees.boosting import BoostedTrees, probabilities
from rotastack.trees.grown import GrownTrees

_BLOCK = 2**22  # largest number of tree outputs held in memory at once


class GrownFamilies(ABC):
    """One or several families that were grown together.

    Outputs have the shape (n_families, n_rows, n_outputs).
    """

    names: tuple[str, ...]

    @abstractmethod
    def forests(self) -> list[GrownTrees]:
        """Return the forests of all trees."""

    def described(self, grown_on: str = "folds") -> str:
        """Return the number of trees and nodes in words, and what the trees were grown on."""
        n_trees, n_nodes = sum(map(len, self.forests())), sum(len(trees.nodes) for trees in self.forests())
        return f"{n_trees} trees of {', '.join(self.names)} grown on {grown_on}, {n_nodes} nodes"

    @abstractmethod
    def outputs(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the families' outputs for new rows."""

    @abstractmethod
    def unseen(self, places: NDArray[np.intp]) -> NDArray:
        """Return, for each training row in `places`, the mask of the trees or the fold of the trees not grown on it."""

    @abstractmethod
    def unseen_outputs(
        self, rows: NDArray[np.float32], unseen: NDArray, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return outputs for changed training rows, from the trees in `unseen`, which have not seen the training rows.

        NaN if all trees of a family have seen the row.
        """

    @abstractmethod
    def importances(self) -> NDArray[np.float64]:
        """Return the importance of each encoded column, (n_families, n_columns), in any unit of the family; at least 0."""

    def used_columns(self) -> NDArray[np.bool_]:
        """Return the mask of the encoded columns that outputs depend on; one False without trees."""
        return np.any([trees.used_columns() for trees in self.forests()], axis=0)

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
    """Families of trees, each tree grown on a separate bootstrap of `n_rows` training rows."""

    names: tuple[str, ...]
    trees: GrownTrees  # of all families, family after family
    n_rows: int

    def described(self, grown_on: str = "bags") -> str:
        return super().described(grown_on)

    @property
    def each(self) -> int:
        """Number of trees of each family."""
        return len(self.trees) // len(self.names)

    def forests(self) -> list[GrownTrees]:
        return [self.trees]

    def outputs(self, rows, n_jobs=None):
        groups = np.repeat(np.arange(len(self.names)), self.each)
        return self.trees.group_sums(rows, groups, len(self.names), n_jobs) / self.each

    def unseen(self, places):
        return self.trees.out_of_bag(self.n_rows, places)

    def unseen_outputs(self, rows, unseen, n_jobs=None):
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

    def keep(self, chosen):
        if chosen.all():
            return self
        names = tuple(name for name, kept in zip(self.names, chosen, strict=True) if kept)
        trees = self.trees.take(np.flatnonzero(np.repeat(chosen, self.each))).compact()
        return replace(self, names=names, trees=trees)

    def importances(self):
        by_tree = self.trees.importances(per_tree=True)
        return by_tree.reshape(len(self.names), self.each, -1).mean(axis=1)


class OnEachFold(GrownFamilies):
    """A family with a part for each fold, such as a forest, which is trained on the rows outside the fold."""

    folds: NDArray[np.integer]  # the fold of each training row; -1 for rows of weight 0

    @abstractmethod
    def _of_fold(self, fold: int, rows: NDArray[np.float32], n_jobs: int | None) -> NDArray[np.float64]:
        """Return the outputs of the part that has not seen a fold, shape (n_rows, n_outputs)."""

    def unseen(self, places):
        return self.folds[places]

    def unseen_outputs(self, rows, unseen, n_jobs=None):
        by_fold = [self._of_fold(fold, rows[unseen == fold], n_jobs) for fold in range(n_folds(self.folds))]
        outputs = np.full((1, len(rows), by_fold[0].shape[1]), np.nan)
        for fold, mine in enumerate(by_fold):
            outputs[0, unseen == fold] = mine
        return outputs


@dataclass
class OnFolds(OnEachFold):
    """A family of trees, equally many of them grown on the rows outside each fold."""

    names: tuple[str, ...]
    trees: GrownTrees  # fold after fold
    folds: NDArray[np.integer]

    def forests(self) -> list[GrownTrees]:
        return [self.trees]

    def outputs(self, rows, n_jobs=None):
        return self.trees.means(rows, n_jobs)[None]

    def _of_fold(self, fold, rows, n_jobs):
        trees = np.split(np.arange(len(self.trees)), n_folds(self.folds))[fold]
        return self.trees.take(trees).means(rows, n_jobs)

    def importances(self):
        return self.trees.importances()[None]


@dataclass
class OnPairs(OnEachFold):
    """A family of trees on pairs of categories, each tree grown on the rows outside a fold."""

    names: tuple[str, ...]
    by_fold: list[GrownTrees]
    pairs: list[CategoryPairs]  # for each fold, the encoder of the table that its trees are grown on
    folds: NDArray[np.integer]
    n_columns: int  # of the encoded table

    def forests(self) -> list[GrownTrees]:
        return self.by_fold

    def outputs(self, rows, n_jobs=None):
        return mean_of([self._of_fold(fold, rows, n_jobs) for fold in range(len(self.pairs))])[None]

    def _of_fold(self, fold, rows, n_jobs):
        return self.by_fold[fold].means(self.pairs[fold].transform(rows), n_jobs)

    def importances(self):
        by_fold = zip(self.by_fold, self.pairs, strict=True)
        return np.mean([pairs.spread(trees.importances(), self.n_columns) for trees, pairs in by_fold], axis=0)[None]

    def used_columns(self):
        by_fold = zip(self.by_fold, self.pairs, strict=True)
        return np.any([pairs.spread(trees.used_columns(), self.n_columns) for trees, pairs in by_fold], axis=0)


@dataclass
class OnRounds(GrownFamilies):
    """A family of boosted trees: a booster for each fold, grown on the rows outside the fold."""

    names: tuple[str, ...]
    boosted: BoostedTrees

    def described(self, grown_on: str = "folds") -> str:
        return super().described(f"{grown_on} in {self.boosted.n_rounds} rounds")

    def forests(self) -> list[GrownTrees]:
        return [self.boosted.trees]

    def outputs(self, rows, n_jobs=None):
        return self.linked(self.boosted.raw(rows, n_jobs))[None]

    def unseen(self, places):
        return self.boosted.folds[places]

    def unseen_outputs(self, rows, unseen, n_jobs=None):
        scores = self.boosted.scores(rows, n_jobs)[unseen, np.arange(len(rows))]
        scores[unseen < 0] = np.nan
        return self.linked(scores)[None]

    def importances(self):
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


@dataclass
class Stopped(GrownFamilies):
    """A boosted family that ended early, without trees: each class has the same probability."""

    names: tuple[str, ...]
    n_classes: int
    n_columns: int

    def described(self, grown_on: str = "folds") -> str:
        return f"{self.names[0]} ended early: no weight beside the other families"

    def forests(self) -> list[GrownTrees]:
        return []

    def outputs(self, rows, n_jobs=None):
        return np.full((1, len(rows), self.n_classes), 1 / self.n_classes)

    def unseen(self, places):
        return np.zeros(len(places), np.int32)

    def unseen_outputs(self, rows, unseen, n_jobs=None):
        return np.full((1, len(rows), self.n_classes), np.nan)

    def importances(self):
        return np.zeros((1, self.n_columns))
