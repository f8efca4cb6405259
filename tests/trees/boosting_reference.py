"""Gradient boosting in plain NumPy, as the textbook has it: slow, and independent of the kernel."""

from dataclasses import dataclass, field

import numpy as np

LEAST_HESSIAN = 1e-3


@dataclass
class Node:
    rows: np.ndarray
    depth: int
    column: int = -1
    cut: float = 0.0
    missing_right: bool | None = None  # None: both sides weigh alike
    gain: float = 0.0
    children: tuple["Node", "Node"] | None = None
    value: float = 0.0
    number: int = 0


@dataclass
class Reference:
    """One booster on all rows; `trees` are roots, round after round, and `nodes` their nodes by number."""

    n_rounds: int = 5
    learning_rate: float = 0.1
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    max_bins: int = 255
    min_samples_leaf: int = 5
    l2: float = 1.0
    nodes: list[list[Node]] = field(default_factory=list)

    def fit(self, X, y, weights=None, n_classes=None):
        weights = np.ones(len(X)) if weights is None else weights / weights[weights > 0].mean()
        there = weights > 0
        X, y, weights = X[there], y[there], weights[there]
        self.cuts = [cuts_of(column, self.max_bins) for column in X.T]
        if n_classes is None:
            self.base = np.array([np.average(y, weights=weights)])
        else:
            shares = np.maximum(np.bincount(y, weights, n_classes), weights.mean() / 2)
            self.base = np.log(shares / shares.sum())
            if n_classes == 2:
                self.base = np.diff(self.base)
        self.F = np.tile(self.base, (len(X), 1))
        for _ in range(self.n_rounds):
            G, H = gradients(self.F, y, n_classes)
            for k in range(self.F.shape[1]):
                self._grow(X, weights * G[:, k], weights * H[:, k], weights)
                for node in self.nodes[-1]:
                    if node.children is None:
                        self.F[node.rows, k] += node.value
        return self

    def _grow(self, X, g, h, weights):
        root = Node(np.arange(len(X)), 0)
        nodes, n_leaves = [root], 1
        self._search(root, X, g, h, weights)
        while n_leaves < (self.max_leaf_nodes or len(X)):
            best = max(
                (n for n in nodes if n.children is None and n.column >= 0),
                key=lambda n: (n.gain, -n.number),
                default=None,
            )
            if best is None:
                break
            right = X[best.rows, best.column] > best.cut
            right |= np.isnan(X[best.rows, best.column]) & bool(best.missing_right)
            best.children = tuple(Node(best.rows[s], best.depth + 1) for s in (~right, right))
            for child in best.children:
                child.number = len(nodes)
                nodes.append(child)
                self._search(child, X, g, h, weights)
            n_leaves += 1
        for node in nodes:
            node.value = float(np.float32(-self.learning_rate * g[node.rows].sum() / (h[node.rows].sum() + self.l2)))
        self.nodes.append(nodes)

    def _search(self, node, X, g, h, weights):
        if node.depth == self.max_depth:
            return
        rows = node.rows
        none = score(g[rows], h[rows], self.l2)
        best = none * (1 + 1e-10)
        for j, cuts in enumerate(self.cuts):
            x = X[rows, j]
            missing = np.isnan(x)
            for way in (True, False) if missing.any() else (None,):
                for cut in [*cuts, np.inf] if way else cuts:
                    right = np.where(missing, bool(way), x > cut)
                    sides = rows[~right], rows[right]
                    if min(map(len, sides)) < max(1, self.min_samples_leaf):
                        continue
                    if min(h[s].sum() for s in sides) < LEAST_HESSIAN:
                        continue
                    found = sum(score(g[s], h[s], self.l2) for s in sides)
                    if found > best * (1 + 1e-12):  # sides of equal rows differ by rounding only
                        best = found
                        left, right = (weights[s].sum() for s in sides)
                        node.column, node.cut = j, cut
                        node.missing_right = way
                        if way is None and not np.isclose(left, right):
                            node.missing_right = bool(right > left)
        node.gain = best - none


def score(g, h, l2):
    return g.sum() ** 2 / (h.sum() + l2)


def gradients(F, y, n_classes):
    if n_classes is None:
        return F - y[:, None], np.ones_like(F)
    if n_classes == 2:
        p = 1 / (1 + np.exp(-F))
        return p - y[:, None], p * (1 - p)
    p = np.exp(F - F.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return p - np.eye(n_classes)[y], p * (1 - p) * n_classes / (n_classes - 1)


def cuts_of(column, max_bins):
    """Return the cuts between bins: each takes values until it holds its share of what is left."""
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    middles = ((values[1:].astype(float) + values[:-1].astype(float)) / 2).astype(np.float32)
    middles = np.where(middles < values[1:], middles, values[:-1])
    if len(values) <= max_bins:
        return middles
    cuts, left, bins, held = [], counts.sum(), max_bins, counts[0]
    for k in range(1, len(values)):
        if bins > 1 and held + counts[k] / 2 > left / bins:
            cuts.append(middles[k - 1])
            left, bins, held = left - held, bins - 1, 0
        held += counts[k]
    return np.array(cuts)
