"""A decision tree over data sets: the method to choose, by facts that are known before training."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

__all__ = ["Node", "chosen", "grow", "left_out_rank"]

LEAST = 8
"""Data sets in a leaf, at least."""
QUANTILES = (0.2, 0.4, 0.6, 0.8)
"""Of a fact over the data sets of a node: where a question may cut."""


@dataclass(frozen=True)
class Node:
    """A question with two answers, or a method.

    Attributes
    ----------
    ranks : Series
        Average rank of each method over the data sets of the node, the best first.
    n_sets : int
    fact, above : str and float, or None
    below, beyond : Node or None
        Data sets whose fact is at most `above`, and the others.
    """

    ranks: pd.Series
    n_sets: int
    fact: str | None = None
    above: float | None = None
    below: "Node | None" = None
    beyond: "Node | None" = None


def grow(ranks: pd.DataFrame, facts: pd.DataFrame, depth: int) -> Node:
    """Return the tree whose leaves' best methods have the least sum of ranks, by trying all splits."""
    _, node = _best(ranks.to_numpy(), facts.to_numpy(), ranks.columns, facts.columns, depth)
    return node


def _leaf(ranks, methods):
    return ranks.sum(axis=0).min(), Node(pd.Series(ranks.mean(axis=0), methods).sort_values(kind="stable"), len(ranks))


def _best(ranks, facts, methods, names, depth):
    cost, node = _leaf(ranks, methods)
    if depth == 0 or len(ranks) < 2 * LEAST:
        return cost, node
    for j, name in enumerate(names):
        for cut in np.unique(np.quantile(facts[:, j], QUANTILES, method="lower")):
            low = facts[:, j] <= cut
            if min(low.sum(), (~low).sum()) < LEAST:
                continue
            left, below = _best(ranks[low], facts[low], methods, names, depth - 1)
            right, beyond = _best(ranks[~low], facts[~low], methods, names, depth - 1)
            if left + right < cost - 1e-9 and _differ(below, beyond):
                cost, node = left + right, Node(node.ranks, node.n_sets, name, float(cut), below, beyond)
    return cost, node


def _differ(below, beyond):
    """Whether the answers of a question lead to different methods."""
    return len({leaf.ranks.index[0] for leaf in (*_leaves(below), *_leaves(beyond))}) > 1


def _leaves(node):
    if node.fact is None:
        return (node,)
    return (*_leaves(node.below), *_leaves(node.beyond))


def chosen(node: Node, facts: pd.Series) -> str:
    """Return the method that a tree chooses for a data set."""
    while node.fact is not None:
        node = node.below if facts[node.fact] <= node.above else node.beyond
    return node.ranks.index[0]


def left_out_rank(ranks: pd.DataFrame, facts: pd.DataFrame, depth: int) -> float:
    """Return the mean rank of the methods that trees choose for a data set held out of their growth."""
    found = [
        ranks.loc[name, chosen(grow(ranks.drop(index=name), facts.drop(index=name), depth), facts.loc[name])]
        for name in ranks.index
    ]
    return float(np.mean(found))
