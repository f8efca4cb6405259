"""Families of trees that have been grown, and which rows their trees have not seen."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from rotastack.base.row_weights import some
from rotastack.base.sums import mean_of
from rotastack.base.warned import warn
from rotastack.ensembles.flagship.category_pairs import CategoryPairs
from rotastack.ensembles.flagship.families import TreeFamily
from rotastack.ensembles.flagship.family_views import candidates, planned_families
from rotastack.seeds import child
from rotastack.trees.bags import Bags
from rotastack.trees.boosting import BoostedTrees, boosting_folds, grow_boosted, probabilities
from rotastack.trees.growing import TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.views.encoding import told_classes

__all__ = ["GrownFamilies", "OnBags", "OnFolds", "OnPairs", "OnRounds", "TrainingRows", "grow_families"]

HEAVIEST = 2.0
"""No row is drawn for a bag more often than this on average: one in seven trees, at least, has not seen it."""

MOST_DRAWS = 100_000
"""For a bag, however many rows there are: trees on noisy rows have nearly as many nodes as draws, and a million are too many."""

MOST_CLASSES = 100
"""With more no trees are boosted, of which each class and round has one."""

_BLOCK = 2**22  # numbers of trees' outputs held at once


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
        n_folds = _n_folds(self.folds)
        for fold, trees in enumerate(np.split(np.arange(len(self.trees)), n_folds)):
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


@dataclass(frozen=True)
class TrainingRows:
    """What families are grown on.

    Attributes
    ----------
    X : ndarray of float32 of shape (n_rows, n_columns)
        The encoded table.
    codes : ndarray of int of shape (n_rows,)
        Class numbers, from which views learn.
    weights : ndarray of shape (n_rows,) or None
    groups : sequence of ndarray of int
        Columns that are the dummies of one category each.
    numbers : ndarray of shape (n_rows,) or None
        Targets of a regression.
    """

    X: NDArray[np.float32]
    codes: NDArray[np.integer]
    weights: NDArray[np.float64] | None = None
    groups: Sequence[NDArray[np.intp]] = ()
    numbers: NDArray[np.float64] | None = None

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None for a regression."""
        return int(self.codes.max()) + 1 if self.numbers is None else None

    @property
    def target(self) -> NDArray:
        return self.codes if self.numbers is None else self.numbers

    def bags(self) -> Bags:
        return Bags.of(len(self.X), self.weights, HEAVIEST, MOST_DRAWS)

    def seen(self, folds: NDArray[np.integer], fold: int) -> "TrainingRows":
        """Return the rows that are grown on where a fold is left out: rows of no weight are in no fold."""
        rows = np.flatnonzero((folds != fold) & (True if self.weights is None else self.weights > 0))
        numbers = None if self.numbers is None else self.numbers[rows]
        return replace(self, X=self.X[rows], codes=self.codes[rows], weights=some(self.weights, rows), numbers=numbers)  # fmt: skip

    def of_shares(self) -> NDArray[np.float64]:
        """Return the targets that categories are encoded by, (row, target): the number, or whether the class is one of the largest."""
        if self.numbers is not None:
            return self.numbers[:, None]
        return (self.codes[:, None] == told_classes(self.codes)).astype(np.float64)

    def planned(self, families: Sequence[TreeFamily], n_trees: int, sequence, n_jobs: int | None) -> list:
        """Return families as forests are grown of them; see :func:`planned_families`."""
        return planned_families(
            families, n_trees, self.X, self.codes, int(self.codes.max()) + 1, sequence,
            groups=self.groups, numbers=self.numbers, bags=self.bags(), n_jobs=n_jobs,
        )  # fmt: skip


def grow_families(
    families: Sequence[TreeFamily],
    n_trees: int,
    rows: TrainingRows,
    sequence: np.random.SeedSequence,
    *,
    n_jobs: int | None = None,
    done: Callable[[str], None] = lambda words: None,
) -> tuple[list[GrownFamilies], NDArray[np.float64]]:
    """Grow families, first those on bags, then each of the others.

    Parameters
    ----------
    families : sequence of TreeFamily
    n_trees : int
        Of each family; boosted ones have as many as rounds are worth it.
    rows : TrainingRows
    sequence : numpy.random.SeedSequence
    n_jobs : int, optional
        Threads; the result does not depend on it.
    done : callable
        Is told in words of each step.

    Returns
    -------
    grown : list of GrownFamilies
    outputs : ndarray of shape (n_families, n_rows, n_outputs)
        Of the families of `grown`, one after the other, for rows that trees have not seen; NaN where all have.
    """
    grown: list[GrownFamilies] = []
    outputs = []

    def add(found: GrownFamilies, unseen: NDArray[np.float64], how: str) -> None:
        grown.append(found)
        outputs.append(unseen)
        forests = found.forests()
        n_nodes = sum(len(trees.nodes) for trees in forests)
        done(f"{sum(map(len, forests))} trees of {', '.join(found.names)} grown on {how}, {n_nodes} nodes")

    on_bags = [family for family in families if not family.n_folds]
    for criterion in dict.fromkeys(family.criterion for family in on_bags):
        alike = [family for family in on_bags if family.criterion == criterion]
        add(*_on_bags(alike, criterion, n_trees, rows, sequence, n_jobs), "bags")
    for family in _boostable(families, rows.n_classes):
        if not family.n_folds:
            continue
        # The same folds for all families that have as many.
        of_folds = child(sequence, "folds", family.n_folds)
        folds = boosting_folds(rows.codes, family.n_folds, of_folds, rows.weights, int(rows.codes.max()) + 1)
        own = child(sequence, "family", family.name)
        if family.boosting is not None:
            boosted = _boosted(family, rows, folds, own, n_jobs)
            add(*boosted, f"folds in {boosted[0].boosted.n_rounds} rounds")
        else:
            add(*_on_folds(family, n_trees, rows, folds, own, n_jobs), "folds")
    return grown, np.concatenate(outputs)


def _boostable(families: Sequence[TreeFamily], n_classes: int | None) -> Sequence[TreeFamily]:
    """Return the families without boosted ones where classes are too many for them."""
    if n_classes is None or n_classes <= MOST_CLASSES:
        return families
    boosted = [family.name for family in families if family.boosting is not None]
    if len(boosted) == len(families):
        raise ValueError(
            f"families: {boosted[0]} grows a tree a class and round, which is for up to {MOST_CLASSES} classes, not {n_classes}"
        )
    if boosted:
        warn(
            f"{n_classes} classes: boosted trees ({', '.join(boosted)}) are left out, as they grow a tree a class and round; "
            f"they are for up to {MOST_CLASSES} classes"
        )
    return [family for family in families if family.boosting is None]


def _on_bags(families, criterion, n_trees, rows: TrainingRows, sequence, n_jobs):
    groups = rows.planned(families, n_trees, sequence, n_jobs)
    trees, out_of_bag = grow_forest(
        rows.X, rows.target, groups, TreeOptions(criterion), sequence, n_classes=rows.n_classes,
        weights=rows.weights, bags=rows.bags(), describe_nodes=False, n_jobs=n_jobs,
    )  # fmt: skip
    assert out_of_bag is not None
    found = OnBags(tuple(family.name for family in families), trees, len(rows.X))
    return found, np.stack([family.means() for family in out_of_bag])


def _on_folds(family: TreeFamily, n_trees, rows: TrainingRows, folds, sequence, n_jobs):
    n_folds = _n_folds(folds)
    each = -(-n_trees // n_folds)
    outputs = np.full((1, len(folds), rows.n_classes or 1), np.nan)
    forests, pairs = [], []
    for fold in range(n_folds):
        mine, own = rows.seen(folds, fold), child(sequence, fold)
        held = folds == fold
        X, X_held = mine.X, rows.X[held]
        if family.parts == ("pairs",):
            pairs.append(CategoryPairs(rows.groups).fit(X, mine.of_shares()))
            X, X_held = pairs[-1].transform(X), pairs[-1].transform(X_held)
            wanted = candidates(family.max_features, mine.X.shape[1], X.shape[1])
            planned = [TreeGroup(each, splitter=family.splitter, max_features=wanted, name=family.name)]
        else:
            planned = mine.planned([family], each, own, n_jobs)
        weights = None if mine.weights is None else mine.weights / mine.weights.mean()
        trees, _ = grow_forest(
            X, mine.target, planned, TreeOptions(family.criterion), own, n_classes=rows.n_classes, weights=weights,
            bootstrap=family.bootstrap or len(X) > MOST_DRAWS, bags=mine.bags(), want_oob=False, describe_nodes=False, n_jobs=n_jobs,
        )  # fmt: skip
        outputs[0, held] = trees.sums(X_held, n_jobs) / each
        forests.append(trees)
    if pairs:
        return OnPairs((family.name,), forests, pairs, folds, rows.X.shape[1]), outputs
    return OnFolds((family.name,), GrownTrees.concatenate(forests), folds), outputs


def _boosted(family: TreeFamily, rows: TrainingRows, folds, sequence, n_jobs):
    assert family.boosting is not None
    views = None
    if family.parts != ("identity",):
        planned = [
            rows.seen(folds, fold).planned([family], 1, child(sequence, fold), n_jobs)[0].views
            for fold in range(_n_folds(folds))
        ]
        views = LinearViews.concatenate(planned)
    options, width = family.boosting, rows.X.shape[1] if views is None else int(views.widths().min())
    if isinstance(options.max_features, Integral):
        options = options._replace(max_features=min(options.max_features, width))
    boosted = grow_boosted(
        rows.X, rows.target, options, sequence,
        n_classes=rows.n_classes, folds=folds, weights=rows.weights, views=views, n_jobs=n_jobs,
    )  # fmt: skip
    found = OnRounds((family.name,), boosted)
    return found, found.linked(boosted.held_out)[None]


def _n_folds(folds: NDArray[np.integer]) -> int:
    """Return the number of folds: 1 where there are too few rows for more, and none is left out."""
    return max(1, int(folds.max()) + 1)
