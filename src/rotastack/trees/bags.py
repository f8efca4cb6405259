"""Bags: the rows that a bootstrap draws for a tree or a member."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.seeds import child, kernel_seeds, random_bits


def draw_many_below(seed: int | np.uint64, n: int, size: int) -> NDArray[np.int64]:
    """Return the first `size` results of ``draw_below(state, n)``, starting from the state `seed`."""
    return (((random_bits(seed, size) >> 32) * np.uint64(n)) >> 32).astype(np.int64)


def draw_many_units(seed: int | np.uint64, size: int) -> NDArray[np.float64]:
    """Return the first `size` results of ``draw_unit(state)``, starting from the state `seed`."""
    return (random_bits(seed, size) >> 11).astype(np.float64) * (1.0 / 9007199254740992.0)


LEAST_DRAWS = 100


@dataclass(frozen=True)
class Bags:
    """The rule by which the bags of trees are drawn: with replacement, in proportion to the weights of the rows.

    A row of weight 2 is drawn as often as two copies of a row of weight 1. Equal weights give the same bags as no
    weights. Rows of weight 0 are in no bag.

    With groups of rows, whole groups are drawn, all equally likely: a bag has all rows of a group or none. Weights then
    do not change the draws.

    Examples
    --------
    >>> Bags.of(4, np.array([2.0, 0.0, 1.0, 1.0])).ends
    array([0.5 , 0.75, 1.  ])
    """

    rows: NDArray[np.intp]  # the rows with a weight above 0
    ends: NDArray[np.float64]  # (len(rows),): cumulative shares of the total weight; empty if all weights are equal
    size: int  # number of draws for a bag
    row_groups: NDArray[np.intp] | None = None  # (len(rows),): the number of each row's group, from 0
    counts: NDArray[np.int32] | None = None  # (n_trees, n_rows): of bags that are given, not drawn

    @classmethod
    def of(
        cls,
        n_rows: int,
        weights: NDArray[np.float64] | None = None,
        heaviest: float | None = None,
        most: int | None = None,
        row_groups: NDArray[np.integer] | None = None,
    ) -> "Bags":
        """Return the rule for a table of `n_rows` rows.

        The heaviest row is expected at most `heaviest` times in a bag, so that it is out of many bags: there are fewer
        draws, but at least 100. By default there are as many draws as rows with a weight; there are never more than
        `most`. With `row_groups` (n_rows,), there are as many draws as groups, but fewer if a bag would have more than
        `most` rows on average.
        """
        most = n_rows if most is None else most
        if row_groups is not None:
            rows = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
            names, numbers = np.unique(row_groups[rows], return_inverse=True)
            return cls(rows, np.empty(0), max(1, round(len(names) * min(1.0, most / len(rows)))), numbers)
        if weights is None:
            return cls(np.arange(n_rows), np.empty(0), min(n_rows, most))
        shares = weights / weights.max()
        rows = np.flatnonzero(shares)
        size = min(len(rows), most)
        if shares[rows].min() == 1:
            return cls(rows, np.empty(0), size)
        ends = np.cumsum(shares[rows])
        if heaviest is not None:
            size = min(size, max(LEAST_DRAWS, round(heaviest * float(ends[-1]))))
        return cls(rows, ends / ends[-1], size)

    @classmethod
    def given(cls, counts: ArrayLike, weights: NDArray[np.float64] | None = None) -> "Bags":
        """Return bags that are not drawn: `counts` (n_trees, n_rows) is the number of times that each tree sees each row."""
        known = np.array(counts, dtype=np.int32, order="C")
        if known.min(initial=0) < 0:
            raise ValueError("counts of bags must be at least 0")
        return replace(cls.of(known.shape[1], weights), counts=known)

    def known_counts(self, seeds: NDArray[np.uint64], n_rows: int) -> NDArray[np.int32]:
        """Return the counts (n_trees, n_rows) of bags that are given or of groups; empty if the kernel draws the bags."""
        if self.row_groups is not None:
            return np.stack([np.bincount(self.drawn(seed), minlength=n_rows) for seed in seeds]).astype(np.int32)
        if self.counts is None:
            return np.empty((0, 0), np.int32)
        if self.counts.shape != (len(seeds), n_rows):
            raise ValueError(f"counts of bags must have shape {(len(seeds), n_rows)}, got {self.counts.shape}")
        return self.counts

    def drawn(self, seed: np.uint64) -> NDArray[np.intp]:
        """Return the rows in the bag of the tree of this seed, each repeated once per draw.

        The kernel draws the same rows, unless rows have groups. It uses the first random numbers of the seed in any case,
        so groups are drawn from another seed.
        """
        if self.row_groups is not None:
            n_groups = int(self.row_groups.max()) + 1
            draws = np.bincount(draw_many_below(~np.uint64(seed), n_groups, self.size), minlength=n_groups)
            return np.repeat(self.rows, draws[self.row_groups])
        if not len(self.ends):
            return self.rows[draw_many_below(seed, len(self.rows), self.size)]
        places = np.searchsorted(self.ends, draw_many_units(seed, self.size), side="right")
        return self.rows[np.minimum(places, len(self.rows) - 1)]


def tree_seeds(sequence: np.random.SeedSequence, group: int, n_trees: int) -> NDArray[np.uint64]:
    """Return one seed for each tree of a group; the first random numbers of a seed draw the tree's bag."""
    return kernel_seeds(child(sequence, "trees", group), n_trees)


def member_bag(
    sequence: np.random.SeedSequence, n_rows: int, weights: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """Return the rows drawn by weight for a member that the kernel does not grow, each repeated once per draw."""
    rng = np.random.default_rng(child(sequence, "bootstrap"))
    if weights is None:
        return rng.integers(0, n_rows, n_rows)
    return rng.choice(n_rows, n_rows, p=weights / weights.sum())


def weighted_bag(sequence: np.random.SeedSequence, draw: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how often each row is drawn, by its share of the weight, in draw number `draw` for a member."""
    return np.random.default_rng(child(sequence, "bag", draw)).multinomial(len(shares), shares)
