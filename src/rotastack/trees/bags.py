"""Bags: the rows that a bootstrap draws for a tree or a member."""

import numpy as np
from numpy.typing import NDArray

from rotastack.seeds import child
from rotastack.trees.kernel.randomness import draw_many_below

__all__ = ["kernel_seeds", "member_bag", "tree_bag", "tree_seeds", "weighted_bag"]


def kernel_seeds(sequence: np.random.SeedSequence, n: int) -> NDArray[np.uint64]:
    """Return seeds as the kernel takes them."""
    return sequence.generate_state(n, np.uint64).astype(np.uint64, copy=False)


def tree_seeds(sequence: np.random.SeedSequence, group: int, n_trees: int) -> NDArray[np.uint64]:
    """Return the seeds of the trees of a group, one for each: a tree's bag is the first that its seed draws."""
    return kernel_seeds(child(sequence, "trees", group), n_trees)


def tree_bag(seed: np.uint64, n_rows: int) -> NDArray[np.intp]:
    """Return the rows that the kernel draws for the tree of this seed, as often as it draws them."""
    return draw_many_below(seed, n_rows, n_rows)


def member_bag(sequence: np.random.SeedSequence, n_rows: int) -> NDArray[np.intp]:
    """Return the rows drawn for a member that the kernel does not grow, as often as they are drawn."""
    return np.random.default_rng(child(sequence, "bootstrap")).integers(0, n_rows, n_rows)


def weighted_bag(
    sequence: np.random.SeedSequence, draw: int, shares: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return how often each row is drawn, by its share of the weight; boosting may draw for a member several times."""
    return np.random.default_rng(child(sequence, "bag", draw)).multinomial(len(shares), shares)
